//! Tests options that users know from grep, ripgrep and fd.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use jiff::{Timestamp, ToSpan};

use crate::world::{BOX, Run, URLS, World, finish};

/// Makes files of several sizes, some without URLs. Each URL ends with a number. Returns the URLs in the order of their
/// numbers.
fn tree(name: &str) -> (World, Vec<String>) {
    let mut world = World::new(name).file("none", "nothing\n");
    let (mut urls, mut number) = (Vec::new(), 0);
    for (file, count) in [("a", 3), ("b", 40_000), ("c", 1), ("d", 700)] {
        let mut text = String::new();
        for _ in 0..count {
            urls.push(format!("http://www{}.example.org/{number}", number % 7));
            text += &format!("see {} there\n", urls.last().unwrap());
            number += 1;
        }
        world = world.file(format!("tree/{file}"), text).file(format!("tree/{file}-none"), "nothing\n");
    }
    (world, urls)
}

#[test]
fn the_first_urls_of_the_input() {
    let (world, urls) = tree("max-count");
    for threads in [1, 2, 4] {
        for most in [1, 2, 3, 4, 1000, 39_999, 40_004, 40_005, 50_000] {
            let want: String = urls.iter().take(most).flat_map(|url| [url, "\n"]).collect();
            world.run(&format!("-j{threads} -m {most} tree")).prints(0, &want);
            world.run(&format!("-j{threads} -u -m {most} tree tree")).prints(0, &want);
        }
        world.run(&format!("-j{threads} -m 2 --json tree")).json().iter().zip(&urls).for_each(|(row, url)| {
            assert_eq!(row["url"], **url);
        });
        world.run(&format!("-j{threads} -l -m 2 tree")).prints(0, "tree/a\ntree/b\n");
    }
    world.run("-m 5 none").prints(1, "");
    // urlspool stops after the third URL. It does not read the next file, so it does not report that the file is
    // missing.
    world.run("-j1 -m 3 tree/a tree/b missing").prints(0, &(urls[..3].join("\n") + "\n"));
}

/// With `-m`, urlspool exits without waiting for the end of the input.
#[test]
fn reading_stops() {
    let world = World::new("max-stop");
    for threads in ["-j1", "-j4"] {
        for options in [&["-m", "3"][..], &["-m3", "--json"], &["-um", "1"]] {
            let mut child = world.command([threads].iter().chain(options)).stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let begun = Instant::now();
            let writer = std::thread::spawn(move || {
                while stdin.write_all(BOX.as_bytes()).is_ok() {
                    assert!(begun.elapsed() < Duration::from_secs(50));
                }
            });
            assert_eq!(finish(child).status, Some(0));
            writer.join().unwrap();
        }
    }
}

#[test]
fn names_of_files_with_urls() {
    let (world, _) = tree("names");
    let world = world.file("box", BOX);
    for threads in ["-j1", "-j4"] {
        world.run(&format!("{threads} -l tree none box")).prints(0, "tree/a\ntree/b\ntree/c\ntree/d\nbox\n");
        world.run(&format!("{threads} -l0 tree/c none box")).prints(0, "tree/c\0box\0");
        world.run(&format!("{threads} -l --scheme gopher tree box")).prints(0, "box\n");
        world.run(&format!("{threads} -l --rejects tree box")).prints(0, "box\n");
    }
    world.run("-l none").prints(1, "");
    world.run_with("-l", BOX.as_bytes()).prints(0, "-\n");
    world.run("-l --host example.net box").explains("6 URLs were found, and --host removed them all");
}

#[test]
fn by_how_often_they_occur() {
    let world = World::with_box("count-url").file("other", "http://www.example.org/~bob\n".repeat(3));
    let all = "\
4\thttp://www.example.org/~bob
2\thttp://lists.example.org/a?b#c
1\tftp://ftp.example.org/pub/read-me
1\tgopher://gopher.example.org/1
1\thttp://ann.example.org/
";
    let first = |lines: usize| all.split_inclusive('\n').take(lines).collect::<String>();
    for threads in ["-j1", "-j4"] {
        world.run(&format!("count url {threads} box other")).prints(0, all);
        world.run(&format!("count url {threads} -m 2 box other")).prints(0, &first(2));
    }
    world.run("count url -u box").complains("with -u, each URL has the count 1; remove -u, or count by another field");
    world.run("count url,file -m 1 box other").prints(0, "3\thttp://www.example.org/~bob\tother\n");
    // `--sort` has no value, so `box` is a path.
    world.run("--sort box -m 1").prints(0, "ftp://ftp.example.org/pub/read-me\n");
    world.run("--sort -u -m 2 box").prints(0, "ftp://ftp.example.org/pub/read-me\ngopher://gopher.example.org/1\n");
}

#[test]
fn counts_by_fields() {
    let text = "http://a.Example.co.uk/ http://b.example.co.uk/ http://a.Example.co.uk/ http://192.0.2.1/ http://co.uk/\n\
        mailto:a@b.example http://b\u{fc}cher.example/ http://www.xn--bcher-kva.example/\n";
    let world = World::new("counts-by").file("m", text).file("box", BOX);
    let table = [
        // Without a domain: an address, a public suffix, and a URL without a host.
        ("domain m", "3\t\n3\texample.co.uk\n2\txn--bcher-kva.example\n"),
        ("domain -u m m", "3\t\n2\texample.co.uk\n2\txn--bcher-kva.example\n"),
        ("domain -m 1 --scheme http --host example.co.uk m", "3\texample.co.uk\n"),
        ("host -u -m 2 box box", "1\tann.example.org\n1\tftp.example.org\n"),
        ("scheme box box", "8\thttp\n2\tftp\n2\tgopher\n"),
        ("scheme -u box box", "3\thttp\n1\tftp\n1\tgopher\n"),
        ("host,scheme m -m 2", "2\ta.example.co.uk\thttp\n1\t\tmailto\n"),
        ("scheme,form -u box box", "3\thttp\tbare\n1\tftp\twrapped\n1\tgopher\tbare\n"),
        ("date box", "4\t1998-01-05T10:00:00Z\n2\t1998-01-06T10:00:00Z\n"),
        // The order of lines with the same number is that of their bytes.
        ("line -m 3 box box", "2\t11\n2\t19\n2\t20\n"),
        // One URL occurs in a message with a date, and later in a message without a date. `-u` counts only the first
        // occurrence.
        ("year -u box", "5\t1998\n"),
        ("year --json box", "{\"count\":6,\"year\":\"1998\"}\n"),
        ("year,scheme box", "4\t1998\thttp\n1\t1998\tftp\n1\t1998\tgopher\n"),
        ("tier --json box", "{\"count\":5,\"tier\":\"rfc1738\"}\n{\"count\":1,\"tier\":\"relaxed\"}\n"),
        ("form --json -u box", "{\"count\":4,\"form\":\"bare\"}\n{\"count\":1,\"form\":\"wrapped\"}\n"),
        ("host --json -m 1 box", "{\"count\":2,\"host\":\"lists.example.org\"}\n"),
        ("domain --json box", "{\"count\":6,\"domain\":\"example.org\"}\n"),
        ("host,tier --json -m 1 box", "{\"count\":2,\"host\":\"lists.example.org\",\"tier\":\"rfc1738\"}\n"),
        ("scheme --json --color always -m 1 box", "{\"count\":4,\"scheme\":\"http\"}\n"),
    ];
    for threads in ["-j1", "-j4"] {
        for (options, want) in table {
            world.run(&format!("count {options} {threads}")).prints(0, want);
        }
    }
    world.run("count host --json --scheme irc box").explains("6 URLs were found, and --scheme removed them all");
}

#[test]
fn a_time_before_now() {
    let now = Timestamp::now();
    let message = |hours: i64| {
        let date = now.checked_sub(hours.hours()).unwrap().strftime("%a, %d %b %Y %H:%M:%S +0000").to_string();
        format!("From a@b Mon Jan  5 10:00:00 1998\nDate: {date}\n\nhttp://h{hours}.example.org/\n\n")
    };
    let world = World::new("ago").file("box", [1, 30, 24 * 8, 24 * 30, 24 * 400].map(message).concat());
    let table = [
        ("--since 2h", "1"),
        ("--since 36h", "1 30"),
        ("--since 7d", "1 30"),
        ("--since 2w", "1 30 192"),
        ("--since 2w --until 7d", "192"),
        ("--until 2w", "720 9600"),
        ("--since 1y", "1 30 192 720"),
        ("--since 1 --until yesterday", ""),
    ];
    for (options, hours) in table {
        if hours.is_empty() {
            world.run(&format!("{options} box")).complains("give a year, month, day or time");
            continue;
        }
        let want: String = hours.split(' ').map(|hours| format!("http://h{hours}.example.org/\n")).collect();
        world.run(&format!("{options} box")).prints(0, &want);
    }
}

#[test]
fn output_in_a_file() {
    let world = World::with_box("output-file")
        .file("d/m", "http://m.example.org/\n")
        .file("list", "box\n")
        .file("notes", "mine\n")
        .file("pods", "{\"kind\":\"Pod\"}\n")
        .file("program", b"\x7fELF\x02\x01\n\0\0\x01\n");
    let read = |name: &str| fs::read_to_string(world.path(name)).unwrap();
    world.run("-o urls box").prints(0, "");
    assert_eq!(read("urls"), URLS);
    // The output replaces the old content of the file, even if the old content is longer.
    world.run("-m 1 --output=urls box").prints(0, "");
    assert_eq!(read("urls"), URLS.lines().next().unwrap().to_owned() + "\n");
    world.run("-o rows.csv --csv --color always -j4 box").prints(0, "");
    assert_eq!(read("rows.csv").lines().count(), 7);
    world.run("count scheme -o counts box").prints(0, "");
    assert_eq!(read("counts"), "4\thttp\n1\tftp\n1\tgopher\n");
    world.run("-o - --scheme ftp box").prints(0, "ftp://ftp.example.org/pub/read-me\n");
    world.run("-o /dev/stdout --scheme ftp box").prints(0, "ftp://ftp.example.org/pub/read-me\n");
    world.run("-o none --scheme irc box").explains("6 URLs were found, and --scheme removed them all");
    assert_eq!(read("none"), "");
    world.run_with("-o urls", BOX.as_bytes()).prints(0, "");
    assert_eq!(read("urls"), URLS);
    // If no input can be opened, the file keeps its old content.
    for format in ["", "--csv", "--sort", "-m 1"] {
        world.run(&format!("-o urls {format} missing")).complains("missing: ");
        assert_eq!(read("urls"), URLS, "{format}");
    }
    world.run("files -o urls missing").complains("missing: ");
    assert_eq!(read("urls"), URLS);
    world.run("-o urls box missing").complains("missing: ");
    assert_eq!(read("urls"), URLS);
    world.run("-o urls --scheme irc box missing").complains("missing: ");
    assert_eq!(read("urls"), "");

    let table = [
        ("-o box box", "box: cannot write the output: the file is also an input (box); give another name"),
        ("-o ./box d box", "the file is also an input (box); give another name"),
        ("-o list --files-from list", "the file is also an input (list); give another name"),
        // In grep, `-o` has no value. A user of grep may write `-o box`, which must not overwrite the mailbox.
        ("-o box d", "the file exists and contains mbox data, which would be lost; give another name"),
        ("-o d box", "d: cannot write the output: "),
        ("-o missing/urls box", "; create its directory first"),
        ("-o . box", "; name a file in it"),
        ("-o both --problems ./both box", "-o and --problems name the same file; give two names"),
        ("report -o page --problems page box", "-o and --problems name the same file; give two names"),
        ("--problems new --state d/../new box", "--problems and --state name the same file; give two names"),
        ("--problems new --parquet ./new box", "--parquet and --problems name the same file; give two names"),
        ("--problems notes box", "notes: cannot write the problems: the file exists, and is not a list of problems"),
        ("--problems pods box", "pods: cannot write the problems: the file exists, and is not a list of problems"),
        ("--files-from program", "program: this is not a list of files, but binary data"),
        ("--problems list --files-from list", "list: cannot write the problems: the file is also an input (list)"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
        assert_eq!((read("box"), read("list")), (BOX.to_owned(), "box\n".to_owned()), "{arguments}");
    }
    assert!(!world.path("both").exists() && !world.path("page").exists() && !world.path("new").exists());
    // Two names of a new file are recognized when the file exists. Here, links have the effect of a file system that
    // ignores the case of names.
    #[cfg(unix)]
    for (link, target) in [("one", "other"), ("other", "new")] {
        std::os::unix::fs::symlink(target, world.path(link)).unwrap();
    }
    #[cfg(unix)]
    for arguments in ["-o new --problems one box", "--problems one --state new box"] {
        world.run(arguments).complains("name the same file; give two names");
    }
    world.run("-o urls box").prints(0, "");
    let stdin = fs::File::open(world.path("urls")).unwrap();
    let child = world.command(["-o", "urls"]).stdin(stdin).spawn().unwrap();
    finish(child).complains("the file is also an input (standard input)");
    assert_eq!(read("urls"), URLS);
    for (arguments, words) in [
        ("--problems urls box", "--problems names the file of standard output; give another name"),
        ("--state urls box", "--state names the file of standard output; give another name"),
    ] {
        let stdout = fs::OpenOptions::new().append(true).open(world.path("urls")).unwrap();
        let child = world.command(arguments.split(' ')).stdout(stdout).spawn().unwrap();
        finish(child).complains(words);
        assert_eq!(read("urls"), URLS);
    }
    world.run("-o /dev/null --problems /dev/null box").prints(0, "");
    let _ = fs::write(world.path("d/problems"), "{\"kind\":\"skipped\",\"file\":\"of an earlier run\"}\n");
    world.run("--problems d/problems --scheme ftp box").prints(0, "ftp://ftp.example.org/pub/read-me\n");
    assert_eq!(read("d/problems"), "");
    let run = world.run("--problems d/problems -o all d -v");
    assert!(
        String::from_utf8_lossy(&run.stderr).contains("d/problems: skipped: it is the output of urlspool"),
        "{run:?}"
    );
    fs::remove_file(world.path("d/problems")).unwrap();
    // urlspool does not read an output file that is in a searched directory.
    let run = world.run("-o d/urls d");
    assert_eq!((run.status, read("d/urls")), (Some(0), "http://m.example.org/\n".to_owned()));
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
}

#[test]
fn a_glob_that_excludes_every_file() {
    let world = World::new("globs-empty").file("d/a.eml", BOX).file("d/b.eml", BOX);
    for glob in ["-g *.mbox", "-g !*"] {
        let run = world.run(&format!("{glob} d"));
        let message = "urlspool: --glob excluded all files (2 in total)\n";
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr)), (Some(1), message.into()), "{glob}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_in_a_full_file() {
    World::with_box("output-full").run("-o /dev/full box").complains("cannot write /dev/full: ");
}

/// Each row of `table` has the options, the steps, and the lines that urlspool prints at the end of the input. A step
/// has a text that the test writes to the pipe, and the lines that urlspool must print before the next step.
#[cfg(unix)]
#[test]
fn a_slow_pipe() {
    use std::io::{BufRead, BufReader};
    use std::sync::mpsc::channel;

    let message =
        |name: &str| format!("From a@b Mon Jan  5 10:00:00 1998\nSubject: x\n\nhttp://{name}.example.org/\n\n");
    let [one, two, three] = ["one", "two", "three"].map(message);
    // If a read returns at least half of a pipe's capacity, urlspool expects more text.
    let burst = format!("{}see http://b.example.org/ there\n", "some words\n".repeat(4000));
    let long = format!("see, in the middle of a line, http://a.example.org/{}", "long/".repeat(9));
    type Steps<'s> = &'s [(&'s str, &'s [&'s str])];
    let table: &[(&str, Steps<'_>, &[&str])] = &[
        (
            "",
            &[
                ("see http://a.example.org/ there\n", &["http://a.example.org/"]),
                ("http://b.example.org/x\n", &["http://b.example.org/x"]),
            ],
            &[],
        ),
        // The first URL could continue on the next line. So urlspool waits for a quarter of a second. If no text
        // arrives in this time, urlspool prints the URL.
        (
            "",
            &[
                ("http://a.example.org/\n", &["http://a.example.org/"]),
                ("pub/b.html\n", &[]),
                ("ftp://c.example.org/d and", &[]),
            ],
            &["ftp://c.example.org/d"],
        ),
        (
            "-n",
            &[
                ("a: b\nc\n\nhttp://a.example.org/ x\n", &["4\thttp://a.example.org/"]),
                ("http://b.example.org/ x\n", &["5\thttp://b.example.org/"]),
            ],
            &[],
        ),
        (
            "-j4 --format text",
            &[
                ("http://a.example.org/x\nhtt", &["http://a.example.org/x"]),
                ("p://b.example.org/x\n", &["http://b.example.org/x"]),
            ],
            &[],
        ),
        // The depth does not depend on lines that arrive later.
        (
            "--fields url,quote_depth,zone",
            &[
                ("| http://a.example.org/ x\n", &["http://a.example.org/\t0\tbody"]),
                (
                    "| http://b.example.org/ x\n> http://c.example.org/ x\n",
                    &["http://b.example.org/\t0\tbody", "http://c.example.org/\t1\tquote"],
                ),
            ],
            &[],
        ),
        // A message is complete when the next one begins.
        (
            "",
            &[
                (&format!("{one}{}", &two[..40]), &["http://one.example.org/"]),
                (&two[40..], &[]),
                (&three, &["http://two.example.org/"]),
            ],
            &["http://three.example.org/"],
        ),
        (
            "-j4 --format mbox",
            &[(&format!("{one}{two}"), &["http://one.example.org/"]), (&three, &["http://two.example.org/"])],
            &["http://three.example.org/"],
        ),
        // If the input is one message, and not a mailbox, the message is complete only at the end of the input.
        (
            "",
            &[("Subject: x\n\nhttp://a.example.org/x\n", &[]), ("http://b.example.org/x\n", &[])],
            &["http://a.example.org/x", "http://b.example.org/x"],
        ),
        ("", &[(&format!("{long}\n"), &[long.split(' ').next_back().unwrap()])], &[]),
        ("", &[(&burst, &["http://b.example.org/"]), ("http://a.example.org/x y\n", &["http://a.example.org/x"])], &[]),
        ("-m 1", &[("http://a.example.org/x\n", &["http://a.example.org/x"])], &[]),
    ];
    let world = World::new("slow-pipe");
    for (options, steps, last) in table {
        let mut child = world.command(options.split_whitespace()).stdin(Stdio::piped()).spawn().unwrap();
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || BufReader::new(stdout).lines().for_each(|line| sender.send(line.unwrap()).unwrap()));
        for (text, want) in *steps {
            stdin.write_all(text.as_bytes()).unwrap();
            for url in *want {
                let got = lines.recv_timeout(Duration::from_secs(20));
                assert_eq!(got.as_deref(), Ok(*url), "{options} {steps:?}");
            }
            std::thread::sleep(Duration::from_millis(400));
            assert!(lines.try_recv().is_err(), "{options} {text:?}");
        }
        // With `-m`, urlspool exits before the end of the input.
        let has_ended = options.starts_with("-m") && finish_soon(&mut child);
        drop(stdin);
        assert_eq!(lines.iter().collect::<Vec<_>>(), *last, "{options}");
        assert!(has_ended || child.wait().unwrap().success());
    }
}

/// urlspool finds the same URLs in plain text that arrives slowly as in plain text that arrives at once.
#[cfg(unix)]
#[test]
fn the_speed_of_the_writer_changes_nothing() {
    let mut texts: Vec<_> =
        fs::read_dir(crate::support::corpus("scan")).unwrap().map(|entry| entry.unwrap().path()).collect();
    texts.extend(fs::read_dir(crate::support::corpus("mail")).unwrap().map(|entry| entry.unwrap().path()));
    texts.sort_unstable();
    let text: Vec<u8> = texts.iter().filter(|path| path.is_file()).flat_map(|path| fs::read(path).unwrap()).collect();
    let world = World::new("slow-writer").file("text", &text);
    let whole = world.run("--format text --fields line,offset,url text");
    assert!(whole.stdout.iter().filter(|&&byte| byte == b'\n').count() > 500);
    let pipe = world.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (threads, most) in [("-j1", 1), ("-j4", 7)] {
        let child =
            world.command([threads, "--format", "text", "--fields", "line,offset,url", "pipe"]).spawn().unwrap();
        let (pipe, text) = (pipe.clone(), text.clone());
        let writer = std::thread::spawn(move || {
            let mut writer = fs::OpenOptions::new().write(true).open(pipe).unwrap();
            let mut random = crate::support::Random(most as u64);
            let lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
            let mut at = 0;
            while at < lines.len() {
                let end = lines.len().min(at + 1 + random.below(most));
                writer.write_all(&lines[at..end].concat()).unwrap();
                at = end;
            }
        });
        let run = finish(child);
        writer.join().unwrap();
        assert!(run.stdout == whole.stdout, "{threads}");
    }
}

/// urlspool waits for a quarter of a second for the next line of a URL. On a busy machine, the next line can arrive
/// later, so the test tries several times.
#[cfg(unix)]
#[test]
fn urlspool_waits_for_the_next_line_of_a_url() {
    const URL: [&str; 2] = ["http://www.example.org/archive/of/the/list/about/old/computers-", "and/manuals.html"];
    let world = World::new("two-lines");
    let has_waited = || {
        let mut child = world.command(["-"]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for line in URL {
            stdin.write_all(line.as_bytes()).unwrap();
            stdin.write_all(b"\n").unwrap();
            std::thread::sleep(Duration::from_millis(120));
        }
        drop(stdin);
        finish(child).stdout == format!("{}\n", URL.concat()).as_bytes()
    };
    assert!((0..5).any(|_| has_waited()));
}

/// Returns whether `child` exits with success within 20 seconds.
#[cfg(unix)]
fn finish_soon(child: &mut std::process::Child) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// `URLSPOOL_CONFIG_PATH` names a file of options, as `RIPGREP_CONFIG_PATH` does for ripgrep.
#[test]
fn default_options_come_from_a_file() {
    let options = "# a comment\n\n  --scheme=ftp \r\n-H\n--host\n*.example.org\n";
    let world = World::with_box("config").file("options", options).file("empty", "").file("twice", "--skip-common=2%");
    let world = world.file("objects", "--json\n");
    let run = |config: &str, arguments: &str| {
        let output = world.command(arguments.split(' ')).env("URLSPOOL_CONFIG_PATH", config).output().unwrap();
        Run { status: output.status.code(), stdout: output.stdout, stderr: output.stderr }
    };
    let url = "ftp://ftp.example.org/pub/read-me\n";
    run("options", "box").prints(0, &format!("box\t{url}"));
    run("options", "--fields url find")
        .complains("which fields are printed; remove --fields or -H; options also has options\n");
    run("twice", "-").complains("write it to a file, or remove --skip-common; twice also has options\n");
    let table = world.run("--csv box").stdout;
    run("objects", "--csv box").prints(0, &String::from_utf8(table).unwrap());
    run("objects", "-l box").prints(0, "box\n");
    // `count` has no -H.
    run("options", "count host box").prints(0, "1\tftp.example.org\n");
    run("options", "count scheme --scheme gopher --host *.example.org box").prints(0, "1\tgopher\n");
    run("options", "show box:1").prints(0, &String::from_utf8(world.run("show box:1").stdout).unwrap());
    for config in ["empty", ""] {
        run(config, "box").prints(0, URLS);
    }
    for help in ["-h", "--help", "count --help", "--version"] {
        run("none", help).prints(0, &String::from_utf8(world.run(help).stdout).unwrap());
    }
    run("none", "box").complains("none: cannot read the options of URLSPOOL_CONFIG_PATH: No such file or directory");
    let table = [
        ("-n\n--scheem=http\n", "wrong:2: unknown option --scheem; did you mean --scheme?"),
        ("--zone body\n", "wrong:1: write --zone=body\n"),
        ("--bogus x\n", "wrong:1: unknown option --bogus; "),
        ("--json yes\n", "wrong:1: --json takes no value; remove the value\n"),
        ("--since=never\n", "wrong:1: --since never: "),
        ("\n--scheme\n", "wrong:2: --scheme needs a value, as in --scheme"),
        ("# x\n-H\nbox\n", "wrong:2: only options are possible here; name the PATH on the command line"),
        ("box\n", "wrong:1: only options are possible here; name the PATH on the command line"),
        ("-H\n--\n-m1\n", "wrong:2: only options are possible here; name the PATH on the command line"),
    ];
    for (text, why) in table {
        fs::write(world.path("wrong"), text).unwrap();
        for arguments in ["box", "count host box"] {
            run("wrong", arguments).complains(why);
        }
    }
}

#[test]
fn names_without_a_scheme_are_mentioned_if_there_is_no_url() {
    let hint = "no URL was found, but names such as www.example.org; to find them, use --form +www,path\n";
    let world = World::with_box("bare-names");
    let text = "See www.example.org.\n";
    world.run_with("", text.as_bytes()).explains(hint);
    world.run_with("count host", format!("From: a\nSubject: b\n\n{text}").as_bytes()).explains(hint);
    for text in ["awww. www...\n", "www.", "example.org\n"] {
        world.run_with("", text.as_bytes()).prints(1, "");
    }
    world.run_with("--rejects", text.as_bytes()).prints(1, "");
    world.run_with("--form www", text.as_bytes()).prints(0, "http://www.example.org\n");
    world.run_with("--form bare", text.as_bytes()).prints(1, "");
    world.run_with("", format!("{text}http://a.example/\n{text}").as_bytes()).prints(0, "http://a.example/\n");
    world
        .run_with("--host b.example", format!("{text}http://a.example/\n").as_bytes())
        .explains("1 URL was found, and --host removed it");
}
