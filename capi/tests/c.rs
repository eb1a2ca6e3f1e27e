//! The interface as C sees it: programs are compiled against the header and the libraries, and run.
//!
//! Wants a C compiler as `cc`. valgrind, a C++ compiler and pkg-config take part if they are installed.

use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where the static and the dynamic library are; built here, for a test does not link them.
fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--locked", "--lib", "--target-dir"]).arg(target).current_dir(ROOT);
        assert!(cargo.status().unwrap().success());
        target.join("debug")
    })
}

/// Runs a program to its end; `None` if it is not installed.
fn run(program: impl AsRef<OsStr>, arguments: &[&str], input: &[u8]) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(ROOT).env("LD_LIBRARY_PATH", libraries());
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

/// Compiles the C program `name` and links it with these.
fn compile(name: &str, how: &str, with: &[&str]) -> String {
    let out = format!("{}/{name}-{how}", env!("CARGO_TARGET_TMPDIR"));
    let source = format!("tests/{name}.c");
    let mut arguments =
        vec!["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-Iinclude", &source, "-o", &out];
    arguments.extend(with);
    succeeds(&run("cc", &arguments, b"").expect("a C compiler"));
    out
}

fn compile_both(name: &str) -> [String; 2] {
    let dir = libraries().to_str().unwrap();
    let library = format!("{dir}/liburlspool.a");
    let pc = fs::read_to_string(Path::new(ROOT).join("urlspool.pc")).unwrap();
    let private = pc.lines().find_map(|line| line.strip_prefix("Libs.private: ")).unwrap();
    let with_static: Vec<&str> = std::iter::once(library.as_str()).chain(private.split(' ')).collect();
    [compile(name, "static", &with_static), compile(name, "dynamic", &[&format!("-L{dir}"), "-lurlspool", "-lpthread"])]
}

/// Under valgrind, if it is installed: no error and no leak.
fn checked(program: &str, input: &[u8]) -> Output {
    let options =
        ["-q", "--leak-check=full", "--show-leak-kinds=definite,possible", "--errors-for-leak-kinds=definite,possible"];
    let arguments = [&options[..], &["--error-exitcode=99", program]].concat();
    let output = run("valgrind", &arguments, input).unwrap_or_else(|| {
        eprintln!("valgrind is not installed: {program} runs without it");
        run(program, &[], input).unwrap()
    });
    succeeds(&output);
    output
}

#[test]
fn the_contract_holds() {
    for program in compile_both("contract") {
        checked(&program, b"");
    }
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
        assert_eq!(String::from_utf8_lossy(&checked(program, message).stdout), page);
    }
    let mut count = 0;
    for entry in fs::read_dir(Path::new(ROOT).join("../corpus/mail")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let message = fs::read(&path).unwrap();
            let output =
                if count < 12 { checked(&with_static, &message) } else { run(&with_static, &[], &message).unwrap() };
            succeeds(&output);
            count += 1;
        }
    }
    assert!(count >= 40, "{count} messages");
}

/// `URLSPOOL_WRITE=1 cargo test -p urlspool-capi` writes it anew.
#[test]
fn the_header_is_that_of_the_code() {
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
fn the_header_is_one_of_cpp_too() {
    let source = b"#include <urlspool.h>\nint main() { urlspool_free(urlspool_new(0)); }\n";
    let arguments = ["-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-"];
    match run("c++", &arguments, source) {
        Some(output) => succeeds(&output),
        None => eprintln!("no C++ compiler is installed: left out"),
    }
}

#[test]
fn pkg_config_knows_it() {
    let pc = fs::read_to_string(Path::new(ROOT).join("urlspool.pc")).unwrap();
    assert!(pc.contains(concat!("\nVersion: ", env!("CARGO_PKG_VERSION"), "\n")));
    match run("pkg-config", &["--define-variable=prefix=/x", "--cflags", "--libs", "./urlspool.pc"], b"") {
        Some(output) => {
            succeeds(&output);
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "-I/x/include -L/x/lib -lurlspool");
        }
        None => eprintln!("pkg-config is not installed: left out"),
    }
}
