//! Tests that any arguments return a job or an error, and never cause a panic.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::ValueParser;
use clap::{Arg, CommandFactory};
use proptest::prelude::*;

use crate::args::Args;
use crate::config;

/// Valid and invalid values of options. Some are not UTF-8.
const VALUES: &[&[u8]] = &[
    b"",
    b"0",
    b"1",
    b"-1",
    b"+5",
    b"2",
    b"100",
    b"18446744073709551615",
    b"18446744073709551616",
    b"1e9",
    b"0x10",
    b"4k",
    b"4M",
    b"999999999999G",
    b"1-2",
    b"2-1",
    b"1/2",
    b"0/2",
    b"3/2",
    b"2/0",
    b"1/18446744073709551615",
    b"-",
    b"--",
    b"0-",
    b"-5",
    b"10-18446744073709551615",
    b"1994",
    b"1994-02",
    b"1994-02-31",
    b"0000-00-00",
    b"9999-12-31",
    b"99999-01-01",
    b"-9999-01-01",
    b"1994-02-03T04:05:06Z",
    b"1994-02-03T25:00",
    b"@0",
    b"yesterday",
    b"http",
    b"HTTP,ftp",
    b",",
    b",,",
    b"a,b,",
    b"comp.*,!*.misc",
    b"[",
    b"[!",
    b"[z-a]",
    b"{",
    b"{a,b",
    b"**",
    b"!",
    b"\\",
    b"*",
    b"%",
    b"%00",
    b"url",
    b"count",
    b"hosts",
    b"file,line,url",
    b"url,url",
    b"none",
    b"mbox",
    b"message",
    b"auto",
    b"always",
    b"x:1",
    b"x:0",
    b"x:",
    b":",
    b"x:99999999999999999999",
    b"\xFF\xFE",
    b"\xC3",
    b"a\nb",
    b"a\0b",
    "\u{202e}".as_bytes(),
    b"\x1b[31m",
    b"=",
    b"==",
];

/// Arguments that are paths, unknown options or incomplete options.
const WORDS: &[&[u8]] = &[
    b"",
    b"-",
    b"--",
    b"---",
    b"-=",
    b"--=",
    b"-Z",
    b"-HnbM",
    b"-\xFF",
    b"--\xFF",
    b"--no-such",
    b"--js",
    b"-r",
    b"-i",
    b"-e",
    b"-m",
    b"--help",
    b"-h",
    b"--version",
    b"-V",
    b"http://a/",
    b"\xFF",
    b"a\nb",
    b"*.mbox",
    b"\x1b]0;x\x07",
];

/// A directory that does not exist, so that no option writes a file.
static NOWHERE: LazyLock<PathBuf> = LazyLock::new(|| std::env::temp_dir().join("urlspool-no-such-directory"));

static OPTIONS: LazyLock<Vec<Arg>> = LazyLock::new(|| {
    let command = Args::command();
    command.get_arguments().filter(|option| !option.is_positional()).cloned().collect()
});

fn option((index, value, form): (prop::sample::Index, &[u8], u8)) -> OsString {
    let option = &OPTIONS[index.index(OPTIONS.len())];
    let takes = option.get_action().takes_values();
    let is_path = takes && option.get_value_parser().type_id() == ValueParser::path_buf().type_id();
    let mut text = match (option.get_short(), option.get_long()) {
        (Some(short), _) if form % 3 == 0 => format!("-{short}").into_bytes(),
        (_, Some(long)) => format!("--{long}").into_bytes(),
        (Some(short), None) => format!("-{short}").into_bytes(),
        (None, None) => Vec::new(),
    };
    // An option that takes a path always gets a path in a directory that does not exist. Without this path, the next
    // argument would be the value of the option, and the test could write a file of that name.
    if is_path {
        text.extend([b"=", NOWHERE.as_os_str().as_encoded_bytes(), b"/", value].concat());
    } else if takes && form < 200 || form < 5 {
        let possible = option.get_possible_values();
        let name = possible.get(usize::from(form) % possible.len().max(1)).map(|value| value.get_name().as_bytes());
        text.extend([b"=", name.filter(|_| form % 4 > 0).unwrap_or(value)].concat());
    }
    argument(&text)
}

#[cfg(unix)]
fn argument(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn argument(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

fn arguments() -> impl Strategy<Value = Vec<OsString>> {
    let value = || prop::sample::select(VALUES);
    let one = prop_oneof![
        8 => (any::<prop::sample::Index>(), value(), any::<u8>()).prop_map(option),
        1 => prop::sample::select(WORDS).prop_map(argument),
        1 => value().prop_map(|name| argument(&[NOWHERE.as_os_str().as_encoded_bytes(), b"/", name].concat())),
    ];
    prop::collection::vec(one, 0..6)
}

/// The environment variable `URLSPOOL_CASES` sets the number of test cases.
fn cases() -> ProptestConfig {
    let cases = std::env::var("URLSPOOL_CASES").map_or(1000, |cases| cases.parse().expect("a number of cases"));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_arguments_are_a_job_or_an_error(arguments in arguments()) {
        let mut all = vec![OsString::from("urlspool")];
        all.extend(arguments);
        // The last argument is a path, so urlspool does not read standard input.
        all.push(NOWHERE.clone().into_os_string());
        config::is_filter(&all);
        if let Err(error) = config::read(&all) {
            let text = error.render().to_string();
            prop_assert!(!text.trim().is_empty());
            // The error can quote an argument. Control characters in the argument must not reach the terminal.
            let is_safe = |byte: u8| byte == b'\n' || byte == b'\t' || !byte.is_ascii_control();
            prop_assert!(text.bytes().all(is_safe), "{}", text.escape_debug());
        }
        prop_assert!(!NOWHERE.exists());
    }
}
