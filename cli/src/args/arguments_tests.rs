//! Tests that any arguments are a job or an error, and never cause a panic.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::flags::{Flag, Kind};
use super::{Asked, Given, Wrong, conflicts, flags, jobs};

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
    b"-",
    b"--",
    b"-5",
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
    b"likely",
    b"all",
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
    b"-Hnu",
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

static OPTIONS: LazyLock<Vec<Flag>> = LazyLock::new(|| flags::all().collect());

fn option((index, value, form): (prop::sample::Index, &[u8], u8)) -> OsString {
    let option = &OPTIONS[index.index(OPTIONS.len())];
    let takes = !option.value.is_empty();
    let is_path = matches!(option.kind, Kind::Text | Kind::Texts);
    let mut text = match option.short {
        Some(short) if form % 3 == 0 => format!("-{short}").into_bytes(),
        _ => format!("--{}", option.name).into_bytes(),
    };
    // An option that takes a path always gets a path in a directory that does not exist. Without this path, the next
    // argument would be the value of the option, and the test could write a file of that name.
    if is_path {
        text.extend([b"=", NOWHERE.as_os_str().as_encoded_bytes(), b"/", value].concat());
    } else if takes && form < 200 || form < 5 {
        let names = option.names();
        let name = names.get(usize::from(form) % names.len().max(1)).map(|(name, _)| name.as_bytes());
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
    fn any_arguments_are_a_job_or_an_error(job in 0..jobs::JOBS.len(), arguments in arguments()) {
        let mut all: Vec<_> = jobs::JOBS[job].words.iter().map(OsString::from).collect();
        all.extend(arguments);
        // The last argument is a path, so urlspool does not read standard input.
        all.push(NOWHERE.clone().into_os_string());
        let checked = |given: Given| {
            conflicts::check(&given)?;
            given.options()?;
            given.fields()?;
            Ok(())
        };
        let result = super::read(&all).and_then(|asked| match asked {
            Asked::Job(given) => checked(given),
            _ => Ok(()),
        });
        if let Err(Wrong(why)) = result {
            prop_assert!(!why.trim().is_empty());
            // The error is one line. It can quote an argument, whose control characters must not reach the terminal.
            prop_assert!(!why.contains(char::is_control), "{}", why.escape_debug());
        }
        prop_assert!(!NOWHERE.exists());
    }
}
