//! Checks that the tasks of a search together find the same hits as the whole search. The result must not depend on the
//! size of the tasks, on the order in which they are run, or on the number of threads. All fields of all hits are
//! compared.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use serde_json::Value;
use urlspool::{Collect, Event, Extractor, FromPaths, Hits, Sink, Task};

use crate::support::store::{append, stored, tar, zip_with_directory};
use crate::support::{Random, Scratch, root};

/// The results of a search or of a task.
#[derive(Default)]
struct Found {
    hits: Vec<Value>,
    errors: Vec<String>,
    messages: u64,
    lines: u64,
    bytes: u64,
}

impl Sink for Found {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => self.hits.push(serde_json::to_value(hit.to_owned()).unwrap()),
            Event::Error(error) => self.errors.push(error.to_string()),
            Event::Segment { segment, .. } => {
                self.messages += u64::from(segment.is_message());
                self.lines += segment.lines();
                self.bytes += segment.length();
            }
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
        self.hits.append(&mut local.hits);
        self.errors.append(&mut local.errors);
        self.messages += std::mem::take(&mut local.messages);
        self.lines += std::mem::take(&mut local.lines);
        self.bytes += std::mem::take(&mut local.bytes);
        ControlFlow::Continue(())
    }
}

fn run(hits: Hits<FromPaths>) -> Found {
    hits.parallel(Found::default())
}

/// Joins the hits of all tasks. Each task counts messages and lines from its own start, so the counts of the earlier
/// tasks of the same file are added.
fn joined(tasks: &[Task], found: Vec<Found>) -> Found {
    let mut all = Found::default();
    let (mut messages, mut lines) = (0, 0);
    for (task, mut found) in tasks.iter().zip(found) {
        if task.message_range().is_none_or(|range| range.start == 0) {
            (messages, lines) = (0, 0);
        }
        for hit in &mut found.hits {
            for (field, more) in [("message", messages), ("line", lines)] {
                if let Some(number) = hit[field].as_u64() {
                    hit[field] = (number + more).into();
                }
            }
        }
        (messages, lines) = (messages + found.messages, lines + found.lines);
        let _ = all.collect(&mut found);
    }
    all
}

#[test]
fn tasks_of_random_sizes_have_the_hits_of_the_whole() {
    let scratch = Scratch::new("tasks");
    let messages = stored();
    let mut random = Random(5);
    let mut mailbox = |bytes: usize| {
        let mut mbox = Vec::new();
        while mbox.len() < bytes {
            append(&mut mbox, &messages[random.below(messages.len())].1);
        }
        mbox
    };
    let members: Vec<_> = (1..15).map(|number| (format!("box {number}"), mailbox(number * 500))).collect();
    scratch.file("box", &mailbox(100 << 10));
    scratch.file("a.tar", &tar(&members));
    scratch.file("a.zip", &zip_with_directory(&members, true, false));
    scratch.file("b.zip", &zip_with_directory(&members, false, true));
    let paths = [scratch.path().to_path_buf(), root().join("corpus")];
    let mut random = Random(6);
    for round in 0..6 {
        let search = || {
            let extractor = Extractor::new().threads(1 + round % 3);
            let extractor = extractor.set("defanged", if round % 3 == 0 { "true" } else { "false" }).unwrap();
            let extractor = extractor.set("max-message", if round % 4 == 1 { "2000" } else { "4M" }).unwrap();
            let extractor = if round % 4 == 2 { extractor.set("since", "@1078000000").unwrap() } else { extractor };
            extractor.paths(&paths)
        };
        let size = 1000 << random.below(9);
        let size = size as u64 + random.below(500) as u64;
        let tasks: Vec<Task> = search().manifest(size, |_, _| {}).collect::<Result<_, _>>().unwrap();
        // Each task is converted to text and back, as if it were sent to another machine.
        let parsed: Vec<Task> = tasks.iter().map(|task| task.to_string().parse().unwrap()).collect();
        assert!(parsed == tasks);
        let mut found: Vec<_> = parsed.iter().rev().map(|task| run(task.hits(1 + random.below(3)))).collect();
        found.reverse();
        let (joined, whole) = (joined(&tasks, found), run(search()));
        let totals = |found: &Found| (found.messages, found.lines, found.bytes);
        assert_eq!(totals(&joined), totals(&whole), "tasks of {size} bytes");
        assert_eq!(joined.errors, whole.errors, "tasks of {size} bytes");
        assert_eq!(joined.hits.len(), whole.hits.len(), "tasks of {size} bytes");
        for (joined, whole) in joined.hits.iter().zip(&whole.hits) {
            assert_eq!(joined, whole, "tasks of {size} bytes");
        }
    }
}

/// Small files are in one task together. A large archive is divided into several tasks, and each task
/// begins at the start of a member. Each task has its own identifier. The listed sizes are the sizes of the files.
#[test]
fn tasks_have_about_the_requested_size() {
    let member = |number: usize| (number.to_string(), b"text\n".repeat(2000));
    let archive = tar(&(0..8).map(member).collect::<Vec<_>>());
    let table = [
        ("a small file", vec![b"text\n".to_vec()], 1),
        ("small files", vec![b"text\n".to_vec(); 3], 1),
        ("files of half the size", vec![b"text\n".repeat(2000); 3], 2),
        ("an archive", vec![archive.clone()], 4),
        ("an archive between small files", vec![b"text\n".to_vec(), archive, b"text\n".to_vec()], 6),
    ];
    for (what, files, want) in table {
        let scratch = Scratch::new("tasks-sizes");
        for (i, bytes) in files.iter().enumerate() {
            scratch.file(&format!("file {i}.txt"), bytes);
        }
        let paths = [scratch.path()];
        let tasks: Vec<Task> =
            Extractor::new().paths(paths).manifest(20_000, |_, _| {}).collect::<Result<_, _>>().unwrap();
        assert_eq!(tasks.len(), want, "{what}");
        let ids: BTreeSet<&str> = tasks.iter().map(Task::id).collect();
        assert!(ids.len() == want && ids.iter().all(|id| id.len() == 16), "{what}: {ids:?}");
        let listed = Extractor::new().paths([scratch.path()]).files();
        let sizes: Vec<_> = listed.map(|file| file.expect("a file").size.expect("a size")).collect();
        assert_eq!(sizes, files.iter().map(|bytes| bytes.len() as u64).collect::<Vec<_>>(), "{what}");
    }
}

/// A task does not read a file that has changed since the manifest was made.
#[test]
fn a_file_that_has_changed_is_an_error() {
    let scratch = Scratch::new("tasks-changed");
    let path = scratch.file("box", b"From a@b Mon Jan  1 00:00:00 2001\n\nhttp://a.example/\n");
    let tasks: Vec<Task> =
        Extractor::new().open(&path).unwrap().manifest(1000, |_, _| {}).collect::<Result<_, _>>().unwrap();
    assert_eq!(run(tasks[0].hits(1)).hits.len(), 1);
    scratch.file("box", b"From a@b Mon Jan  1 00:00:00 2001\n\nhttp://a.example/ and more\n");
    let found = run(tasks[0].hits(1));
    assert!(found.hits.is_empty() && found.errors.len() == 1, "{:?}", found.errors);
}

/// A task of a mailbox finds only the hits of the messages that begin in the task's range. So a task whose range is
/// inside a single message has no hits.
#[test]
fn ranges_within_a_large_message_are_empty() {
    let scratch = Scratch::new("tasks-large");
    let mut mbox = Vec::new();
    append(&mut mbox, &[b"Subject: x\n\nhttp://a.example/\n", "more text\n".repeat(100_000).as_bytes()].concat());
    append(&mut mbox, b"Subject: y\n\nhttp://b.example/\n");
    let path = scratch.file("box", &mbox);
    let tasks: Vec<Task> =
        Extractor::new().open(&path).unwrap().manifest(100_000, |_, _| {}).collect::<Result<_, _>>().unwrap();
    assert_eq!(tasks.len(), 11);
    let hits: Vec<usize> = tasks.iter().map(|task| task.hits(1).count()).collect();
    assert_eq!(hits, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
}
