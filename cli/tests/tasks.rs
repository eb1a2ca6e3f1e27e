//! Tests `files`, `tasks plan`, `tasks run` and `tasks merge`.

use std::collections::BTreeSet;
use std::fs;

use crate::archives::gzip;
use crate::support::store::{self, tar_member, zip_with_directory};
use crate::support::{Random, corpus};
use crate::world::{BOX, Run, World};

/// Returns a mailbox with messages of different sizes, and with lines that look like the beginning of a message.
fn mailbox(messages: usize) -> String {
    let mut random = Random(11);
    (0..messages)
        .map(|number| {
            let body: String = (0..random.below(30)).map(|line| format!("> line {line}\nFrom here on, text.\n")).collect();
            format!(
                "From a@b Mon Jan  5 10:00:00 1998\nSubject: {number}\nDate: Mon, 5 Jan 199{} 10:00:00 +0000\n\n{body}\n\
                 ftp://{number}.example/ <http://a.example/\n  b>\n\n",
                number % 10
            )
        })
        .collect()
}

/// Makes a directory tree with containers of every kind.
fn tree(name: &str) -> World {
    let mail = |n: usize| (format!("mail/{n}"), mailbox(n).into_bytes());
    let mut files: Vec<_> = (1..10).map(mail).collect();
    files.push(("x".repeat(120) + "/1", mailbox(3).into_bytes()));
    files.push(("inner.zip".into(), store::zip(&files[..5], true)));
    let pax = b"30 path=mail/named by pax/1\n13 size=2048\n";
    let mut tar = tar_member(b'x', "pax", Some(pax));
    tar.extend(tar_member(b'0', "short", Some(&mailbox(40).into_bytes()[..2048])));
    tar.extend(store::tar(&files));
    let rnews = store::rnews(&[mailbox(2).into_bytes(), b"Path: a\nNewsgroups: b\n\nhttp://rnews.example/\n".to_vec()]);
    let large = "Subject: large\n\n".to_owned() + &"http://large.example/ and more text\n".repeat(2000);
    let mut world = World::new(name)
        .file("d/box", mailbox(100))
        .file("d/box.gz", gzip(mailbox(50).as_bytes()))
        .file("d/late.gz", gzip(mailbox(60).as_bytes()))
        .file("d/cr", mailbox(20).replace('\n', "\r"))
        .file("d/empty", "")
        .file("d/large", large)
        .file("d/mixed", mailbox(3) + &"http://long.example/ and more text\n".repeat(3000) + &mailbox(3))
        .file("d/blank", "\n\n".to_owned() + &mailbox(100))
        .file("d/rnews", rnews)
        .file("d/text", "http://text.example/\n\n".repeat(1000))
        .file("d/a.tar", tar)
        .file("d/a.tgz", gzip(&store::tar(&files)))
        .file("d/b.zip", zip_with_directory(&files, false, false))
        .file("d/c.zip", zip_with_directory(&files, true, true))
        .file("d/d.zip", store::zip(&files, true))
        .file("d/cut.zip", &zip_with_directory(&files, true, false)[..4000])
        .file("d/Mail/new/1", BOX)
        .file("d/news/alt/12", "http://plain.example/ in a spool\n");
    for number in 0..40 {
        world = world.file(format!("d/Mail/cur/{number}:2,S"), format!("From: a\n\nhttp://{number}.example/\n"));
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        world = world.file(std::ffi::OsStr::from_bytes(b"d/not-\xffutf-8"), BOX);
    }
    world
}

/// Writes the manifest to the file `manifest`, and runs its tasks in random order. Writes the output of the tasks to
/// the files `out0`, `out1` and `out2`. Returns the tasks in the order of the manifest.
fn run_tasks(world: &World, arguments: &str, size: &str) -> Vec<String> {
    let manifest = world.run(&format!("tasks plan --size {size} {arguments}")).stdout;
    fs::write(world.path("manifest"), &manifest).unwrap();
    let mut tasks: Vec<_> = String::from_utf8(manifest).unwrap().lines().map(|line| line.to_owned() + "\n").collect();
    let in_order = tasks.clone();
    let mut random = Random(size.len() as u64);
    for at in (1..tasks.len()).rev() {
        tasks.swap(at, random.below(at + 1));
    }
    for number in 0..3 {
        let mine: String = tasks.iter().skip(number).step_by(3).map(String::as_str).collect();
        let run = world.run_with(&format!("tasks run - -j{}", number + 1), mine.as_bytes());
        fs::write(world.path(format!("out{number}")), run.stdout).unwrap();
    }
    in_order
}

const MERGE: &str = "tasks merge manifest out0 out1 out2";

#[test]
fn tasks_in_any_order_equal_the_whole() {
    let world = tree("tasks");
    let table: &[(&str, &[&str])] = &[
        ("d", &["2500", "64K", "1G"]),
        ("d/box", &["777", "100K"]),
        ("--scheme ftp,gopher d", &["9000"]),
        ("--since 1993 --until 1995 d", &["9000"]),
        ("--fields line,url,message,message_offset d", &["9000"]),
        ("--rejects --tier rfc1738 d", &["9000"]),
        ("--max-message 1K d", &["9000"]),
        ("--format mbox d", &["9000"]),
        ("--format mail d", &["9000"]),
        ("-g !*.gz -g !Mail d", &["9000"]),
        ("--join never --in text,html --zone !footer --defanged d", &["9000"]),
        ("--join 30 --in headers,text d", &["9000"]),
        ("--newsgroup b,!c d/rnews", &["10"]),
        ("d/a.tar!mail/7 d/b.zip!inner.zip!mail/2 d/box d/box.gz", &["500"]),
    ];
    for (arguments, sizes) in table {
        let whole = world.run(&format!("--json {arguments}"));
        assert!(!whole.stdout.is_empty() || arguments.contains("news"), "{arguments}");
        for size in *sizes {
            let tasks = run_tasks(&world, arguments, size);
            let ids: BTreeSet<_> = tasks.iter().map(|task| task[..48].to_owned()).collect();
            assert_eq!(ids.len(), tasks.len(), "each task has its own id");
            let merged = world.run(MERGE);
            let stderr = String::from_utf8_lossy(&merged.stderr).into_owned();
            assert!(merged.stdout == whole.stdout, "{size} {arguments}: {stderr}");
            assert_eq!(merged.status, whole.status, "{size} {arguments}: {stderr}");
        }
    }
}

/// Large files are divided, so that no task is much larger than the given size.
#[test]
fn large_files_are_divided() {
    let world = tree("tasks-division");
    let count = |size: &str, path: &str| {
        world.run(&format!("tasks plan --size {size} {path}")).stdout.split(|&b| b == b'\n').count() - 1
    };
    let length = fs::metadata(world.path("d/box")).unwrap().len() as usize;
    assert_eq!(count("1000", "d/box"), length.div_ceil(1000));
    // Each member is a task of its own.
    assert_eq!([count("1", "d/a.tar"), count("1", "d/b.zip"), count("1", "d/c.zip")], [12, 11, 11]);
    for path in ["d/box.gz", "d/a.tgz", "d/text", "d/cr", "d/d.zip", "d/cut.zip", "d/rnews"] {
        assert_eq!(count("1", path), 1, "{path}");
    }
    assert_eq!(count("1G", "d/Mail"), 1);
    assert!(count("100", "d/Mail") > 5);
}

#[test]
fn files_are_listed_with_their_formats() {
    let world = World::new("tasks-files")
        .file("d/box", mailbox(2))
        .file("d/box.gz", gzip(b"From: a\nTo: b\n\nx"))
        .file("d/b.gz", gzip(b"From: a\nTo: b\n\nx"))
        .file("d/a.tar", store::tar(&[("1".into(), b"x".to_vec())]))
        .file("d/e.zip", store::zip(&[("1".into(), b"x".to_vec())], true))
        .file("d/c.tgz", gzip(&store::tar(&[(".skipped".into(), b"x".to_vec())])))
        .file("d/f.exe", [&b"MZ\x90\0"[..], &[0; 2000], &store::zip(&[("1".into(), b"x".to_vec())], true)].concat())
        .file("d/mh/1", "plain")
        .file("d/binary", b"\0\x01\x02")
        .file("d/.hidden", "x")
        .file("d/empty", "");
    let size = |name: &str| fs::metadata(world.path(name)).unwrap().len();
    let lines = [
        ("d/a.tar", "archive\t\tmembers"),
        ("d/b.gz", "message\tgzip\t"),
        ("d/box", "mbox\t\tmessages"),
        ("d/c.tgz", "archive\tgzip\t"),
        ("d/e.zip", "archive\t\tmembers"),
        ("d/empty", "text\t\t"),
        ("d/f.exe", "archive\t\t"),
        ("d/mh/1", "message\t\t"),
    ];
    let want: String = lines.iter().map(|(name, about)| format!("{}\t{about}\t{name}\n", size(name))).collect();
    world.run("files d").prints(0, &want);
    world.run("files -0 d/box").prints(0, &format!("{}\tmbox\t\tmessages\td/box\0", size("d/box")));
    let objects = world.run("files --json d/b.gz").json();
    let want = format!(
        r#"{{"file":"d/b.gz","file_bytes":null,"size":{},"format":"message","codec":"gzip","splits":null}}"#,
        size("d/b.gz")
    );
    assert_eq!(serde_json::Value::from(objects[0].clone()), serde_json::from_str::<serde_json::Value>(&want).unwrap());
    world
        .run("files --format mail d/empty d/box -g !x")
        .prints(0, &format!("{}\tmbox\t\tmessages\td/box\n", size("d/box")));
    world.run("files nothing").complains("urlspool: nothing: cannot be opened");
}

/// The id of a task is the same on every machine. The id depends on the options, and on the sizes and times of the
/// files.
#[test]
fn ids_depend_on_everything_that_a_task_has() {
    let world = World::with_box("tasks-ids");
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let set = |time| fs::File::options().write(true).open(world.path("box")).unwrap().set_modified(time).unwrap();
    set(time);
    let task = |arguments: &str| {
        String::from_utf8(world.run(&format!("tasks plan --size 100K {arguments} box")).stdout).unwrap()
    };
    let plain = task("");
    let files = format!(r#""files":[{{"file":"box","mtime":1000000000,"named":true,"size":{}}}]"#, BOX.len());
    assert!(plain.ends_with(&format!("{files}}}\n")), "{plain}");
    let mut seen = BTreeSet::from([plain[..48].to_owned()]);
    for arguments in
        ["--defanged", "--scheme ftp", "--scheme ftp,http", "--since 1990", "--format mail", "--format mbox"]
    {
        let task = task(arguments);
        assert!(task.contains(&files) && seen.insert(task[..48].to_owned()), "{arguments}");
    }
    // `--glob` and `--follow` select files, but do not change how a file is searched. So they do not change the id
    // of a task with the same files.
    assert_eq!(task("-g !x --follow"), plain);
    set(time + std::time::Duration::from_millis(900));
    assert_eq!(task(""), plain, "fractions of a second are not kept by all file systems");
    set(time + std::time::Duration::from_secs(1));
    assert_ne!(task(""), plain);
}

#[test]
fn a_changed_file_fails_only_its_own_task() {
    let world = World::new("tasks-changed");
    let names = ["grew", "shrank", "touched", "gone", "same"];
    let world = names.iter().fold(world, |world, name| world.file(name, mailbox(20)));
    let tasks = |world: &World| run_tasks(world, "grew shrank touched gone same", "2000");
    let first = tasks(&world);
    let whole = world.run("--json grew shrank touched gone same").stdout;
    let merged = world.run(MERGE);
    assert!(merged.stdout == whole);
    let size = mailbox(20).len();
    fs::write(world.path("grew"), mailbox(21)).unwrap();
    fs::write(world.path("shrank"), "").unwrap();
    let touched = fs::File::options().write(true).open(world.path("touched")).unwrap();
    touched.set_modified(std::time::UNIX_EPOCH).unwrap();
    fs::remove_file(world.path("gone")).unwrap();
    let run = world.run("tasks run manifest");
    let stderr = String::from_utf8(run.stderr).unwrap();
    let changed = "changed since the manifest was made";
    for line in [
        format!(
            "urlspool: grew: {changed} (its size was {size} bytes, and is now {} bytes); make a new manifest\n",
            mailbox(21).len()
        ),
        format!("urlspool: shrank: {changed} (its size was {size} bytes, and is now 0 bytes); make a new manifest\n"),
        format!("urlspool: touched: {changed} (its modification time was "),
        "urlspool: gone: cannot be opened: ".to_owned(),
    ] {
        assert!(stderr.contains(&line), "{line} is not in {stderr}");
    }
    let failed = stderr.lines().count();
    let (of_same, totals): (Vec<_>, Vec<_>) =
        run.stdout.split_inclusive(|&b| b == b'\n').partition(|line| !line.starts_with(b"{\"task\""));
    assert_eq!(run.status, Some(2));
    assert_eq!(of_same.len(), 40, "the other tasks were run");
    assert_eq!(totals.len(), first.len());
    assert_eq!(totals.iter().filter(|line| line.ends_with(b"\"complete\":false}\n")).count(), failed);
    fs::write(world.path("failed"), run.stdout).unwrap();
    let merged = world.run("tasks merge manifest failed");
    merged.complains("(grew, bytes 0 to 2000) failed");
    merged.complains(&format!(
        "{failed} tasks must be run before `urlspool tasks merge`; for each task above, run `grep ID manifest | urlspool tasks run -` \
         with the id of the task as ID"
    ));
    // The failed runs do not matter if another output has complete runs of the same tasks.
    assert!(world.run(&format!("{MERGE} failed")).stdout == whole);
}

/// A run that is killed leaves rows without totals, and perhaps an incomplete row. The next run appends its rows to the
/// same file.
#[test]
fn rows_of_a_killed_run_are_ignored() {
    let world = World::new("tasks-killed").file("box", mailbox(50));
    run_tasks(&world, "box", "3000");
    let whole = world.run("--json box").stdout;
    let [first, second] = ["out0", "out1"].map(|name| fs::read(world.path(name)).unwrap());
    for cut in [0, 10, first.len() / 2, first.len() - 1] {
        fs::write(world.path("out0"), [&first[..cut], &second, &first].concat()).unwrap();
        let merged = world.run("tasks merge manifest out0 out2");
        assert!(merged.stdout == whole, "{cut}: {}", String::from_utf8_lossy(&merged.stderr));
    }
    fs::write(world.path("out0"), [&second[..], &first[..first.len() - 1]].concat()).unwrap();
    let merged = world.run("tasks merge manifest out0 out2");
    merged.complains("1 task must be run before `urlspool tasks merge`");
    merged.complains(" is in none of the outputs\n");
    // Totals that claim the rows of earlier totals would make the merged output grow with the square of the input.
    let mut text = String::from_utf8([&first[..], &second].concat()).unwrap();
    let last = text[..text.len() - 1].rfind('\n').unwrap() + 1;
    let totals: serde_json::Value = serde_json::from_str(&text[last..]).unwrap();
    let claim = |bytes: &str| format!("\"row_bytes\":{bytes},");
    let all = text[last..].replace(&claim(&totals["row_bytes"].to_string()), &claim(&last.to_string()));
    text.replace_range(last.., &all);
    fs::write(world.path("out0"), text).unwrap();
    world.run("tasks merge manifest out0 out2").complains(" is in none of the outputs\n");
    fs::write(world.path("empty"), "\n").unwrap();
    world.run("tasks run empty").complains("empty: the list has no tasks");
    world.run("tasks merge empty out0").complains("empty: the manifest has no tasks");
}

/// A damaged file is the same in every run. Running the task again does not help, so the task counts as complete.
#[test]
fn damaged_input_is_a_problem_but_not_a_failure() {
    let whole = gzip(mailbox(90).as_bytes());
    let world = World::new("tasks-damaged").file("cut.gz", &whole[..whole.len() / 2]).file("next", BOX);
    let tasks = run_tasks(&world, "cut.gz next", "100");
    assert!(tasks.len() > 2);
    let run = world.run("tasks run manifest");
    assert_eq!(run.status, Some(2));
    let text = String::from_utf8(run.stdout).unwrap();
    let totals: Vec<_> = text.lines().filter(|line| line.starts_with("{\"task\"")).collect();
    assert!(totals[0].ends_with("\"problems\":1,\"unsearched\":{},\"complete\":true}"), "{}", totals[0]);
    let merged = world.run(MERGE);
    assert!(merged.stdout == world.run("--json cut.gz next").stdout);
    let stderr = "urlspool: 1 file or member could not be read completely; the error messages of `tasks run` say why\n";
    assert_eq!((String::from_utf8_lossy(&merged.stderr).as_ref(), merged.status), (stderr, Some(2)));
}

/// What is in no task is reported as a search without tasks reports it.
#[test]
fn skipped_files_are_reported() {
    let mail = "Subject: x\n\nhttp://a.example/\n";
    let world = World::new("tasks-skipped").file("d/a", mail).file("d/.b", mail).file("d/c", mail);
    let world = world.file("d/c.gz", gzip(mail.as_bytes())).file("e/.f", mail);
    for (arguments, status) in [("d", 0), ("-g !a d", 0), ("d nope", 2), ("e", 1)] {
        let [plan, find] = ["tasks plan", "find"].map(|job| {
            let run = world
                .run(&format!("{job} --problems {job} -v {arguments}").replace("problems tasks plan", "problems plan"));
            let text = String::from_utf8(run.stderr).unwrap();
            let lines = text.lines().filter(|line| !line.contains(": read as ")).map(str::to_owned).collect::<Vec<_>>();
            (lines, run.status)
        });
        assert_eq!(plan, find, "{arguments}");
        assert_eq!(plan.1, Some(status), "{arguments}");
        let [plan, find] = ["plan", "find"].map(|name| fs::read_to_string(world.path(name)).unwrap());
        assert_eq!(plan, find, "{arguments}");
        assert!(plan.contains("\"kind\":\"skipped\""), "{plan}");
    }
}

/// The last line counts the attachments of all tasks, as the last line of a run without tasks does.
#[test]
fn attachments_that_are_not_searched_are_reported() {
    let message = |media: &str| format!("Subject: x\nContent-Type: {media}; name=a\n\n\x01http://a.example/\n");
    let types = ["application/pdf", "image/png", "application/pgp-signature", "application/zip", "application/odd"];
    let mailbox: String = types
        .iter()
        .cycle()
        .take(200)
        .map(|media| format!("From a@b Mon Jan  5 10:00:00 1998\n{}\n", message(media)))
        .collect();
    let world = World::new("tasks-attachments").file("box", mailbox).file("m/1", message("application/pdf"));
    let tasks = run_tasks(&world, "box m", "3000");
    assert!(tasks.len() > 5, "{tasks:?}");
    let line = |run: Run, end: &str| {
        let text = String::from_utf8(run.stderr).unwrap();
        assert!(text.starts_with("urlspool: not searched in mail: ") && text.ends_with(end), "{text}");
        (text.replace(end, ""), run.status)
    };
    let whole = line(world.run("box m"), "; -v or --problems lists them\n");
    assert_eq!(line(world.run("tasks run manifest"), "; -v lists them\n").0, whole.0);
    assert_eq!(line(world.run(MERGE), "; `tasks run -v` lists them\n"), whole);
    assert!(!whole.0.contains("signature") && !whole.0.contains("picture"), "{whole:?}");
    let stats = world.run("--stats box m").stderr;
    assert!(String::from_utf8_lossy(&stats).contains("40 signatures"), "{}", stats.escape_ascii());
}

#[test]
fn wrong_tasks_are_reported_by_line() {
    let world = World::with_box("tasks-wrong");
    let task = String::from_utf8(world.run("tasks plan --size 1M box").stdout).unwrap();
    let table = [
        ("x\n", "line 2: not a task: expected value at column 1"),
        ("{\"id\":\n", "line 2: not a task: EOF while parsing a value at column 6"),
        ("{}\n", "line 2: not a task: the field `id` is missing or wrong"),
        ("\n\n[]\n", "line 4: not a task: the field `id` is missing or wrong"),
        (
            &task.replace("\"size\":", "\"size\":1"),
            "line 2: not a task: the id does not match the content, because the task was edited",
        ),
        (&task.replace("\"size\"", "\"bytes\""), "line 2: not a task: the field `size` is missing or wrong"),
    ];
    let is_run = |run: &Run| run.stdout.split(|&b| b == b'\n').count() == 8;
    for (text, why) in table {
        let run = world.run_with("tasks run -", (task.clone() + text).as_bytes());
        assert_eq!(String::from_utf8_lossy(&run.stderr).split('\n').count(), 2, "one message");
        assert!(String::from_utf8_lossy(&run.stderr).starts_with(&format!("urlspool: -: {why}")), "{run:?}");
        assert!(run.status == Some(2) && is_run(&run), "the other task was run");
    }
    // A task that was edited does not end the run.
    assert!(is_run(&world.run_with("tasks run -", (task.replace("\"size\"", "\"bytes\"") + &task).as_bytes())));
    for text in [BOX, "x\n", "{}\n", "\n[]\n", "\u{ff}\n{}\n"] {
        let run = world.run_with("tasks run -", (text.to_owned() + &task).as_bytes());
        run.complains("urlspool: -: not a list of tasks; make one with `urlspool tasks plan`\n");
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1);
    }
    // White space and the order of the keys do not matter.
    let value: serde_json::Value = serde_json::from_str(&task).unwrap();
    let run = world.run_with("tasks run -", value.to_string().as_bytes());
    assert_eq!(run.status, Some(0));
    fs::write(world.path("list"), &task).unwrap();
    for arguments in ["tasks run list -o list", "tasks merge list box -o list", "tasks merge box list -o list"] {
        world.run(arguments).complains("list: cannot write the output: the file is also an input (list)");
    }
    world.run("tasks run nothing").complains("urlspool: nothing: cannot open the list of tasks: ");
    world.run("tasks merge nothing box").complains("urlspool: nothing: cannot read the manifest: ");
    world.run("tasks merge box nothing").complains("urlspool: nothing: cannot read the output of tasks: ");
    for (arguments, input) in
        [("tasks merge list -", "-"), ("tasks merge - list", "-"), ("tasks merge list box .", ".")]
    {
        let why = "not a regular file; `tasks merge` reads its inputs twice, so save the data to a file";
        world.run(arguments).complains(&format!("urlspool: {input}: {why}"));
    }
    #[cfg(target_os = "linux")]
    world.run("tasks merge list /dev/stdin").complains("urlspool: /dev/stdin: not a regular file; ");
    world.run("tasks merge box box").complains("urlspool: box: line 1: not a task: ");
}

#[test]
fn a_manifest_that_is_not_in_order_is_refused() {
    let world = World::new("tasks-order").file("box", mailbox(20));
    let mut tasks = run_tasks(&world, "box", "1000");
    tasks.swap(1, 2);
    fs::write(world.path("manifest"), tasks.concat()).unwrap();
    world.run(MERGE).complains("the byte ranges of the file are not in order; do not sort the manifest");
}

#[test]
fn the_output_of_tasks_can_go_to_a_file() {
    let world = World::with_box("tasks-output");
    let manifest = world.run("tasks plan --size 1M box").stdout;
    let printed = world.run_with("tasks run - -j1", &manifest).stdout;
    assert!(!printed.is_empty());
    // The second run overwrites the output of the first run.
    for _ in 0..2 {
        let run = world.run_with("tasks run - -j1 -v -o out", &manifest);
        assert_eq!((run.status, run.stdout.as_slice()), (Some(0), &b""[..]));
        assert!(fs::read(world.path("out")).unwrap() == printed);
    }
}

#[test]
fn options_that_tasks_cannot_have() {
    let world = World::with_box("tasks-options");
    let table = [
        (
            "tasks plan --size 1M --once box",
            "--once is an option of find, count and report, not of tasks plan; remove it",
        ),
        ("tasks plan --size 1M -u box", "-u is an option of find and count, not of tasks plan; remove it"),
        (
            "tasks plan --json box",
            "--json is an option of find, count, check, tee and files, not of tasks plan; remove it",
        ),
        ("tasks plan -m 1 box", "-m is an option of find and count, not of tasks plan; remove it"),
        ("tasks plan --state s box", "--state is an option of find, not of tasks plan; remove it"),
        ("tasks", "tasks needs a step: urlspool tasks plan, urlspool tasks run or urlspool tasks merge"),
        ("tasks box", "tasks needs a step: "),
        (
            "tasks plan --size 1M --rejects --host x box",
            "--rejects prints text that is not a URL, and such text has no host",
        ),
        ("tasks plan --size 1M", "tasks plan needs the name of a file or a directory; add a PATH"),
        ("tasks plan --size 0 box", "give a size of at least 1 byte"),
        (
            "tasks plan --size 1M -",
            "-: cannot be opened: standard input cannot be divided into tasks; save its data to a file",
        ),
        ("tasks run - box", "tasks run reads one list of tasks; join the lists with cat"),
        ("tasks run", "tasks run needs the output of `tasks plan`; name the file, or use `-` for standard input"),
        ("tasks run - --once", "--once is an option of find, count and report, not of tasks run; remove it"),
        ("tasks run - --size 1M", "--size is an option of tasks plan, not of tasks run; remove it"),
        (
            "tasks run - --scheme ftp",
            "--scheme is an option of find, count, report, explain, tee and tasks plan, not of tasks run; remove it",
        ),
        (
            "tasks merge m",
            "tasks merge needs the outputs of `tasks run`, as in urlspool tasks merge MANIFEST OUTPUT...",
        ),
        (
            "tasks merge m box --json",
            "--json is an option of find, count, check, tee and files, not of tasks merge; remove it",
        ),
        ("files", "files needs the name of a file or a directory; add a PATH"),
        ("files --csv box", "--csv is an option of find, not of files; remove it"),
        ("files -j1 box", "-j is an option of find, count, report and tasks run, not of files; remove it"),
        (
            "files --threads 1 box",
            "--threads is an option of find, count, report and tasks run, not of files; remove it",
        ),
    ];
    for (arguments, why) in table {
        world.run(arguments).complains(why);
    }
}

/// Each repository of a public-inbox is a task. A later repository can remove messages of an earlier repository.
#[cfg(unix)]
#[test]
fn repositories_of_an_inbox_are_tasks() {
    let world = crate::inbox::two_epochs("tasks-inbox");
    let tasks = run_tasks(&world, "list", "1");
    assert_eq!(tasks.len(), 3);
    let whole = world.run("--json list").stdout;
    assert!(world.run(MERGE).stdout == whole && !whole.is_empty());
    crate::inbox::add_message(&world);
    let run = world.run("tasks run manifest");
    let message =
        "urlspool: list/git/1.git: changed since the manifest was made (it has new commits); make a new manifest\n";
    assert!(String::from_utf8_lossy(&run.stderr).contains(message));
    assert_eq!(run.status, Some(2));
}

/// Searches the test corpus in tasks of several sizes.
#[test]
fn the_corpus_in_tasks() {
    let world = World::new("tasks-corpus");
    let path = corpus("");
    let path = path.to_str().unwrap().trim_end_matches('/');
    let whole = world.run(&format!("--json {path}")).stdout;
    for size in ["1000", "50K"] {
        run_tasks(&world, path, size);
        assert!(world.run(MERGE).stdout == whole, "{size}");
    }
}
