//! Tests `--byte-range`, `--shard`, and the selection of messages by date, newsgroup and list.

use std::collections::BTreeSet;

use crate::support::Random;
use crate::world::{BOX, World};

fn message(head: &str, name: &str) -> String {
    format!(
        "From a@example.org Mon Jan  5 10:00:00 1998\nFrom: a@example.org\n{head}\n\nhttp://{name}.example.org/\n\n"
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
    let run = world.run("--max-message 1K --since 1995 --until 1995 -M box");
    let id = "<long@example.org>\thttp://";
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

fn sorted(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

#[test]
fn byte_ranges_together_find_the_whole() {
    let archive = archive() + &BOX.repeat(300);
    let world = World::new("ranges").file("box", &archive).file("text", "http://text.example.org/\n\n".repeat(9000));
    let mut random = Random(3);
    for options in ["", "--json", "-Hnb", "-bm -j1", "--rejects -b"] {
        for file in ["box", "--format mbox box", "text"] {
            let size = if file == "text" { 9000 * 26 } else { archive.len() };
            let whole = world.run(&format!("{options} {file}"));
            let mut cuts: Vec<usize> = (0..4).map(|_| random.below(size + 1)).collect();
            cuts.push(0);
            cuts.sort_unstable();
            cuts.dedup();
            let mut union = Vec::new();
            for (n, cut) in cuts.iter().enumerate() {
                let end = cuts.get(n + 1).map(usize::to_string).unwrap_or_default();
                union.extend(world.run(&format!("{options} --byte-range {cut}-{end} {file}")).stdout);
            }
            assert!(sorted(&union) == sorted(&whole.stdout), "{options} {file} {cuts:?}");
            // The ranges are in the order of the file, so their joined outputs equal the output for the whole file.
            assert!(union == whole.stdout, "{options} {file} {cuts:?}");
        }
    }
}

#[test]
fn shards_together_find_the_whole() {
    let mut world = World::new("shares");
    for n in 0..40 {
        world = world.file(format!("tree/{}/{n}", n % 5), format!("http://{n}.example.org/\n"));
    }
    world = world.file("tree/box", BOX);
    let whole = world.run("--json tree").stdout;
    let whole: BTreeSet<_> = sorted(&whole).into_iter().map(<[u8]>::to_vec).collect();
    for count in [1, 2, 3, 5] {
        let mut union = BTreeSet::new();
        for number in 1..=count {
            let run = world.run(&format!("--json --shard {number}/{count} tree"));
            assert_eq!(run.stdout, world.run(&format!("--json -j1 --shard {number}/{count} tree")).stdout);
            for line in sorted(&run.stdout) {
                assert!(union.insert(line.to_vec()), "in two shares");
            }
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
    let messages = |options: &str| {
        let stderr = String::from_utf8(world.run(options).stderr).unwrap();
        stderr.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let mut whole = messages("--follow -v tree");
    assert_eq!(whole.len(), 41, "{whole:?}");
    for n in 1..=3 {
        let share = messages(&format!("--follow -v --shard {n}/3 tree"));
        assert!(share.len() > 5 && share.iter().all(|line| whole.remove(line)), "{share:?}");
    }
    assert!(whole.is_empty(), "{whole:?}");
    // Every shard reports a PATH that does not exist.
    for n in 1..=3 {
        world.run(&format!("--shard {n}/3 missing")).complains("urlspool: missing: ");
    }
}

#[test]
fn a_range_after_the_end_is_empty() {
    let mail = archive().repeat(100);
    let size = mail.len();
    let world = World::new("behind").file("box", mail);
    for start in [size - 1, size, size + 1, size + 2, size + 3, size + 10, 1 << 40] {
        for options in ["", "--json", "-c"] {
            let run = world.run(&format!("{options} --byte-range {start}- box"));
            assert_eq!((run.status, run.stderr.len()), (Some(1), 0), "{start} {options}: {run:?}");
        }
    }
}
