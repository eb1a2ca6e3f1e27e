//! Builds the programs in `examples/`, runs each of them on the corpus, and compares the output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use urlspool::{Extractor, Hit, Url};

use crate::support::{Scratch, corpus, root};

#[allow(dead_code, unreachable_pub)]
#[path = "../examples/async_filter.rs"]
mod async_filter;
#[allow(dead_code, unreachable_pub)]
#[path = "../examples/tasks.rs"]
mod tasks;

/// Returns a command that runs the example `name`, or urlspool if `name` is `urlspool`. The first call builds all
/// examples, unless they are already built.
fn program(name: &str) -> Command {
    static BUILT: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo
            .args(["build", "--quiet", "--locked", "--examples", "--bins", "--message-format=json"])
            .current_dir(root());
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let Output { status, stdout, stderr } = cargo.output().expect("cargo");
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        let messages = stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let messages = messages.map(|line| serde_json::from_slice::<Value>(line).expect("JSON"));
        let name_and_path = |message: Value| {
            Some((message["target"]["name"].as_str()?.to_owned(), message["executable"].as_str()?.into()))
        };
        messages.filter_map(name_and_path).collect()
    });
    let mut command = Command::new(built.get(name).unwrap_or_else(|| panic!("{name} in {built:?}")));
    command.current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `command` and returns its output. Checks that the command succeeds and prints no error.
#[track_caller]
fn output(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    assert!(status.success() && stderr.is_empty(), "{command:?}: {status}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("UTF-8")
}

/// Runs urlspool with `--json`, and returns the parsed output lines.
fn command(arguments: &[&str]) -> Vec<Value> {
    let lines = output(program("urlspool").arg("--json").args(arguments));
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const HOSTILE: &str = "From a@b Mon Jan  1 00:00:00 2001\n\
    From: \"<b>\" <a@b.example>\n\
    Subject: =?utf-8?q?caf=C3=A9_<script>alert(1)</script>?=\n\
    Content-Type: multipart/mixed; boundary=x\n\n\
    --x\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n\
    caf=E9 <URL:http://a.example/?b&c=3D'=\n\nd\"> <URL:javascript:alert(1)> <script>alert(2)</script>\n\
    <http://a.example/long/\n  path>\n\
    --x\nContent-Type: text/html\n\n\
    <script>alert(3)</script><a href=\"javascript:alert(4)\">x</a><a href='http://b.example/?q=&quot;'>x</a>\n--x--\n";

#[test]
fn archive() {
    let scratch = Scratch::new("example-archive");
    let pages = |mailbox: &Path| {
        let out = scratch.path().join("out");
        let _ = fs::remove_dir_all(&out);
        assert_eq!(output(program("archive").arg(mailbox).arg(&out)), "");
        let read = |name: &str| fs::read_to_string(out.join(name)).expect("a page");
        (
            read("index.html"),
            (1..fs::read_dir(&out).unwrap().count()).map(|n| read(&format!("{n}.html"))).collect::<Vec<_>>(),
        )
    };
    let link = |url: &str, text: &str| format!("<a rel=\"nofollow noreferrer\" href=\"{url}\">{text}</a>");

    let (index, small) = pages(&corpus("mbox/small.mbox"));
    assert_eq!(small.len(), 6);
    assert!(index.contains(
        "<li><a href=\"1.html\">The tapes are here</a>, Marta Lind &lt;marta@archivist.example&gt;, 2004-03-01T09:01:00Z</li>\n"
    ));
    // A URL is broken over two lines. In the page, the piece in each line is a link to the whole URL.
    let faq = "http://www.keeper.example/faq/lost-tapes.html#seventeen";
    let pieces = [link(faq, "http://www.keeper.example/faq/"), link(faq, "lost-tapes.html#seventeen")].join("\n");
    assert!(small[1].contains(&format!("&lt;URL:{pieces}&gt;.\n")), "{}", small[1]);

    let (index, hostile) = pages(&scratch.file("hostile", HOSTILE.as_bytes()));
    let page = &hostile[0];
    assert!(page.contains(
        "<h1>café &lt;script&gt;alert(1)&lt;/script&gt;</h1>\n<p>&quot;&lt;b&gt;&quot; &lt;a@b.example&gt;, 2001-01-01T00:00:00Z</p>"
    ));
    for text in [index.as_str(), page] {
        assert!(
            !text.contains("<script") && !text.contains("href=\"javascript") && !text.contains("alert(4)"),
            "{text}"
        );
    }
    let long = "http://a.example/long/path";
    for want in [
        "<pre>café &lt;URL:".to_owned(),
        "&lt;URL:javascript:alert(1)&gt; &lt;script&gt;alert(2)&lt;/script&gt;\n".to_owned(),
        format!("&lt;{}\n  {}&gt;", link(long, "http://a.example/long/"), link(long, "path")),
        format!("<ul>\n<li>{}</li>\n</ul>", link("http://b.example/?q=%22", "http://b.example/?q=%22")),
    ] {
        assert!(page.contains(&want), "{want}\nis not in\n{page}");
    }

    // The list of links on the page has exactly the links of the HTML part.
    let shown = corpus("mail/html_shown.eml");
    let (_, pages) = pages(&shown);
    let hits = Extractor::new().message(&fs::read(&shown).unwrap());
    let hits: Vec<_> = hits.iter().filter(|hit| hit.header().is_none()).map(|hit| hit.url().as_str()).collect();
    let listed: Vec<_> = pages[0].split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(listed, hits);
}

/// A server process. The process is killed when this value is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn async_filter() {
    let mut server = Server(program("async_filter").args(["127.0.0.1:0", "Keeper.example"]).spawn().expect("it runs"));
    let mut line = String::new();
    BufReader::new(server.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").expect("an address").to_owned();

    let connect = || {
        let stream = TcpStream::connect(&address).expect("it accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    };
    let framed = |message: &[u8]| [format!("{}\n", message.len()).as_bytes(), message].concat();
    let answers = |bytes: &[u8]| {
        let mut stream = connect();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
        let mut answers = String::new();
        let _ = stream.read_to_string(&mut answers);
        answers
    };
    let mail = |name: &str| framed(&fs::read(corpus("mail").join(name)).unwrap());
    let rewritten = framed(b"Subject: x\n\nhttps://www.google.com/url?q=http://www.keeper.example./a\n");
    let cases: [(&[Vec<u8>], &str); 8] = [
        (&[mail("rejoined_bare.eml")], "accept\n"),
        (&[mail("html_shown.eml")], "reject http://evil.example/1\n"),
        (&[mail("warnings.eml")], "reject http://www.bank.example@evil.example/login\n"),
        (&[framed(b"Subject: x\n\nhttp://lists.KEEPER.example/\n")], "reject http://lists.KEEPER.example/\n"),
        (
            &[framed(b"Subject: x\n\nhttp://notkeeper.example/\n"), rewritten],
            "accept\nreject https://www.google.com/url?q=http://www.keeper.example./a\n",
        ),
        (&[framed(b""), mail("utf8.eml")], "accept\naccept\n"),
        (&[format!("{}\nSubject: x\n\n", 1_u64 << 40).into_bytes()], "defer message too large\n"),
        (&[b"GET / HTTP/1.1\r\n".to_vec()], ""),
    ];
    for (messages, want) in cases {
        assert_eq!(answers(&messages.concat()), want);
    }
    // A slow client does not delay other clients.
    let mut slow = connect();
    slow.write_all(b"20\nSubject: x\n\n").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| assert_eq!(answers(&mail("utf8.eml").repeat(10)), "accept\n".repeat(10)));
        }
    });
    slow.write_all(b"nothing\n").unwrap();
    let mut answer = [0; 7];
    slow.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"accept\n");

    // The filter checks its time limit after every 64 KiB.
    let message = [b"Subject: x\n\n", "http://a.example/\n".repeat(10_000).as_bytes()].concat();
    assert_eq!(async_filter::verdict(&message, &[], Duration::ZERO), "defer time limit");
}

#[test]
fn link_index() {
    let scratch = Scratch::new("example-index");
    let database = scratch.path().join("index.sqlite");
    let folder = scratch.path().join("mail");
    for (name, from) in
        [("small", "mbox/small.mbox"), ("box/cur/1", "mail/html_shown.eml"), ("box/tmp/2", "mail/utf8.eml")]
    {
        scratch.file(&format!("mail/{name}"), &fs::read(corpus(from)).unwrap());
    }
    let run = |arguments: &[&str]| output(program("link_index").arg(&database).args(arguments));
    let add = || run(&["add", folder.to_str().unwrap()]);
    type Row = (String, String, u64, Option<String>, Option<String>);
    let rows = || -> BTreeSet<Row> {
        let database = rusqlite::Connection::open(&database).unwrap();
        let mut rows = database.prepare("SELECT url, file, offset, message_id, date FROM link").unwrap();
        let rows =
            rows.query_map([], |row| row.try_into().map(|(a, b, c, d, e): (_, _, i64, _, _)| (a, b, c as u64, d, e)));
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    };
    let expected = |files: &[&str]| -> BTreeSet<Row> {
        let files: Vec<String> = files.iter().map(|file| folder.join(file).to_str().unwrap().to_owned()).collect();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let row = |hit: Value| {
            let offset = hit["offset"].as_u64().unwrap();
            (
                text(&hit["url"]).unwrap(),
                text(&hit["file"]).unwrap(),
                offset,
                text(&hit["message_id"]),
                text(&hit["date"]),
            )
        };
        command(&files.iter().map(String::as_str).collect::<Vec<_>>()).into_iter().map(row).collect()
    };

    let links = expected(&["small", "box/cur/1"]).len();
    assert_eq!(add(), format!("2 files read, {links} links added\n"));
    assert_eq!(rows(), expected(&["small", "box/cur/1"]));
    assert_eq!(add(), "0 files read, 0 links added\n");

    // A search for a host also finds the URLs of its subdomains. A search for a URL also finds equivalent URLs.
    let small = folder.join("small");
    let labels = "http://photos.archivist.example/labels/";
    let found = run(&["find", "Archivist.example"]);
    assert!(found.starts_with("2004-03-01T09:01:00Z\t") && found.lines().count() == 5, "{found}");
    let found = run(&["find", "HTTP://PHOTOS.archivist.example:80/%6Cabels/"]);
    let found: Vec<_> = found.lines().map(|line| line.split('\t').collect::<Vec<_>>()).collect();
    assert_eq!(found.len(), 2);
    for (line, date) in found.iter().zip(["2004-03-01T09:01:00Z", "2004-03-01T11:30:00Z"]) {
        assert_eq!((line[0], line[2]), (date, labels));
        let (file, offset) = line[1].rsplit_once(':').unwrap();
        let offset: usize = offset.parse().unwrap();
        assert_eq!(&fs::read(file).unwrap()[offset..offset + labels.len()], labels.as_bytes());
    }

    // The example reads changed files again, and removes deleted files from the index. It also reads each file again
    // that it could not read completely before.
    let mut grown = fs::read(&small).unwrap();
    grown.extend_from_slice(b"\n\nFrom a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nhttp://new.example/\n");
    fs::write(&small, grown).unwrap();
    fs::remove_file(folder.join("box/cur/1")).unwrap();
    assert_eq!(add(), format!("1 files read, {} links added\n", expected(&["small"]).len()));
    assert_eq!(rows(), expected(&["small"]));
    assert_eq!(run(&["find", "new.example"]).lines().count(), 1);
    scratch.file("mail/cut.gz", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]);
    for _ in 0..2 {
        let Output { status, stdout, stderr } =
            program("link_index").arg(&database).arg("add").arg(&folder).output().unwrap();
        assert!(status.success() && String::from_utf8_lossy(&stderr).contains("cut.gz: "));
        assert_eq!(stdout, b"1 files read, 0 links added\n");
    }
}

#[test]
fn duplicates() {
    let paths = ["corpus/mbox", "corpus/mail", "corpus/maildir"];
    let mut posts = BTreeMap::<String, (u64, Vec<String>)>::new();
    for hit in Extractor::new().threads(1).paths(paths) {
        let hit = hit.expect("the corpus can be read");
        if !hit.repeat() {
            let (count, dates) = posts.entry(hit.url().normalized()).or_default();
            *count += 1;
            dates.extend(hit.date().map(str::to_owned));
        }
    }
    let mut want: Vec<(u64, String, String, String)> = Vec::new();
    for (url, (count, mut dates)) in posts.into_iter().filter(|(_, (count, _))| *count > 1) {
        dates.sort();
        let [first, last] = [dates.first(), dates.last()].map(|date| date.map_or("-".to_owned(), Clone::clone));
        want.push((count, first, last, url));
    }
    want.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.3.cmp(&b.3)));
    assert!(want.len() > 5 && want[0].0 > 3, "{want:?}");
    let lines: Vec<_> =
        want.iter().map(|(count, first, last, url)| format!("{count}\t{first}\t{last}\t{url}")).collect();
    assert_eq!(output(program("duplicates").args(paths)).lines().collect::<Vec<_>>(), lines);
    let labels = "2\t2004-03-01T09:01:00Z\t2004-03-01T11:30:00Z\thttp://photos.archivist.example/labels/\n";
    assert!(output(program("duplicates").arg("corpus/mbox/small.mbox")).contains(labels));
}

#[test]
fn triage() {
    let run = |message: &[u8]| {
        let mut child = program("triage").stdin(Stdio::piped()).spawn().expect("it runs");
        child.stdin.take().unwrap().write_all(message).unwrap();
        let Output { status, stdout, .. } = child.wait_with_output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap())
    };
    let file = |name: &str| fs::read(corpus("mail").join(name)).unwrap();
    let cases: [(Vec<u8>, i32, &[&str]); 7] = [
        (
            file("rejoined_bare.eml"),
            0,
            &["None http://www.archivist.example/tapes/1986/net.sources/volume-1/part-03/index.html"],
        ),
        (
            file("html_shown.eml"),
            1,
            &[
                "High http://evil.example/1\n    line 9, in a, host: evil.example (name)\n    shown: www.bank.example\n    warning: shown-as-other-host\n",
            ],
        ),
        (
            file("warnings.eml"),
            1,
            &[
                "High http://www.bank.example@evil.example/login\n    line 11, in text, host: evil.example (name)\n    warning: userinfo-looks-like-host\n",
                "Medium ftp://otto:geheim@ftp.reader.example/private/\n",
            ],
        ),
        (
            b"Subject: x\n\nhttp://0x7f.1/\n".to_vec(),
            1,
            &["High http://0x7f.1/\n    line 3, in text, host: 0x7f.1 (IPv4 127.0.0.1)\n"],
        ),
        (
            b"Subject: x\n\nhttp://127.0.0.1/ http://[::1]/ mailto:a@b.example\n".to_vec(),
            1,
            &[
                "host: 127.0.0.1 (IPv4 127.0.0.1)",
                "host: [::1] (IPv6 ::1)",
                "None mailto:a@b.example\n    line 3, in text, host: none\n",
            ],
        ),
        (
            "Subject: x\n\nhttp://аррӏе.example/\n".into(),
            1,
            &[r"High http://\u{430}\u{440}\u{440}\u{4cf}\u{435}.example/", "example (name)"],
        ),
        (
            b"Subject: x\n\nhttp://a.example/\nhttps://www.google.com/url?q=http://bank.example@10.0.0.1/\n".to_vec(),
            1,
            &[
                "High https://www.google.com/url?q=http://bank.example@10.0.0.1/\n    line 4, in text, host: www.google.com (name)\n    leads to: http://bank.example@10.0.0.1/, host: 10.0.0.1 (IPv4 10.0.0.1)\n    warning: userinfo-looks-like-host\n",
            ],
        ),
    ];
    for (message, status, wanted) in cases {
        let (code, text) = run(&message);
        assert_eq!(code, Some(status), "{text}");
        for want in wanted {
            assert!(text.contains(want), "{want}\nis not in\n{text}");
        }
        let order: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).map(|line| &line[..1]).collect();
        assert!(order.is_sorted_by_key(|first| "HMLN".find(*first)), "{text}");
    }
    assert_eq!(run(b""), (Some(0), String::new()));
}

#[test]
fn tasks_find_what_the_command_finds() {
    let text = fs::read_to_string(corpus("text/links.txt")).unwrap();
    let hits = command(&["corpus/text/links.txt"]);
    let of =
        |hits: &[Value]| -> Vec<String> { hits.iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect() };
    let strings = |urls: &[Url<'_>]| -> Vec<String> { urls.iter().map(Url::to_string).collect() };
    assert_eq!(strings(&tasks::urls(&text)), of(&hits));
    assert_eq!(tasks::first(&text).unwrap().as_str(), of(&hits)[0]);
    assert_eq!(tasks::first("none"), None);
    for ((span, url), hit) in tasks::spans(&text).into_iter().zip(&hits) {
        let offset = hit["offset"].as_u64().unwrap() as usize;
        let length = hit["length"].as_u64().unwrap() as usize;
        assert_eq!((span, url.as_str()), (offset..offset + length, hit["url"].as_str().unwrap()));
    }

    for name in ["html_shown.eml", "flowed_delsp.eml", "quoted_printable.eml"] {
        let path = corpus("mail").join(name);
        let found = tasks::of_message(&fs::read(&path).unwrap());
        let urls: Vec<_> = found.iter().map(|hit| hit.url().to_string()).collect();
        assert_eq!(urls, of(&command(&[path.to_str().unwrap()])), "{name}");
    }

    let small = Path::new("corpus/mbox/small.mbox");
    let hits = command(&["corpus/mbox/small.mbox"]);
    let numbered: Vec<_> = hits.iter().map(|hit| (hit["message"].as_u64(), hit["url"].as_str().unwrap())).collect();
    let found = tasks::of_mailbox(small).unwrap();
    assert_eq!(found.iter().map(|(number, url)| (*number, url.as_str())).collect::<Vec<_>>(), numbered);
    let is_web = |hit: &&Value| hit["scheme"] == "http";
    let hosts: BTreeSet<_> = hits.iter().filter(is_web).map(|hit| hit["host"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tasks::web_hosts(small).unwrap(), hosts);

    let tree = tasks::of_tree(Path::new("corpus/maildir")).unwrap();
    assert_eq!(tree.iter().map(Hit::url).map(Url::to_string).collect::<Vec<_>>(), of(&command(&["corpus/maildir"])));

    let mut lines = Vec::new();
    tasks::json_lines(small, &mut lines).unwrap();
    let lines = lines.split_inclusive(|byte| *byte == b'\n').map(|line| serde_json::from_slice::<Value>(line).unwrap());
    assert!(lines.eq(hits));
}

#[test]
fn tasks_of_one_url() {
    assert_eq!(
        tasks::linked("<http://a.example/?b&\n  c> & javascript:x"),
        "&lt;<a href=\"http://a.example/?b&amp;c\">http://a.example/?b&amp;</a>\n  <a href=\"http://a.example/?b&amp;c\">c</a>&gt; &amp; javascript:x"
    );
    assert!(tasks::is_valid("http://a.example/") && !tasks::is_valid("http://a.example:99999/"));
    let components = tasks::components("ftp://me@a.example/b/c;type=a").unwrap();
    let components: Vec<_> = components.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(components, ["user=me", "host=a.example", "cwd=b", "name=c", "typecode=a"]);
    let texts = ["http://b.example/", "HTTP://A.example/%7Eme", "http://a.example/x", "http://a.example:80/~me"];
    let mut urls: Vec<_> = texts.iter().map(|text| Url::parse(*text).unwrap()).collect();
    tasks::deduplicate(&mut urls);
    assert_eq!(urls.iter().map(Url::as_str).collect::<Vec<_>>(), [texts[2], texts[1], texts[0]]);
    assert_eq!(tasks::resolve("http://a.example/b/c", "../d").unwrap().as_str(), "http://a.example/d");
    for (url, within) in
        [("http://a.example/", true), ("http://B.A.example/", true), ("http://ba.example/", false), ("news:a", false)]
    {
        assert_eq!(tasks::is_within(&Url::parse(url).unwrap(), "a.example"), within, "{url}");
    }
    assert_eq!(tasks::decoded_path(&Url::parse("http://a.example/%7Eme/%E9").unwrap()).unwrap(), b"~me/\xE9");
}

/// Limits the total length of the fifteen functions in `examples/tasks.rs`. This length shows how much code users of
/// the library need for common tasks.
#[test]
fn tasks_are_short() {
    let source = fs::read_to_string(root().join("examples/tasks.rs")).unwrap();
    let (mut tasks, mut lines, mut inside) = (0, 0, false);
    for line in source.lines() {
        match line {
            _ if line.starts_with("pub fn ") => (tasks, inside) = (tasks + 1, true),
            "}" => inside = false,
            _ => lines += usize::from(inside),
        }
    }
    assert_eq!(tasks, 15);
    assert!(lines <= 45, "{lines} lines");
}
