//! Tests of the inbox with real repositories. They run git(1).

use std::process::Stdio;

use super::changes::FILES;
use super::*;
use crate::error::ErrorKind;
use crate::source::{Batch, Entry, Options, SkipReason, Stream, StreamEvent, Temp};

/// Runs git with `input` on standard input. Returns its output.
fn run(repository: &Path, arguments: &str, input: &str) -> String {
    let mut command = git::command(repository);
    command.args(arguments.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("git reads its input");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments}");
    String::from_utf8(output.stdout).expect("ASCII").trim_end().into()
}

/// A change of one file: the mode, the path and the text. The mode of a removed file is empty.
type Step<'s> = (&'s str, &'s str, &'s str);

const FILE: &str = "100644";
const LINK: &str = "120000";

/// Makes a bare repository with one commit for each step. As in version 2, a file `m` or `d` replaces all files.
fn repository(path: &Path, steps: &[Step<'_>]) {
    fs::create_dir_all(path).expect("a directory");
    run(path, "init --quiet --bare --initial-branch=master --template=", "");
    let mut stream = String::new();
    for (mode, file, text) in steps {
        stream += "commit refs/heads/master\ncommitter a <a@b> 1000000000 +0000\ndata 0\n";
        stream += if matches!(*file, "m" | "d") { "deleteall\n" } else { "" };
        stream += &match *mode {
            "" => format!("D {file}\n"),
            mode => format!("M {mode} inline {file}\ndata {}\n{text}\n", text.len()),
        };
    }
    if !steps.is_empty() {
        run(path, "fast-import --quiet", &stream);
    }
}

/// Makes a repository with the messages `the first` and `the second`. Returns the names of their objects.
fn two_messages(path: &Path) -> [String; 2] {
    repository(path, &[(FILE, "m", "the first"), (FILE, "m", "the second")]);
    ["HEAD~1:m", "HEAD:m"].map(|name| run(path, &format!("rev-parse {name}"), ""))
}

/// Returns the path of the file that stores an object.
fn stored(repository: &Path, id: &str) -> PathBuf {
    repository.join("objects").join(&id[..2]).join(&id[2..])
}

/// Returns the text of the current message. Reads a few bytes at a time, and at most 100 bytes.
fn text(mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> String {
    let (mut text, mut buffer) = (Vec::new(), [0; 4]);
    while text.len() < 100 {
        match read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => text.extend_from_slice(&buffer[..count]),
            Err(error) => return error.to_string(),
        }
    }
    String::from_utf8_lossy(&text).into()
}

/// Returns the texts of all messages, and the errors.
fn read(mut inbox: Inbox) -> Vec<String> {
    let next = || {
        let next = inbox.next()?;
        Some(next.map_or_else(|error| error.to_string(), |_| text(|buffer| inbox.read(buffer))))
    };
    std::iter::from_fn(next).take(50).collect()
}

fn open(repositories: &[&PathBuf], heads: Option<&[String]>) -> Inbox {
    let repositories = repositories.iter().copied().cloned().collect();
    Inbox::open(repositories, heads).expect("git runs").expect("an inbox")
}

#[test]
fn a_message_that_was_removed_in_any_epoch_is_not_read() {
    let temp = Temp::new("inbox-epochs");
    let epochs = [0, 1, 10].map(|number| temp.0.join(format!("git/{number}.git")));
    let steps = [("m", "one"), ("m", "two"), ("m", "three"), ("d", "two"), ("d", "three")];
    let steps = [&steps[..], &[("m", "number four"), ("m", "three")]].concat();
    repository(&epochs[0], &steps.iter().map(|&(file, text)| (FILE, file, text)).collect::<Vec<_>>());
    repository(&epochs[1], &[(FILE, "m", "five"), (FILE, "d", "one")]);
    repository(&epochs[2], &[]);
    // This directory is not a repository.
    temp.write("git/2.git/HEAD", b"ref: refs/heads/master\n");
    assert_eq!(repositories(&temp.0).expect("an inbox"), epochs);
    let [a, b, c] = &epochs;
    assert_eq!(read(open(&[a, b, c], None)), ["number four", "three", "five"]);
    assert_eq!(read(open(&[a], None)), ["one", "number four", "three"]);
    assert_eq!(read(open(&[c], None)), [""; 0]);
    // If the newest commits are given, only the messages of the first repository are read.
    let heads = epochs.each_ref().map(|path| head(path).expect("git runs"));
    assert_eq!((heads[0].len(), heads[2].len()), (40, 0));
    assert_eq!(read(open(&[a, b, c], Some(&heads))), ["number four", "three"]);
    let changed = Inbox::open(epochs.to_vec(), Some(&heads[1..2])).err();
    assert_eq!(changed.map(|error| error.kind()), Some(ErrorKind::Changed));
    // A single object.
    let name = open(&[b], None).next().expect("a message").expect("no error");
    assert_eq!(name.to_string_lossy(), format!("{}:{}", b.display(), run(b, "rev-parse HEAD~1:m", "")));
    assert_eq!(head(&name).expect("no error"), "");
    assert_eq!(read(open(&[&name], None)), ["five"]);
}

/// git is not started again when no time is left. Its two processes, for the history and for messages, report it.
#[test]
fn without_time_the_messages_end() {
    let temp = Temp::new("inbox-time");
    let path = temp.0.join("0.git");
    let steps: Vec<_> = (0..200).map(|number| number.to_string()).collect();
    repository(&path, &steps.iter().map(|text| (FILE, "m", text.as_str())).collect::<Vec<_>>());
    let mut inbox = open(&[&path], None);
    assert!(inbox.next().expect("a message").is_ok());
    inbox.history.as_mut().expect("a repository").objects.time.end();
    let rest: Vec<_> = std::iter::from_fn(|| inbox.next()).filter_map(Result::err).collect();
    assert!(matches!(rest.len(), 1 | 2), "{rest:?}");
    assert!(rest.iter().all(|error| error.to_string().contains("git is too slow")), "{rest:?}");
}

#[test]
fn a_shallow_clone_is_reported() {
    let temp = Temp::new("inbox-shallow");
    let path = temp.0.join("0.git");
    two_messages(&path);
    fs::write(path.join("shallow"), head(&path).expect("a commit") + "\n").expect("a file");
    let found = read(open(&[&path], None));
    assert!(found.len() == 2 && found[0].contains("a shallow clone without the older messages"), "{found:?}");
    assert_eq!(found[1], "the second");
}

#[test]
fn the_last_version_of_each_message_in_a_tree_is_read() {
    let temp = Temp::new("inbox-tree");
    let path = temp.0.join("one.git");
    let names = ["a", "b", "c", "d", "e"].map(|digit| format!("{}/{}", digit.repeat(2), digit.repeat(38)));
    let [a, b, c, d, e] = &names;
    let steps = [
        (FILE, a.as_str(), "one"),
        (FILE, b, "two"),
        (FILE, c, "three"),
        // A link is not a message.
        (LINK, d, "the target of a link"),
        (LINK, e, "a target"),
        (LINK, e, "another target"),
        ("", b, ""),
        (FILE, a, "one was edited"),
        ("", c, ""),
        (FILE, c, "three"),
    ];
    repository(&path, &steps);
    assert_eq!(read(open(&[&path], None)), ["one was edited", "three"]);
}

/// Only the first [`FILES`] files of a tree decide whether it is an inbox.
#[test]
fn trees_of_any_size_are_read() {
    let temp = Temp::new("inbox-sizes");
    for count in [FILES - 1, FILES, FILES + 1, 20 * FILES] {
        let path = temp.0.join(format!("{count}.git"));
        let names: Vec<_> = (0..count).map(|number| format!("aa/{number:038}")).collect();
        repository(&path, &names.iter().map(|name| (FILE, name.as_str(), "x")).collect::<Vec<_>>());
        let mut inbox = open(&[&path], None);
        let all = std::iter::from_fn(|| inbox.next()).filter(Result::is_ok).count();
        assert_eq!(all, count);
    }
}

#[test]
fn a_repository_with_other_files_is_not_an_inbox() {
    let temp = Temp::new("inbox-other");
    let path = temp.0.join("other.git");
    repository(&path, &[(FILE, "m", "one"), (FILE, "README", "two")]);
    assert!(Inbox::open(vec![path], None).expect("git runs").is_none());
    let (hex, other) = ("a".repeat(40), format!("aa/{}", "x".repeat(38)));
    for name in ["beef", "be/ef", &hex, &other] {
        let path = temp.0.join(format!("{}.git", name.len()));
        repository(&path, &[(FILE, name, "one")]);
        assert!(Inbox::open(vec![path], None).expect("git runs").is_none(), "{name}");
    }
}

/// Returns the error that is reported if `git name` fails, or if an object cannot be read.
fn failed(path: &Path, name: &str) -> String {
    let what = if name.is_empty() { "cannot read the object".to_owned() } else { format!("{name} failed") };
    let why = "run `git fsck` in the repository to find the damage";
    format!("{}: cannot be read to its end: git {what}; {why}", path.display())
}

#[test]
fn damage_is_reported() {
    let temp = Temp::new("inbox-damage");
    let path = temp.0.join("0.git");
    repository(&path, &[(FILE, "m", "one"), (FILE, "m", "two"), (FILE, "m", "three")]);
    let remove = |object: &str| {
        let id = run(&path, &format!("rev-parse {object}"), "");
        fs::remove_file(stored(&path, &id)).expect("an object");
    };
    // The messages before the damage are read. The history is read twice, so the damage is found twice.
    remove("HEAD~1^{tree}");
    assert_eq!(read(open(&[&path], None)), [failed(&path, ""), "one".into(), failed(&path, "")]);
    remove("HEAD~2");
    assert_eq!(read(open(&[&path], None)), [failed(&path, "rev-list"), failed(&path, "rev-list")]);
    remove("HEAD^{tree}");
    assert_eq!(read(open(&[&path], None)), [failed(&path, "rev-parse")]);
    fs::write(path.join("refs/heads/master"), "").expect("a branch");
    assert_eq!(read(open(&[&path], None)), [failed(&path, "rev-parse")]);
}

#[test]
fn a_lock_is_not_a_branch() {
    let temp = Temp::new("inbox-lock");
    let path = temp.0.join("0.git");
    repository(&path, &[]);
    fs::write(path.join("refs/heads/master.lock"), "").expect("a lock");
    assert!(read(open(&[&path], None)).is_empty());
}

/// Without a limit on each allocation, git computes the hash of eight gigabytes before it reports the damage. It is
/// then ended because it writes nothing for too long, which is another error.
#[cfg(feature = "compression")]
#[test]
fn git_does_not_allocate_the_size_that_an_object_states() {
    let temp = Temp::new("inbox-size");
    let path = temp.0.join("0.git");
    two_messages(&path);
    let commit = run(&path, "rev-parse HEAD", "");
    lengthen(&stored(&path, &commit), "commit", 8 << 30);
    assert_eq!(read(open(&[&path], None)), [failed(&path, "rev-parse")]);
}

/// The list of the commits is longer than a pipe holds. So `git rev-list` is still writing when `git diff-tree` fails.
#[test]
fn a_process_that_failed_because_of_another_is_not_reported() {
    let temp = Temp::new("inbox-pipe");
    let path = temp.0.join("0.git");
    repository(&path, &[(FILE, "m", "one"); 5_000]);
    for tree in ["0".repeat(40), run(&path, "rev-parse HEAD^{tree}", "")] {
        let parent = run(&path, "rev-parse HEAD", "");
        let person = "a <a@b> 1000000000 +0000";
        let commit = format!("tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\n");
        let id = run(&path, "hash-object -t commit -w --stdin", &commit);
        run(&path, &format!("update-ref HEAD {id}"), "");
    }
    assert_eq!(read(open(&[&path], None)), [failed(&path, ""), "one".into(), failed(&path, "")]);
}

/// After an object that git cannot read, the next objects are read. After many such objects, the rest of the
/// repository is not read. Missing objects do not count.
#[test]
fn objects_after_a_damaged_object_are_read() {
    let temp = Temp::new("inbox-objects");
    let path = temp.0.join("0.git");
    let [good, bad] = two_messages(&path);
    // git exits if the file of an object is a directory.
    fs::remove_file(stored(&path, &bad)).expect("an object");
    fs::create_dir(stored(&path, &bad)).expect("a directory");
    let missing = "0".repeat(40);
    // Returns one word for each object.
    let read = |ids: &[&String]| {
        let requested = ids.iter().copied().cloned().collect();
        let mut objects = Objects { requested, ..Objects::new(path.clone(), 0) };
        let mut found = Vec::new();
        while found.len() < 50
            && let Some(next) = objects.next()
        {
            found.push(match next {
                Ok(name) if name == objects.name(&good) && text(|buffer| objects.read(buffer)) == "the first" => "read",
                Err(error) if error.path() == objects.name(&missing) => "missing",
                Err(error) if error.path() == objects.name(&bad) => "damaged",
                Err(error) if error.path() == path => "end",
                other => panic!("{other:?}"),
            });
        }
        found
    };
    assert_eq!(read(&[&good, &bad, &good, &bad, &good]), ["read", "damaged", "read", "damaged", "read"]);
    assert_eq!(read(&[[&missing; 25].as_slice(), &[&good]].concat()), [&["missing"; 25][..], &["read"]].concat());
    assert_eq!(read(&[[&bad; 25].as_slice(), &[&good]].concat()), [&["damaged"; 19][..], &["end"]].concat());
}

/// Each object is stored as its difference from the object before it.
#[test]
fn objects_that_expand_too_much_are_not_read() {
    let temp = Temp::new("inbox-expansion");
    let path = temp.0.join("0.git");
    repository(&path, &[]);
    let mut stream = String::new();
    for number in 0..30 {
        let text = format!("{}{number}\n", "a".repeat(600_000));
        stream += "commit refs/heads/master\ncommitter a <a@b> 1000000000 +0000\ndata 0\n";
        stream += &format!("M 100644 inline m\ndata {}\n{text}\n", text.len());
    }
    run(&path, "-c fastimport.unpackLimit=1 fast-import --quiet", &stream);
    let found = read(open(&[&path], None));
    let is_text = |text: &String| text.starts_with("aaa");
    let count = found.iter().take_while(|text| is_text(text)).count();
    assert!((2..25).contains(&count), "{count}");
    assert!(found[count..].iter().all(|error| error.contains("expand to more than 1000 times")), "{found:?}");
}

/// Replaces an object by the text `the second` with a header that states `kind` and `size`.
#[cfg(feature = "compression")]
fn lengthen(object: &Path, kind: &str, size: u64) {
    fs::remove_file(object).expect("an object");
    let file = fs::File::create(object).expect("an object");
    let mut encoder = flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
    write!(encoder, "{kind} {size}\0the second").expect("an object");
    encoder.finish().expect("an object");
}

/// git writes such an object without an error, and then the next object.
#[cfg(feature = "compression")]
#[test]
fn an_object_that_is_shorter_than_its_header_says_ends() {
    let temp = Temp::new("inbox-short");
    let path = temp.0.join("0.git");
    let [good, bad] = two_messages(&path);
    for (size, goods, want) in [
        // Nothing follows, or less than the stated size. The objects after it are requested again.
        (10_000, 0, &["damaged"][..]),
        (10_000, 1, &["damaged", "the first"]),
        // The stated size ends in the line before the next object.
        (20, 2, &["mixed", "damaged", "the first", "the first"]),
    ] {
        lengthen(&stored(&path, &bad), "blob", size);
        let ids = [vec![bad.clone()], vec![good.clone(); goods]].concat();
        let mut objects = Objects { requested: ids.into(), ..Objects::new(path.clone(), 0) };
        let mut found = Vec::new();
        while let Some(next) = objects.next() {
            let text = next.map_or_else(|error| error.to_string(), |_| text(|buffer| objects.read(buffer)));
            found.push(match text {
                text if text.contains("git cannot read the object") => "damaged".into(),
                text if text.starts_with("the second\n") => "mixed".into(),
                text => text,
            });
        }
        assert_eq!(found, want, "{size} bytes, {goods} objects");
        // Only the bytes that were read count.
        assert!(objects.limit > EXPANSION_FROM - 1000, "{size} bytes, {goods} objects");
    }
}

/// Each short object takes the objects after it. If each took all, many short objects would take quadratic time.
#[cfg(feature = "compression")]
#[test]
fn only_the_first_short_object_takes_many_others() {
    let temp = Temp::new("inbox-many");
    let path = temp.0.join("0.git");
    let [good, bad] = two_messages(&path);
    lengthen(&stored(&path, &bad), "blob", 100_000);
    let ids = [vec![bad; 3], vec![good; 5 * FIRST]].concat();
    let mut objects = Objects { requested: ids.into(), ..Objects::new(path.clone(), 0) };
    let mut next = || {
        objects.next().expect("an object").expect("an object");
        let (mut size, mut buffer) = (0, [0; 1 << 16]);
        while let Ok(count @ 1..) = objects.read(&mut buffer) {
            size += count;
        }
        size
    };
    let [first, second, third, good] = [next(), next(), next(), next()];
    assert!(second < first / 3 && third < first / 3, "{first}, {second}, {third} bytes");
    assert_eq!(good, "the first".len());
}

/// Searches an inbox with one message. Returns the first event of the search, and its batch.
fn first_event(name: &str, message: &str) -> (Option<StreamEvent>, Batch) {
    let temp = Temp::new(name);
    let path = temp.0.join("0.git");
    repository(&path, &[(FILE, "m", message)]);
    let mut stream = Stream::open(Entry::Inbox(vec![path]), &Options::default()).expect("an inbox");
    let mut batch = Batch::default();
    (stream.next(&mut batch), batch)
}

/// The user named the inbox, not the message, so such a message is not an error.
#[test]
fn a_binary_message_is_skipped() {
    let (event, _) = first_event("inbox-binary", "GIF89a");
    assert!(matches!(event, Some(StreamEvent::Skipped(_, SkipReason::Binary))), "{event:?}");
}

#[test]
fn a_message_is_a_git_object() {
    let (event, batch) = first_event("inbox-object", "Subject: one\n\ntext\n");
    assert!(event.is_some());
    assert!(batch.file.is_some_and(|input| input.is_git_object()));
}

#[test]
fn a_link_is_not_a_message_of_version_2() {
    let temp = Temp::new("inbox-link");
    let path = temp.0.join("0.git");
    repository(&path, &[(FILE, "m", "one"), (FILE, "d", "two"), (LINK, "m", "a target"), (FILE, "d", "two")]);
    assert_eq!(read(open(&[&path], None)), ["one"]);
}

#[test]
fn a_repository_has_a_head_and_objects() {
    for (names, is_repository) in [
        (&["HEAD", "objects/x", "refs/x"][..], true),
        (&["HEAD", "objects/x"], true),
        (&["HEAD", "refs/x"], false),
        (&["objects/x", "refs/x"], false),
        (&["refs/x"], false),
    ] {
        let temp = Temp::new("inbox-repository");
        for name in names {
            temp.write(name, b"");
        }
        assert_eq!(repositories(&temp.0).is_some(), is_repository, "{names:?}");
    }
}

/// A clone with a working tree of version 2 has one file. Other directories with a hidden repository have files to
/// read.
#[test]
fn a_clone_is_an_inbox_if_it_has_only_mail() {
    for (names, is_inbox) in
        [(&["m"][..], true), (&["d"], true), (&[], true), (&["m", "README"], false), (&["README"], false)]
    {
        let temp = Temp::new("inbox-clone");
        for name in ["HEAD", "objects/x", "refs/x"] {
            temp.write(&format!(".git/{name}"), b"");
        }
        for name in names {
            temp.write(name, b"");
        }
        assert_eq!(repositories(&temp.0), is_inbox.then(|| vec![temp.0.join(".git")]), "{names:?}");
    }
}

#[test]
fn the_name_of_an_object_is_a_repository_and_an_id() {
    let temp = Temp::new("inbox-name");
    for name in ["HEAD", "objects/x", "refs/x"] {
        temp.write(&format!("a:b.git/{name}"), b"");
    }
    let table = [
        ("a:b.git", "a".repeat(40), true),
        ("a:b.git", "a".repeat(64), true),
        ("a:b.git", "a".repeat(39), false),
        ("a:b.git", "g".repeat(40), false),
        ("a:b.git", "master".into(), false),
        ("missing.git", "a".repeat(40), false),
    ];
    for (repository, id, is_object) in table {
        let path = temp.0.join(format!("{repository}:{id}"));
        let want = is_object.then(|| (temp.0.join(repository), id));
        assert_eq!(object(&path), want, "{}", path.display());
    }
}

/// 22 objects stand for 16^20 files: each directory has the same directory 16 times.
#[test]
fn directories_that_expand_without_end_are_not_read() {
    let temp = Temp::new("inbox-bomb");
    let path = temp.0.join("0.git");
    repository(&path, &[(FILE, "m", "one")]);
    let master = run(&path, "rev-parse HEAD", "");
    let entries =
        |kind: &str, id: &str| (0..16).map(|number| format!("{kind} {id}\t{number:02x}\n")).collect::<String>();
    let mut tree = run(&path, "mktree", &entries("100644 blob", &run(&path, "rev-parse HEAD:m", "")));
    for _ in 1..20 {
        tree = run(&path, "mktree", &entries("040000 tree", &tree));
    }
    let commit = |tree: &str, parent: &str| {
        let person = "a <a@b> 1000000000 +0000";
        let commit = format!("tree {tree}\n{parent}author {person}\ncommitter {person}\n\n");
        run(&path, "hash-object -t commit -w --stdin", &commit)
    };
    let bomb = commit(&tree, "");
    run(&path, &format!("update-ref refs/heads/master {bomb}"), "");
    let all = read(open(&[&path], None));
    assert!(all[0].contains("far more entries than those of a public-inbox"), "{all:?}");
    // In version 2, the messages are in the top directory.
    let top = run(&path, &format!("rev-parse {master}^{{tree}}"), "");
    run(&path, &format!("update-ref refs/heads/master {}", commit(&top, &format!("parent {bomb}\n"))), "");
    assert_eq!(read(open(&[&path], None)), ["one"]);
}
