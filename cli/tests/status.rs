//! Tests exit statuses, closed pipes and unreadable input.

use std::io::Read;
#[cfg(target_os = "linux")]
use std::process::Stdio;

use crate::world::{BOX, URLS, World, finish};

#[test]
fn the_status_is_0_1_or_2() {
    let world = World::with_box("status").file("none", "nothing here\n");
    world.run("box").prints(0, URLS);
    world.run("none").prints(1, "");
    world.run("").prints(1, "");
    world.run("missing").complains("urlspool: missing: ");
    world
        .run("http://www.example.org/")
        .complains("; urlspool does not fetch URLs; to check the syntax of a URL, use urlspool check\n");
}

#[test]
fn unreadable_files_do_not_stop_the_rest() {
    let world = World::with_box("rest");
    for threads in [1, 2, 8] {
        let run = world.run(&format!("-j{threads} missing box gone"));
        assert_eq!(String::from_utf8(run.stdout).unwrap(), URLS);
        let stderr = String::from_utf8(run.stderr).unwrap();
        let names: Vec<&str> = stderr.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
        assert_eq!(names, ["missing", "gone"], "{stderr}");
        assert_eq!(run.status, Some(2));
    }
    let counts = world.run("count file missing box");
    assert_eq!((counts.stdout.as_slice(), counts.status), (&b"6\tbox\n"[..], Some(2)));
}

/// urlspool must report an output file that exceeds the size limit. The signal SIGXFSZ must not kill urlspool.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_is_an_error() {
    let world = World::new("ulimit").file("box", BOX.repeat(2000));
    for (options, name) in [("", "standard output"), ("--json", "standard output"), ("-o out", "out")] {
        let mut shell = std::process::Command::new("sh");
        let line = format!("ulimit -f 1; exec \"$0\" {options} box > std");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_urlspool")]).current_dir(world.dir()).stderr(Stdio::piped());
        let run = finish(shell.spawn().unwrap());
        assert_eq!(run.status, Some(2), "{options}");
        let message = format!("urlspool: cannot write {name}: File too large");
        assert!(String::from_utf8_lossy(&run.stderr).starts_with(&message), "{options}: {run:?}");
    }
}

#[test]
fn names_in_messages_are_escaped() {
    let run = World::new("hostile").run("a\x1b[2J");
    run.complains("urlspool: a\\u{1b}[2J: ");
    assert!(!run.stderr.contains(&0x1b));
    let run = World::new("turned").run("a\u{202e}gpj");
    run.complains("urlspool: a\\u{202e}gpj: ");
}

#[test]
fn a_truncated_gzip_file_is_read_and_reported() {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(BOX.as_bytes()).unwrap();
    let whole = gzip.finish().unwrap();
    let world = World::new("gzip").file("whole.gz", &whole).file("cut.gz", &whole[..whole.len() - 6]);
    world.run("whole.gz").prints(0, URLS);
    let run = world.run("cut.gz");
    assert_eq!(run.status, Some(2));
    assert_eq!(String::from_utf8(run.stdout).unwrap(), URLS);
    assert!(String::from_utf8(run.stderr).unwrap().starts_with("urlspool: cut.gz: decompressed offset "));
}

#[test]
fn malformed_messages_are_reported_only_with_v() {
    let message = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://www.example.org/\n";
    let world = World::new("damage").file("one", message).file("two", message);
    let urls = "http://www.example.org/\nhttp://www.example.org/\n";
    world.run("one two").prints(0, urls);
    for options in ["-v", "--verbose", "-v -j1", "-v -l", "-v --json", "-v -u"] {
        let run = world.run(&format!("{options} one two"));
        let stderr = String::from_utf8(run.stderr).unwrap();
        let want = ["one", "two"].map(|name| {
            format!(
                "urlspool: {name}: offset 83: the closing boundary of the multipart is missing; all parts were read\n\
                     urlspool: {name}: read as message, detected by content (one mail message)\n"
            )
        });
        assert_eq!(stderr, want.concat(), "{options}");
        // A malformed message does not change the exit status.
        assert_eq!(run.status, Some(0), "{options}");
    }
    let run = world.run_with("-v", message.as_bytes());
    assert!(String::from_utf8(run.stderr).unwrap().starts_with("urlspool: -: offset 83: "));
}

#[test]
fn a_closed_pipe_ends_the_run_without_a_message() {
    let world = World::new("pipe").file("big", BOX.repeat(5_000));
    for arguments in
        [&["-j1", "big"][..], &["-j2", "big"], &["-j8", "--json", "big", "big"], &["-u", "-H", "-n", "big"]]
    {
        let mut child = world.command(arguments).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 8]).unwrap();
        drop(stdout);
        let run = finish(child);
        assert_eq!((run.status, run.stderr.as_slice()), (Some(0), &b""[..]), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let world = World::with_box("full");
    for arguments in [&["box"][..], &["check", "http://www.example.org/"], &["--help"], &["-V"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = finish(world.command(arguments).stdout(Stdio::from(full)).spawn().unwrap());
        run.complains("urlspool: cannot write standard output: ");
    }
}

/// If standard output is closed, a warning says that the output is lost. Nothing is lost if there is no output, or if the
/// output goes to a file.
#[cfg(unix)]
#[test]
fn a_closed_standard_stream_is_reported() {
    let world = World::with_box("closed").file("text", "no URL\n").file("list", "box\n");
    let lost = "urlspool: the output is lost: standard output is closed, or is /dev/null and open for both reading and \
                writing; to discard the output, use > /dev/null\n";
    let closed = "urlspool: standard input is closed, or is /dev/null and open for both reading and writing; for an empty \
                  input, use < /dev/null\n";
    // With --state, no later run would print the URLs, so the search does not start.
    let stateful = "urlspool: standard output is closed, or is /dev/null and open for both reading and writing, and the URLs \
                    would be lost, because no later run prints them; to discard them, use > /dev/null\n";
    let table = [
        ("--state state box >&-", 2, stateful),
        ("--state state text >/dev/null", 1, ""),
        ("box >&-", 0, lost),
        ("--json box >&-", 0, lost),
        ("show box:1 >&-", 0, lost),
        ("check http://a.example.org/ >&-", 0, lost),
        ("box 1<>/dev/null", 0, lost),
        ("box >/dev/null", 0, ""),
        ("text >&-", 1, ""),
        ("-o urls box >&-", 0, ""),
        ("<&-", 1, closed),
        ("- box <&-", 0, closed),
        ("--files-from - box <&-", 0, closed),
        ("--files-from list <&-", 0, ""),
        ("check - <&-", 0, closed),
        ("check - </dev/null", 0, ""),
        ("</dev/null", 1, ""),
        ("box <&-", 0, ""),
    ];
    for (line, status, want) in table {
        let run = world.shell(&format!("\"$u\" {line}"), b"");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr)), (Some(status), want.into()), "{line}");
    }
}

#[test]
fn help_and_version_are_printed() {
    let world = World::new("help");
    world.run("-V").prints(0, concat!("urlspool ", env!("CARGO_PKG_VERSION"), "\n"));
    world.run("--version").prints(0, concat!("urlspool ", env!("CARGO_PKG_VERSION"), "\n"));
    let (short, long) = (world.run("-h"), world.run("--help"));
    for (words, same) in [("help", "--help"), ("help count", "count --help"), ("help tasks plan", "tasks plan --help")]
    {
        assert_eq!(world.run(words).stdout, world.run(same).stdout, "{words}");
    }
    for run in [&short, &long] {
        assert_eq!((run.status, run.stderr.as_slice()), (Some(0), &b""[..]));
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(text.contains("Usage: urlspool [find] [OPTIONS] [PATH]...") && text.contains("Examples:"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
    for job in ["find", "count", "report", "check", "show", "tee", "files", "tasks plan", "tasks run", "tasks merge"] {
        let text = String::from_utf8(world.run(&format!("{job} --help")).stdout).unwrap();
        let want = if job == "find" { "Usage: urlspool [find] ".to_owned() } else { format!("Usage: urlspool {job} ") };
        assert!(text.contains(&want), "{text}");
        assert!(String::from_utf8_lossy(&short.stdout).contains(&format!("\n  {job:<12} ")), "{job}");
    }
    assert!(long.stdout.len() > 2 * short.stdout.len());
    assert!(String::from_utf8_lossy(&long.stdout).contains("Exit status:\n   0  urlspool found something."));
}
