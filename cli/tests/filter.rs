//! Tests the mail filter. The filter must pass on every mail unchanged, except that `--add-header` adds fields.

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{Random, messages};
use crate::world::{BOX, Run, URLS, World, finish};

const MAIL: &str = "\
From: Ann <ann@example.org>
Message-ID: <one@example.org>
Subject: Where things are

See http://www.example.org/~bob, and
<URL:ftp://ftp.example.org/pub/read-
  me>, and http://www.example.org/~bob.
";

const NO_HEADER: &str = "urlspool: no X-URL fields were added, because the mail does not begin with a header field\n";

/// Returns a mail that is larger than the buffer of a pipe, so that the filter needs several reads.
fn large() -> Vec<u8> {
    format!("{MAIL}{}", "and on, see http://lists.example.org/?page=7 for it\n".repeat(20_000)).into_bytes()
}

impl Run {
    /// Asserts that standard output is `mail`, standard error is empty, and the exit status is 0.
    #[track_caller]
    fn passes(&self, mail: &[u8]) {
        assert_eq!(String::from_utf8_lossy(&self.stderr), "");
        assert!(self.stdout == mail, "{} bytes of {}", self.stdout.len(), mail.len());
        assert_eq!(self.status, Some(0));
    }

    /// Asserts that the exit status is 75 and that standard error has one line with `words`.
    #[track_caller]
    fn defers(&self, words: &str) {
        let stderr = String::from_utf8_lossy(&self.stderr);
        assert_eq!(stderr.matches(words).count(), 1, "{stderr:?}");
        assert_eq!(self.status, Some(75));
    }
}

impl World {
    fn read(&self, name: &str) -> String {
        let run = self.shell(&format!("cat {name}"), b"");
        String::from_utf8(run.stdout).unwrap()
    }

    /// Runs a shell command. The variable `$u` has the path of urlspool.
    pub(crate) fn shell(&self, line: &str, input: &[u8]) -> Run {
        let mut command = self.command([""; 0]);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", line]).env("u", command.get_program()).current_dir(command.get_current_dir().unwrap());
        command = shell;
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        finish(feed(child, input.to_vec()))
    }
}

/// Starts a thread that writes `input` to the standard input of `child`. Ignores errors, because the child may close
/// the pipe early.
fn feed(mut child: Child, input: Vec<u8>) -> Child {
    let mut stdin = child.stdin.take().unwrap();
    thread::spawn(move || stdin.write_all(&input));
    child
}

#[test]
fn hits_have_the_output_format_of_a_list() {
    let world = World::new("tee-layout");
    for options in ["", "-n", "--fields message_id,url", "--json", "-0", "--rejects", "--alternatives", "--unwrap"] {
        let listed = world.run_with(options, BOX.as_bytes());
        world.run_with(&format!("tee --hits {} {options}", "hits"), BOX.as_bytes()).passes(BOX.as_bytes());
        assert_eq!(world.read("hits"), String::from_utf8(listed.stdout).unwrap(), "{options}");
        world.shell("rm hits", b"");
    }
    let row = "--scheme ftp --host *.example.org --tier rfc1738 --defanged --in text --join 50 --format text";
    world.run_with(&format!("tee --hits hits {row}"), BOX.as_bytes()).passes(BOX.as_bytes());
    assert_eq!(world.read("hits"), "ftp://ftp.example.org/pub/read-me\n");
}

#[test]
fn hits_are_appended() {
    let world = World::new("tee-append").file("hits", "before\n");
    for _ in 0..2 {
        world.run_with("tee --hits hits", BOX.as_bytes()).passes(BOX.as_bytes());
    }
    assert_eq!(world.read("hits"), format!("before\n{URLS}{URLS}"));
}

#[test]
fn a_record_after_an_incomplete_one_begins_a_new_line() {
    let world = World::new("tee-cut").file("hits", "http://www.exam").file("hits0", "a\nb\0");
    world.run_with("tee --hits hits", b"Subject: x\n\nhttp://a.example/\n");
    assert_eq!(world.read("hits"), "http://www.exam\nhttp://a.example/\n");
    world.run_with("tee --hits hits0 -0", b"Subject: x\n\nhttp://a.example/\n");
    assert_eq!(world.read("hits0"), "a\nb\0http://a.example/\0");
}

#[test]
fn several_filters_share_a_file() {
    let world = World::new("tee-share");
    let mail = large();
    let line = "for i in 1 2 3 4; do \"$u\" tee --json --hits hits < mail | cmp - mail || exit 1 & done; wait";
    let world = world.file("mail", &mail);
    world.shell(line, b"").passes(b"");
    let hits = world.read("hits");
    assert_eq!(hits.lines().count(), 4 * 20_003);
    for line in hits.lines() {
        serde_json::from_str::<serde_json::Map<_, _>>(line).unwrap();
    }
}

/// While a filter writes a record, another filter can see a part of the record. The other filter must not end this
/// record with a line break.
#[test]
fn a_record_that_is_being_written_is_not_incomplete() {
    let world = World::new("tee-begun");
    let path = world.path("hits");
    let is_done = Arc::new(AtomicBool::new(false));
    let writer = thread::spawn({
        let is_done = is_done.clone();
        move || {
            let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
            while !is_done.load(Ordering::Relaxed) {
                file.write_all(b"{\"url\":").unwrap();
                file.write_all(b"null}\n").unwrap();
            }
        }
    });
    for _ in 0..50 {
        world.run_with("tee --hits hits", b"no URL\n").passes(b"no URL\n");
    }
    is_done.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    assert!(world.read("hits").lines().all(|line| line == "{\"url\":null}"));
}

#[test]
fn the_file_of_hits_has_mode_600() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new("tee-mode");
    world.run_with("tee --hits hits", MAIL.as_bytes()).passes(MAIL.as_bytes());
    let path = world.command([""; 0]).get_current_dir().unwrap().join("hits");
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn hits_are_written_to_descriptors() {
    let world = World::new("tee-descriptors");
    world.shell("\"$u\" tee --hits fd:3 3>hits", BOX.as_bytes()).passes(BOX.as_bytes());
    assert_eq!(world.read("hits"), URLS);
    world.shell("\"$u\" tee --hits fd:9 9>&1 >mail | cat >hits", BOX.as_bytes()).passes(b"");
    assert_eq!((world.read("mail"), world.read("hits")), (BOX.to_owned(), URLS.to_owned()));
    let asked = world.shell("\"$u\" tee --hits fd:2", BOX.as_bytes());
    assert_eq!((asked.stdout, asked.stderr), (BOX.as_bytes().to_vec(), URLS.as_bytes().to_vec()));
    world.run_with("tee --hits ./fd:3", BOX.as_bytes()).passes(BOX.as_bytes());
    assert_eq!(world.read("fd:3"), URLS);
}

/// Some of the output files in this test exist only on Linux.
#[cfg(target_os = "linux")]
#[test]
fn mail_passes_if_hits_cannot_be_written() {
    let world = World::new("tee-lost").file("dir/x", "");
    let mail = large();
    let table = [
        ("--hits dir", "URLs are lost: cannot open dir: "),
        ("--hits missing/hits", "URLs are lost: cannot open missing/hits: "),
        ("--hits fd:17", "URLs are lost: cannot open /dev/fd/17: "),
        ("--hits /dev/full", "URLs are lost: cannot write to /dev/full: No space left on device"),
        (
            "--hits /dev/stdout",
            "URLs are lost: cannot open /dev/stdout: this file is also standard input or standard output, so the \
             URLs would become part of the mail",
        ),
        ("--hits fifo", "URLs are lost: cannot open fifo: "),
        // The test writes the mail to a pipe.
        ("--hits /dev/stdin", "URLs are lost: cannot open /dev/stdin: this file is also standard input"),
    ];
    world.shell("mkfifo fifo", b"");
    for (options, words) in table {
        for more in ["", "-v"] {
            let run = world.run_with(&format!("tee {options} {more}"), &mail);
            let message = String::from_utf8_lossy(&run.stderr);
            assert!(message.contains(words) && message.lines().count() == 1, "{options}: {message}");
            assert_eq!((run.stdout == mail, run.status), (true, Some(0)));
        }
    }
    // A closed pipe or a file size limit does not kill urlspool.
    world.shell("{ \"$u\" tee --hits fd:3 2>&5 3>&4 | cat >out; } 4>&1 5>/dev/null | head -c 1", &mail);
    assert_eq!(world.read("out").as_bytes(), mail);
    assert!(world.shell("(ulimit -f 8; \"$u\" tee --hits small | cat)", &mail).stdout == mail);
    assert!(world.read("small").len() <= 8 * 1024);
}

/// A program that reads the URLs slowly gets all URLs. If the program stops reading, the mail is delayed by at most 5
/// seconds.
#[cfg(target_os = "linux")]
#[test]
fn a_slow_reader_of_hits_delays_the_mail_only_briefly() {
    let world = World::new("tee-behind");
    let mail = large();
    let line = "mkfifo fifo; { sleep 0.5; cat; } <fifo >hits & \"$u\" tee --hits fd:3 3>fifo; wait";
    world.shell(line, &mail).passes(&mail);
    assert_eq!(world.read("hits").lines().count(), 20_003);
    let run = world.shell("sleep 60 <fifo & \"$u\" tee -v --hits fd:3 3>fifo; kill $!", &mail);
    assert_eq!(
        String::from_utf8_lossy(&run.stderr),
        "urlspool: URLs are lost: cannot write to /dev/fd/3: no program reads the pipe\n"
    );
    assert!(run.stdout == mail && run.status == Some(0));
}

/// Another program can set the pipes of standard input and output to non-blocking mode. urlspool must then wait for
/// input, and for space in the output.
#[cfg(target_os = "linux")]
#[test]
fn pipes_that_do_not_block_are_waited_for() {
    let world = World::new("tee-nonblocking").file(
        "run.py",
        "import fcntl, os, sys\n\
        for fd in 0, 1:\n    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)\n\
        os.execv(sys.argv[1], sys.argv[1:])\n",
    );
    let mail = large();
    for options in ["tee --hits hits", "tee --add-header"] {
        let line = format!("(sleep 0.2; cat) | python3 run.py \"$u\" {options} | (sleep 0.2; cat)");
        let run = world.shell(&line, &mail);
        assert!(run.stdout.ends_with(&mail), "{options}: {} of {} bytes", run.stdout.len(), mail.len());
    }
    let run = world.shell("python3 run.py \"$u\" --csv - </dev/stdin | (sleep 0.2; cat)", &mail);
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    assert_eq!(run.stdout.split(|byte| *byte == b'\n').count(), 20_005);
    // The last line of the message has no line break.
    let mail = mail.trim_ascii_end();
    fs::write(world.path("mail"), mail).unwrap();
    let run = world.shell("python3 run.py \"$u\" show mail:1 | (sleep 0.2; cat)", b"");
    assert!(run.stdout == mail, "{} of {} bytes", run.stdout.len(), mail.len());
    let run = world.shell("\"$u\" show mail:1 >/dev/full", b"");
    assert!(run.status == Some(2) && run.stderr.starts_with(b"urlspool: cannot write standard output: No space"));
}

#[cfg(target_os = "linux")]
#[test]
fn mail_that_cannot_be_passed_on_is_deferred() {
    const WHY: &str = "urlspool: cannot pass the mail on: ";
    let world = World::new("tee-full");
    let mail = large();
    for mail in [&mail[..], MAIL.as_bytes(), b"x"] {
        for options in ["tee --hits hits", "tee --add-header"] {
            world.shell(&format!("\"$u\" {options} >/dev/full"), mail).defers(WHY);
            world.shell(&format!("\"$u\" {options} >&-"), mail).defers(WHY);
            world.shell(&format!("\"$u\" {options} <."), b"").defers(WHY);
            world.shell(&format!("\"$u\" {options} <&-"), b"").defers(WHY);
            world.shell(&format!("\"$u\" {options} 0>written"), b"").defers(WHY);
            world.shell(&format!("\"$u\" {options} </dev/null"), b"").passes(b"");
            let words = "urlspool: cannot pass the mail on: No space left on device (os error 28)\n";
            let run = world.shell(&format!("\"$u\" {options} -v >/dev/full"), mail);
            run.defers(words);
            assert!(!String::from_utf8_lossy(&run.stderr).contains("cannot be read"), "standard input is all right");
            world.shell(&format!("\"$u\" {options} >/dev/null"), mail).passes(b"");
        }
    }
    let line = "{ \"$u\" tee --hits hits; echo $? >status; } | head -c 100 >out";
    world.shell(line, &mail);
    assert_eq!((world.read("status"), world.read("out").as_bytes()), ("75\n".to_owned(), &mail[..100]));
    // The filter reads the whole mail, because some mail programs fail if they cannot write the whole mail to the
    // filter.
    world.shell("(cat; echo read >done) | \"$u\" tee --hits hits >/dev/full", &mail).defers(WHY);
    let line = "echo Subject: x >own; \"$u\" tee --hits hits <own >>own";
    world.shell(line, b"").defers("standard output is the file of standard input");
    assert_eq!(world.read("done"), "read\n");
}

#[test]
fn wrong_options_defer_the_mail() {
    let world = World::with_box("tee-misuse");
    let table = [
        ("tee", "tee needs a place for the URLs; add --hits FILE or --add-header"),
        ("tee --hits", "--hits needs a value, as in --hits <FILE>"),
        ("tee --hits h box", "tee reads only standard input; remove the PATH"),
        ("tee --hits h -", "tee reads only standard input; remove the PATH"),
        ("tee --hits h -j2", "-j is an option of find, count, report and tasks run, not of tee; remove it"),
        (
            "tee --hits h --files-from x",
            "--files-from is an option of find, count, report, files and tasks plan, not of tee",
        ),
        ("tee --hits h --csv", "--csv is an option of find, not of tee; remove it"),
        ("tee --hits h --sort", "--sort is an option of find, not of tee; remove it"),
        ("tee --hits h -H", "-H is an option of find, not of tee; remove it"),
        ("tee --hits h -u", "-u is an option of find and count, not of tee; remove it"),
        ("tee --hits -", "`--hits -` would mix the URLs with the mail; give a file"),
        ("tee --hits fd:0", "--hits fd:0 is standard input; give another descriptor"),
        ("tee --hits fd:1", "--hits fd:1 would mix the URLs with the mail; give another descriptor"),
        ("tee --hits fd:x", "a descriptor needs a number, as in --hits fd:3"),
        ("tee --hits fd:-1", "a descriptor needs a number, as in --hits fd:3"),
        ("tee --add-header --json", "--json needs --hits; add --hits FILE"),
        ("tee --add-header -n", "-n needs --hits; add --hits FILE"),
        (
            "tee --add-header --format mbox",
            "--add-header always reads its input as one message; remove --format or --add-header",
        ),
        ("tee --add-header --hits h --rejects", "--add-header adds only valid URLs; remove --rejects or --add-header"),
        ("tee --hits h --json -n", "--json already prints the file name and the line; remove --json or -n"),
        ("tee -hits h", "tee prints its help only if -h is the only option"),
        ("tee --hits h -V", "tee prints its help only if -h is the only option"),
        ("-v tee --hits h", "`tee` must be the first word, as in urlspool tee -v --hits FILE"),
        (
            "tee --zone body,",
            "--zone: a value is empty; remove the comma, or check the shell variable that it comes from",
        ),
        ("tee --hits= --json", "--hits: the value is empty; check the shell variable that it comes from"),
        ("tee --hits h --no-such-option", "unknown option --no-such-option; `urlspool tee -h` lists the options"),
        ("tee check --hits h http://a/", "tee reads only standard input; remove the PATH"),
    ];
    for (arguments, words) in table {
        let run = world.run_with(arguments, MAIL.as_bytes());
        run.defers(words);
        assert!(run.stdout.is_empty());
    }
    // The word `tee` is not the first word, but the options are those of the filter.
    for arguments in ["--hits h", "--hits=h", "--add-header"] {
        world.run(arguments).defers("`tee` must be the first word, as in urlspool tee -v --hits FILE");
    }
    let help = world.run("tee --help");
    assert!(String::from_utf8_lossy(&help.stdout).contains("--add-header"));
    assert_eq!((help.status, help.stderr.len()), (Some(0), 0));
    world.run("-- tee").complains("tee: cannot be opened");
    // A file named `tee` must not turn a mail filter into a search.
    let world = world.file("tee", "http://tee.example/\n");
    world.run_with("tee --hits h", MAIL.as_bytes()).passes(MAIL.as_bytes());
    world.run("./tee").prints(0, "http://tee.example/\n");
}

#[test]
fn fields_are_added_to_the_header() {
    let world = World::new("add-header");
    let long = format!("http://www.example.org/{}", "a".repeat(100));
    let longest = format!("http://www.example.org/{}", "b".repeat(3000));
    let of_length = |length: usize| format!("{:a<length$}", "http://www.example.org/");
    let fold = |url: &str| {
        let wrapped = format!("<URL:{url}>").into_bytes();
        wrapped.chunks(77).map(|part| format!("\n {}", String::from_utf8_lossy(part))).collect::<String>()
    };
    let table = [
        // Each row has a message, the fields that the filter adds, and the offset of these fields.
        (MAIL.to_owned(), "X-URL: http://www.example.org/~bob\nX-URL: ftp://ftp.example.org/pub/read-me\n".into(), 0),
        ("Subject: x\n\nnothing\n".into(), String::new(), 0),
        (String::new(), String::new(), 0),
        // If the message begins with envelope lines (`From ` or `>From `), the fields are added after these lines. The
        // fields have the same line ends as the message.
        (format!("From a@b Mon Jan  1 00:00:00 2001\n{}", short("\n")), "X-URL: http://a.example/\n".into(), 34),
        (format!("From a@b x\n>From c@d y\n{}", short("\r\n")), "X-URL: http://a.example/\r\n".into(), 23),
        (format!("{}..\r\n.\r\n", short("\r\n")), "X-URL: http://a.example/\r\n".into(), 0),
        // A `From` field with blanks before the colon is not an envelope line.
        (format!("From : a@b\n{}", short("\n")), "X-URL: http://a.example/\n".into(), 0),
        // A `From ` line in the body does not begin a message.
        (
            format!("{}\nFrom 0123 Mon Sep 17 00:00:00 2001\nSubject: p\n\nhttp://b.example/\n", short("\n")),
            "X-URL: http://a.example/\nX-URL: http://b.example/\n".into(),
            0,
        ),
        // Input that is not a message is unchanged.
        ("#! rnews 31\nSubject: x\n\nhttp://a.example/\n".into(), String::new(), 0),
        ("Prose. See http://a.example/\n".into(), String::new(), 0),
        ("http://a.example/ is not a field\n".into(), String::new(), 0),
        ("\nhttp://a.example/\n".into(), String::new(), 0),
        (" indented: http://a.example/\n".into(), String::new(), 0),
        // The filter adds one field for each URL, unless the message already has an `X-URL` field with this URL.
        ("x-url:\n http://a.example/\nA: http://a.example/\n\nhttp://a.example/\n".into(), String::new(), 0),
        // A line that is not a field does not end the header.
        ("Subject: x\nstray\nX-URL: http://a.example/\n\nhttp://a.example/\n".into(), String::new(), 0),
        // A field is folded only if the URL does not fit on one line.
        (format!("A: x\n\n{long}\n"), format!("X-URL:\n {long}\n"), 0),
        (format!("A: x\n\n<{longest}>\n"), format!("X-URL:{}\n", fold(&longest)), 0),
        // A line of a field has at most 78 bytes if possible, and never more than 998 bytes.
        (format!("A: x\n\n{}\n", of_length(71)), format!("X-URL: {}\n", of_length(71)), 0),
        (format!("A: x\n\n{}\n", of_length(72)), format!("X-URL:\n {}\n", of_length(72)), 0),
        (format!("A: x\n\n{}\n", of_length(997)), format!("X-URL:\n {}\n", of_length(997)), 0),
        (format!("A: x\n\n{}\n", of_length(998)), format!("X-URL:{}\n", fold(&of_length(998))), 0),
        // Bytes that are not allowed in a header field are percent-encoded in the URL.
        ("A: x\n\nhttp://a.example/m\u{fc}ll\n".into(), "X-URL: http://a.example/m%C3%BCll\n".into(), 0),
        (
            "A: x\nContent-Type: text/html\n\n<a href=\"http://a.example/&#13;&#10;B:&#32;x\">y</a>\n".into(),
            "X-URL: http://a.example/B:%20x\n".into(),
            0,
        ),
    ];
    for (mail, fields, at) in &table {
        let out = [&mail[..*at], fields, &mail[*at..]].concat();
        for mail in [mail, &out] {
            let run = world.run_with("tee --add-header", mail.as_bytes());
            let is_reported = String::from_utf8_lossy(&run.stderr) == NO_HEADER;
            assert_eq!(is_reported, out.contains("http") && !out.contains("URL:") && !out.contains("url:"), "{out}");
            Run { stderr: Vec::new(), ..run }.passes(out.as_bytes());
        }
        assert!(fields.lines().all(|line| line.len() <= 998));
    }
    let found = "ftp://ftp.example.org/pub/read-me\n";
    let out = format!("X-URL: {found}{MAIL}");
    world.run_with("tee --add-header --scheme ftp --hits hits", MAIL.as_bytes()).passes(out.as_bytes());
    assert_eq!(world.read("hits"), found);
}

/// Returns a message with one URL. Each line of the message ends with `end`.
fn short(end: &str) -> String {
    format!("Subject: x{end}{end}http://a.example/{end}")
}

#[test]
fn fields_are_at_most_16_kib_together() {
    let world = World::new("add-header-many");
    let urls: String = (0..1000).map(|i| format!("http://www.example.org/{i}\n")).collect();
    let mail = format!("Subject: x\n\n{urls}");
    let run = world.run_with("tee --add-header", mail.as_bytes());
    let fields = run.stdout.len() - mail.len();
    assert!((15 << 10..=16 << 10).contains(&fields), "{fields}");
    assert!(run.stdout.ends_with(mail.as_bytes()));
    assert_eq!(world.run_with("tee --add-header", &run.stdout).stdout, run.stdout);
    let message = "urlspool: some URLs got no X-URL field, because the fields would exceed 16 KiB in total\n";
    assert_eq!(String::from_utf8_lossy(&run.stderr), message);
}

#[test]
fn mail_over_32_mib_gets_no_fields() {
    let world = World::new("add-header-large");
    let mail = |size: usize| format!("Subject: x\n\nhttp://a.example/\n{}", "x\n".repeat(size / 2))[..size].to_owned();
    let field = "X-URL: http://a.example/\n";
    let message = "urlspool: no X-URL fields were added, because the mail is too large; the limit is 32 MiB\n";
    for (size, added, want) in [(32 << 20, field, ""), ((32 << 20) + 1, "", message)] {
        let mail = mail(size);
        let run = world.run_with("tee --add-header -v", mail.as_bytes());
        assert!(run.stdout == format!("{added}{mail}").as_bytes(), "{size} bytes");
        assert!(String::from_utf8_lossy(&run.stderr).ends_with(want), "{size} bytes: {:?}", run.stderr);
        assert!(!want.is_empty() || !String::from_utf8_lossy(&run.stderr).contains("no X-URL"), "{size} bytes");
    }
}

#[test]
fn mail_without_a_header_gets_no_fields() {
    let world = World::new("add-header-none");
    for mail in ["\nSubject: x\n\nhttp://a.example/\n", "See http://a.example/\n"] {
        for options in ["tee --add-header", "tee --add-header -v"] {
            let run = world.run_with(options, mail.as_bytes());
            let stderr = String::from_utf8_lossy(&run.stderr);
            assert!(run.stdout == mail.as_bytes() && stderr.ends_with(NO_HEADER), "{run:?}");
        }
    }
    let run = world.run_with("tee --add-header -v", b"no URL\n");
    assert!(run.stdout == b"no URL\n" && !String::from_utf8_lossy(&run.stderr).contains("X-URL"), "{run:?}");
}

/// The filter does not keep a large message in memory, so it cannot add fields to the header.
#[cfg(target_os = "linux")]
#[test]
fn a_large_message_gets_no_fields() {
    let world = World::new("add-header-large");
    let mail = format!("{MAIL}{}", "nothing in this line is a URL, nor in any other one\n".repeat(700_000));
    let run = world.shell("ulimit -v 300000; \"$u\" tee --add-header --hits hits", mail.as_bytes());
    let message = "urlspool: no X-URL fields were added, because the mail is too large; the limit is 32 MiB\n";
    assert_eq!((run.stdout == mail.as_bytes(), &*String::from_utf8_lossy(&run.stderr)), (true, message));
    assert_eq!(world.read("hits").lines().count(), 3);
}

/// Runs the filter on every message in the corpus: on the message itself, on truncated copies, and on copies with
/// changed bytes.
#[test]
fn malformed_mail_passes() {
    let world = World::new("tee-any");
    let mut random = Random(6);
    let messages = messages();
    let count = std::env::var("URLSPOOL_RUNS").map_or(100, |count| count.parse().expect("a number of runs"));
    for i in 0..messages.len() + count {
        let mut mail = messages[i % messages.len()].1.clone();
        if i >= messages.len() {
            for _ in 0..random.below(20) {
                let at = random.below(mail.len());
                mail[at] = random.below(256) as u8;
            }
            let start = random.below(mail.len());
            mail.rotate_left(start);
            mail.truncate(random.below(mail.len()));
        }
        world.run_with("tee --json --hits /dev/null", &mail).passes(&mail);
        let run = world.run_with("tee --add-header", &mail);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(run.status == Some(0) && (stderr.is_empty() || stderr == NO_HEADER && run.stdout == mail), "{stderr}");
        // If the added fields are removed, the output must equal the input.
        let added = run.stdout.len() - mail.len();
        let at = run.stdout.iter().zip(&mail).take_while(|(a, b)| a == b).count();
        let is_there = |at: usize| run.stdout[..at] == mail[..at] && run.stdout[at + added..] == mail[at..];
        assert!((0..=at).any(is_there), "{}", mail.escape_ascii());
    }
}

#[test]
fn a_killed_filter_passed_everything_or_has_no_status_0() {
    let world = World::new("tee-killed");
    let mail = large();
    let mut random = Random(9);
    let mut killed = 0;
    for i in 0..200 {
        let options = if i % 2 == 0 { "tee --hits hits" } else { "tee --add-header" };
        let child = world.command(options.split(' ')).stdin(Stdio::piped()).spawn().unwrap();
        let mut child = feed(child, mail.clone());
        let mut stdout = child.stdout.take().unwrap();
        let reader = thread::spawn(move || {
            let mut out = Vec::new();
            stdout.read_to_end(&mut out).unwrap();
            out
        });
        thread::sleep(Duration::from_micros(random.below(60_000) as u64));
        let _ = child.kill();
        let status = child.wait().unwrap();
        let out = reader.join().unwrap();
        match status.code() {
            Some(0) => assert!(out.ends_with(&mail)),
            Some(code) => panic!("status {code}"),
            None => killed += 1,
        }
        assert!(i % 2 == 1 || mail.starts_with(&out));
    }
    assert!(killed > 20, "{killed} of 200 were killed while they ran");
}

#[test]
fn hits_are_not_written_into_the_mail() {
    let world = World::new("same-file").file("mail", MAIL);
    assert_eq!(world.shell("$u tee --hits mail < mail", b"").stdout, MAIL.as_bytes());
    assert_eq!(world.read("mail"), MAIL);
    assert_eq!(world.shell("$u tee --hits copy < mail > copy", b"").stdout, b"");
    assert_eq!(world.read("copy"), MAIL);
}

#[test]
fn mail_is_deferred_if_standard_output_is_read_only() {
    let world = World::new("read-only").file("mail", MAIL);
    for options in ["--hits found", "--add-header"] {
        world.shell(&format!("$u tee {options} < mail 1< mail"), b"").defers("urlspool: cannot pass the mail on: ");
    }
}
