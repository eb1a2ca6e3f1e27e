//! Tests the output to a terminal. script(1) provides the terminal. Without script(1), these tests are skipped with a
//! message.

use std::process::Stdio;
use std::time::Instant;

use crate::world::{BOX, Run, World, finish};

/// Runs `command` in a terminal. The variable `$U` has the path of urlspool. Returns `None` if script(1) is not
/// installed.
fn shown(world: &World, command: &str) -> Option<Run> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_urlspool"));
    let mut script = std::process::Command::new("script");
    script.args(["-qec", command, "/dev/null"]).current_dir(world.dir()).env("U", program).env("TERM", "xterm");
    script.env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match script.spawn() {
        Ok(child) => Some(finish(child)),
        Err(error) => {
            eprintln!("skipped: script(1) does not run: {error}");
            None
        }
    }
}

/// Like [`shown`], but without standard error. On a slow system, the output would also have the progress line.
fn shown_without_errors(world: &World, command: &str) -> Option<Run> {
    shown(world, &format!("exec 2>/dev/null; {command}"))
}

#[test]
fn without_arguments_a_short_help_is_printed() {
    let world = World::new("terminal-help");
    let Some(run) = shown(&world, "\"$U\"") else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    let at = |words: &str| text.find(words).expect(words);
    assert!(at("Examples:") < at("urlspool archive.mbox") && at("urlspool archive.mbox") < at("Usage:"), "{text}");
    assert!(text.contains("`urlspool --help`") && text.lines().count() <= 25, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(run.status, Some(2));
    let Some(run) = shown(&world, "\"$U\" --json") else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("no PATH is given, and standard input is a terminal; name a file or a directory"), "{text}");
    assert_eq!(run.status, Some(2));
}

#[test]
fn arrow_is_not_for_a_terminal() {
    let world = World::with_box("terminal-arrow");
    let Some(run) = shown(&world, "\"$U\" --arrow box") else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("not for a terminal; redirect the output to a program or a file"), "{text}");
    assert_eq!(run.status, Some(2));
}

#[test]
fn data_has_no_control_characters() {
    let message = "From: a\nSubject: x\x1b[2J =?utf-8?q?=C2=9B2J=E2=80=AE?=\n\nhttp://a.example.org/\n";
    let world = World::new("terminal-data").file("a", message);
    let shown_as = "x\\u001b[2J \\u009b2J\\u202e";
    for (command, want) in [
        ("\"$U\" --json --fields subject a", format!("{{\"subject\":\"{shown_as}\"}}\r\n")),
        ("\"$U\" --csv --fields subject a", format!("subject\r\n{shown_as}\r\n")),
        (
            "\"$U\" tee --hits /dev/tty --json --fields subject < a > /dev/null",
            format!("{{\"subject\":\"{shown_as}\"}}\r\n"),
        ),
        ("\"$U\" show a:1 | head -c 20", message[..20].replace('\n', "\r\n")),
        ("\"$U\" show a:1", message.replace('\x1b', "\\u001b").replace('\n', "\r\n")),
    ] {
        let Some(run) = shown_without_errors(&world, command) else { return };
        assert_eq!(String::from_utf8_lossy(&run.stdout), want, "{command}");
    }
    std::fs::write(world.path("plan"), world.run("tasks plan --size 1M a").stdout).unwrap();
    let Some(run) = shown_without_errors(&world, "\"$U\" tasks run plan") else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains(shown_as) && !text.contains(['\u{9b}', '\u{202e}', '\u{1b}']), "{text}");
    let world = world.file("url", "http://a.example/\u{9b}\u{202e}");
    let Some(run) = shown_without_errors(&world, "\"$U\" check --json \"$(cat url)\"") else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.starts_with(r#"{"url":"http://a.example/\u009b\u202e","#), "{text}");
    // If the output goes to a pipe, control characters are not escaped.
    world.run("--csv --fields subject a").prints(0, "subject\nx\x1b[2J \u{9b}2J\u{202e}\n");
}

#[test]
fn output_is_coloured_and_escaped() {
    let world = World::new("terminal-colours").file("a\x1b[2Jb", "http://a.example.org/x\n");
    let coloured = "http://\x1b[1ma.example.org\x1b[0m/x";
    let (open, close) = ("\x1b]8;;http://a.example.org/x\x1b\\", "\x1b]8;;\x1b\\");
    let table = [
        ("\"$U\" -H .", format!("\x1b[35m./a\\u{{1b}}[2Jb\x1b[0m\t{open}{coloured}{close}\r\n")),
        ("NO_COLOR=1 \"$U\" -H .", "./a\\u{1b}[2Jb\thttp://a.example.org/x\r\n".to_owned()),
        ("TERM=dumb \"$U\" .", format!("{coloured}\r\n")),
        ("\"$U\" --color never .", "http://a.example.org/x\r\n".to_owned()),
        ("\"$U\" . | cat", "http://a.example.org/x\r\n".to_owned()),
        ("\"$U\" --color always . | cat", format!("{coloured}\r\n")),
        ("\"$U\" -o \"$PWD.out\" . && cat \"$PWD.out\"", "http://a.example.org/x\r\n".to_owned()),
    ];
    for (command, want) in table {
        let Some(run) = shown_without_errors(&world, command) else { return };
        assert_eq!(String::from_utf8_lossy(&run.stdout), want, "{command}");
    }
    let Some(run) = shown_without_errors(&world, "\"$U\" count host .") else { return };
    assert!(String::from_utf8_lossy(&run.stdout).contains("\u{2588}  a.example.org\r\n"));
    // Text in mail has no date, and the value of an empty cell must be visible.
    let Some(run) = shown_without_errors(&world, "\"$U\" count date .") else { return };
    assert!(String::from_utf8_lossy(&run.stdout).ends_with("  (none)\r\n"));
    let Some(run) = shown_without_errors(&world, "\"$U\" count host --color never .") else { return };
    assert!(!String::from_utf8_lossy(&run.stdout).contains('\x1b'));
}

#[test]
fn a_progress_line_is_shown_after_a_second() {
    let world = World::new("terminal-bar").file("box", BOX.repeat(2000)).file("short", BOX);
    let slow = "(cat box; sleep 1.3; cat box; cat box)";
    let Some(run) = shown(&world, &format!("{slow} | \"$U\" > urls")) else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains(" messages, ") && text.contains(" URLs"), "{text:?}");
    let Some(run) = shown(&world, &format!("{slow} | \"$U\" > urls 2> errors; cat errors")) else { return };
    assert_eq!(String::from_utf8_lossy(&run.stdout), "");
    // The progress line is not wider than the terminal.
    let Some(run) = shown(&world, &format!("stty rows 24 cols 40 </dev/tty; {slow} | \"$U\" > urls")) else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    let lines = text.split("\r\x1b[2K").map(|line| line.chars().count());
    assert!(lines.max().is_some_and(|width| (20..=40).contains(&width)), "{text:?}");
    // A short run shows no progress line. On a slow system, some of the runs can take longer than a second.
    let is_silent = |_| shown(&world, "\"$U\" short > urls").is_some_and(|run| run.stdout.is_empty());
    assert!((0..20).any(is_silent));
}

/// If a batch of files has no URLs to print, urlspool must not redraw the progress line.
#[test]
fn the_progress_line_is_removed_only_for_output() {
    let world = World::with_box("terminal-room").file("last", "wais://w.example.org/x\n");
    let files = "(sleep 1.1; yes box | head -n 20000; echo last)";
    let begun = Instant::now();
    let command = format!("{files} | NO_COLOR=1 \"$U\" --scheme wais --files-from -");
    let Some(run) = shown(&world, &command) else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    let drawn = text.matches(" URLs").count();
    // The test allows fifty progress lines, and twenty more for each second.
    assert!((1..50 + 20 * begun.elapsed().as_secs() as usize).contains(&drawn), "{drawn} times: {text:?}");
    // The progress line is erased before the URL is printed.
    assert!(text.contains("\r\x1b[2Kwais://w.example.org/x\r\n"), "{text:?}");
}

/// The user types the input on the same terminal.
#[test]
fn no_progress_line_is_shown_for_typed_input() {
    let world = World::new("terminal-typed");
    // script(1) writes its standard input to the terminal. The last byte is the end of the file.
    let typed = "{ echo http://a.example/; sleep 1.3; echo http://b.example/; sleep 0.3; printf '\\004'; sleep 0.3; }";
    let command = format!("{typed} | script -qec '\"$U\" - > urls' /dev/null");
    let program = env!("CARGO_BIN_EXE_urlspool");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &command]).current_dir(world.dir()).env("U", program).env("TERM", "xterm");
    let Ok(run) = shell.output() else { return };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(!text.contains(" URLs"), "{text:?}");
    if run.status.success() {
        assert_eq!(std::fs::read_to_string(world.path("urls")).unwrap(), "http://a.example/\nhttp://b.example/\n");
    }
}
