//! Tests the options that select URLs, such as `--scheme`, and the options that select inputs, such as `--files-from`.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use crate::world::{BOX, URLS, World, finish};

/// Returns the lines of [`URLS`] with these indexes, counted from 0.
fn lines(which: &[usize]) -> String {
    let urls: Vec<&str> = URLS.lines().collect();
    which.iter().flat_map(|n| [urls[*n], "\n"]).collect()
}

#[test]
fn urls_are_selected_by_scheme_form_and_tier() {
    let world = World::with_box("select");
    world.run("--scheme ftp,GOPHER box").prints(0, &lines(&[2, 5]));
    world.run("--scheme ftp --scheme gopher box").prints(0, &lines(&[2, 5]));
    world.run("--scheme irc box").explains("6 URLs were found, and --scheme removed them all");
    world.run("--form wrapped,href box").prints(0, &lines(&[2, 4]));
    world.run("--form prefixed box").explains("6 URLs were found, and --form removed them all");
    world
        .run("-j2 --form bare,href --scheme http,irc --host =example.org --tier rfc1738 box box")
        .explains("12 URLs were found, and all were removed: --form removed 2, --host removed 8, --scheme removed 2");
    // URLs in a skipped message are not counted as removed.
    world.run("--since 2030 --scheme ftp box").explains("2 messages were skipped by --since");
    world.run("--form bare --scheme http box").prints(0, &lines(&[0, 1, 3]));
    world.run("--tier rfc1738 box").prints(0, &lines(&[0, 1, 2, 4, 5]));
}

/// A URL is common in its list, not in the whole input. Text outside messages, and URLs that a message repeats, do not
/// count.
#[test]
fn urls_in_many_messages_of_a_list_are_left_out() {
    let mail = |list: &str, body: String| {
        let list = if list.is_empty() { String::new() } else { format!("List-Id: <{list}>\n") };
        format!("From x Sat Jan  3 01:05:34 1998\nFrom: a@a.example\n{list}\n{body}\n\n")
    };
    let all = |list: &str, messages: u32, with: u32, url: &str| -> String {
        let body = |n| format!("http://{n}.example/ {}", if n < with { url } else { "" });
        (0..messages).map(|n| mail(list, body(n))).collect()
    };
    let small = all("small.example", 10, 6, "http://small.example/ http://small.example/");
    let large = all("large.example", 200, 3, "http://small.example/");
    let seven = all("seven.example", 100, 7, "http://seven.example/");
    let none = all("", 10, 4, "http://four.example/");
    let again = mail("large.example", "http://again.example/ ".repeat(9));
    let world = World::new("common")
        .file("copy", small.clone() + &large + &none + &again + &seven)
        .file("box", small + &large + &none + &again + &seven)
        .file("text", "http://small.example/\n".repeat(20))
        .file("list", "box\n");
    let urls = "--fields url --host small.example,four.example,again.example";
    // Of small.example, the three in the other list and the twenty in the text remain.
    for (arguments, small, four, again) in [
        ("box text", 35, 4, 9),
        ("--skip-common 60% box text", 23, 4, 9),
        ("--skip-common 61% box", 15, 4, 9),
        ("--skip-common 1% -j4 --files-from list", 3, 4, 9),
    ] {
        let run = world.run(&format!("{arguments} {urls}"));
        let found = String::from_utf8(run.stdout).unwrap();
        let count = |host: &str| found.lines().filter(|url| *url == format!("http://{host}.example/")).count();
        assert_eq!((count("small"), count("four"), count("again")), (small, four, again), "{arguments}");
    }
    for (percent, want) in [("7%", 0), ("7.1%", 7)] {
        let run = world.run(&format!("--skip-common {percent} --host seven.example box"));
        assert_eq!(run.stdout.iter().filter(|byte| **byte == b'\n').count(), want, "{percent}");
    }
    // The three in the other list, and the six, each of which has the URL twice.
    let run = world.run("--fields messages_with_url --host small.example,again.example,seven.example box");
    let numbers = ["6"; 12].into_iter().chain(["3"; 3]).chain(["1"; 9]).chain(["7"; 7]);
    run.prints(0, &numbers.map(|number| format!("{number}\n")).collect::<String>());
    world.run("count messages_with_url --host four.example box").prints(0, "4\t4\n");
    world
        .run("--fields messages_with_url,url --skip-common 60% --host small.example text")
        .prints(0, &"\thttp://small.example/\n".repeat(20));
    world.run("--fields messages_with_url -").complains("messages_with_url reads the input twice, and standard input");
    for (refused, why) in [
        (
            "--fields messages_with_url --state s box",
            "--state reads only new messages; remove messages_with_url or --state",
        ),
        ("--skip-common 2% --state s box", "remove --skip-common or --state"),
        ("--fields url,messages_with_url --rejects box", "remove messages_with_url or --rejects"),
        (
            "tasks plan --fields messages_with_url -o plan box",
            "this job reads the input once; remove messages_with_url",
        ),
    ] {
        world.run(refused).complains(why);
    }
    let tee = world.run("tee --hits h --fields messages_with_url");
    assert!(String::from_utf8(tee.stderr).unwrap().contains("this job reads the input once; remove messages_with_url"));
    // With `--once`, the second file adds nothing.
    let twice = "--once --fields messages_with_url --host four.example box copy";
    world.run(twice).prints(0, &"4\n".repeat(4));
    let all = world.run("--json --fields all,messages_with_url --host four.example box").json();
    assert_eq!(all[0]["messages_with_url"], 4);
    world.run("--fields all -").prints(1, "");
    world.run("count url --skip-common 1% --host small.example box").prints(0, "3\thttp://small.example/\n");
    world.run("--skip-common 1% --host small.example -").complains("standard input can be read once");
    for wrong in ["0%", "200%"] {
        world.run(&format!("--skip-common {wrong} box")).complains("give a percentage above 0 and at most 100");
    }
}

/// The fields of the messages are decoded before they are compared.
#[test]
fn messages_and_urls_are_selected_by_words() {
    let mail = |from: &str, subject: &str, n: u32| {
        format!(
            "From x Sat Jan  3 01:05:34 1998\nFrom: {from}\nSubject: {subject}\n\nhttp://{n}.example/Dir/{n}.pdf\n\n"
        )
    };
    let mails = mail("=?iso-8859-1?q?J=F6rg_M=FCller?= <joerg@a.example>", "=?utf-8?q?Re:_T=C3=A4pes?=", 1)
        + &mail("\"Doe, Ann\" <ann@a.example>", "tapes,\n and labels", 2)
        + "From x Sat Jan  3 01:05:34 1998\n\nhttp://3.example/dir/3.html\n";
    let world = World::new("words").file("box", mails);
    let table = [
        ("--from J\u{d6}RG", "1"),
        ("--from j\u{f6}rg,ann", "12"),
        ("--from a.example --from !ann", "1"),
        ("--from !ann", "13"),
        ("--from /^.{12}$|Doe,/", "2"),
        ("--from /<[a-z]+@a[.]example>$/ --subject labels", "2"),
        ("--subject !/^re:/", "23"),
        ("--subject t\u{e4}pes,tapes", "12"),
        ("--url DIR", "123"),
        ("--url (?-i)DIR", ""),
        ("--url /(?-i)Dir/", "12"),
        ("--url pdf,!/[/]1[.]/", "2"),
        ("--url /[.](pdf|html)$/,!html", "12"),
        ("--url !pdf --scheme !ftp", "3"),
    ];
    for (options, want) in table {
        let urls = world.run(&format!("{options} box")).stdout;
        let found: String = String::from_utf8(urls).unwrap().lines().map(|url| &url[7..8]).collect();
        assert_eq!(found, want, "{options}");
    }
    world.run("--from bob box").explains("no message matches --from (3 checked)");
    world.run("--url bob box").explains("3 URLs were found, and --url removed them all");
    world.run("--from /ann box").complains("--from /ann: a word that begins with a slash is a regular expression;");
    world.run("--url /a(/ box").complains("--url /a(/: /a(/ is not a regular expression: unclosed group");
}

#[test]
fn an_unknown_scheme_without_urls_gets_a_warning() {
    let text = "<nosuch://host/a> nosuch://bare/ <htpp:x> <http://www.example.org/>\n";
    let world = World::new("no-such-scheme").file("text", text).file("none", "nothing\n");
    let warning = |name: &str, near: &str| {
        format!(
            "urlspool: no URL with the scheme {name} was found; urlspool does not know {name}, so it finds such URLs \
             only after {name}://, and in angle brackets and HTML attributes{near}\n"
        )
    };
    let removed = |words: &str| format!("urlspool: {words}\n");
    let table = [
        ("--scheme nosuch text", 0, String::new()),
        ("-j2 --scheme NoSuch none text none", 0, String::new()),
        ("--scheme nosuch none", 1, warning("nosuch", "")),
        ("--scheme irc,nosuch,NoSuch none", 1, warning("nosuch", "")),
        ("--scheme nosuch --form href --host *.org text", 1, removed("3 URLs were found, and --form removed them all")),
        ("--scheme hxxp none", 1, warning("hxxp", "; to find defanged URLs, use --defanged --scheme http")),
        ("--scheme http,htps text", 0, warning("htps", "; did you mean ftps or https?")),
        ("--scheme telent,qqzzq none", 1, warning("telent", "; did you mean telnet?") + &warning("qqzzq", "")),
        (
            "--scheme telent text",
            1,
            removed("2 URLs were found, and --scheme removed them all") + &warning("telent", "; did you mean telnet?"),
        ),
        ("--rejects --scheme htp text", 1, warning("htp", "; did you mean ftp or http or hcp?")),
        ("--scheme irc none", 1, String::new()),
    ];
    for (arguments, status, message) in table {
        let run = world.run(arguments);
        assert_eq!(
            (run.status, String::from_utf8_lossy(&run.stderr).as_ref()),
            (Some(status), &*message),
            "{arguments}"
        );
    }
}

#[test]
fn headers_and_html_are_searched_or_not() {
    let world = World::with_box("regions");
    world.run("--in headers,text,html,attachments box").prints(0, URLS);
    world.run("--in text,html box").prints(0, &lines(&[1, 2, 3, 4, 5]));
    world.run("--in headers box").prints(0, &lines(&[0]));
    world.run("--in headers,text box").prints(0, &lines(&[0, 1, 2, 3]));
}

#[test]
fn a_bare_url_over_two_lines_is_rejoined() {
    let text = "\
From: a@example.org

It is fairly long, and alone on its line, as such things happen to be:
http://www.example.org/a/rather/long/path/that/goes/on/and/on/until/
the/end/of/it.html
";
    let joined = "http://www.example.org/a/rather/long/path/that/goes/on/and/on/until/the/end/of/it.html\n";
    let first = "http://www.example.org/a/rather/long/path/that/goes/on/and/on/until/\n";
    let world = World::new("rejoin").file("m", text);
    world.run("m").prints(0, joined);
    world.run("--join likely m").prints(0, joined);
    world.run("--join never m").prints(0, first);
    world.run("--alternatives m").prints(0, &[joined, first].concat());
    world.run("--join never --alternatives m").prints(0, &[first, joined].concat());
    world.run("--join 50 m").prints(0, joined);
    world.run("--join 100 m").prints(0, first);
    world.run("--join 100 --alternatives m").prints(0, &[first, joined].concat());
    // This URL is broken over lines, but not after a hyphen.
}

#[test]
fn format_overrides_detection() {
    let world = World::with_box("format");
    world.run("--format mbox box").prints(0, URLS);
    world.run("--format auto box").prints(0, URLS);
    let messages = |format: &str| {
        let hits = world.run(&format!("--json --format {format} box")).json();
        hits.last().unwrap().get("message").and_then(serde_json::Value::as_u64)
    };
    assert_eq!(messages("mbox"), Some(2));
    assert_eq!(messages("text"), None);
    for layout in ["maildir", "mh", "spool"] {
        assert_eq!(messages(layout), Some(1), "{layout}");
    }
}

#[test]
fn with_a_layout_every_file_is_a_message() {
    // urlspool does not detect the files in `inbox` as messages, because their only header field is `X-Odd`, a name
    // that urlspool does not know.
    let world = World::new("layout")
        .file("inbox/1", "X-Odd: see\n\thttp://a.example.org/\n\nhttp://b.example.org/\n")
        .file("inbox/note", "X-Odd: see\n\thttp://c.example.org/\n\nhttp://d.example.org/\n")
        .file("batch", "#! rnews 35\nSubject: x\n\nhttp://e.example.org/\n\n");
    for layout in ["maildir", "mh", "spool"] {
        let hits = world.run(&format!("--json --format {layout} inbox")).json();
        let fields: Vec<_> = hits.iter().map(|hit| (hit["header"].is_string(), hit["message"].as_u64())).collect();
        assert_eq!(fields, [(true, Some(1)), (false, Some(1)), (true, Some(1)), (false, Some(1))], "{layout}");
    }
    // Without `--format`, the file is read as a news batch.
    let hits = world.run("--json batch").json();
    assert_eq!((hits.len(), hits[0]["message"].as_u64()), (1, Some(1)));
}

#[test]
fn defanged_urls_are_restored_on_request() {
    let text = "Subject: hxxp://head[.]example.org/\nContent-Type: text/html\n\n<p>hxxps[:]//a[.]example.org/x, \
                http://b.example.org/ &lt;hxxp://c(dot)example.org/\ny&gt; <a href=\"http://d.example.org/x(dot)y\">z</a> \
                <img src=\"hxxp://g[.]example.org/&#91;.&#93;\">\n";
    // This text is encoded as quoted-printable, but no header declares this encoding. One colon is encoded as `=3A`.
    let full = "x".repeat(73);
    let quoted = format!("Subject: x\n\n{full}=\n{full}=\nx hxxp=3A//h.example.org/a=3Db\n");
    let world = World::new("defanged")
        .file("q", quoted)
        .file("m", text)
        .file("t", "\n<URL:hxxp://e[.]example.org/a/\n b>, http://f.example.org/.\n");
    let plain = world.run("--scheme http,https m t");
    // urlspool prints the URLs in HTML attributes before the URLs in the text.
    plain.prints(0, "http://d.example.org/x(dot)y\nhttp://b.example.org/\nhttp://f.example.org/\n");
    let hits = world.run("--json --defanged m t").json();
    let found: Vec<_> = hits
        .iter()
        .map(|hit| (hit["url"].as_str().unwrap(), hit["defanged"] == true, hit["form"].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            ("http://head.example.org/", true, "bare"),
            ("http://d.example.org/x(dot)y", false, "href"),
            ("http://g.example.org/.", true, "href"),
            ("https://a.example.org/x", true, "bare"),
            ("http://b.example.org/", false, "bare"),
            ("http://c.example.org/y", true, "angle"),
            ("http://e.example.org/a/b", true, "wrapped"),
            ("http://f.example.org/", false, "bare"),
        ]
    );
    // The URL with `(dot)` is valid as written, so the URL with a dot instead of `(dot)` is only an alternative.
    assert_eq!(hits[1]["alternatives"][0]["url"], "http://d.example.org/x.y");
    // `offset` and `length` are the position and the size of the defanged text in the file, in bytes.
    let (offset, length) = (hits[6]["offset"].as_u64().unwrap(), hits[6]["length"].as_u64().unwrap());
    assert_eq!((offset, length), (6, "hxxp://e[.]example.org/a/\n b".len() as u64));
    world.run("--defanged q").prints(0, "http://h.example.org/a=b\n");
}

/// Addresses without a scheme are found between URLs, in the order of the text, also in encoded and in defanged text.
#[test]
fn addresses_without_a_scheme_are_found_on_request() {
    let (mark, word) = ("www[.]b[.]org, evil[.]org/x, www.c.org", "=?utf-8?q?www.b.org?= and =?utf-8?b?Yy5vcmcveA==?=");
    let table = [
        (
            "+www,path",
            "x http://a.org/ www.b.org/ c.org/d http://e.org",
            "http://a.org/ http://www.b.org/ http://c.org/d http://e.org",
        ),
        ("www", "http://a.org/ www.b.org c.org/d", "http://www.b.org"),
        ("+domain", "visit b.org or www.c.org", "http://b.org"),
        ("+www", mark, "http://www.b.org http://www.c.org"),
        ("+path", mark, "http://evil.org/x"),
        ("+www,path", word, "http://www.b.org http://c.org/x"),
    ];
    let world = World::new("schemeless");
    for (forms, text, want) in table {
        let message = format!("Subject: {text}\n\n{}\n", if text == word { "" } else { text });
        let want = if text == word { vec![want] } else { vec![want; 2] };
        let found = world.run_with(&format!("--defanged --form {forms}"), message.as_bytes());
        found.prints(0, &(want.join(" ").replace(' ', "\n") + "\n"));
    }
}

#[test]
fn html_links_may_have_any_scheme() {
    let html = |body: &str| format!("Content-Type: text/html\n\n<p>{body}\n");
    let world = World::new("links")
        .file("a", html("<a href=\"tel:+4912345\">x</a>"))
        .file("b", html("<a href=steam&colon;run/440>x</a>"))
        .file("c", html("htt<b>p</b>://c.example.org/"))
        .file("d", html("Note: nothing"));
    world.run("a b c d").prints(0, "tel:+4912345\nsteam:run/440\nhttp://c.example.org/\n");
}

#[test]
fn files_are_read_from_a_list() {
    let world = World::new("lists")
        .file("a", "http://a.example.org/\n")
        .file("b c", "http://b.example.org/\n")
        .file("list", "b c\n\na")
        .file("list0", "b c\0a\0")
        .file("-", "http://dash.example.org/\n");
    let want = "b c\thttp://b.example.org/\na\thttp://a.example.org/\n";
    world.run("-H --files-from list").prints(0, want);
    world.run("-H --files-from list0").prints(0, want);
    world.run_with("-H --files-from -", b"b c\n\na").prints(0, want);
    world.run_with("-H --files-from -", b"b c\0a\0").prints(0, want);
    world.run("-H a --files-from list").prints(0, &["a\thttp://a.example.org/\n", want].concat());
    // The list itself is read from standard input, so the line `-` in the list is the name of a file.
    world.run_with("-H --files-from -", b"-\n").prints(0, "./-\thttp://dash.example.org/\n");
    world.run_with("--files-from -", b"").prints(1, "");
}

/// urlspool reads pipes that are named on the command line, and skips pipes in directories and in lists of files.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_skipped_unless_named() {
    let world = World::new("special").file("a", "http://a.example.org/\n").file("b", "http://b.example.org/\n");
    let pipe = world.path("d/pipe");
    let world = world.file("d/c", "http://c.example.org/\n");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let why = "skipped: not a file or a directory; to read it, give it as a PATH";
    let [a, b, c] = ["a", "b", "c"].map(|name| format!("http://{name}.example.org/\n"));
    let one = format!("urlspool: d/pipe: {why}\n");
    let two = format!("{one}urlspool: /dev/null: {why}\n");
    let table = [
        ("--files-from -", "a\nd/pipe\nb\n", a.clone() + &b, &*one, 2),
        ("--files-from -", "d/pipe\r\n\nd/pipe\n/dev/null\nb", b.clone(), &*format!("{one}{two}"), 2),
        ("--files-from -", "d/pipe\0/dev/null\0", String::new(), &*two, 2),
        ("b --files-from -", "d", b.clone() + &c, "", 0),
        ("/dev/null d a", "", c.clone() + &a, "", 0),
        (
            "count scheme -v d",
            "",
            "1\thttp\n".to_owned(),
            "urlspool: d/c: read as text, detected by content (plain text)\n\
         urlspool: d/pipe: skipped: it is not a file or a directory\n",
            0,
        ),
    ];
    for (arguments, list, urls, messages, status) in table {
        let run = world.run_with(arguments, list.as_bytes());
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls, "{arguments} {list}");
        assert_eq!(String::from_utf8_lossy(&run.stderr), messages, "{arguments} {list}");
        assert_eq!(run.status, Some(status), "{arguments} {list}");
    }
    let run = world.run_with("--files-from -", "/dev/null\n".repeat(105).as_bytes());
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    let more = "urlspool: 5 more paths of the list were skipped, because they are not files or directories\n";
    assert_eq!((messages.lines().count(), messages.ends_with(more)), (101, true), "{messages}");
    let writer = std::thread::spawn(move || std::fs::write(pipe, "http://pipe.example.org/\n"));
    world.run("d/pipe").prints(0, "http://pipe.example.org/\n");
    writer.join().unwrap().unwrap();
}

/// In a list with NULs, a path can contain line ends. The first read of a list can end in the middle of a path.
#[cfg(unix)]
#[test]
fn nuls_in_a_list_are_detected() {
    let world = World::new("list-ends").file("a", "http://a.example.org/\n").file("b c", "http://b.example.org/\n");
    let world = world.file("d\ne", "http://de.example.org/\n");
    world.run_with("--files-from -", b"d\ne\0a\0").prints(0, "http://de.example.org/\nhttp://a.example.org/\n");
    let both = "b c\thttp://b.example.org/\na\thttp://a.example.org/\n";
    for (list, urls) in [("b c\0a\0", both), ("b c\na", both), ("a", "a\thttp://a.example.org/\n")] {
        let mut child = world.command(["-H", "--files-from", "-"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for byte in list.as_bytes() {
            stdin.write_all(&[*byte]).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(stdin);
        finish(child).prints(0, urls);
    }
    let mixed = ["a\n".repeat(10_000).as_bytes(), b"b c\0"].concat();
    let told = String::from_utf8(world.run_with("--files-from -", &mixed).stderr).unwrap();
    assert!(
        told.contains("-: cannot read the list of files: the list has line ends at its beginning, and NULs later"),
        "{told}"
    );
}

#[test]
fn paths_of_a_slow_list_are_read_at_once() {
    use std::io::{BufRead, BufReader};
    use std::sync::mpsc;
    // urlspool can read several small files as one group. This file is too large for a group.
    let world = World::new("lazy").file("big", BOX.repeat(1000));
    let mut child = world.command(["--files-from", "-", "-j2"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
    for _ in 0..2 {
        writeln!(list, "big").unwrap();
        for url in URLS.repeat(1000).lines() {
            let line = lines.recv_timeout(Duration::from_secs(60)).inspect_err(|_| child.kill().unwrap()).unwrap();
            assert_eq!(line, url);
        }
    }
    drop(list);
    assert!(lines.recv().is_err());
    assert!(child.wait().unwrap().success());
}
