use super::time::span;
use super::{OPTIONS, OptionKind, Options};

/// Sets one option, and returns its value in its shortest form.
fn set(name: &str, value: &str) -> Result<Option<String>, String> {
    let mut options = Options::default();
    options.set(name, value).map_err(|why| why.why().to_owned())?;
    let text = options.get(name);
    let changed: Vec<_> = options.changed().map(|(row, value)| (row.name, value)).collect();
    assert_eq!(changed, text.iter().map(|text| (name, text.clone())).collect::<Vec<_>>());
    if let Some(text) = &text {
        let mut again = Options::default();
        again.set(name, text).unwrap();
        assert_eq!(again, options, "{name} {value} {text}");
    }
    Ok(text)
}

#[test]
fn valid_values_are_set() {
    let table = [
        ("in", "headers,text,html,links,attachments", None),
        ("in", "headers,text,html", Some("headers,text,html")),
        ("in", "html, text", Some("text,html")),
        ("in", "headers", Some("headers")),
        ("join", "never", Some("never")),
        ("join", "likely", None),
        ("join", "0", Some("0")),
        ("join", "60", None),
        ("join", "90", Some("90")),
        ("hyphen", "keep", None),
        ("hyphen", "drop", Some("drop")),
        ("defanged", "true", Some("true")),
        ("defanged", "0", None),
        ("defanged", "1", Some("true")),
        ("zone", "body,!quote", Some("body")),
        ("zone", "!footer,!header", Some("body,quote,signature,attachment")),
        ("form", "!href", Some("wrapped,angle,bare,prefixed")),
        ("scheme", "http,FTP", Some("http,FTP")),
        ("form", "href,bare", Some("bare,href")),
        ("form", "wrapped,angle,bare,prefixed,href", None),
        ("form", "www,path", Some("www,path")),
        ("scheme", "+zoommtg,slack", Some("+zoommtg,slack")),
        ("scheme", "+http", None),
        ("scheme", "!mailto", Some("!mailto")),
        ("url", "wiki,/a{1,2}$/", Some("wiki,/a{1,2}$/")),
        ("from", "ann", Some("ann")),
        ("subject", "!re:", Some("!re:")),
        ("form", "+bare", None),
        ("form", "+www,path", Some("wrapped,angle,bare,prefixed,href,www,path")),
        ("host", "example.org,!=www.example.org", Some("example.org,!=www.example.org")),
        ("tier", "rfc1738", Some("rfc1738")),
        ("since", "1995", Some("1995-01-01T00:00:00Z")),
        ("until", "1995", Some("1995-12-31T23:59:59Z")),
        ("until", "9999", Some("@9223372036854775807")),
        ("since", "0000", Some("@-62167219200")),
        ("newsgroup", "comp.*,!comp.lang.*", Some("comp.*,!comp.lang.*")),
        ("newsgroup", "!a,*", Some("!a,*")),
        ("list", "announce", Some("announce")),
        ("format", "auto", None),
        ("format", "mbox", Some("mbox")),
        ("format", "maildir", Some("message")),
        ("format", "spool", Some("article")),
        ("format", "mail", Some("mail")),
        ("base", "http://a.example/b/", Some("http://a.example/b/")),
        ("max-message", "4M", None),
        ("max-message", "1", Some("1")),
        ("max-message", "12k", Some("12288")),
        ("max-message", "1G", Some("1073741824")),
        ("follow", "true", Some("true")),
        ("threads", "0", None),
        ("threads", "1024", Some("1024")),
        ("byte-range", "0-1K", Some("0-1024")),
        ("byte-range", "7-", Some("7-18446744073709551615")),
        ("shard", "2/3", Some("2/3")),
        ("count-lines", "true", Some("true")),
        ("count-lines", "false", Some("false")),
    ];
    for (name, value, want) in table {
        assert_eq!(set(name, value), Ok(want.map(str::to_owned)), "{name} {value}");
    }
    for row in OPTIONS {
        assert!(table.iter().any(|(name, ..)| *name == row.name), "no test of {}", row.name);
    }
}

#[test]
fn invalid_values_are_refused() {
    const SIZE: &str = "give a number of bytes, with or without K, M or G after it, such as 64M";
    const HOST: &str = "give only the name of a host, without scheme, user, port and path, such as example.org";
    const RANGE: &str = "give the beginning and the end of the range, such as 0-1G; 1G- means everything from 1G on";
    const SHARE: &str = "give I/N, such as 1/4, for share I of N shares; I is from 1 to N";
    let table: &[(&str, &[&str], &str)] = &[
        ("in", &["body", "headers;text"], "give one of headers, text, html"),
        ("in", &["text,body"], "unknown name \"body\": give one of headers, text, html"),
        ("in", &[""], "give one of headers, text, html"),
        ("join", &["", "101", "90%", "-1", "always"], "give never, likely, or a percentage from 0 to 100"),
        ("hyphen", &["both"], "give one of keep, drop"),
        ("defanged", &["", "yes", "2"], "give true or false"),
        ("scheme", &["", "http,", ",", "http,,ftp"], "the name of a scheme is empty; give names with commas"),
        ("scheme", &["+!http", "+zoommtg,!http"], "`+` finds URLs besides all others; remove it, or the `!`"),
        ("scheme", &["http://", "h\u{fc}", "a b", "http, ftp"], "this is not the name of a scheme; give names"),
        ("host", &["a.example:80", "*:8080,b", "a:", "http://a/", "b@a.example", "x,!b@*"], HOST),
        (
            "host",
            &["a..b", ".a", "!.a", "x, =.a", "a b", "*..b"],
            "a host has no blanks and no empty parts between dots",
        ),
        ("host", &["b\u{fc}*"], "write a pattern for international hosts in Punycode, such as xn--bcher-kva.*"),
        ("host", &["", "a,", "!"], "a pattern is empty; give names with commas between them, such as example.org,!www"),
        ("host", &["a[b"], "a set has no closing bracket"),
        (
            "newsgroup",
            &["", "a,"],
            "a pattern is empty; give names with commas between them, such as comp.*,!comp.lang",
        ),
        ("list", &[""], "a pattern is empty; give names with commas between them, such as announce,*.example.org"),
        ("url", &["/a{1000}{1000}/"], "/a{1000}{1000}/ is a regular expression that is too large; repeat less in it"),
        ("url", &["", "a,,b", "!", "a,!"], "a word is empty; give words with commas between them"),
        ("url", &["*.pdf", "a,!*.b"], "in a word, `*` stands for itself;"),
        ("url", &["!!a", "b,!!/a/"], "one `!` excludes; two have no meaning"),
        ("host", &["!!a.example", "a, !!b"], "one `!` excludes; two have no meaning"),
        ("url", &["/", "//", "/a", "a,/b,c", "!/a"], "a word that begins with a slash is a regular expression;"),
        ("from", &["/(b,c/", "a,/(b,c/"], "/(b,c/ is not a regular expression: unclosed group"),
        ("since", &["tomorrow"], "give a year, month, day or time: 1995, 1995-02, 1995-02-17"),
        ("format", &["mbxx"], "give one of auto, mail, rnews, mboxcl2,"),
        ("base", &["", "b/", "//a.example/"], "this is not a URL: "),
        ("max-message", &["", "k", "-1", "+1", "1T", "1.5M", "many", "99999999999999G"], SIZE),
        ("max-message", &["0", "2G"], "give a size from 1 to 1G"),
        ("threads", &["1025", "-1", ""], "give a number of threads from 1 to 1024, or 0 for one per core"),
        ("byte-range", &["", "5", "-5", "a-b", "1-2-3"], RANGE),
        ("byte-range", &["5-5", "6-5"], "the range is empty; the second number must be larger than the first"),
        ("shard", &["", "2", "0/3", "4/3", "1/0", "a/b", "-1/3"], SHARE),
    ];
    for (name, values, want) in table {
        for value in *values {
            let why = set(name, value).expect_err(value);
            assert!(why.starts_with(want), "{name} {value}: {why}");
        }
    }
}

#[test]
fn errors_name_the_option() {
    for (name, want) in [
        ("max_message", "unknown option max_message; did you mean max-message?"),
        ("newsgroups", "unknown option newsgroups; did you mean newsgroup?"),
        ("x", "unknown option x; the options are in, join, hyphen,"),
        ("shard", "invalid value \"v\" for the option shard: give I/N, such as 1/4"),
    ] {
        let error = Options::default().set(name, "v").unwrap_err().to_string();
        assert!(error.starts_with(want), "{error}");
    }
}

#[test]
fn flags_have_their_default() {
    for row in OPTIONS {
        if let OptionKind::Flag(default) = row.kind {
            assert_eq!(row.value_name, "");
            let other = (!default).to_string();
            assert_eq!(set(row.name, &other), Ok(Some(other)), "{}", row.name);
        } else {
            assert_ne!(row.value_name, "", "{}", row.name);
        }
        for (name, _) in row.values() {
            assert!(set(row.name, name).is_ok(), "{} {name}", row.name);
        }
    }
}

/// The current time in the test of dates, 1996-03-01T10:00:00Z.
const NOW: i64 = 825_674_400;

#[test]
fn dates_are_parsed() {
    let ago = |seconds: i64| NOW - seconds..=NOW - seconds;
    let table = [
        ("1995", 788_918_400..=820_454_399),
        ("1995-02", 791_596_800..=794_015_999),
        ("1995-12", 817_776_000..=820_454_399),
        ("1996-02-29", 825_552_000..=825_638_399),
        ("1995-02-17T10:00:00Z", 793_015_200..=793_015_200),
        ("1995-02-17 11:00:00+01", 793_015_200..=793_015_200),
        ("9999", 253_370_764_800..=i64::MAX),
        ("@-7", -7..=-7),
        // A number with a unit is a time before `NOW`.
        ("45s", ago(45)),
        ("30m", ago(1800)),
        ("12h", ago(43_200)),
        ("7d", ago(604_800)),
        ("2w", ago(1_209_600)),
        ("7 days ago", ago(604_800)),
        ("7days", ago(604_800)),
        ("2weeks", ago(1_209_600)),
        ("30min", ago(1800)),
        ("1year", ago(31_622_400)),
        ("1w 2d", ago(777_600)),
        ("1w, 2d", ago(777_600)),
        // `NOW` is on 1 March 1996. One month earlier is 29 days earlier, because February 1996 has 29 days.
        ("1mo", ago(2_505_600)),
        ("1y 1mo", ago(34_041_600)),
        // For `today` and `yesterday`, the result is a whole day in UTC.
        ("today", 825_638_400..=825_724_799),
        ("yesterday", 825_552_000..=825_638_399),
    ];
    for (text, want) in table {
        assert_eq!(span(text, NOW), Ok(want), "{text}");
    }
    // 31 March 1996. February 1996 ends on its 29th day.
    assert_eq!(span("1mo", NOW + 30 * 86_400), Ok(NOW - 86_400..=NOW - 86_400));
    for (text, want) in [
        ("", "give a year"),
        ("95", "give a year"),
        ("1995-2", "give a year"),
        ("1995-02-30", "that day does not exist"),
        ("1995-13", "that month does not exist"),
        ("d", "give a year"),
        ("7", "give a year"),
        ("7x", "give a year"),
        ("-7d", "write a time before now as 7d"),
        ("P7D", "give a year"),
        ("9999999w", "that time is too long ago"),
        ("99999999999999999y", "that time is too long ago"),
        ("1995-02-17-03", "give a year"),
        ("1995-02-17T25:00:00Z", "give a year"),
        ("+995", "give a year"),
        ("@x", "give a year"),
    ] {
        assert!(span(text, NOW).is_err_and(|why| why.starts_with(want)), "{text}");
    }
}

#[test]
fn hosts_and_lists_match() {
    let table = [
        ("host", "example.org", "example.org www.EXAMPLE.org a.b.example.org", "notexample.org example.org.uk org"),
        ("host", "=example.org", "example.org", "www.example.org"),
        ("host", "Example.ORG , example.com", "www.example.org example.com", "example.net"),
        ("host", "example.org,!www.example.org", "example.org ftp.example.org", "www.example.org a.www.example.org"),
        ("host", "example.org,!=example.org", "www.example.org", "example.org"),
        ("host", "*.example.org", "www.example.org", "example.org"),
        ("host", "!*.example.org,!a.example", "example.org b.example", "www.example.org a.example www.a.example"),
        ("list", "!announce", "talk announcements", "announce announce.example.org"),
        ("host", "192.0.2.1", "192.0.2.1", "192.0.2.10"),
        ("host", "localhost", "localhost", "local"),
        // The brackets of an address are not a set.
        ("host", "[2001:db8::1]", "[2001:DB8::1]", "2"),
        ("host", "*,![2001:db8:*", "a", "[2001:db8::1]"),
        ("host", "[*]", "[2001:db8::1]", "*"),
        ("host", "[fw]*.example.org", "www.example.org", "example.org"),
        ("host", "www[0-9].example.org", "www1.example.org", "www.example.org"),
        ("host", "=[2001:db8::1]", "[2001:db8::1]", "[::1]"),
        #[cfg(feature = "domain")]
        ("host", "b\u{fc}cher.example", "xn--bcher-kva.example www.xn--bcher-kva.example", "bucher.example"),
        (
            "list",
            "announce,!*.example.org,talk.example.com",
            "announce.example.com announce talk.example.com",
            "announce.example.org announcements.example.com",
        ),
        ("scheme", "http,FTP", "http HTTP ftp", "https"),
        ("scheme", "!mailto", "http", "mailto MAILTO"),
        ("url", "WIKI,/b{1,2}$/", "wikipedia abb", "abc"),
        ("url", "!a,! /^b/", "cb", "ba cab"),
        ("url", "a,!b,abc", "a abc", "b ab"),
        ("url", "a.c,(?i)", "xa.c (?i)", "abc"),
        ("from", "M\u{dc}LLER", "m\u{fc}ller", "mueller"),
        ("subject", "/(?-i)Re:|\\d/", "Re:a 1", "re:a"),
        ("subject", r"/\bpatch\b/", "patch [patch]", "patches \u{fc}patch"),
    ];
    for (name, text, all, none) in table {
        let mut options = Options::default();
        options.set(name, text).unwrap();
        let patterns = [options.hosts, options.lists, options.schemes, options.words, options.from, options.subject]
            .into_iter()
            .flatten()
            .next()
            .unwrap();
        for (names, want) in [(all, true), (none, false)] {
            for name in names.split(' ') {
                assert_eq!(patterns.matches(name.as_bytes()), want, "{text} {name}");
            }
        }
    }
}
