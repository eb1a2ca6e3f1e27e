//! Tests `--state`: only new URLs are printed, even if files change or runs are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::support::{Random, store};
use crate::world::{Run, World};

/// Returns a mailbox with a message for each name. Each message has the URL `http://NAME.example.org/`.
fn mbox(names: &[&str]) -> String {
    let message = |name: &&str| {
        format!("From a@example.org Mon Jan  5 10:00:00 1998\nSubject: {name}\n\nhttp://{name}.example.org/\n\n")
    };
    names.iter().map(message).collect()
}

fn message(name: &str) -> String {
    format!("From: a@example.org\nSubject: {name}\n\nhttp://{name}.example.org/\n")
}

/// Sets the modification time of a file to one day ago.
fn settle(path: &Path) {
    let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    File::options().append(true).open(path).unwrap().set_modified(yesterday).unwrap();
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Returns the names of the messages whose URLs a run printed.
fn names(run: &Run) -> String {
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let name = |line: &str| line.split_once("://").unwrap().1.split('.').next().unwrap().to_owned();
    text.lines().map(name).collect::<Vec<_>>().join(" ")
}

/// A change to a tree of files, and the result of the next run.
struct Step {
    what: &'static str,
    change: fn(&World),
    names: &'static str,
    /// A part of the text that is expected on standard error. If `told` is empty, standard error must be empty.
    told: &'static str,
}

fn step(what: &'static str, change: fn(&World), names: &'static str, told: &'static str) -> Step {
    Step { what, change, names, told }
}

fn steps(world: &World, path: &str, steps: &[Step]) {
    for Step { what, change, names: want, told } in steps {
        change(world);
        let run = world.run(&format!("--state urls.state {path}"));
        assert_eq!(names(&run), *want, "{what}: {run:?}");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.contains(told) && stderr.is_empty() == told.is_empty(), "{what}: {stderr}");
        let status = if stderr.contains("cannot be") || stderr.contains("is truncated") {
            2
        } else {
            i32::from(want.is_empty())
        };
        assert_eq!(run.status, Some(status), "{what}");
        let again = world.run(&format!("--state urls.state {path}"));
        if status == 2 || told.contains("the next run") {
            continue;
        }
        assert_eq!(
            (names(&again), String::from_utf8_lossy(&again.stderr).as_ref()),
            (String::new(), ""),
            "{what}: again"
        );
    }
}

/// Each run adds what is new to the file of `--problems`.
/// The name of an object of a git repository has a colon and 40 digits, too.
#[test]
fn a_file_with_the_name_of_an_object_is_a_file() {
    let name = format!("d/:{}", "a".repeat(40));
    let world = World::new("state-object-name").file(&name, mbox(&["one"]));
    assert_eq!(names(&world.run("--state s d")), "one");
    append(&world.path(&name), &mbox(&["two"]));
    assert_eq!(names(&world.run("--state s d")), "two");
}

#[test]
fn problems_of_all_runs() {
    let world = World::new("state-problems").file("d/1", message("a")).file("d/2.png", b"\x89PNG\r\n\x1A\n");
    for (number, (want, reasons)) in [("a", 1), ("", 1), ("", 2)].into_iter().enumerate() {
        if number == 2 {
            fs::write(world.path("d/3.png"), b"\x89PNG\r\n\x1A\n").unwrap();
        }
        let run = world.run("--state urls.state --problems problems d");
        let list = fs::read_to_string(world.path("problems")).unwrap();
        assert_eq!((&*names(&run), list.matches("\"reason\"").count()), (want, reasons), "{list}");
    }
}

#[test]
fn a_mailbox_that_changes() {
    let world = World::new("state-mailbox").file("mail/box", mbox(&["a", "b"]));
    steps(
        &world,
        "mail",
        &[
            step("the first run", |_| {}, "a b", ""),
            step("appended", |w| append(&w.path("mail/box"), &mbox(&["c"])), "c", ""),
            step("touched", |w| settle(&w.path("mail/box")), "", ""),
            step(
                "copied to another inode, and appended",
                |w| {
                    fs::copy(w.path("mail/box"), w.path("copy")).unwrap();
                    append(&w.path("copy"), &mbox(&["d"]));
                    fs::rename(w.path("copy"), w.path("mail/box")).unwrap();
                },
                "d",
                "",
            ),
            step(
                "headers only, as a program writes them first",
                |w| append(&w.path("mail/box"), "From a@b Mon Jan  5 10:00:00 1998\nX-URL: http://e.example.org/\n\n"),
                "",
                "box: offset 316: the last message may be incomplete; it was not read, and the next run will read it",
            ),
            step("and the body", |w| append(&w.path("mail/box"), "http://f.example.org/\n\n"), "e f", ""),
            step(
                "no blank line at the end",
                |w| append(&w.path("mail/box"), mbox(&["g"]).trim_end()),
                "",
                "it was not read, and the next run will read it",
            ),
            step("nobody writes any more", |w| settle(&w.path("mail/box")), "g", ""),
            step(
                "another message after a missing line end",
                |w| {
                    append(&w.path("mail/box"), &format!("\n\n{}", mbox(&["h"])));
                },
                "h",
                "",
            ),
            step(
                "a message that has grown",
                |w| append(&w.path("mail/box"), "http://i.example.org/\n\n"),
                "h i",
                "the message has grown since an earlier run read it; it was read again",
            ),
            step(
                "rotated",
                |w| {
                    fs::rename(w.path("mail/box"), w.path("mail/box.1")).unwrap();
                    append(&w.path("mail/box.1"), &mbox(&["j"]));
                    append(&w.path("mail/box"), &mbox(&["k"]));
                },
                "k j",
                "mail/box: the file was replaced since the last run; reading it from the beginning",
            ),
            step(
                "rotated, and nothing appended",
                |w| {
                    fs::rename(w.path("mail/box"), w.path("mail/box.2")).unwrap();
                    append(&w.path("mail/box"), &mbox(&["o"]));
                },
                "o",
                "mail/box: the file was replaced since the last run; reading it from the beginning",
            ),
            step(
                "rewritten in place",
                |w| fs::write(w.path("mail/box"), mbox(&["l", "k"])).unwrap(),
                "l k",
                "mail/box: the file has changed since the last run; reading it from the beginning",
            ),
            step(
                "truncated",
                |w| fs::write(w.path("mail/box"), mbox(&["l"])).unwrap(),
                "l",
                "mail/box: the file has become shorter since the last run; reading it from the beginning",
            ),
            step(
                "emptied",
                |w| fs::write(w.path("mail/box"), "").unwrap(),
                "",
                "the file has become shorter since the last run",
            ),
            step("and filled again", |w| append(&w.path("mail/box"), &mbox(&["m"])), "m", ""),
            step(
                "replaced by a directory",
                |w| {
                    fs::remove_file(w.path("mail/box")).unwrap();
                    fs::create_dir(w.path("mail/box")).unwrap();
                    append(&w.path("mail/box/inner"), &mbox(&["n"]));
                },
                "n",
                "",
            ),
        ],
    );
    // The state has one line for each file that was not deleted.
    let state = fs::read_to_string(world.path("urls.state")).unwrap();
    assert!(state.lines().filter(|line| line.starts_with("mailbox\t")).count() <= 4, "{state}");
}

#[test]
fn flags_that_are_overwritten() {
    let text = "From - Mon Jan  5 10:00:00 1998\nX-Mozilla-Status: 0000\n\nhttp://a.example.org/\n\n";
    let world = World::new("state-flags").file("box", text);
    steps(
        &world,
        "box",
        &[
            step("the first run", |_| {}, "a", ""),
            step(
                "somebody has read the message",
                |w| {
                    let text = fs::read_to_string(w.path("box")).unwrap().replace("0000", "0001");
                    fs::write(w.path("box"), text + &mbox(&["b"])).unwrap();
                },
                "b",
                "",
            ),
        ],
    );
}

#[test]
fn folders_that_change() {
    let world = World::new("state-folders")
        .file("mail/new/1.M1P1.host", message("a"))
        .file("mail/cur/2.M1P1.host:2,S", message("b"))
        .file("mail/tmp/3", message("no"))
        .file("mail/.Sub/cur/2.M1P1.host:2,S", message("c"))
        .file("mail/.Sub/new/x", "");
    steps(
        &world,
        "mail",
        &[
            step("the first run", |_| {}, "c b a", ""),
            step(
                "read, and flagged",
                |w| {
                    fs::rename(w.path("mail/new/1.M1P1.host"), w.path("mail/cur/1.M1P1.host:2,RS")).unwrap();
                    fs::rename(w.path("mail/cur/2.M1P1.host:2,S"), w.path("mail/cur/2.M1P1.host:2,FS")).unwrap();
                },
                "",
                "",
            ),
            step("delivered", |w| fs::write(w.path("mail/new/4.M1P1.host"), message("d")).unwrap(), "d", ""),
            step("removed", |w| fs::remove_file(w.path("mail/new/4.M1P1.host")).unwrap(), "", ""),
        ],
    );

    let world = World::new("state-spool")
        .file("news/1", message("a"))
        .file("news/2", message("b"))
        .file("news/3", message("c"));
    steps(
        &world,
        "news",
        &[
            step("the first run", |_| {}, "a b c", ""),
            step("an article", |w| fs::write(w.path("news/4"), message("d")).unwrap(), "d", ""),
            step(
                "packed, as MH does",
                |w| {
                    fs::remove_file(w.path("news/1")).unwrap();
                    fs::rename(w.path("news/3"), w.path("news/1")).unwrap();
                },
                "",
                "",
            ),
            step(
                "edited",
                |w| fs::write(w.path("news/2"), message("edited")).unwrap(),
                "edited",
                "news/2: the file has changed since the last run; reading it from the beginning",
            ),
            step(
                "half an article",
                |w| fs::write(w.path("news/5"), &message("e")[..50]).unwrap(),
                "",
                "news/5: skipped, because its last line may be incomplete; the next run will read this file",
            ),
            step("the other half", |w| append(&w.path("news/5"), &message("e")[50..]), "e", ""),
        ],
    );
}

#[test]
fn files_that_are_read_whole() {
    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }
    let world = World::new("state-whole")
        .file("mail/a.gz", gzip(&mbox(&["a"])))
        .file("mail/b.tar", store::tar(&[("box".into(), mbox(&["b"]).into()), ("other".into(), mbox(&["c"]).into())]))
        .file("mail/c.txt", "http://d.example.org/\n");
    steps(
        &world,
        "mail",
        &[
            step("the first run", |_| {}, "a b c d", ""),
            step(
                "copied and touched",
                |w| {
                    for name in ["mail/a.gz", "mail/b.tar", "mail/c.txt"] {
                        fs::copy(w.path(name), w.path("copy")).unwrap();
                        fs::rename(w.path("copy"), w.path(name)).unwrap();
                        settle(&w.path(name));
                    }
                },
                "",
                "",
            ),
            step(
                "appended to what is compressed",
                |w| {
                    let all = [fs::read(w.path("mail/a.gz")).unwrap(), gzip(&mbox(&["e"]))].concat();
                    fs::write(w.path("mail/a.gz"), all).unwrap();
                },
                "a e",
                "mail/a.gz: the file has changed since the last run; reading it from the beginning",
            ),
            step(
                "text",
                |w| append(&w.path("mail/c.txt"), "http://f.example.org/\n"),
                "d f",
                "mail/c.txt: the file has changed",
            ),
            step(
                "cut short",
                |w| {
                    let whole = gzip(&mbox(&["g"]));
                    fs::write(w.path("mail/g.gz"), &whole[..whole.len() - 9]).unwrap();
                },
                "g",
                "the compressed data is truncated",
            ),
            step("and whole again", |w| fs::write(w.path("mail/g.gz"), gzip(&mbox(&["g"]))).unwrap(), "g", ""),
        ],
    );
}

/// Tests a growing mailbox of each format. The joined JSON output of all runs must equal the output of one run over the
/// whole file, including the offsets and line numbers.
#[test]
fn mailboxes_that_grow() {
    let messages: Vec<_> = store::stored().into_iter().map(|(_, bytes)| bytes).collect();
    let messages = vec![messages; 3].concat();
    let mut mbox = Vec::new();
    messages.iter().for_each(|message| store::append(&mut mbox, message));
    assert!(mbox.len() > 80 << 10, "resumed beyond the first 64 KiB");
    let formats = [
        ("mbox", mbox),
        ("mmdf", store::mmdf(&messages)),
        ("babyl", store::babyl(&messages)),
        ("listserv", store::listserv(&messages)),
        ("rnews", store::rnews(&messages)),
        ("git-batch", store::git_batch(&messages)),
    ];
    let mut random = Random(21);
    for (format, bytes) in formats {
        let world = World::new(&format!("state-grow-{format}"));
        let path = world.path("box");
        let mut cuts: Vec<_> = (0..12).map(|_| random.below(bytes.len())).collect();
        cuts.sort_unstable();
        let mut all = Vec::new();
        for cut in cuts {
            // A message that ends with a blank line counts as complete. So the test removes the blank lines at the end
            // of a truncated message.
            let cut = bytes[..cut].iter().rposition(|&byte| byte != b'\n').map_or(0, |at| at + 1);
            fs::write(&path, &bytes[..cut]).unwrap();
            let run = world.run("--state s --json box");
            assert!(!String::from_utf8_lossy(&run.stderr).contains("read whole"), "{format} at {cut}: {run:?}");
            all.extend(run.stdout);
        }
        fs::write(&path, &bytes).unwrap();
        settle(&path);
        all.extend(world.run("--state s --json box").stdout);
        let whole = world.run("--json box").stdout;
        assert!(whole.len() > 10_000);
        assert_eq!(String::from_utf8_lossy(&all), String::from_utf8_lossy(&whole), "{format}");
    }
}

/// The second message quotes another one, which shows that the mailbox is an mboxcl2.
#[test]
fn counted_messages_that_grow() {
    let counted = |body: &str| {
        let length = body.len();
        format!("From a@example.org Mon Jan  5 10:00:00 1998\nSubject: x\nContent-Length: {length}\n\n{body}\n")
    };
    let url = |name: &str| format!("http://{name}.example.org/\n");
    let quoting = counted(&format!("{}\n{}", url("b"), mbox(&["c"])));
    let world = World::new("state-counted").file("box", counted(&url("a")));
    for (more, want) in [(String::new(), "a"), (quoting, "b c"), (counted(&url("d")), "d")] {
        append(&world.path("box"), &more);
        settle(&world.path("box"));
        let run = world.run("--state s box");
        assert_eq!((&*names(&run), &*String::from_utf8_lossy(&run.stderr)), (want, ""));
    }
}

/// The length in the first message is right when the last message has come, and makes it a part of the first message.
#[test]
fn new_messages_change_the_format() {
    let (second, third) = (mbox(&["b"]), mbox(&["c"]));
    let body = "http://a.example.org/\n\n";
    let length = body.len() + second.len() + third.len();
    let first = mbox(&["a"]).replace("\n\nhttp", &format!("\nContent-Length: {length}\n\nhttp"));
    let world = World::new("state-length").file("box", first + &second);
    settle(&world.path("box"));
    assert_eq!(names(&world.run("--state s box")), "a b");
    append(&world.path("box"), &third);
    settle(&world.path("box"));
    let run = world.run("--state s box");
    assert_eq!(names(&run), "a b c");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(stderr.contains("the message has grown since an earlier run read it"), "{stderr}");
}

#[test]
fn what_cannot_be_remembered() {
    let world = World::new("state-wrong").file("box", mbox(&["a"])).file("dir/x", "");
    let table = [
        ("--state s", "--state does not work with standard input"),
        ("--state s box -", "--state does not work with standard input"),
        ("-o out --state s box", "the URLs of earlier --state runs would be lost"),
        ("report -o out --state s box", "--state is an option of find, not of report; remove it"),
        ("count host --state s box", "--state is an option of find, not of count; remove it"),
        ("--state - box", "--state needs the name of a file"),
        ("--state dir box", "dir: cannot use the state file: it is not a regular file; give another name"),
        ("--state /dev/full box", "/dev/full: cannot use the state file: it is not a regular file"),
        (
            "--state none/s box",
            "none/s: cannot use the state file: No such file or directory (os error 2); create its directory first",
        ),
        ("--state box box", "box:1: this is not a state file of urlspool; give another name"),
        ("check --state s http://a/", "--state is an option of find, not of check; remove it"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
    let filter = world.run("tee --hits h --state s");
    assert!(String::from_utf8_lossy(&filter.stderr).contains("--state"), "{filter:?}");
    assert!(!world.path("s").exists());
    assert_eq!(fs::read_to_string(world.path("box")).unwrap(), mbox(&["a"]));
}

#[test]
fn a_state_that_does_not_fit() {
    let world = World::new("state-unfit").file("box", mbox(&["a"]));
    assert_eq!(names(&world.run("--state s --host *.example.org --in headers,text box")), "a");
    let state = fs::read_to_string(world.path("s")).unwrap();
    world
        .run("--state s --in headers,text box")
        .complains("this state file belongs to runs with --in=headers,text --host=*.example.org, but this run has --in=headers,text");
    world.run("--state s box").complains("but this run has no options; use the same options");
    // The output options can differ between runs with the same state.
    assert_eq!(world.run("--state s --in headers,text --host *.example.org -j2 -u --csv box").status, Some(1));

    let table = [
        (state.replacen("state 1", "state 7", 1), "s:1: another version of urlspool wrote this state file"),
        (state.replacen("\t79", "\tx", 1), "s:5: the state file is damaged: a field should"),
        (state.replacen("dir\t", "dri\t", 1), "s:4: the state file is damaged: the first word must be one of these"),
        (
            state.lines().filter(|line| !line.starts_with("dir")).collect::<Vec<_>>().join("\n") + "\n",
            "s:4: the state file is damaged: there is no `dir` line above this line",
        ),
        (state.replacen("options", "optoins", 1), "s:2: the state file is damaged"),
        (
            format!("{}\n", state.lines().next().unwrap()),
            "s:2: the state file is damaged: the line with the options is missing",
        ),
        ("something else\n".into(), "s:1: this is not a state file of urlspool"),
        ("something else".into(), "s:1: this is not a state file of urlspool"),
    ];
    for (text, words) in table {
        fs::write(world.path("s"), &text).unwrap();
        world.run("--state s --in headers,text --host *.example.org box").complains(words);
        assert_eq!(fs::read_to_string(world.path("s")).unwrap(), text);
    }

    // A killed run can leave an incomplete last line.
    fs::write(world.path("s"), format!("{state}mailbox\tbox\t1")).unwrap();
    assert_eq!(world.run("--state s --in headers,text --host *.example.org box").status, Some(1));
    for begun in ["", "urlsp", "urlspool state 1"] {
        fs::write(world.path("s"), begun).unwrap();
        assert_eq!(names(&world.run("--state s box")), "a");
    }
}

/// If the system crashes during a run, the output may have lost URLs. So urlspool ignores the records of this run that
/// come after the last `synced` line, and prints their URLs again.
#[test]
fn after_the_system_has_stopped() {
    let world = World::new("state-boot").file("box", mbox(&["a"]));
    assert_eq!(names(&world.run("--state s box")), "a");
    let first = fs::read_to_string(world.path("s")).unwrap();
    append(&world.path("box"), &mbox(&["b"]));
    assert_eq!(names(&world.run("--state s box")), "b");
    let second = fs::read_to_string(world.path("s")).unwrap();
    let records: Vec<_> =
        second.lines().filter(|line| line.starts_with("dir") || line.starts_with("mailbox")).collect();
    let lost = format!("{first}run\tbefore\t2026-01-01T00:00:00Z\n{}\n", records.join("\n"));
    fs::write(world.path("s"), format!("{lost}synced\n")).unwrap();
    world.run("--state s box").prints(1, "");
    fs::write(world.path("s"), lost).unwrap();
    let run = world.run("--state s box");
    assert_eq!(names(&run), "b");
    assert!(String::from_utf8_lossy(&run.stderr).contains("s: the system crashed during an earlier run"), "{run:?}");
}

#[test]
fn one_run_at_a_time() {
    let world = World::new("state-busy").file("box", mbox(&["a"]));
    assert_eq!(names(&world.run("--state s box")), "a");
    let held = File::open(world.path("s")).unwrap();
    held.lock().unwrap();
    world.run("--state s box").complains("s: another run is using this state file; wait until that run ends");
    drop(held);
    assert_eq!(world.run("--state s box").status, Some(1));
}

/// If the state cannot be written, the next run prints the same URLs again.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let world = World::new("state-full");
    for n in 0..40 {
        fs::create_dir_all(world.path("mail")).unwrap();
        fs::write(world.path(format!("mail/{}-{n}", "long".repeat(20))), mbox(&[&format!("u{n}")])).unwrap();
    }
    let run = |limit: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" --state s mail");
        let output = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_urlspool")])
            .current_dir(world.dir())
            .output()
            .unwrap();
        Run { status: output.status.code(), stdout: output.stdout, stderr: output.stderr }
    };
    let cut = run("8");
    assert_eq!(cut.status, Some(2), "{cut:?}");
    let told = String::from_utf8_lossy(&cut.stderr);
    assert!(told.contains("s: cannot write the state file: File too large") && told.contains("will repeat"), "{told}");
    let rest = run("unlimited");
    assert_eq!(rest.status, Some(0), "{rest:?}");
    let (first, second) = (names(&cut), names(&rest));
    let (first, second): (BTreeSet<_>, BTreeSet<_>) = (first.split(' ').collect(), second.split(' ').collect());
    assert_eq!(first.union(&second).count(), 40);
    assert!(first.len() > 5 && first.intersection(&second).count() <= 1, "{first:?} {second:?}");
}

/// Appended output begins on a new line, even if a killed run has left an incomplete line.
#[cfg(target_os = "linux")]
#[test]
fn appended_output() {
    let world = World::new("state-append").file("box", mbox(&["a"])).file("out", "http://cut.exa").file("new", "");
    for name in ["out", "new"] {
        let out = OpenOptions::new().append(true).open(world.path(name)).unwrap();
        let mut child = world.command(["--state", &format!("{name}.state"), "box"]).stdout(out).spawn();
        assert_eq!(child.as_mut().unwrap().wait().unwrap().code(), Some(0));
    }
    let text = |name| fs::read_to_string(world.path(name)).unwrap();
    assert_eq!(
        (text("out").as_str(), text("new").as_str()),
        ("http://cut.exa\nhttp://a.example.org/\n", "http://a.example.org/\n")
    );
}

/// Some output, such as a sorted list, is printed only at the end of a run. For such output, urlspool also writes the
/// state file only at the end of the run.
#[test]
fn every_output() {
    for options in ["--sort", "-u", "--json", "--csv", "--fields context"] {
        let world = World::new("state-outputs").file("box", mbox(&["a"])).file("other", mbox(&["b"]));
        let run = |options: &str| world.run(&format!("--state s {options} box other"));
        assert_eq!(run(options).status, Some(0), "{options}");
        append(&world.path("box"), &mbox(&["c"]));
        assert_eq!(names(&run("")), "c", "{options}");
    }
    let world = World::new("state-closed").file("box", mbox(&["a"]));
    // The reader of the output closes the pipe.
    let mut child = world.command(["--state", "s", "box"]).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap();
    // The first run may have printed the URL before the pipe was closed. Then the second run prints nothing.
    assert!(["", "a"].contains(&names(&world.run("--state s box")).as_str()));
}

/// Writes mail to a mailbox, a Maildir and a news spool until `stop` is set. Each message has its own URLs.
fn deliver(dir: &Path, stop: &AtomicBool, written: &AtomicU64, begin: u64) {
    let mut random = Random(begin + 1);
    let urls = |kind: &str, n: u64| format!("http://{kind}-{n}.example.org/1\nhttp://{kind}-{n}.example.org/2\n");
    for n in begin.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        // Writes the header of a message first, and the body later.
        append(
            &dir.join("box"),
            &format!("From a@b Mon Jan  5 10:00:00 1998\nSubject: x\nX-URL: http://box-{n}.example.org/0\n\n"),
        );
        if random.below(4) == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
        append(&dir.join("box"), &format!("{}\n", urls("box", n)));
        let name = format!("{n}.M1P1.host");
        fs::write(dir.join("maildir/tmp").join(&name), format!("Subject: x\n\n{}", urls("maildir", n))).unwrap();
        fs::rename(dir.join("maildir/tmp").join(&name), dir.join("maildir/new").join(&name)).unwrap();
        if n > 3 && random.below(2) == 0 {
            let name = format!("{}.M1P1.host", n - 3);
            let _ = fs::rename(dir.join("maildir/new").join(&name), dir.join(format!("maildir/cur/{name}:2,S")));
        }
        let article = format!("Path: a\nFrom: b\nNewsgroups: c\nSubject: x\n\n{}", urls("news", n));
        let half = article.len() - 10;
        append(&dir.join(format!("news/{n}")), &article[..half]);
        append(&dir.join(format!("news/{n}")), &article[half..]);
        written.store(n + 1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Kills runs at random moments while mail is delivered. No URL may be lost. A killed run may have printed URLs that a
/// later run prints again. All these URLs must be from one file: the file of the last URL that the killed run printed.
/// `URLSPOOL_KILLS=200 cargo test` kills more runs.
#[test]
fn killed_runs() {
    const BEGIN: u64 = 300;
    let kills = std::env::var("URLSPOOL_KILLS").map_or(60, |kills| kills.parse().unwrap());
    let world = World::new("state-kills").file("out/x", "");
    for part in ["maildir/cur", "maildir/new", "maildir/tmp", "news"] {
        fs::create_dir_all(world.path("mail").join(part)).unwrap();
    }
    let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut random = Random(2026);
    let mut running = 0;
    std::thread::scope(|scope| {
        let (dir, stop, written) = (world.path("mail"), &stop, &written);
        scope.spawn(move || deliver(&dir, stop, written, 0));
        while written.load(Ordering::Relaxed) < BEGIN {
            std::thread::sleep(Duration::from_millis(5));
        }
        for n in 0..kills {
            let out = File::create(world.path(format!("out/{n}"))).unwrap();
            let threads = ["-j1", "-j2", "-j4"][random.below(3)];
            let mut child = world.command(["--state", "s", threads, "mail"]).stdout(out).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random.below(60_000) as u64));
            running += usize::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(running > kills / 10, "{running} of {kills} runs were killed");
    let run = world.run("--state s mail");
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    fs::write(world.path(format!("out/{kills}")), &run.stdout).unwrap();
    let whole = world.run("mail").stdout;
    let whole: BTreeSet<_> = std::str::from_utf8(&whole).unwrap().lines().map(str::to_owned).collect();
    assert!(whole.len() as u64 > BEGIN * 7);

    // Collects the URLs that each run printed. Incomplete lines do not count.
    let mut seen: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut last = Vec::new();
    let file = |url: &str| {
        let host = url.split('/').nth(2).unwrap();
        if host.starts_with("box") { "box".to_owned() } else { host.to_owned() }
    };
    for n in 0..=kills {
        let text = fs::read(world.path(format!("out/{n}"))).unwrap();
        let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8(text[..end].to_vec()).unwrap();
        last.push(text.lines().last().map(file));
        for url in text.lines() {
            seen.entry(url.to_owned()).or_default().push(n);
        }
    }
    assert_eq!(seen.keys().cloned().collect::<BTreeSet<_>>(), whole);
    for (url, runs) in &seen {
        for n in &runs[..runs.len() - 1] {
            assert_eq!(last[*n], Some(file(url)), "{url} in the runs {runs:?}");
        }
    }
}

/// A mail program renames the messages of a Maildir while it is read: it changes their flags, and moves them from `new`
/// to `cur`. No message is lost, and none is read twice.
#[cfg(unix)]
#[test]
fn renamed_messages() {
    const MESSAGES: usize = 2_000;
    let world = World::new("state-renamed").file("m/new/x", "").file("m/cur/x", "");
    let mut paths: Vec<_> = (0..MESSAGES).map(|n| format!("m/{}/{n}.M1P1.host", ["cur", "new"][n % 2])).collect();
    for path in &paths {
        let name = format!("h{}", path.rsplit('/').next().unwrap().split('.').next().unwrap());
        fs::write(world.path(path), message(&name)).unwrap();
    }
    let stop = AtomicBool::new(false);
    let mut want: Vec<_> = (0..MESSAGES).map(|n| format!("h{n}")).collect();
    want.sort_unstable();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random(40);
            while !stop.load(Ordering::Relaxed) {
                let n = random.below(MESSAGES);
                let flags: String = "FRS".chars().filter(|_| random.below(2) == 0).collect();
                let path = format!("m/cur/{n}.M1P1.host:2,{flags}");
                fs::rename(world.path(&paths[n]), world.path(&path)).unwrap();
                paths[n] = path;
                std::thread::sleep(Duration::from_micros(50));
            }
        });
        for options in ["-j1", "-j4 --state s"] {
            let run = world.run(&format!("{options} m"));
            let mut got: Vec<_> = names(&run).split(' ').map(str::to_owned).collect();
            got.sort_unstable();
            let is_right = got == want && run.stderr.is_empty();
            stop.fetch_or(!is_right, Ordering::Relaxed);
            assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{options}");
            assert!(got == want, "{options}: {} names", got.len());
        }
        let rest = world.run("--state s m");
        stop.store(true, Ordering::Relaxed);
        rest.prints(1, "");
    });
}

/// The line with the names of the columns is printed once in each file, and always into a pipe.
#[test]
fn the_header_is_printed_once() {
    let world = World::new("state-header").file("box", mbox(&["a"]));
    let night = |options: &str, redirect: &str| {
        settle(&world.path("box"));
        let u = env!("CARGO_BIN_EXE_urlspool");
        let script = format!("{u} --state s.{} {options} --fields url box {redirect}", options.len());
        let run = std::process::Command::new("sh").args(["-c", &script]).current_dir(world.dir()).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let read = |name: &str| fs::read_to_string(world.path(name)).unwrap();
    for options in ["--csv", "--csv --sort", "--csv -u --sort"] {
        fs::write(world.path("box"), mbox(&["a"])).unwrap();
        let all = format!("all.{}", options.len());
        night(options, &format!(">> {all}"));
        for name in ["b", "c"] {
            append(&world.path("box"), &mbox(&[name]));
            night(options, &format!(">> {all}"));
            night(options, &format!(">> {all}"));
        }
        let want = "url\nhttp://a.example.org/\nhttp://b.example.org/\nhttp://c.example.org/\n";
        assert_eq!(read(&all), want, "{options}");
    }
    append(&world.path("box"), &mbox(&["d"]));
    night("--csv", "> new");
    assert_eq!(read("new"), "url\nhttp://d.example.org/\n");
    append(&world.path("box"), &mbox(&["e"]));
    assert_eq!(night("--csv", "| cat"), "url\nhttp://e.example.org/\n");
}
