//! Tests the selection of messages by date, newsgroup and list, and the byte ranges and shards of the library.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use urlspool::{Collect, Event, Extractor, Sink};

use crate::support::{Random, store};
use crate::world::{BOX, World};

fn message(head: &str, name: &str) -> String {
    format!(
        "From a@example.org Thu Jan  1 00:00:00 1970\nFrom: a@example.org\n{head}\n\nhttp://{name}.example.org/\n\n"
    )
}

/// Returns a mailbox with text at the beginning, and five messages that differ in their dates, newsgroups and mailing
/// lists.
fn archive() -> String {
    [
        "Preamble: http://before.example.org/\n\n".to_owned(),
        message("Date: Fri, 19-Nov-82 16:14:55 EST\nNewsgroups: net.news,net.general", "old"),
        message("Date: Thu, 9 Nov 1995 13:04:06 +0100\nList-Id: All <announce.example.org>", "list"),
        message("Date: 31 Dec 95 23:30:00 -0800\nNewsgroups: comp.mail.misc", "eve"),
        message("Date: some day\nNewsgroups: comp.lang.c", "undated"),
        message("Subject: none at all", "bare"),
    ]
    .concat()
}

#[test]
fn messages_are_selected_by_date_group_and_list() {
    let world = World::new("choice").file("box", archive());
    let format = "--format mbox box";
    let table = [
        ("--since 1982 --until 1982", "old", 2),
        ("--since 1995-11-09 --until 1995-11-09", "list", 2),
        // The message `eve` was sent in 1995 in the time zone of its sender, but in 1996 in UTC.
        ("--since 1996", "eve", 2),
        ("--until 1995", "old list", 2),
        ("--since 1995-11-09T12:04:06Z", "list eve", 2),
        ("--since 1995-11-09T12:04:07Z", "eve", 2),
        ("--newsgroup net.*", "old", 0),
        ("--newsgroup *,!comp.lang.*", "old eve", 0),
        ("--newsgroup NET.general,comp.lang.c", "old undated", 0),
        ("--newsgroup comp.* --since 1990", "eve", 1),
        ("--list announce", "list", 0),
        ("--list *.example.org", "list", 0),
    ];
    for (options, names, undated) in table {
        let run = world.run(&format!("{options} {format}"));
        let want: String = names.split_whitespace().map(|name| format!("http://{name}.example.org/\n")).collect();
        assert_eq!(String::from_utf8_lossy(&run.stdout), want, "{options}");
        let message = match undated {
            0 => String::new(),
            1 => "urlspool: 1 message was skipped, because the date is missing or invalid\n".into(),
            n => format!("urlspool: {n} messages were skipped, because the date is missing or invalid\n"),
        };
        assert_eq!(String::from_utf8_lossy(&run.stderr), message, "{options}");
        assert_eq!(run.status, Some(i32::from(want.is_empty())), "{options}");
    }
}

/// If no message matches, the name of the newsgroup or list may be misspelt, so urlspool prints a warning. The warning
/// is printed only once, for any number of files and threads.
#[test]
fn a_group_or_list_without_messages_gets_a_warning() {
    let text = "http://text.example.org/\n";
    let world =
        World::new("unchosen").file("box", archive()).file("text", text).file("d/1", message("Newsgroups: x.y", "x"));
    let world = world.file("empty", "");
    let none = |options: &str, checked: u32| format!("urlspool: no message matches {options} ({checked} checked)");
    let group = "; a pattern must match the whole name of a newsgroup, as in comp.*\n";
    let list = "; a pattern must match the whole List-Id, as in *.example.org, or be the part before the first dot\n";
    let late = "urlspool: box: offset 38: a mailbox begins here, after other text; the whole file was read as plain \
                text; to read the messages of the mailbox, use --format mbox\n";
    let table = [
        ("--newsgroup comp --format mbox box", none("--newsgroup", 5) + group),
        ("--list example --format mbox box", none("--list", 5) + list),
        ("--list announce --newsgroup comp.* --format mbox box", none("--newsgroup and --list", 5) + "\n"),
        ("--newsgroup net.* --since 1990 --format mbox box", none("--newsgroup and --since", 5) + "\n"),
        // The only message in `comp.lang.c` has an invalid date.
        (
            "--newsgroup comp.lang.c --since 1990 --format mbox box",
            "urlspool: 1 message was skipped, because the date is missing or invalid\n".into(),
        ),
        ("-j1 --newsgroup x.z d", none("--newsgroup", 1) + group),
        ("-j2 --json --newsgroup nosuch d text box d", late.to_owned() + &none("--newsgroup", 2) + group),
        ("-j2 --newsgroup x.* box d", late.into()),
        // The only message in `d` has no `ftp` URL.
        ("--newsgroup x.* --scheme ftp d", "urlspool: 1 URL was found, and --scheme removed it\n".into()),
        (
            "--since 2011 --format mbox box",
            "urlspool: 2 messages were skipped, because the date is missing or invalid\n\
             urlspool: 3 messages were skipped by --since\n"
                .into(),
        ),
        (
            "--newsgroup nosuch text",
            "urlspool: 1 file of plain text was skipped, because plain text has no newsgroup\n".into(),
        ),
        (
            "--list nosuch -j2 text text empty",
            "urlspool: 3 files of plain text were skipped, because plain text has no List-Id\n".into(),
        ),
        ("--newsgroup x.* text d", String::new()),
        ("--newsgroup nosuch empty", String::new()),
    ];
    for (arguments, messages) in table {
        let run = world.run(arguments);
        assert_eq!(String::from_utf8_lossy(&run.stderr), messages, "{arguments}");
        assert_eq!(run.status, Some(i32::from(run.stdout.is_empty())), "{arguments}");
    }
}

#[test]
fn text_has_no_date_and_is_skipped_with_a_warning() {
    let text = "http://text.example.org/\n";
    let dated = message("Date: Thu, 9 Nov 1995 13:04:06 +0100", "dated");
    let world = World::new("timeless").file("box", dated).file("one", text).file("d/two", text).file("d/three", text);
    let url = "http://dated.example.org/\n";
    let one = "urlspool: 1 file of plain text was skipped, because plain text has no date\n";
    let three = "urlspool: 3 files of plain text were skipped, because plain text has no date\n";
    let table = [
        ("--since 1995 box", url, ""),
        ("--since 1995 one", "", one),
        ("--until 1995 one box", url, one),
        ("--until 1995 -j1 one box d", url, three),
        ("--until 1995 -j2 one box d", url, three),
        ("one", text, ""),
    ];
    for (arguments, urls, messages) in table {
        let run = world.run(arguments);
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls, "{arguments}");
        assert_eq!(String::from_utf8_lossy(&run.stderr), messages, "{arguments}");
    }
}

#[test]
fn the_rest_of_a_message_over_the_limit_is_text_of_that_message() {
    let long = "x\n".repeat(2000) + "http://far.example.org/=41\n";
    let head = "Date: Thu, 9 Nov 1995 13:04:06 +0100\nMessage-ID: <long@example.org>\nContent-Transfer-Encoding: \
                quoted-printable";
    let world = World::new("max").file("box", message(head, "near") + &long + "\n" + &message("Subject: x", "next"));
    world
        .run("--scheme http box")
        .prints(0, "http://near.example.org/\nhttp://far.example.org/A\nhttp://next.example.org/\n");
    let run = world.run("--max-message 1K --since 1995 --until 1995 --fields message_id,url box");
    let id = "long@example.org\thttp://";
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        format!("{id}near.example.org/\n{id}far.example.org/=41\n"),
        "not decoded, with the Message-ID of its message"
    );
    let limits = [("1K", "1024 bytes"), ("1025", "1025 bytes"), ("1M", "1 MiB"), ("2m", "2 MiB")];
    let world = World::new("max-told").file("box", message(head, "near") + &"x\n".repeat(1100 << 10));
    for (size, words) in limits {
        let run = world.run(&format!("--max-message {size} box"));
        let message = format!(
            "urlspool: box: offset 0: the message is larger than the limit of {words}; the rest of it was read as \
             plain text; to raise the limit, use --max-message\n"
        );
        assert_eq!(String::from_utf8_lossy(&run.stderr), message);
    }
    // urlspool reports the first message over the limit, and only the number of the other messages. This is also true if
    // several threads read the files.
    let large = message(head, "near") + &long + "\n";
    let world = World::new("max-more").file("d/1", &large).file("d/2", large.repeat(9)).file("d/3", &large);
    let told = |arguments: &str| String::from_utf8(world.run(arguments).stderr).unwrap();
    let first = "urlspool: d/1: offset 0: the message is larger than the limit of 1024 bytes; the rest of it was read as \
                 plain text; to raise the limit, use --max-message\n";
    let (one, more) = ("1 more message is larger", "10 more messages are larger");
    for (arguments, rest) in [("d/1", None), ("d/1 d/3", Some((one, "it"))), ("-j 4 d", Some((more, "them")))] {
        let rest = rest.map(|(more, them)| format!("urlspool: {more} than the limit; -v reports {them}\n"));
        let want = format!("{first}{}", rest.unwrap_or_default());
        assert_eq!(told(&format!("--max-message 1K {arguments}")), want, "{arguments}");
    }
    assert_eq!(told("--max-message 1K -v d").matches("larger than the limit of 1024").count(), 11);
}

/// The hits as JSON, the rejects and the errors of a search.
#[derive(Default)]
struct Found(Vec<String>);

impl Sink for Found {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => self.0.push(serde_json::to_string(&hit.to_owned()).unwrap()),
            Event::Reject(reject) => {
                let text = String::from_utf8_lossy(reject.text()).into_owned();
                self.0.push(format!("{} {text}", reject.offset()));
            }
            Event::Error(error) => self.0.push(error.to_string()),
            Event::Skipped { .. } => self.0.push(format!("{event:?}")),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Collect for Found {
    type Local = Found;

    fn new_local(&self) -> Found {
        Found::default()
    }

    fn collect(&mut self, local: &mut Found) -> ControlFlow<()> {
        self.0.append(&mut local.0);
        ControlFlow::Continue(())
    }
}

/// Sets an option.
fn with(extractor: &Extractor, name: &str, value: impl ToString) -> Extractor {
    extractor.clone().set(name, &value.to_string()).unwrap()
}

fn found(extractor: &Extractor, path: &Path) -> Vec<String> {
    extractor.paths([path]).parallel(Found::default()).0
}

#[test]
fn byte_ranges_together_find_the_whole() {
    let archive = archive() + &BOX.repeat(300);
    let world = World::new("ranges").file("box", &archive).file("text", "http://text.example.org/\n\n".repeat(9000));
    let mut random = Random(3);
    for threads in [1, 4] {
        for (file, format) in [("box", "auto"), ("box", "mbox"), ("text", "auto")] {
            let path = world.path(file);
            let extractor = with(&with(&Extractor::new().threads(threads), "format", format), "count-lines", true);
            let size = if file == "text" { 9000 * 26 } else { archive.len() as u64 };
            let whole = found(&extractor, &path);
            let mut cuts: Vec<u64> = (0..4).map(|_| random.below(size as usize + 1) as u64).collect();
            cuts.push(0);
            cuts.sort_unstable();
            cuts.dedup();
            let ends = cuts.iter().skip(1).map(u64::to_string).chain([String::new()]);
            let ranges = cuts.iter().zip(ends).map(|(cut, end)| with(&extractor, "byte-range", format!("{cut}-{end}")));
            // The ranges are in the order of the file, so their joined results equal the result for the whole file.
            let joined: Vec<_> = ranges.flat_map(|extractor| found(&extractor, &path)).collect();
            assert!(!whole.is_empty() && joined == whole, "{threads} {file} {cuts:?}");
        }
    }
}

/// A byte range applies to the bytes of each member, and a shard to whole files.
#[test]
fn ranges_and_shards_of_archives_find_the_whole() {
    let mail: String = (0..50)
        .map(|n| format!("From a@b Mon Jan  5 10:00:00 1998\nSubject: {n}\n\nhttp://{n}.example/\n\n"))
        .collect();
    let members = ["a/x", "b/x"].map(|name| (name.to_owned(), mail.clone().into_bytes()));
    let program = format!("#!/bin/sh\n# http://stub.example/\n{}", "word ".repeat(20_000)).into_bytes();
    let world = World::new("shared-archives")
        .file("d/one.tar", store::tar(&members))
        .file("d/two.zip", store::zip(&members, true))
        .file("d/three", [program, store::zip(&members, false)].concat())
        .file("d/.hidden", "");
    let sorted = |mut found: Vec<String>| {
        found.sort_unstable();
        found
    };
    let extractor = with(&Extractor::new(), "count-lines", true);
    for (file, count) in [("d/one.tar", 100), ("d/two.zip", 100), ("d/three", 101)] {
        let path = world.path(file);
        let whole = sorted(found(&extractor, &path));
        assert_eq!(whole.len(), count, "{file}");
        let parts = ["0-1000", "1000-1001", "1001-"].map(|range| with(&extractor, "byte-range", range));
        assert!(sorted(parts.iter().flat_map(|part| found(part, &path)).collect()) == whole, "{file}");
    }
    let whole = sorted(found(&extractor, &world.path("d")));
    for count in [2, 3, 5] {
        let shares = (1..=count).map(|n| with(&extractor, "shard", format!("{n}/{count}")));
        let found = shares.flat_map(|share| found(&share, &world.path("d"))).collect();
        assert!(sorted(found) == whole, "{count}");
    }
}

#[test]
fn shards_together_find_the_whole() {
    let mut world = World::new("shares");
    for n in 0..40 {
        world = world.file(format!("tree/{}/{n}", n % 5), format!("http://{n}.example.org/\n"));
    }
    world = world.file("tree/box", BOX);
    let tree = world.path("tree");
    let whole: BTreeSet<_> = found(&Extractor::new(), &tree).into_iter().collect();
    for count in [1, 2, 3, 5] {
        let mut union = BTreeSet::new();
        for number in 1..=count {
            let share = with(&Extractor::new(), "shard", format!("{number}/{count}"));
            let of_share = found(&share, &tree);
            assert_eq!(of_share, found(&share.threads(1), &tree));
            assert!(of_share.into_iter().all(|hit| union.insert(hit)), "in two shares");
        }
        assert!(union == whole, "{count} shares");
    }
}

/// Exactly one shard must report each unreadable file.
#[cfg(unix)]
#[test]
fn only_one_shard_reports_an_unreadable_file() {
    let world = World::new("share-missing").file("tree/box", BOX);
    for n in 0..20 {
        std::os::unix::fs::symlink("nowhere", world.path(format!("tree/{n}"))).unwrap();
        std::os::unix::fs::symlink("..", world.path(format!("tree/up{n}"))).unwrap();
    }
    let follow = with(&Extractor::new(), "follow", true);
    let found = |extractor: &Extractor, path| found(extractor, &world.path(path)).into_iter().collect::<BTreeSet<_>>();
    let mut whole = found(&follow, "tree");
    assert_eq!(whole.len(), 20 + 20 + 7, "{whole:?}");
    for n in 1..=3 {
        let share = found(&with(&follow, "shard", format!("{n}/3")), "tree");
        assert!(share.len() > 2 && share.iter().all(|line| whole.remove(line)), "{share:?}");
    }
    assert!(whole.is_empty(), "{whole:?}");
    // Every shard reports a path that does not exist.
    for n in 1..=3 {
        assert_eq!(found(&with(&follow, "shard", format!("{n}/3")), "missing").len(), 1);
    }
}

#[test]
fn a_range_after_the_end_is_empty() {
    let mail = archive().repeat(100);
    let size = mail.len() as u64;
    let world = World::new("behind").file("box", mail);
    for start in [size - 1, size, size + 1, size + 2, size + 3, size + 10, 1 << 40] {
        for lines in [true, false] {
            let extractor = with(&with(&Extractor::new(), "count-lines", lines), "byte-range", format!("{start}-"));
            assert_eq!(found(&extractor, &world.path("box")), [""; 0], "{start}");
        }
    }
}
