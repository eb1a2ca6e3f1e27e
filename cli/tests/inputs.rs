//! Tests which files and messages urlspool reads, and which of them it reads only once.

use std::io::Write;
use std::process::{Command, Output};

use crate::support::store;
use crate::world::World;

const FROM: &str = "From a@b Mon Jan  1 00:00:00 2001\n";

/// Returns a mailbox of messages with these message-ids and URLs.
fn mailbox(messages: &[(&str, &str)]) -> String {
    messages
        .iter()
        .map(|(id, url)| {
            let id = if id.is_empty() { String::new() } else { format!("Message-ID: <{id}>\n") };
            format!("{FROM}{id}Subject: x\n\n{url}\n\n")
        })
        .collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

/// Runs urlspool, and returns its standard output and standard error.
#[track_caller]
fn both(world: &World, arguments: &str) -> (String, String) {
    let run = world.run(arguments);
    (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
}

#[test]
fn compressed_beside_the_same_file() {
    let bytes = gzip("http://gz.example/\n");
    let world = World::new("twin-files")
        .file("list/1998-October.txt", "http://txt.example/\n")
        .file("list/1998-October.txt.gz", &bytes)
        .file("list/1998-October.txt.Z", &bytes)
        .file("empty/a", "")
        .file("empty/a.gz", &bytes)
        .file("directory/a/x", "")
        .file("directory/a.gz", &bytes)
        .file("other/a.gz", &bytes)
        .file("other/.gz", &bytes)
        .file("b", "http://txt.example/\n")
        .file("b.gz", &bytes);
    let (txt, gz) = ("http://txt.example/\n", "http://gz.example/\n");
    let one = "urlspool: list/1998-October.txt.Z and others: 2 compressed files were skipped, because their \
        directories also have the uncompressed files; to read a compressed file too, give its name as an argument; -v lists them\n";
    let table = [
        ("list", txt, one),
        ("list/1998-October.txt list/1998-October.txt.gz", &format!("{txt}{gz}"), ""),
        // The globs skip the uncompressed file and the `.Z` file. So urlspool reads the `.gz` file.
        ("-g !*.txt -g !*.Z list", gz, ""),
        ("empty", gz, ""),
        ("directory", gz, ""),
        ("other", gz, ""),
        ("b b.gz", &format!("{txt}{gz}"), ""),
    ];
    for (arguments, want, told) in table {
        assert_eq!(both(&world, arguments), (want.to_owned(), told.to_owned()), "{arguments}");
    }
    let (_, told) = both(&world, "-v list");
    assert!(
        told.contains("list/1998-October.txt.gz: skipped: its directory also has the uncompressed file\n"),
        "{told}"
    );
}

#[test]
fn each_message_once() {
    let long = format!("{}http://rest.example/", "x ".repeat(2000));
    let one = mailbox(&[("1@b", "http://one.example/"), ("", "http://no.example/"), ("2@b", "http://two.example/")]);
    let two = mailbox(&[("2@b", "http://other.example/"), ("", "http://no.example/"), ("", "http://new.example/")]);
    let many: Vec<_> = (0..4000).map(|n| (format!("{}@many", n % 1000), format!("http://{n}.example/"))).collect();
    let many = mailbox(&many.iter().map(|(id, url)| (&**id, &**url)).collect::<Vec<_>>());
    let mut world = World::new("once")
        .file("a", &one)
        .file("b", &two)
        .file("c", mailbox(&[("3@b", &long), ("3@b", &long), ("4@b", "http://four.example/")]))
        .file("text/1.txt", "http://text.example/\n")
        .file("text/2.txt", "http://text.example/\n");
    for n in 0..8 {
        world = world.file(format!("many/{n}"), &many);
    }
    let first: String = (0..1000).map(|n| format!("http://{n}.example/\n")).collect();
    let text = "http://text.example/\nhttp://text.example/\n";
    let one = "http://one.example/\nhttp://no.example/\nhttp://two.example/\n";
    let table = [
        ("a a", one.to_owned()),
        ("a b", format!("{one}http://new.example/\n")),
        ("b a", "http://other.example/\nhttp://no.example/\nhttp://new.example/\nhttp://one.example/\n".to_owned()),
        ("count file a b", "3\ta\n1\tb\n".to_owned()),
        (
            "-u --sort a b",
            "http://new.example/\nhttp://no.example/\nhttp://one.example/\nhttp://two.example/\n".to_owned(),
        ),
        ("count host many/0 many/1 -g *", first.lines().map(|_| ()).count().to_string()),
        ("many", first.clone()),
        ("--host 1.example many", "http://1.example/\n".to_owned()),
        // If a message is larger than `--max-message`, urlspool searches its end as plain text. If `--once` skips the
        // message, it also skips this text.
        ("--max-message 1K c", "http://rest.example/\nhttp://four.example/\n".to_owned()),
        ("text", text.to_owned()),
    ];
    for (arguments, want) in table {
        for threads in ["-j1", "-j4"] {
            let (found, told) = both(&world, &format!("{arguments} --once {threads}"));
            let found = if arguments.starts_with("count host") { found.lines().count().to_string() } else { found };
            assert_eq!(found, want, "{threads} {arguments}");
            assert!(told.is_empty() || arguments.contains("1K"), "{arguments} {told}");
        }
    }
    let (_, told) = both(&world, "--once --stats many");
    for line in ["messages              1000", "repeated             31000  messages; --once used "] {
        assert!(told.contains(line), "{line} is not in {told}");
    }
}

/// With `--once`, urlspool reports a truncated file even if it has already read the same messages in another file.
#[test]
fn once_keeps_errors() {
    let text = mailbox(&[("1@b", "http://one.example/")]);
    let mut cut = gzip(&text);
    cut.truncate(cut.len() - 6);
    let world = World::new("once-errors").file("a", &text).file("b", cut);
    for threads in ["-j1", "-j4"] {
        let run = world.run(&format!("--once {threads} a b"));
        assert_eq!((run.status, run.stdout.as_slice()), (Some(2), &b"http://one.example/\n"[..]));
        assert!(String::from_utf8_lossy(&run.stderr).contains("truncated"), "{:?}", run.stderr);
    }
}

/// `--base` is the URL of the current directory. It does not apply to HTML in mail.
#[test]
fn links_of_html_files_are_resolved_with_a_base() {
    let page = |links: &str| format!("<html><body>{links}</body></html>");
    let mail = format!("Subject: x\nContent-Type: text/html\n\n{}", page("<a href=e.html>"));
    let based = page("<base href=http://c.example/><a href=d.html>");
    let world = World::new("base").file("a b/1.html", page("<a href=2.html><a href=../%41>")).file("c.html", based);
    let archive = store::zip(&[("p/3.html".to_owned(), page("<a href=4>").into_bytes())], true);
    let world = world.file("e.mail", mail).file("f.html", page("<a href=g>")).file("m.zip", archive);
    let world = world.file("t/1+(a).html", page("<base target=_top><basefont><a href=5>"));
    let world = world.file("t/2.html", page("<a href=8><bAse href=../s/><a href=6><base href=/7/>"));
    let want = "http://h.example/x/a%20b/2.html\nhttp://h.example/x/%41\nhttp://c.example/\nhttp://c.example/d.html\n\
                http://h.example/x/g\nhttp://h.example/x/p/4\nhttp://h.example/x/t/5\n";
    let want = format!("{want}http://h.example/x/s/6\nhttp://h.example/7/\nhttp://h.example/x/s/8\n");
    for threads in [1, 2] {
        let run = world.run(&format!("-j{threads} --base http://h.example/x ."));
        run.prints(0, &want);
    }
    world.run_with("--base http://h.example/z/b", page("<a href=g>").as_bytes()).prints(0, "http://h.example/z/g\n");
    world.run("--base x .").complains("--base x: this is not a URL: no scheme");
    world
        .run("--base mailto:a@b .")
        .complains("browsers resolve no relative links with the scheme mailto; give an http");
    let absolute = format!("--base http://h.example/z/ {}", world.path("f.html").display());
    world.run(&absolute).complains("a path is absolute; go to the directory of the mirror, and give relative paths");
}

#[test]
fn links_in_html_and_text() {
    let message = "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a.example/~a http://b.example/#x\n--b\n\
         Content-Type: text/html\n\n<a href='HTTP://A.example/%7Ea'>http://b.example/#x</a>\n--b--\n";
    let world = World::new("links").file("simple", format!("{FROM}Subject: x\nMIME-Version: 1.0\n{message}\n"));
    // The links of HTML have the form `href`.
    world.run("--in links --form href simple").prints(0, "HTTP://A.example/%7Ea\n");
    world.run("--in text,links --form href simple").prints(0, "HTTP://A.example/%7Ea\n");
    // `explain` explains the URLs in the text, too.
    let explained = world.run("explain simple");
    let text = String::from_utf8_lossy(&explained.stdout);
    assert_eq!(text.matches("http://b.example/#x\n").count(), 2, "{text}");
}

#[test]
fn globs_mean_what_they_mean_to_ripgrep() {
    let names = [
        "a.mbox",
        "b.txt",
        "lists/a.mbox",
        "lists/old/b.mbox",
        "lists/old/c.txt",
        "lists/.hidden.mbox",
        "spam/a.mbox",
        ".dot/a.mbox",
        ".dot/b.txt",
        "lists/spam/d.mbox",
        "lists/[x].mbox",
        "X.MBOX",
        "news.d/1",
    ];
    let world =
        names.iter().fold(World::new("globs"), |world, name| world.file(name, format!("http://{}/\n", name.len())));
    let table: &[&[&str]] = &[
        &["-g", "*.mbox"],
        &["-g", "!*.mbox"],
        &["-g", "*.mbox", "-g", "!spam/"],
        &["-g", "!spam/", "-g", "*.mbox"],
        &["-g", "!spam"],
        &["-g", "/a.mbox"],
        &["-g", "/lists/*.mbox"],
        &["-g", "lists/*.mbox"],
        &["-g", "lists/**"],
        &["-g", "**/old/*"],
        &["-g", "*.{txt,mbox}", "-g", "!b.*"],
        &["-g", "[ab].*"],
        &["-g", "\\[x\\].mbox"],
        &["-g", ".dot/"],
        &["-g", ".dot/", "-g", "*.mbox"],
        &["-g", "old/"],
        &["-g", "!old/", "-g", "!/spam"],
        &["-g", "?.mbox"],
        &["-g", ""],
    ];
    // Before version 14, ripgrep read the empty glob in another way.
    let is_new = |out: Output| out.stdout.strip_prefix(b"ripgrep ").is_some_and(|version| version >= &b"14"[..]);
    let has_rg = Command::new("rg").arg("--version").output().is_ok_and(is_new);
    for globs in table {
        for path in [".", "lists", "./lists"] {
            let mut command = world.command(globs.iter().chain(&["-H", path]));
            let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let mut found: Vec<_> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
            found.sort_unstable();
            if has_rg {
                let mut rg = Command::new("rg");
                rg.args(["--files", "--no-ignore", "--no-config"]).args(*globs).arg(path).current_dir(world.dir());
                let out = String::from_utf8(rg.output().unwrap().stdout).unwrap();
                let mut files: Vec<_> = out.lines().collect();
                files.sort_unstable();
                assert_eq!(found, files, "{globs:?} {path}");
            }
        }
    }
    let table: &[(&[&str], &str)] = &[
        (&["-g", "*.mbox", "lists"], "http://12/\nhttp://18/\nhttp://14/\nhttp://17/\nhttp://16/\n"),
        (&["-g", "*.mbox", "-g", "!spam/", "-g!.*", "lists"], "http://14/\nhttp://12/\nhttp://16/\n"),
        // A path on the command line is read even if it is excluded.
        (&["-g", "!*.mbox", "a.mbox"], "http://6/\n"),
        // The last glob that matches decides.
        (&["-g", "*.txt", "-g", "!b*", "."], "http://15/\n"),
        (&["-g", "!b*", "-g", "*.txt", "."], "http://15/\nhttp://5/\n"),
    ];
    for (arguments, want) in table {
        let out = world.command(*arguments).output().unwrap();
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(sorted(&String::from_utf8(out.stdout).unwrap()), sorted(want), "{arguments:?}");
    }
    world.run("-g [ .").complains("--glob: error parsing glob '['");
    world.run("-g !a{b .").complains("--glob: error parsing glob");
}

#[test]
fn format_mail() {
    let world = World::new("format-mail")
        .file("mail/box", mailbox(&[("1@b", "http://box.example/")]))
        .file("mail/README", "http://text.example/\n")
        .file("mail/README.gz", gzip("http://text.example/\n"))
        .file("mail/5", "http://number.example/\n")
        .file("mail/one.eml", "Subject: x\nFrom: a\n\nhttp://eml.example/\n");
    world
        .run("--format mail -g !*.gz mail")
        .prints(0, "http://number.example/\nhttp://box.example/\nhttp://eml.example/\n");
    let table = [
        ("--format mail mail/README", "--format mail excluded all files (1 in total)"),
        ("--format mail -g README mail", "--glob and --format mail excluded all files (5 in total)"),
    ];
    for (arguments, words) in table {
        world.run(arguments).explains(words);
    }
    world
        .run_with("--format mail", b"http://text.example/\n")
        .explains("--format mail excluded all files (1 in total)");
    let (_, told) = both(&world, "-v --format mail mail/README");
    assert!(told.starts_with("urlspool: mail/README: skipped: it is not mail\n"), "{told}");
}

#[test]
fn binary_files() {
    let nul = |before: usize| [&b"http://nul.example/ "[..], &vec![b'x'; before], b"\0\n"].concat();
    let world = World::new("binary")
        .file("d/early", nul(100))
        .file("d/late", nul(9000))
        .file("d/mail.sqlite", b"SQLite format 3\0\x10http://sq.example/")
        .file("d/paper.pdf", b"%PDF-1.4\n/URI (http://pdf.example/)\n")
        .file("d/box", [FROM.as_bytes(), b"Subject: x\n\nhttp://box.example/ \0\n"].concat())
        .file("d/7", b"Subject: x\n\nhttp://seven.example/ \0\n")
        .file("d/a.gz", gzip("http://gz.example/ \0"));
    let (found, told) = both(&world, "d");
    assert_eq!(found, "http://seven.example/\nhttp://box.example/\nhttp://nul.example/\n");
    assert_eq!(
        told,
        "urlspool: d/a.gz and others: 4 binary files were skipped; to read a binary file, give its name as an argument, \
         with --format text; -v lists them\n"
    );
    let table = [
        ("d/early", "urlspool: d/early: a binary file is not supported; to read the file as text, use --format text"),
        (
            "d/mail.sqlite",
            "urlspool: d/mail.sqlite: a SQLite database is not supported; to read the file as text, use --format text",
        ),
        ("d/paper.pdf", "a PDF document is not supported"),
    ];
    for (path, told) in table {
        world.run(path).complains(told);
        assert_eq!(both(&world, &format!("--format text {path}")).1, "", "{path}");
    }
    world.run_with("", &nul(5)).complains("urlspool: -: a binary file");
    world.run_with("--format text", &nul(5)).prints(0, "http://nul.example/\n");
}

#[test]
fn mail_that_is_hidden() {
    let mail = mailbox(&[("1@b", "http://box.example/")]);
    let world = World::new("hidden")
        .file("home/.cache/x", "text")
        .file("home/.thunderbird/p/Mail/Inbox", &mail)
        .file("home/notes", "nothing\n")
        .file("both/.mail", &mail)
        .file("both/box", &mail)
        .file("none/.mail", "text\n");
    let hint = "urlspool: home/.thunderbird: contains mail, but was skipped because it is hidden; to read it, give its name \
        as an argument\n";
    for (path, found, told) in [
        ("home", "", hint),
        ("home/.thunderbird", "http://box.example/\n", ""),
        ("both", "http://box.example/\n", ""),
        ("none", "", ""),
    ] {
        assert_eq!(both(&world, path), (found.to_owned(), told.to_owned()), "{path}");
    }
}
