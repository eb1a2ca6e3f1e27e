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
        let lines = String::from_utf8(world.run("-Hnb box").stdout).unwrap();
        lines.replace("box\t", &format!("{place}\t"))
    };
    for place in PLACES {
        world.run(&format!("-Hnb {place}")).prints(0, &want(place));
    }
    // The name of an inner archive selects all members of the inner archive.
    let all = want("zip!inner.tgz!in/box") + "zip!inner.tgz!in/note\t1\t0\thttp://note.example/\n";
    world.run("-Hnb zip!inner.tgz").prints(0, &all);
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
        assert_eq!((status, stdout.len()), (Some(1), 0), "{place}");
        let words = format!("{place}: message 3 does not exist; the file has 2 messages");
        assert!(String::from_utf8_lossy(&stderr).contains(&words), "{place}");
    }
    // Several messages are printed in the order of the arguments.
    let [first, second] = messages();
    world.run("show box:2 box:1 tar!a/box:2").prints(0, &[second, first, second].concat());
    let run = world.run("show box:3 none:1 box:1");
    assert_eq!((run.status, run.stdout.as_slice()), (Some(2), first.as_bytes()));
    let run = world.run("show box:3 box:1");
    assert_eq!((run.status, run.stdout.as_slice()), (Some(1), first.as_bytes()));
    world
        .run("show none:1")
        .complains("none: cannot be opened: No such file or directory (os error 2); check the name");
    for number in ["0", "x", ""] {
        let words = format!("box:{number}: wrong message number; numbers count from 1, as in box:1");
        world.run(&format!("show box:{number}")).complains(&words);
    }
    world.run("show .:1").complains(". is a directory; name one of the files in it");
    world
        .run("show box:1 --json")
        .complains("--json is an option of find, count, check, tee and files, not of show; remove it");
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
