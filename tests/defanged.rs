//! Runs the cases of `corpus/defanged.toml`. Each case has a text and the hits that `--defanged` finds in it.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use urlspool::{Event, Extractor};

use crate::cpu;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    source: String,
    text: String,
    /// A string that replaces each `{{x}}` in the text and in the expected URLs, and how often it is repeated.
    repeat: Option<(String, usize)>,
    #[serde(default)]
    hits: Vec<Want>,
}

/// An expected hit. By default, `defanged` is true and `written` is the same as `url`. `alternatives` and `doubtful`
/// are checked only if the case sets them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Want {
    url: String,
    /// The URL as written in the text.
    written: Option<String>,
    #[serde(default = "yes")]
    defanged: bool,
    alternatives: Option<Vec<WantAlternative>>,
    /// The name of the reason for doubt; `no` if the hit is not doubtful.
    doubtful: Option<String>,
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
struct WantAlternative {
    url: String,
    reason: String,
}

fn yes() -> bool {
    true
}

struct Got {
    url: String,
    place: std::ops::Range<usize>,
    line: Option<u64>,
    defanged: bool,
    alternatives: Vec<WantAlternative>,
    doubtful: String,
}

fn find(defanged: bool, text: &[u8]) -> Vec<Got> {
    let extractor = Extractor::new().set("defanged", &defanged.to_string()).unwrap();
    let mut got = Vec::new();
    let flow = extractor.read(text).each(&mut |event: Event<'_>| {
        let hit = match event {
            Event::Hit(hit) => hit,
            Event::Error(_) => return ControlFlow::Break(()),
            _ => return ControlFlow::Continue(()),
        };
        let start = usize::try_from(hit.offset()).unwrap();
        let length = usize::try_from(hit.length()).unwrap();
        let other = |other: &urlspool::Alternative| WantAlternative {
            url: String::from_utf8(other.url.clone()).unwrap(),
            reason: other.reason.as_str().to_string(),
        };
        got.push(Got {
            url: hit.url().to_string(),
            place: start..start + length,
            line: Some(hit.line()).filter(|line| *line > 0),
            defanged: hit.defanged(),
            alternatives: hit.alternatives().iter().map(other).collect(),
            doubtful: hit.doubt().map_or("no", |reason| reason.as_str()).to_string(),
        });
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    got
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/defanged.toml");
    let mut cases = toml::from_str::<Table>(&fs::read_to_string(file).unwrap()).unwrap().case;
    for case in &mut cases {
        let Some((text, times)) = &case.repeat else { continue };
        let urls = case.hits.iter_mut().flat_map(|want| [Some(&mut want.url), want.written.as_mut()]).flatten();
        urls.chain([&mut case.text]).for_each(|url| *url = url.replace("{{x}}", &text.repeat(*times)));
    }
    cases
}

#[test]
fn every_case_of_the_table_passes() {
    for case in cases() {
        // The first prefix makes plain text of the case, the second a message, and the third an mbox with one message.
        for before in ["words\n\n", "Subject: x\n\n\n", "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\n> \n"] {
            let text = format!("{before}{}\n", case.text);
            let got = find(true, text.as_bytes());
            let urls: Vec<_> = got.iter().map(|got| &got.url).collect();
            let wanted: Vec<_> = case.hits.iter().map(|want| &want.url).collect();
            let id = format!("{} ({}), after {before:?}", case.name, case.source);
            assert_eq!(urls, wanted, "{id}");
            for (want, got) in case.hits.iter().zip(&got) {
                let written = want.written.as_ref().unwrap_or(&want.url);
                assert_eq!(&text[got.place.clone()], written, "{id}");
                let line = 1 + text[..got.place.start].matches('\n').count() as u64;
                assert_eq!(got.line, Some(line), "{id}");
                assert_eq!(got.defanged, want.defanged, "{id}: {written}");
                let is = |want: &Vec<_>| *want == got.alternatives;
                assert!(want.alternatives.as_ref().is_none_or(is), "{id}: {:?}", got.alternatives);
                assert!(want.doubtful.as_ref().is_none_or(|want| *want == got.doubtful), "{id}: {}", got.doubtful);
            }
        }
    }
}

/// Checks that `--defanged` loses no URL. Each URL that is found without this option must also be found with it, as a
/// hit or as an alternative of a hit. The only exceptions are URLs that overlap a defanged URL.
#[test]
fn urls_that_are_not_defanged_stay() {
    for case in cases() {
        let with = find(true, case.text.as_bytes());
        for plain in find(false, case.text.as_bytes()) {
            let same = |got: &Got| got.url == plain.url || got.alternatives.iter().any(|other| other.url == plain.url);
            let overlaps = |got: &Got| got.place.start < plain.place.end && plain.place.start < got.place.end;
            let stays = with.iter().any(|got| same(got) || (got.defanged && overlaps(got)));
            assert!(stays, "{}: {}", case.name, plain.url);
        }
    }
}

/// The offset and length of a hit count the encoded bytes in the file, including line breaks and escapes such as `=3A`.
#[test]
fn defanged_urls_in_encoded_parts_are_found() {
    const QUOTED: &str = "Content-Transfer-Encoding: quoted-printable\n\n";
    let html = format!("Content-Type: text/html\n{QUOTED}");
    let table = [
        (QUOTED, "hxxp=3A//a [=\n.] example/x=3Dy", "http://a.example/x=y", "hxxp=3A//a [=\n.] example/x=3Dy"),
        (
            "Content-Transfer-Encoding: base64\n\n",
            "IGh4eHA6Ly9hIFsuXSBiLmV4YW1wbGUvIA==",
            "http://a.b.example/",
            "4eHA6Ly9hIFsuXSBiLmV4YW1wbGUv",
        ),
        (html.as_str(), "<p>hxxp://a &#91;.=5D example/</p>", "http://a.example/", "hxxp://a &#91;.=5D example/"),
        (html.as_str(), "<a href=3D'http://a%5B.%5Dexample/'>", "http://a.example/", "http://a%5B.%5Dexample/"),
        ("X-URL: hxxp://h[.]example/\n\n", "", "http://h.example/", "hxxp://h[.]example/"),
        // No field declares the encoding, and a soft line break splits the only mark.
        (
            "\n",
            "The gateway has lost the field that says how this text is encoded. The a=\n\
             ddress in the report is written like this so that nobody opens it: http[=\n\
             :]//a.example/x=3Dy",
            "http://a.example/x=y",
            "http[=\n:]//a.example/x=3Dy",
        ),
    ];
    for (headers, body, url, written) in table {
        let text = format!("Subject: x\n{headers}{body}\n");
        let got = find(true, text.as_bytes());
        let found: Vec<_> = got.iter().map(|got| (got.url.as_str(), got.defanged)).collect();
        assert_eq!(found, [(url, true)], "{text}");
        let bytes = &text[got[0].place.clone()];
        assert!(bytes.contains(written) && bytes.len() <= written.len() + 2, "{bytes}");
    }
}

/// If one text is eight times as long as another, its search may take at most sixteen times as much time.
#[test]
fn defanged_text_is_searched_in_linear_time() {
    const SMALL: usize = 8 << 10;
    const TRIES: usize = 5;
    let units = [
        "[.]",
        " [.] ",
        "[",
        "[.",
        "[[",
        "hxxp",
        "hxxp:",
        "hxxp://",
        "hxxp://a [.] ",
        "hxxp://a dot ",
        " dot ",
        "a[.]",
        "a[.",
        r"a\.",
        "a [.] b ",
        "http://a/[.]",
        "http://a/[.] ",
        "http://a/x[.],",
        "http://a [.]b ",
        "[.]]]]",
        "{{.}}",
        "http://a[/]",
        "mailto:a[.]",
        "[at]",
        "[. ",
        "[.   ]",
        "[ . ]",
        ".]",
        "a.]",
        r"\[.\]",
        r"a\[.\]",
        r"\[",
        "(.)",
        "a[.](.)",
        "%5B.%5D",
        "a%5B.%5D",
        "hxxp://a[",
        "hxxp://a.]b ",
        "[://]",
    ];
    // The text is searched as one message. Plain text would be searched in windows of limited size, which could hide
    // quadratic time.
    let find = |text: &[u8]| {
        Extractor::new()
            .set("defanged", "true")
            .unwrap()
            .message_into(text, &mut |_: Event<'_>| ControlFlow::Continue(()))
    };
    for (head, unit) in ["", "hxxp://a"].iter().flat_map(|head| units.map(|unit| (head, unit))) {
        let text = [&b"\n"[..], head.as_bytes(), &unit.as_bytes().repeat(8 * SMALL / unit.len())].concat();
        let is_linear = (0..TRIES).any(|_| {
            let (small, large) = (cpu::time(|| find(&text[..SMALL])), cpu::time(|| find(&text)));
            large < small.max(Duration::from_micros(100)) * 16
        });
        assert!(is_linear, "{head}{unit}");
    }
}

/// Found by fuzzing: the ranges of the second hit did not refer to the text of the MIME part. Instead, they referred to
/// an internal copy of this text, in which the first URL was no longer defanged.
#[test]
fn a_url_after_a_defanged_one_has_its_pieces_in_the_text_of_the_part() {
    let message = b"Subject: x\n\nhxxp://a[.]example/ and <http://b.example/c\nd>\n";
    let mut pieces = Vec::new();
    for message in Extractor::new().set("defanged", "true").unwrap().read(&message[..]).messages() {
        message.expect("a message").parts(|part| {
            for (hit, of_hit) in part.hits() {
                let text: Vec<_> = of_hit.iter().map(|piece| part.slice_to_str(piece.clone()).into_owned()).collect();
                pieces.push((hit.url().to_string(), text));
            }
        });
    }
    let text = ["http://b.example/c", "d"].map(str::to_owned).to_vec();
    assert_eq!(pieces, [("http://b.example/cd".to_owned(), text)]);
}
