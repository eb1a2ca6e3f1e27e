//! Tests `show`, and inputs that name a member of an archive.

use crate::archives::gzip;
use crate::support::store;
use crate::world::{BOX, Run, World};

/// Returns the two messages of [`BOX`].
fn messages() -> [&'static str; 2] {
    let (first, second) = BOX.split_once("From bob@example.org Tue").unwrap();
    // The first message ends with a blank line, because an mbox has a blank line before the next message.
    let message = |text: &'static str| text.split_once('\n').unwrap().1;
    [message(first), message(second)]
}

/// Makes a folder with copies of [`BOX`]: a plain file, a compressed file, and members of archives.
fn world(name: &str) -> World {
    let of_box = |name: &str| (name.to_owned(), BOX.as_bytes().to_vec());
    let inner = store::tar(&[of_box("in/box"), ("in/note".to_owned(), b"http://note.example/\n".to_vec())]);
    let files = [of_box("a/box"), ("inner.tgz".to_owned(), gzip(&inner)), of_box("a/box2"), of_box("we:ird!box")];
    World::with_box(name)
        .file("box.gz", gzip(BOX.as_bytes()))
        .file("tar", store::tar(&files))
        .file("tgz", gzip(&store::tar(&files)))
        .file("zip", store::zip(&files, false))
}

/// The names of some copies of [`BOX`] in the folder that `world` makes.
const PLACES: [&str; 9] = [
    "box",
    "box.gz",
    "tar!a/box",
    "tgz!a/box2",
    "zip!a/box",
    "zip!we:ird!box",
    "tar!inner.tgz!in/box",
    "tgz!inner.tgz!in/box",
    "zip!inner.tgz!in/box",
];

#[test]
fn a_member_is_read_under_the_name_that_is_printed() {
    let world = world("members");
    let want = |place: &str| {
        let lines = String::from_utf8(world.run("-Hn box").stdout).unwrap();
        lines.replace("box\t", &format!("{place}\t"))
    };
    for place in PLACES {
        world.run(&format!("-Hn {place}")).prints(0, &want(place));
    }
    // The name of an inner archive selects all members of the inner archive.
    let all = want("zip!inner.tgz!in/box") + "zip!inner.tgz!in/note\t1\thttp://note.example/\n";
    world.run("-Hn zip!inner.tgz").prints(0, &all);
    // The printed name of a member, after its archive and a `!`, can be used as an input.
    let printed = String::from_utf8(world.run("count file,member tar tgz zip").stdout).unwrap();
    assert_eq!(printed.lines().count(), 15);
    for line in printed.lines() {
        let (count, name) = line.split_once('\t').unwrap();
        let name = name.replace('\t', "!");
        let listed = world.run(&format!("-H {name}")).stdout;
        let is_its = |line: &&str| line.split('\t').next() == Some(&name);
        let listed = String::from_utf8(listed).unwrap();
        assert_eq!(listed.lines().filter(is_its).count().to_string(), count, "{name}");
    }
}

#[test]
fn a_member_that_is_not_there_is_reported() {
    let world = world("no-members");
    for (place, why) in [
        ("tar!a", "tar!a: cannot be opened: the archive has no member of that name"),
        ("zip!a/box3", "zip!a/box3: cannot be opened: the archive has no member of that name"),
        ("zip!inner.tgz!x", "zip!inner.tgz!x: cannot be opened: the archive has no member of that name"),
        ("box!a", "box!a: cannot be opened: the file before the `!` is not an archive"),
        ("none!a", "none!a: cannot be opened"),
    ] {
        world.run(place).complains(why);
    }
}

#[test]
fn a_message_as_it_is_stored() {
    let world = world("show");
    for place in PLACES {
        for (at, message) in messages().iter().enumerate() {
            world.run(&format!("show {place}:{}", at + 1)).prints(0, message);
        }
        let Run { status, stdout, stderr } = world.run(&format!("show {place}:3"));
        assert_eq!((status, stdout.len()), (Some(2), 0), "{place}");
        let words = format!("{place}: message 3 does not exist; the file has 2 messages");
        assert!(String::from_utf8_lossy(&stderr).contains(&words), "{place}");
    }
    // Several messages are printed in the order of the arguments.
    let [first, second] = messages();
    world.run("show box:2 box:1 tar!a/box:2").prints(0, &[second, first, second].concat());
    let run = world.run("show box:3 none:1 box:1");
    assert_eq!((run.status, run.stdout.as_slice()), (Some(2), first.as_bytes()));
    world
        .run("show none:1")
        .complains("none: cannot be opened: No such file or directory (os error 2); check the name");
    for number in ["0", "x", ""] {
        let words = format!("box:{number}: wrong message number; numbers count from 1, as in box:1");
        world.run(&format!("show box:{number}")).complains(&words);
    }
    world.run("show .:1").complains(". is a directory; name one of the files in it");
    world.run_with("show -", b".\n").complains("list, line 1: . is a directory; name one of the files in it");
    world
        .run("show box:1 --json")
        .complains("--json is an option of find, count, check, tee and files, not of show; remove it");
    world.run("show box:1 --mbox --decoded").complains("--mbox prints the messages as they are stored; remove");
    world.run("show").complains("show needs a file and the number of a message, as in urlspool show archive.mbox:7");
}

/// `--json` prints the byte range of the message in the file.
#[test]
fn the_bytes_of_messages_of_every_kind() {
    let stuffed = "From: a@example.org\nSubject: dots\n\n..http://a.example/\n.\n";
    let world = World::with_box("message-ranges")
        .file("cur/1:2,S", messages()[0])
        .file(
            "batch",
            format!(
                "#! rnews {}\n{}#! rnews {}\n{}",
                messages()[0].len(),
                messages()[0],
                messages()[1].len(),
                messages()[1]
            ),
        )
        .file("stuffed.eml", stuffed);
    let mut rows = 0;
    for file in ["box", "cur/1:2,S", "batch", "stuffed.eml"] {
        let bytes = std::fs::read(world.path(file)).unwrap();
        for hit in world.run(&format!("--json {file}")).json() {
            let number = |name: &str| usize::try_from(hit[name].as_u64().unwrap()).unwrap();
            let (start, length) = (number("message_offset"), number("message_length"));
            assert!(start <= number("offset") && number("offset") + number("length") <= start + length, "{hit:?}");
            let message = String::from_utf8(bytes[start..start + length].to_vec()).unwrap();
            world.run(&format!("show {file}:{}", hit["message"])).prints(0, &message);
            assert!(message.contains(&format!("Subject: {}\n", hit["subject"].as_str().unwrap())), "{message}");
            rows += 1;
        }
    }
    assert_eq!(rows, 6 + 4 + 6 + 1);
    world.run("show stuffed.eml").prints(0, stuffed);
    world.run("show cur/1:2,S").prints(0, messages()[0]);
}

/// The first message with a Message-ID is printed, from files and directories.
#[test]
fn a_message_by_its_id() {
    let [first, second] = messages();
    let world = World::with_box("show-id").file("more/copy", BOX);
    for paths in ["box", "more", "more box"] {
        world.run(&format!("show <two@example.org> {paths}")).prints(0, second);
    }
    world.run("show <two@example.org> box <one@example.org> more").prints(0, &[first, second].concat());
    let run = world.run("show <none@example.org> box <two@example.org>");
    assert_eq!((run.status, run.stdout.as_slice()), (Some(2), second.as_bytes()));
    assert_eq!(String::from_utf8_lossy(&run.stderr), "urlspool: no message has the Message-ID <none@example.org>\n");
    for arguments in ["show <two@example.org>", "show <two@example.org> -"] {
        world.run(arguments).complains("show needs the files to search, as in urlspool show '<id@host>' archive.mbox");
    }
    let world = world.file("<file>", first);
    world.run("show <file>").prints(0, first);
}

#[test]
fn messages_of_a_list() {
    let [first, second] = messages();
    let world = world("show-list").file("odd\tname", BOX).file("text", "http://a.example/\nhttp://b.example/\n");
    let both = [first, second].concat();
    let shows = |list: &[u8], want: &str| world.run_with("show -", list).prints(0, want);
    for find in [
        "--fields file,message box",
        "--fields file,member,message box",
        "--fields file,member,message box.gz",
        "--fields file,member,message tar!inner.tgz!in/box",
        "--json zip!a/box",
        "--json --fields message,member,file,message_id zip!a/box",
    ] {
        shows(&world.run(find).stdout, &both);
    }
    // Each message is printed once. The messages of a file are in its order, so that the file is read once.
    shows(&world.run("--fields file,member,message box tgz!a/box2 box").stdout, &both.repeat(2));
    shows(b"box:2\nbox:1\r\nbox", &both);
    shows(b"box\t2\nbox.gz\t\t2\nbox\t1\nbox\t2\n", &[first, second, second].concat());
    shows(b"box:1\nbox\t1\nbox:2\nbox\t2\nbox:2", &both);
    let odd = world.command(["--fields", "file,message", "odd\tname"]).output().unwrap().stdout;
    assert_eq!(odd.split(|&byte| byte == b'\n').next(), Some(&b"odd\\tname\t1"[..]));
    shows(&odd, &both);
    let run = world.run_with("show -", b"text\t\ntext\t\nbox\t1\n");
    let note = "urlspool: the list has URLs that are not in a message (2, first on line 1)\n";
    assert_eq!((run.status, &*String::from_utf8_lossy(&run.stderr)), (Some(0), note));
    assert_eq!(run.stdout, first.as_bytes());
    world.run_with("show -", b"").prints(1, "");
    let other = second.replace("two@", "three@");
    let list = world.run("--json box").stdout;
    let world = world.file("box", BOX.replace(second, &other));
    for (list, why) in [
        (&list[..], "box: message 2 has another Message-ID than in the list"),
        (
            b"box\t1\nnone\t1\n",
            "list, line 2: none is not a file in this directory; make the list with --json or --fields file,message",
        ),
        (
            "box\t1\n\u{FFFD}\t1\n".as_bytes(),
            "list, line 2: \u{FFFD} is not a file in this directory; make the list with --json",
        ),
        // --fields url,message
        (
            b"http://a.example/\t1\nbox\t1\n",
            "list, line 1: http://a.example/ is not a file in this directory; make the list with --json or --fields file,message",
        ),
        (b"box\t1\nbox\t4\n", "box: message 4 does not exist; the file has 2 messages"),
        (b"box:1\ntar\t1\n", "tar is an archive; list its messages with --fields file,member,message"),
        (
            b"file\tmessage\nbox\t1\n",
            "list, line 1: the last column is not a number; make the list with --json or --fields file,message",
        ),
        (b"a\tb\tc\t1\nbox:1\n", "list, line 1: too many columns; make the list with --json or --fields file,message"),
        (
            b"{\"file\"}\nbox:1\n",
            "list, line 1: expected `:` at line 1 column 8; make the list with --json or --fields file,message",
        ),
        (
            b"{\"file\":\"box\",\"member\":\"2\"}\nbox:1\n",
            "list, line 1: the fields file and message are not both there; make the list with --json or --fields file,message",
        ),
        // CSV, and a list of URLs.
        (
            b"file,message\nbox,1\nhttp://a.example/\nbox:1\n",
            "list, line 1: not a message such as FILE:N; make the list with --json or --fields file,message (and 2 more lines)",
        ),
        (b"box:0\nbox:1\n", "list, line 1: box:0: wrong message number; numbers count from 1, as in box:1"),
    ] {
        let run = world.run_with("show -", list);
        assert_eq!(String::from_utf8_lossy(&run.stderr), format!("urlspool: {why}\n"));
        assert_eq!((run.status, String::from_utf8_lossy(&run.stdout).as_ref()), (Some(2), first), "{why}");
    }
    // The name is too long to look for the file.
    let run = world.run_with("show -", format!("{}\t1\n", "x".repeat(300)).as_bytes());
    assert!(String::from_utf8_lossy(&run.stderr).contains("x: cannot be opened: "), "{run:?}");
}

/// The mailbox has the same messages, byte for byte, after one `>` is removed from its `>From ` lines.
#[test]
fn a_mailbox_has_the_same_messages() {
    let quoted = "From: A. <a@b.example>\nDate: Thu, 29 Feb 2024 23:59:59 +0000\n\nFrom here\n>From there\n>>From\n>>From \n>> From x\n";
    let world = World::with_box("show-mbox")
        .file("quoted.eml", quoted)
        .file("crlf.eml", quoted.replace('\n', "\r\n"))
        .file("open.eml", "Subject: x\n\nno line end")
        .file("blank.eml", "From: nobody\nSubject: x\n\n\n\n")
        .file("head.eml", "Subject: no body\nFrom: \n")
        .file("comment.eml", "From: a@b.example (Ann)\n\nx\n")
        .file("stuffed", "Path: a!b\r\nNewsgroups: a.b\r\nFrom: c\r\n\r\n..dots\r\n..\r\n.\r\n")
        .file("two", "From a Mon Jan  1 00:00:00 2001\nSubject: 1\n\n>From a\n\n\n\nFrom b Mon Jan  1 00:00:00 2001\nSubject: 2\n\nx\n\n");
    let [first, second] = messages();
    let want = [
        ("box:1", first),
        ("box:2", second),
        ("quoted.eml", quoted),
        ("crlf.eml", &quoted.replace('\n', "\r\n")),
        ("open.eml", "Subject: x\n\nno line end\n"),
        ("blank.eml", "From: nobody\nSubject: x\n\n\n\n"),
        ("head.eml", "Subject: no body\nFrom: \n"),
        ("comment.eml", "From: a@b.example (Ann)\n\nx\n"),
        ("stuffed", "Path: a!b\r\nNewsgroups: a.b\r\nFrom: c\r\n\r\n.dots\r\n.\r\n"),
        ("two:1", "Subject: 1\n\n>From a\n\n\n"),
        ("two:2", "Subject: 2\n\nx\n"),
    ];
    let places = want.map(|(place, _)| place).join(" ");
    let run = world.run(&format!("show --mbox {places}"));
    assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    let mbox = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<_> = mbox.lines().filter(|line| line.starts_with("From ")).collect();
    assert_eq!(
        lines,
        [
            "From ann@example.org Mon Jan  5 10:00:00 1998",
            "From bob@example.org Tue Jan  6 10:00:00 1998",
            "From a@b.example Thu Feb 29 23:59:59 2024",
            "From a@b.example Thu Feb 29 23:59:59 2024",
            "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
            "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
            "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
            "From a@b.example Thu Jan  1 00:00:00 1970",
            "From MAILER-DAEMON Thu Jan  1 00:00:00 1970",
            "From MAILER-DAEMON Mon Jan  1 00:00:00 2001",
            "From MAILER-DAEMON Mon Jan  1 00:00:00 2001",
        ]
    );
    let world = world.file("again", mbox);
    for (number, (place, want)) in (1..).zip(want) {
        let again = String::from_utf8(world.run(&format!("show again:{number}")).stdout).unwrap();
        let unquoted = |line: &str| {
            let is_quoted = line.trim_start_matches('>').starts_with("From ");
            line.strip_prefix('>').filter(|_| is_quoted).unwrap_or(line).to_owned()
        };
        let again: String = again.split_inclusive('\n').map(unquoted).collect();
        let want =
            want.strip_suffix("\n\n").filter(|_| place == "box:1").map_or(want.to_owned(), |text| format!("{text}\n"));
        assert_eq!(again, format!("{want}\n"), "{place}");
    }
    // The mailbox of a mailbox without `>From ` lines is the same again.
    let mbox = String::from_utf8(world.run("show --mbox two:2 box:1").stdout).unwrap();
    let world = world.file("again", &mbox);
    world.run("show --mbox again:1 again:2").prints(0, &mbox);
}

#[test]
fn a_decoded_message() {
    let mail = "Subject: =?utf-8?q?caf=C3=A9?=\r\nX-Break: =?utf-8?q?a=0D=0AX-Other:_b?=\r\nFrom: a@b.example\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed;\r\n boundary=x\r\n\r\n--x\r\n\
        Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
        na=EFve, without a link\r\n--x\r\n\
        Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
        PHA+w6k8L3A+\r\n--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--x--\r\n";
    let world = World::new("show-decoded").file("mail.eml", mail);
    let want = "Subject: caf\u{e9}\nX-Break: a  X-Other: b\nFrom: a@b.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\
        \nna\u{ef}ve, without a link\n\n<p>\u{e9}</p>\n";
    world.run("show --decoded mail.eml").prints(0, want);
}
