//! Tests of [`Walk`] on temporary directory trees.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use super::{Batch, Entry, FileFilter, Options, Paths, Stream, StreamEvent, Walk};

/// A temporary directory, which is removed when this value is dropped.
pub(crate) struct Temp(pub(crate) PathBuf);

impl Temp {
    pub(crate) fn new(name: &str) -> Temp {
        let path = std::env::temp_dir().join(format!("urlspool-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a place for temporary files");
        Temp(path)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, content).expect("a file");
        path
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn show(root: &Path, entry: &Entry) -> String {
    match entry {
        Entry::File(input) => {
            let name = input.path.strip_prefix(root).unwrap_or(&input.path).display().to_string();
            if input.message { name + " (message)" } else { name }
        }
        Entry::Stdin => "stdin".into(),
        Entry::Inbox(repositories) => format!("inbox of {}", repositories.len()),
        Entry::Skipped(path, why) => format!("- {} {why:?}", path.strip_prefix(root).unwrap_or(path).display()),
        Entry::Problem(error) => format!("! {}", error.path().strip_prefix(root).unwrap_or(error.path()).display()),
    }
}

fn walked(paths: impl Into<Vec<PathBuf>>, follow: bool) -> Walk {
    Walk::new(Paths::Known(paths.into().into_iter()), follow)
}

/// Returns the entries of a [`Walk`] over `paths`, without the skipped ones.
fn walk(temp: &Temp, paths: &[&str]) -> Vec<String> {
    let mut all = walk_all(temp, paths, false);
    all.retain(|line| !line.starts_with("- "));
    all
}

fn walk_all(temp: &Temp, paths: &[&str], follow: bool) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(|p| if *p == "-" { "-".into() } else { temp.0.join(p) }).collect();
    walked(paths, follow).map(|entry| show(&temp.0, &entry)).collect()
}

#[test]
fn files_are_sorted_and_others_skipped() {
    let temp = Temp::new("walk");
    for name in [
        "b/list.10.txt",
        "b/list.9.txt",
        "b/.hidden",
        "b/.git/config",
        "b/a/x",
        "b/dovecot-list.mbox",
        "b/dovecot-list.mbox.gz",
        "mh/1",
        "mh/2",
        "mh/10",
        "mh/,3",
        "mh/#4",
        "mh/.mh_sequences",
        "mh/#todo",
        "news/alt.test/7",
        "news/comp.misc/12",
        "news/comp.misc/.overview",
        "md/cur/20.M1.h:2,S",
        "md/cur/3.M1.h:2,",
        "md/cur/dovecot.index",
        "md/new/1.M1.h",
        "md/tmp/9.M1.h",
        "md/dovecot-uidlist",
        "md/maildirsize",
        // People have mail beside the messages of a Maildir.
        "md/saved.mbox",
        "md/.Sub.One/cur/5.M1.h",
        "md/.Sub.One/new/6.M1.h",
        "md/.Sub.One/tmp/7.M1.h",
        "md/.notes/x",
        "md/Fs/cur/8.M1.h",
        "md/Fs/new/.keep",
        "md/.Git/cur/1717000000.M1.h:2,S",
        // Without `new`, `cur` needs a message with the name of one.
        "half/cur/x",
        "half/tmp/x",
        // KMail stores the subfolders of a folder beside it.
        "k/.inbox.directory/sub/cur/1.M1.h",
        "k/.inbox.directory/sub/new/2.M1.h",
        "k/.other.directory/x",
        "k/inbox",
    ] {
        temp.write(name, b"x");
    }
    // An empty directory is not reported.
    fs::create_dir(temp.0.join("md/Fs/tmp")).expect("a directory");
    let all = [
        "b/a/x",
        "b/dovecot-list.mbox",
        "b/list.9.txt",
        "b/list.10.txt",
        "half/cur/x",
        "half/tmp/x",
        "k/.inbox.directory/sub/cur/1.M1.h (message)",
        "k/.inbox.directory/sub/new/2.M1.h (message)",
        "k/inbox",
        "md/.Git/cur/1717000000.M1.h:2,S (message)",
        "md/.Sub.One/cur/5.M1.h (message)",
        "md/.Sub.One/new/6.M1.h (message)",
        "md/Fs/cur/8.M1.h (message)",
        "md/cur/3.M1.h:2, (message)",
        "md/cur/20.M1.h:2,S (message)",
        "md/new/1.M1.h (message)",
        "md/saved.mbox",
        "mh/#todo",
        "mh/1 (message)",
        "mh/2 (message)",
        "mh/10 (message)",
        "news/alt.test/7 (message)",
        "news/comp.misc/12 (message)",
    ];
    assert_eq!(walk(&temp, &[""]), all);
    let mut skipped = walk_all(&temp, &[""], false);
    skipped.retain(|line| line.starts_with("- "));
    let want = [
        "- b/.git Hidden",
        "- b/.hidden Hidden",
        "- b/dovecot-list.mbox.gz Packed",
        "- k/.other.directory Hidden",
        "- md/.notes Hidden",
        "- md/Fs/new/.keep Hidden",
        "- md/cur/dovecot.index Index",
        "- md/dovecot-uidlist Index",
        "- md/maildirsize Index",
        "- md/tmp Undelivered",
        "- md/.Sub.One/tmp Undelivered",
        "- mh/,3 Removed",
        "- mh/#4 Removed",
        "- mh/.mh_sequences Hidden",
        "- news/comp.misc/.overview Hidden",
    ];
    skipped.sort();
    assert_eq!(skipped, {
        let mut want = want;
        want.sort_unstable();
        want
    });
    // Paths that the user names are always read, in the given order.
    let named = ["mh/,3", "-", "missing", "b/.hidden", "md/tmp", "md/.notes", "md/new"];
    let want = ["mh/,3", "stdin", "! missing", "b/.hidden", "md/tmp/9.M1.h", "md/.notes/x", "md/new/1.M1.h (message)"];
    assert_eq!(walk(&temp, &named), want);
}

/// A failed decompression leaves an empty file.
#[test]
fn an_empty_file_or_a_directory_is_not_a_copy_of_a_compressed_file() {
    let temp = Temp::new("copies");
    for (name, content) in [("a", "x"), ("a.gz", "x"), ("b", ""), ("b.gz", "x"), ("c/d", "x"), ("c.gz", "x")] {
        temp.write(name, content.as_bytes());
    }
    assert_eq!(walk_all(&temp, &[""], false), ["a", "- a.gz Packed", "b", "b.gz", "c/d", "c.gz"]);
}

#[cfg(unix)]
#[test]
fn links_and_special_files() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let temp = Temp::new("links");
    let first = temp.write("spool/alt.a/1", b"x");
    fs::create_dir_all(temp.0.join("spool/alt.b")).expect("a directory");
    fs::hard_link(&first, temp.0.join("spool/alt.b/5")).expect("a hard link");
    symlink(&first, temp.0.join("spool/alt.b/6")).expect("a link");
    symlink("..", temp.0.join("spool/alt.b/up")).expect("a link");
    symlink("missing", temp.0.join("spool/alt.b/nowhere")).expect("a link");
    let _socket = UnixListener::bind(temp.0.join("spool/alt.b/socket")).expect("a socket");
    assert_eq!(walk(&temp, &["spool"]), ["spool/alt.a/1 (message)"]);
    assert_eq!(walk(&temp, &["spool", "spool/alt.b/6"]), ["spool/alt.a/1 (message)", "spool/alt.b/6 (message)"]);
    let all = [
        "spool/alt.a/1 (message)",
        "- spool/alt.b/5 Again",
        "- spool/alt.b/6 Link",
        "- spool/alt.b/nowhere Link",
        "- spool/alt.b/socket Special",
        "- spool/alt.b/up Link",
    ];
    assert_eq!(walk_all(&temp, &["spool"], false), all);
    // If links are followed, a loop is skipped, each file is read only once, and a link to a missing file is reported.
    let all = [
        "spool/alt.a/1 (message)",
        "- spool/alt.b/5 Again",
        "- spool/alt.b/6 Again",
        "! spool/alt.b/nowhere",
        "- spool/alt.b/socket Special",
        "- spool/alt.b/up Loop",
    ];
    assert_eq!(walk_all(&temp, &["spool"], true), all);
}

/// If directories link to one another, each of them is walked only once. Otherwise, the number of paths through them
/// would be enormous.
#[cfg(unix)]
#[test]
fn directories_linked_in_circles_are_read_once() {
    const COUNT: usize = 12;
    let temp = Temp::new("mesh");
    for i in 0..COUNT {
        temp.write(&format!("{i}/file"), b"x");
        for j in (0..COUNT).filter(|j| *j != i) {
            std::os::unix::fs::symlink(format!("../{j}"), temp.0.join(format!("{i}/to{j}"))).expect("a link");
        }
    }
    let all = walk_all(&temp, &["."], true);
    assert_eq!(all.iter().filter(|entry| !entry.starts_with('-')).count(), COUNT, "{all:?}");
    assert!(all.len() <= COUNT * (COUNT + 1), "{all:?}");
}

/// A second name of a file is recognized even if the metadata of the file was not read.
#[cfg(unix)]
#[test]
fn a_file_with_several_names_is_read_once() {
    use std::os::unix::fs::symlink;

    let temp = Temp::new("names");
    let link = |file: &Path, name: &str| {
        temp.write(name, b"");
        fs::remove_file(temp.0.join(name)).expect("a file");
        fs::hard_link(file, temp.0.join(name)).expect("a hard link");
    };
    for i in 10..20 {
        let article = temp.write(&format!("a/{i}"), b"x");
        link(&article, &format!("b/{}", i + 7));
    }
    let eml = temp.write("c/first.eml", b"x");
    link(&eml, "c/1.eml");
    link(&eml, "d/5");
    link(&temp.0.join("a/12"), "d/twelve.eml");
    // The file `outside` is not in a directory that is read, so its other name, `d/6`, is read.
    link(&temp.write("outside", b"x"), "d/6");
    let mut want: Vec<_> = (10..20).map(|i| format!("a/{i} (message)")).collect();
    want.extend((17..27).map(|i| format!("- b/{i} Again")));
    want.extend(
        ["c/1.eml", "- c/first.eml Again", "- d/5 Again", "d/6 (message)", "- d/twelve.eml Again"].map(String::from),
    );
    assert_eq!(walk_all(&temp, &["a", "b", "c", "d"], false), want);
    assert_eq!(walk_all(&temp, &["a", "b", "c", "d"], true), want);
    // A link that the user named is followed and treated like its target.
    temp.write("md/cur/1.M1.h:2,S", b"x");
    temp.write("md/new/2.M1.h", b"x");
    symlink("md", temp.0.join("mail")).expect("a link");
    let all = ["mail/cur/1.M1.h:2,S (message)", "mail/new/2.M1.h (message)"];
    assert_eq!(walk_all(&temp, &["mail"], false), all);
}

/// Returns the number of entries in each group.
fn groups(mut walk: Walk) -> Vec<usize> {
    let (mut group, mut sizes) = (Vec::new(), Vec::new());
    while walk.next_group(&mut group) {
        sizes.push(group.len());
    }
    assert!(group.is_empty() && !walk.next_group(&mut group));
    sizes
}

#[test]
fn small_files_are_grouped() {
    let temp = Temp::new("groups");
    for i in 0..100 {
        temp.write(&format!("a{i}"), b"Subject: x\n\n");
    }
    for i in 100..120 {
        temp.write(&format!("a{i}"), &vec![b'x'; 60 << 10]);
    }
    temp.write("a120", &vec![b'x'; 65 << 10]);
    temp.write("a121", b"x");
    let walk = walked([temp.0.clone(), temp.0.join("missing"), "-".into()], false);
    assert_eq!(groups(walk), [64, 36 + 8, 8, 4, 1, 2, 1]);
}

/// Files whose names are numbers are assumed to be small messages. But the names of large mailboxes can also be
/// numbers, and large mailboxes must not share a group.
#[test]
fn large_files_named_by_number_are_not_grouped() {
    let temp = Temp::new("numbers");
    for i in 0..100 {
        temp.write(&format!("articles/{i}"), b"Subject: x\n\n");
    }
    for i in 1990..2010 {
        temp.write(&format!("boxes/{i}"), &vec![b'x'; 65 << 10]);
    }
    assert_eq!(groups(walked([temp.0.join("articles")], false)), [64, 36]);
    assert_eq!(groups(walked([temp.0.join("boxes")], false)), [1; 20]);
    // The first group has 64 files. The second group has the other 36 articles, and ends before the first large file.
    let sizes = groups(walked([temp.0.join("articles"), temp.0.join("boxes")], false));
    assert_eq!(sizes[..2], [64, 36]);
    for i in 1980..1990 {
        temp.write(&format!("boxes/{i}"), b"Subject: x\n\n");
    }
    let sizes = groups(walked([temp.0.join("boxes")], false));
    assert_eq!(sizes, [[12].as_slice(), &[1; 18]].concat());
}

#[test]
fn a_lone_text_among_messages_is_a_message() {
    let temp = Temp::new("place");
    let table = [
        ("mh/1", "no header at all\n", "message"),
        ("mh/2", "From a@b Mon Jan  1 00:00:00 2001\n\nx\n", "mbox"),
        ("mh/3", "#! rnews 1\nx", "rnews"),
        ("mh/4", "Newsgroups: a\nPath: b\n\n", "article"),
        ("mh/note", "no header at all\n", "text"),
    ];
    for (name, content, _) in table {
        temp.write(name, content.as_bytes());
    }
    let mut batch = Batch::default();
    let formats = walked([temp.0.clone()], false).map(|entry| {
        let Ok(mut stream) = Stream::open(entry, &Options::default()) else { panic!("a file") };
        assert!(matches!(stream.next(&mut batch), Some(StreamEvent::Batch)));
        batch.file.as_ref().expect("a file").format()
    });
    assert!(formats.eq(table.map(|row| row.2)));
}

#[test]
fn listed_paths_do_not_wait_for_the_next() {
    let temp = Temp::new("feed");
    for i in 0..4 {
        temp.write(&format!("{i}"), b"Subject: x\n\n");
    }
    let kinds: &[fn(Receiver<PathBuf>) -> Paths] = &[
        |come| Paths::List(Box::new(come.into_iter())),
        #[cfg(feature = "parallel")]
        |come| Paths::List(Box::new(come.into_iter())).ahead(),
    ];
    for kind in kinds {
        let (send, come) = sync_channel(4);
        let mut walk = Walk::new(kind(come), false);
        let mut group = Vec::new();
        for i in 0..4 {
            send.send(temp.0.join(i.to_string())).expect("room");
            assert!(walk.next_group(&mut group) && group.len() == 1);
            // `has_more` would wait forever if it requested another path.
            assert!(!walk.has_more());
        }
        drop(send);
        assert!(!walk.next_group(&mut group));
    }
}

/// Paths of a list that have arrived are known, so that small files are read as a group.
#[cfg(feature = "parallel")]
#[test]
fn listed_paths_that_have_arrived_are_a_group() {
    let temp = Temp::new("arrived");
    let paths: Vec<_> = (0..3).map(|i| temp.write(&format!("{i}"), b"Subject: x\n\n")).collect();
    let mut walk = Walk::new(Paths::List(Box::new(paths.into_iter())).ahead(), false);
    let mut all = Vec::new();
    // The thread that reads the list may be slow, so the first group can have one file.
    while all.len() < 3 {
        let mut group = Vec::new();
        assert!(walk.next_group(&mut group));
        all.append(&mut group);
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(walk.has_more(), all.len() < 3);
    }
}

#[cfg(feature = "parallel")]
#[test]
#[should_panic = "for a test"]
fn a_panic_in_a_list_is_propagated() {
    Walk::new(Paths::List(Box::new(std::iter::from_fn(|| panic!("for a test")))).ahead(), false).next();
}

#[cfg(unix)]
#[test]
fn a_link_to_another_directory_is_walked_if_links_are_followed() {
    let temp = Temp::new("away");
    temp.write("b/file", b"x");
    temp.write("a/1", b"x");
    std::os::unix::fs::symlink("../b", temp.0.join("a/to")).expect("a link");
    assert_eq!(walk_all(&temp, &["a"], true), ["a/1 (message)", "a/to/file"]);
    assert_eq!(walk_all(&temp, &["a"], false), ["a/1 (message)", "- a/to Link"]);
}

/// The filter receives whether a path is a directory.
#[test]
fn the_filter_knows_directories() {
    let temp = Temp::new("filter");
    temp.write("top/a", b"x");
    temp.write("top/b/c", b"x");
    for (only, want) in
        [(false, ["- top/a Excluded", "- top/b/c Excluded"].as_slice()), (true, &["top/a", "- top/b Excluded"])]
    {
        let choose = move |_: &Path, is_directory: bool| (is_directory == only).then_some(false);
        let walk = walked([temp.0.join("top")], false).filter(Some(FileFilter::new(choose)));
        assert_eq!(walk.map(|entry| show(&temp.0, &entry)).collect::<Vec<_>>(), want, "{only}");
    }
}

#[test]
fn the_filter_selects_hidden_files_but_no_removed_messages() {
    let temp = Temp::new("selected");
    for name in [".hidden", ",3", "x"] {
        temp.write(name, b"x");
    }
    let walk = walked([temp.0.clone()], false).filter(Some(FileFilter::new(|_, _| Some(true))));
    let all: Vec<_> = walk.map(|entry| show(&temp.0, &entry)).collect();
    assert_eq!(all, ["- ,3 Removed", ".hidden", "x"]);
}

/// A link is filtered as the file or directory that it leads to. A link to a missing file is filtered as a file.
#[cfg(unix)]
#[test]
fn links_are_filtered_before_they_are_reported() {
    let temp = Temp::new("filtered-links");
    temp.write("a/x", b"x");
    for (target, link) in [("a", "b"), ("missing", "c"), ("missing", ".#d")] {
        std::os::unix::fs::symlink(target, temp.0.join(link)).expect("a link");
    }
    for (choice, is_directory, want) in [
        (None, true, ["- .#d Hidden", "a/x", "- b Again", "! c"].as_slice()),
        (Some(false), true, &["- .#d Hidden", "- a Excluded", "- b Excluded", "! c"]),
        (Some(false), false, &["- .#d Excluded", "- a/x Excluded", "- b Again", "- c Excluded"]),
        (Some(true), false, &["- .#d Hidden", "a/x", "- b Again", "! c"]),
    ] {
        let choose = move |_: &Path, this: bool| choice.filter(|_| this == is_directory);
        let walk = walked([temp.0.clone()], true).filter(Some(FileFilter::new(choose)));
        let all: Vec<_> = walk.map(|entry| show(&temp.0, &entry)).collect();
        assert_eq!(all, want, "{choice:?}, {is_directory}");
    }
}

/// All repositories of an inbox are one entry, without the repositories that the filter excludes.
#[test]
fn an_inbox_is_one_entry() {
    let temp = Temp::new("repositories");
    for name in ["0.git/HEAD", "0.git/objects/x", "0.git/refs/x", "1.git/HEAD", "1.git/objects/x", "1.git/refs/x"] {
        temp.write(&format!("list/git/{name}"), b"");
    }
    for path in ["list", ""] {
        for (excluded, want) in [("none", "inbox of 2"), ("1.git", "inbox of 1"), ("git", "- list Excluded")] {
            let choose = move |path: &Path, _: bool| path.to_string_lossy().ends_with(excluded).then_some(false);
            let mut walk = walked([temp.0.join(path)], false).filter(Some(FileFilter::new(choose)));
            assert_eq!(walk.next().map(|entry| show(&temp.0, &entry)).as_deref(), Some(want), "without {excluded}");
            assert!(walk.next().is_none());
        }
    }
    // A single message of a repository, by the name that urlspool prints.
    let object = format!("list/git/0.git:{}", "0".repeat(40));
    assert_eq!(walk(&temp, &[&object, "list/git/0.git:1"]), ["inbox of 1", "! list/git/0.git:1"]);
}

/// If files are divided into shares, each file, skipped file, error about a file and inbox belongs to one share.
/// Standard input also belongs to one share.
#[cfg(unix)]
#[test]
fn each_entry_is_in_one_share() {
    let temp = Temp::new("shares");
    for number in 0..9 {
        temp.write(&format!("file{number}"), b"x");
        temp.write(&format!(".hidden{number}"), b"x");
        std::os::unix::fs::symlink("nowhere", temp.0.join(number.to_string())).expect("a link");
    }
    for name in ["HEAD", "objects/x", "refs/x"] {
        temp.write(&format!("list/git/0.git/{name}"), b"");
    }
    let entries = |shard| {
        let mut walk = walked([temp.0.clone(), "-".into()], true);
        walk.shard = shard;
        walk.map(|entry| show(&temp.0, &entry)).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = (1..=3).flat_map(|share| entries(super::Shard::new(share, 3))).collect();
    let mut all = entries(None);
    found.sort_unstable();
    all.sort_unstable();
    assert_eq!(found, all);
    assert_eq!(
        ["!", "- .hidden", "file", "inbox", "stdin"].map(|kind| all.iter().filter(|e| e.starts_with(kind)).count()),
        [9, 9, 9, 1, 1]
    );
}
