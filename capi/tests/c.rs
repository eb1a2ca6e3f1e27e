//! Tests the interface from C. The tests run `make install`, compile programs against the installed files, and run
//! them.
//!
//! The tests need GNU make, and a C compiler named `cc`. The tests also use the following programs and libraries, if
//! they are installed: valgrind, a C++ compiler, pkg-config, readelf, nm and libmilter.
//!
//! With `URLSPOOL_SANITIZE=c`, AddressSanitizer and UndefinedBehaviorSanitizer check the C programs, instead of
//! valgrind. With `URLSPOOL_SANITIZE=all`, AddressSanitizer also checks the library. The value `all` needs the nightly
//! toolchain of Rust.

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PREFIX: &str = "/opt/urlspool";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the directory in which the library is installed (the `DESTDIR` of `make install`). The first call installs
/// the library.
fn destination() -> &'static Path {
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let destination = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installed");
        let _ = fs::remove_dir_all(&destination);
        succeeds(&make("install", &destination));
        destination
    })
}

/// Returns what the sanitizers check: `c` or `all`. Returns `None` without sanitizers.
fn sanitized() -> Option<String> {
    std::env::var("URLSPOOL_SANITIZE").ok()
}

fn make(goal: &str, destination: &Path) -> Output {
    let mut make = Command::new("make");
    make.args([goal, "PROFILE=dev"]).current_dir(ROOT);
    if sanitized().as_deref() == Some("all") {
        // Build scripts and procedural macros fail if they are compiled with the sanitizer. With `--target`, cargo
        // compiles them without `RUSTFLAGS`.
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        make.arg(format!("CARGOFLAGS=--locked --target {target}")).arg(format!("BUILT=$(TARGET)/{target}/debug"));
        make.env("RUSTFLAGS", "-Zsanitizer=address");
    }
    make.arg(format!("CARGO={}", env!("CARGO"))).arg(format!("PREFIX={PREFIX}"));
    make.arg(format!("DESTDIR={}", destination.display())).output().expect("GNU make")
}

/// Returns the path of an installed file or directory. `path` is relative to [`PREFIX`].
fn installed(path: &str) -> PathBuf {
    destination().join(PREFIX.trim_start_matches('/')).join(path)
}

/// Runs a program. Returns `None` if the program is not installed.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], input: &[u8]) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(ROOT).env("LD_LIBRARY_PATH", installed("lib"));
    command.env("PKG_CONFIG_SYSROOT_DIR", destination()).env("PKG_CONFIG_PATH", installed("lib/pkgconfig"));
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        spawned => spawned.unwrap(),
    };
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Some(output)
}

#[track_caller]
fn succeeds(output: &Output) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
}

/// Returns the flags that `pkg-config` prints for the installed library. If `pkg-config` is not installed, returns
/// `by_hand`.
fn flags(options: &[&str], by_hand: &str) -> Vec<String> {
    let output = run("pkg-config", &[options, &["urlspool"]].concat(), b"");
    let words = match &output {
        Some(output) => {
            succeeds(output);
            String::from_utf8(output.stdout.clone()).unwrap()
        }
        None => by_hand.replace("PREFIX", installed("").to_str().unwrap()),
    };
    words.split_whitespace().map(str::to_owned).collect()
}

/// Writes a program from the README to a file, and returns the path. In the README, the first line of the program is a
/// comment that begins with `name`.
fn of_reference(name: &str) -> String {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let begin = readme.find(&format!("```c\n/* {name}:")).expect("it is on the page") + "```c\n".len();
    let length = readme[begin..].find("```\n").unwrap();
    let path = format!("{}/{name}.c", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&path, &readme[begin..begin + length]).unwrap();
    path
}

/// Compiles C files to one program. `with` has further arguments for the compiler, such as libraries. A name without a
/// directory, such as `url`, means the file `capi/tests/url.c`.
fn compile(names: &[&str], how: &str, with: &[String]) -> String {
    let stem = Path::new(names[0]).file_stem().unwrap().to_str().unwrap();
    let out = format!("{}/{stem}-{how}", env!("CARGO_TARGET_TMPDIR"));
    let source = |name: &&str| if name.starts_with('/') { (*name).to_owned() } else { format!("tests/{name}.c") };
    let sources: Vec<String> = names.iter().map(source).collect();
    let cflags = flags(&["--cflags"], "-IPREFIX/include");
    let mut arguments = vec!["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-o", &out];
    if sanitized().is_some() {
        arguments.extend(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]);
    }
    arguments.extend(sources.iter().chain(&cflags).chain(with).map(String::as_str));
    succeeds(&run("cc", &arguments, b"").expect("a C compiler"));
    out
}

fn compile_dynamic(names: &[&str]) -> String {
    let mut with = flags(&["--libs"], "-LPREFIX/lib -lurlspool");
    with.push("-lpthread".into());
    compile(names, "dynamic", &with)
}

fn compile_both(name: &str) -> [String; 2] {
    let library = installed("lib/liburlspool.a").to_str().unwrap().to_owned();
    let pc = fs::read_to_string(installed("lib/pkgconfig/urlspool.pc")).unwrap();
    let private = pc.lines().find_map(|line| line.strip_prefix("Libs.private: ")).unwrap();
    let with_static: Vec<String> = std::iter::once(library).chain(private.split(' ').map(Into::into)).collect();
    [compile(&[name], "static", &with_static), compile_dynamic(&[name])]
}

/// Runs a program, and checks that it has no memory error and no leak. Uses valgrind if it is installed. A program with
/// sanitizers runs without valgrind.
fn checked(program: &str, arguments: &[&str], input: &[u8]) -> Output {
    checked_for("definite,possible", program, arguments, input)
}

fn checked_for(leaks: &str, program: &str, arguments: &[&str], input: &[u8]) -> Output {
    if sanitized().is_some() {
        let output = run(program, arguments, input).unwrap();
        succeeds(&output);
        return output;
    }
    let (show, fail) = (format!("--show-leak-kinds={leaks}"), format!("--errors-for-leak-kinds={leaks}"));
    let options = ["-q", "--leak-check=full", &show, &fail, "--error-exitcode=99", program];
    let all = [&options, arguments].concat();
    let output = run("valgrind", &all, input).unwrap_or_else(|| {
        eprintln!("valgrind is not installed: {program} runs without it");
        run(program, arguments, input).unwrap()
    });
    succeeds(&output);
    output
}

#[test]
fn the_c_program_contract_c_passes() {
    for name in ["contract", "url"] {
        for program in compile_both(name) {
            checked(&program, &[], b"");
        }
    }
}

/// Passes the messages of the corpus to the fuzz target. Under valgrind, which makes the program fifty times slower,
/// only three messages are used.
#[test]
fn the_fuzz_target_holds_for_the_corpus() {
    let mut with = flags(&["--libs"], "-LPREFIX/lib -lurlspool");
    with.extend(["-lpthread".into(), "-DSTANDALONE".into()]);
    let program = compile(&["fuzz"], "dynamic", &with);
    let mail = Path::new(ROOT).join("../corpus/mail");
    let files = fs::read_dir(mail).unwrap().map(|file| file.unwrap().path().to_str().unwrap().to_owned());
    let mut files: Vec<String> = files.filter(|file| file.ends_with(".eml")).collect();
    files.sort();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    succeeds(&run(&program, &files, b"").unwrap());
    checked(&program, &files[..3], b"");
}

#[test]
fn c_programs_read_files_and_streams() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let mbox = "From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <1@a>\nDate: Thu, 1 Jan 1970 00:01:00 +0000\n\n\
        http://a/\n\n\
        From a@b Mon Jan  1 00:00:00 2001\nMessage-ID: <2@a>\nDate: Thu, 1 Jan 1970 00:02:00 +0000\n\n\
        http://b/\n";
    fs::write(folder.join("a-mbox"), mbox).unwrap();
    // A truncated gzip file. It has one block, which is stored uncompressed and is not marked as the last block.
    let text = b"http://c/\n";
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, text.len() as u8, 0, !text.len() as u8, 0xff];
    gzip.extend(text);
    fs::write(folder.join("b.gz"), gzip).unwrap();
    fs::write(folder.join("c.lz4"), b"\x04\x22\x4d\x18 something").unwrap();
    let folder = folder.to_str().unwrap();
    let gone = format!("{folder}/gone");
    let of_mbox =
        |file: &str| format!("{file}:5 message 1 <1@a> at 60 http://a/\n{file}:11 message 2 <2@a> at 120 http://b/\n");
    let stream = "stream:11 message 2 <2@a> at 120 http://b/\n";
    let all = format!(
        "{}{folder}/b.gz:1 message 0 http://c/\n\
        problem 6, errno 0: {folder}/b.gz: decompressed offset 10: \
        the compressed data is truncated; everything that could be decoded was read\n\
        problem 5, errno 0: {folder}/c.lz4: a file compressed by lz4 is not supported\n\
        problem 1, errno 2: {gone}: cannot be opened: No such file or directory (os error 2)\n\
        {}result 2\n",
        of_mbox(&format!("{folder}/a-mbox")),
        of_mbox("-"),
    );
    let first = |lines: usize| -> String { all.split_inclusive('\n').take(lines).collect::<String>() + "result 1\n" };
    let paths = [folder, gone.as_str(), "-"];
    let table: &[(&[&str], &[&str], String)] = &[
        (&["1", "0"], &paths, all.clone()),
        (&["2", "0"], &paths, all.clone()),
        (&["1", "2"], &paths, first(2)),
        (&["2", "4"], &paths, first(4)),
        (&["1", "0"], &["stream"], format!("{stream}result 0\n")),
        (&["1", "1"], &["stream"], format!("{stream}result 1\n")),
        (
            &["1", "0"],
            &["fails"],
            "problem 3, errno 5: fails: cannot be read to its end: Input/output error (os error 5)\nresult 2\n".into(),
        ),
    ];
    for program in compile_both("mailbox") {
        for (options, paths, want) in table {
            let arguments = [*options, paths].concat();
            // If urlspool started threads, Rust keeps the handle of the main thread and the queues of the thread pool
            // until the program exits. This is not a leak.
            let leaks = if options[0] == "2" { "definite" } else { "definite,possible" };
            let output = checked_for(leaks, &program, &arguments, mbox.as_bytes());
            assert_eq!(String::from_utf8_lossy(&output.stdout), *want, "{arguments:?}");
        }
    }
}

/// Compares the output of two programs from the README. One program gets the URLs in a callback, and the other program
/// gets them in a loop.
#[test]
fn a_search_can_be_a_loop() {
    let listed = checked(&compile_dynamic(&[&of_reference("list")]), &["../corpus/maildir"], b"").stdout;
    let output = checked(&compile_dynamic(&[&of_reference("next")]), &["../corpus/maildir"], b"").stdout;
    let listed = String::from_utf8(listed).unwrap();
    let urls: Vec<&str> = listed.lines().map(|line| line.rsplit_once(' ').unwrap().1).collect();
    assert_eq!(String::from_utf8(output).unwrap().lines().collect::<Vec<_>>(), urls);
}

#[test]
fn the_first_program_lists_urls() {
    let output = checked(&compile_dynamic(&[&of_reference("list")]), &["../corpus/maildir"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() > 1 && text.lines().all(|line| line.starts_with("../corpus/maildir/")), "{text}");
}

/// Compiles the milter from the README, and runs it with a small driver instead of libmilter. If libmilter is
/// installed, the test uses its header, and also checks that the milter can be linked with libmilter. Otherwise, the
/// test uses a stub of the header.
#[test]
fn a_milter_can_be_written() {
    let milter = of_reference("milter");
    let with_libmilter =
        run("cc", &["-E", "-x", "c", "-"], b"#include <libmilter/mfapi.h>\n").unwrap().status.success();
    let mut with = flags(&["--libs"], "-LPREFIX/lib -lurlspool");
    if with_libmilter {
        let with: Vec<String> = with.iter().cloned().chain(["-lmilter".into(), "-lpthread".into()]).collect();
        compile(&[&milter], "libmilter", &with);
    } else {
        eprintln!("libmilter is not installed: a stub of its header takes its place");
        with.push("-Itests/stub".into());
    }
    let program = compile(&[&milter, "milter_driver"], "driven", &with);
    let want = "X-URLs: 2, disguised: 1\naccepted\n\
        550 5.7.1 The message has a link to a listed host\nrejected\n\
        550 5.7.1 The message has a link to a listed host\nrejected\n\
        X-URLs: 1, disguised: 0\naccepted\n\
        550 5.7.1 The message has a link to a listed host\nrejected\n\
        550 5.7.1 The message has a link to a listed host\nrejected\n";
    let list = Path::new(&program).with_extension("list");
    fs::write(&list, "# hosts\nlisted.example\r\n\nevil.example # a comment").unwrap();
    let list = list.to_str().unwrap();
    assert_eq!(String::from_utf8_lossy(&checked(&program, &["inet:8890@localhost", list], b"").stdout), want);
    assert_eq!(run(&program, &["inet:8890@localhost", "/missing"], b"").unwrap().status.code(), Some(66));
}

/// Checks that the README mentions every name in the header.
#[test]
fn the_readme_lists_every_declaration() {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let header = fs::read_to_string(Path::new(ROOT).join("include/urlspool.h")).unwrap();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let known = words(&readme);
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    // Collect the names that begin with `urlspool_`, and the names of the fields of structs. In the header, a field is
    // on a line that begins with two spaces.
    let mut missing: Vec<String> = code
        .flat_map(|line| {
            let field = line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).and_then(|line| {
                let name = line.trim_end_matches(|c: char| !c.is_ascii_lowercase());
                words(name.split('[').next()?).pop()
            });
            words(line).into_iter().filter(|word| word.to_lowercase().starts_with("urlspool_")).chain(field)
        })
        .filter(|name| name != "URLSPOOL_H" && !known.contains(name))
        .collect();
    missing.dedup();
    assert!(missing.is_empty(), "README.md does not have {missing:?}");
}

#[test]
fn a_message_becomes_a_page() {
    let source = fs::read_to_string(Path::new(ROOT).join("tests/links.c")).unwrap();
    let lines = source.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 30, "it should be shorter than {lines} lines");
    let message = b"Subject: <x>\nContent-Transfer-Encoding: quoted-printable\n\n\
        See http://www.example.org/?a=3D1&b=\n=3D2, or javascript:alert(1).\n";
    let page = "Subject: &#60;x&#62;\nContent-Transfer-Encoding: quoted-printable\n\n\
        See <a href=\"http://www.example.org/?a=1&#38;b=2\">http://www.example.org/?a=3D1&#38;b=\n=3D2</a>, \
        or javascript:alert(1).\n";
    let [with_static, with_dynamic] = compile_both("links");
    for program in [&with_static, &with_dynamic] {
        assert_eq!(String::from_utf8_lossy(&checked(program, &[], message).stdout), page);
    }
    let mut count = 0;
    for entry in fs::read_dir(Path::new(ROOT).join("../corpus/mail")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let message = fs::read(&path).unwrap();
            let output = if count < 12 {
                checked(&with_static, &[], &message)
            } else {
                run(&with_static, &[], &message).unwrap()
            };
            succeeds(&output);
            count += 1;
        }
    }
    assert!(count >= 40, "{count} messages");
}

/// Checks that the header is up to date. `URLSPOOL_WRITE=1 cargo test -p urlspool-capi` writes the header.
#[test]
fn the_header_is_generated_from_the_code() {
    let config = cbindgen::Config::from_file(Path::new(ROOT).join("cbindgen.toml")).unwrap();
    let mut header = Vec::new();
    cbindgen::generate_with_config(ROOT, config).unwrap().write(&mut header);
    let path = Path::new(ROOT).join("include/urlspool.h");
    if std::env::var_os("URLSPOOL_WRITE").is_some() {
        fs::write(&path, &header).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), String::from_utf8(header).unwrap());
}

#[test]
fn the_header_compiles_as_cpp() {
    let source = b"#include <urlspool.h>\nint main() { urlspool_free(urlspool_new()); }\n";
    let arguments = ["-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-"];
    match run("c++", &arguments, source) {
        Some(output) => succeeds(&output),
        None => eprintln!("no C++ compiler is installed: skipped"),
    }
}

/// Checks that `make install` installs the right files, and that `make uninstall` removes them.
#[test]
fn make_install_and_uninstall_are_complete() {
    let (minor, _) = VERSION.rsplit_once('.').unwrap();
    let pc = fs::read_to_string(installed("lib/pkgconfig/urlspool.pc")).unwrap();
    assert!(pc.contains(&format!("\nVersion: {VERSION}\n")), "{pc}");
    for line in [format!("prefix={PREFIX}"), format!("libdir={PREFIX}/lib"), format!("includedir={PREFIX}/include")] {
        assert!(pc.lines().any(|other| other == line), "{pc}");
    }
    let link = |name: &str| fs::read_link(installed("lib").join(name)).unwrap();
    assert_eq!(link("liburlspool.so"), Path::new(&format!("liburlspool.so.{minor}")));
    assert_eq!(link(&format!("liburlspool.so.{minor}")), Path::new(&format!("liburlspool.so.{VERSION}")));
    let library = installed("lib").join(format!("liburlspool.so.{VERSION}"));
    let library = library.to_str().unwrap();
    match run("readelf", &["-d", library], b"") {
        Some(output) => {
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains(&format!("Library soname: [liburlspool.so.{minor}]")), "{text}");
        }
        None => eprintln!("readelf is not installed: skipped"),
    }
    match run("nm", &["-D", "--defined-only", library], b"") {
        Some(output) => {
            let text = String::from_utf8(output.stdout).unwrap();
            let mut exported: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next_back()).collect();
            exported.sort_unstable();
            let header = fs::read_to_string(installed("include/urlspool.h")).unwrap();
            let mut declared: Vec<&str> = header
                .lines()
                .filter(|line| !line.starts_with(['/', ' ']) && !line.starts_with("typedef") && line.contains('('))
                .filter_map(|line| line.split('(').next()?.rsplit([' ', '*']).next())
                .filter(|name| name.starts_with("urlspool_"))
                .collect();
            declared.sort_unstable();
            assert_eq!(exported, declared);
        }
        None => eprintln!("nm is not installed: skipped"),
    }
    // `make uninstall` runs on a copy of the installation, because other tests need the original.
    let destination = Path::new(env!("CARGO_TARGET_TMPDIR")).join("removed");
    let _ = fs::remove_dir_all(&destination);
    succeeds(&Command::new("cp").arg("-R").args([self::destination(), &destination]).output().unwrap());
    succeeds(&make("uninstall", &destination));
    let found = Command::new("find").arg(&destination).args(["!", "-type", "d"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
}
