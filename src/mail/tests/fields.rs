//! Tests which header fields are visited, and with which text.

use super::super::words::{decode_words, may_hide_colon, may_hide_dot};
use super::*;

#[test]
fn fields_keep_their_folds_and_say_where_they_are() {
    let message = b"To: y\nX-URL: <http://example.org/\n one>\nCc: z\n\n";
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
    let (seen, _) = walk_with(message, &Limits::default(), &find);
    assert_eq!(scanned(&seen), ["|X-URL| <http://example.org/\\n one>"]);
    let kinds: Vec<_> = seen.iter().map(|seen| (seen.kind.as_str(), seen.raw.clone())).collect();
    assert_eq!(kinds, [("headers", 0..6), ("X-URL", 6..40), ("headers", 40..47)]);
}

#[test]
fn encoded_words_are_decoded_and_joined() {
    let message = b"Subject: =?utf-8?Q?http=3A//exam?=\n =?utf-8?B?cGxlLm9yZy8=?= x\n\n";
    let (seen, _) = walk_with(message, &Limits::default(), &|_| None);
    assert_eq!(scanned(&seen), ["|Subject|http://example.org/ x"]);
    assert!(!seen[0].exact);
}

/// Checks random fields that consist of encoded words. If the decoded value has a colon, `may_hide_colon` must return
/// `true`.
#[test]
fn fields_that_hide_a_colon_are_decoded() {
    let charsets = ["us-ascii", "utf-8", "UTF-7", "utf-7*en", "iso-2022-jp", "windows-1252", "utf-16", "gb18030", "hz"];
    let pieces = ["a", "=3A", "=3a", "=3", "A", ":", "Og==", "OjovLw", "+ADo-", "=1B$B", "=00", "3A", "?", "_", "="];
    let mut state = 7_u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let (mut hidden, mut skipped) = (0, 0);
    for _ in 0..20_000 {
        let mut value = String::new();
        for _ in 0..=random(3) {
            let (charset, encoding) = (charsets[random(charsets.len())], ["Q", "q", "B", "b"][random(4)]);
            let text: String = (0..random(6)).map(|_| pieces[random(pieces.len())]).collect();
            value += &format!(" =?{charset}?{encoding}?{text}?=");
        }
        let decoded = decode_words(value.as_bytes(), usize::MAX, None).expect("encoded words");
        let may_hide = may_hide_colon(value.as_bytes());
        // A word that has no colon is not decoded. In the other charsets, a colon is not always a colon.
        let is_plain = !["7", "iso-2022", "utf-16", "hz"].iter().any(|label| value.to_lowercase().contains(label));
        let is_visible = [":", "=3A", "=3a"].iter().any(|colon| value.contains(colon));
        assert!(!is_plain || is_visible || may_hide == decoded.contains(':'), "{value} is {decoded}");
        assert!(may_hide || !decoded.contains(':'), "{value} is {decoded}");
        hidden += usize::from(decoded.contains(':') && !value.contains(':'));
        skipped += usize::from(!may_hide);
    }
    assert!(
        hidden > 1000 && skipped > 1000,
        "only {hidden} values have a hidden colon, or only {skipped} values are not decoded"
    );
}

#[test]
fn long_fields_are_decoded() {
    let text = "=?utf-8?Q?see_http://a.example/?=\n ".repeat(20_000);
    let (seen, notes) = walk(format!("Subject: {text}x\n\n").as_bytes());
    assert_eq!(notes, []);
    assert_eq!(seen[0].text, format!("{} x", "see http://a.example/".repeat(20_000)).as_bytes());
}

#[test]
fn a_blank_line_may_be_a_fold() {
    let message = b"Subject: a\n \n b\nTo: y\n \nbody\n";
    let (seen, _) = walk(message);
    assert_eq!(scanned(&seen), ["|Subject| a\\n \\n b", "|To| y", "1|text|body\\n"]);
}

/// Returns the scanned regions of `message`. The prefilter finds `://`.
#[track_caller]
fn with_urls(message: &str) -> Vec<String> {
    let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"://");
    scanned(&walk_with(message.as_bytes(), &Limits::default(), &find).0)
}

#[test]
fn a_body_without_a_blank_line_before_it_may_begin_with_from() {
    let message = "Subject: x\nFrom http://a.example/ you can get it.\nBye\n\n-- \nme\n";
    assert_eq!(with_urls(message), ["1|text|From http://a.example/ you can get it.\\nBye\\n\\n-- \\nme\\n"]);
}

#[test]
fn a_stray_line_with_a_url_is_visited() {
    let stray = "see http://b.example/ too\nTo: y\n\nbody\n";
    let expected = ["|raw|see http://b.example/ too\\n", "1|text|body\\n"];
    assert_eq!(with_urls(stray), expected);
    let field = "|X-URL| http://a.example/";
    assert_eq!(with_urls(&format!("X-URL: http://a.example/\n{stray}")), [&[field], &expected[..]].concat());
}

#[test]
fn fields_that_are_one_url_are_unfolded() {
    for name in ["Content-Location", "content-base"] {
        let message = format!("{name}: http://a.example/lo\n ng/\n\tpath\n\n");
        assert_eq!(with_urls(&message), [format!("|{name}| http://a.example/long/path")]);
    }
}

#[test]
fn encoded_words_without_a_colon_are_not_decoded() {
    let message = b"To: =?utf-8?q?J=C3=BCrgen?= <j@a.example>\nSubject: =?utf-8?q?http=3A//a.example/?=\n\nx\n";
    let mut kinds = Vec::new();
    let mut visit = |region: &Region<'_>| {
        kinds.push(name(&region.kind));
        ControlFlow::Continue(())
    };
    let mut index = TriggerIndex::default();
    let prefilter = Prefilter::new(index.of(message, Dots::None), &|_| None);
    let flow = regions("", message, &mut Scratch::default(), prefilter, &mut (&mut visit, |_| {}));
    assert!(flow.is_continue());
    assert_eq!(kinds, ["headers", "Subject", "headers", "text"]);
}

#[test]
fn the_prefilter_finds_triggers_only_in_the_range() {
    let message = b"see http://a.example/";
    let mut index = TriggerIndex::default();
    for (range, want) in [(0..8, None), (0..9, Some(8)), (4..8, None), (4..9, Some(8)), (9..21, None)] {
        let mut prefilter = Prefilter::new(index.of(message, Dots::None), &|_| None);
        assert_eq!(prefilter.first(message, range.clone()), want, "{range:?}");
    }
}

/// A field is decoded if its words have a colon, or a dot if dots are wanted.
#[test]
fn fields_are_decoded_for_their_colons_and_dots() {
    for (word, has_colon, has_dot) in [
        ("=?utf-8?B?SsO8cmdlbg==?=", false, false),
        ("=?utf-8?B?SsO8cmdlbjo=?=", true, false),
        ("=?utf-8?B?Si4gTcO8bGxlcg==?=", false, true),
        ("=?utf-8?q?J=C3=BCrgen?=", false, false),
        ("=?utf-8?q?J=C3=BCrgen=3A?=", true, false),
        ("=?utf-8?q?J._M=C3=BCller?=", false, true),
        ("=?utf-8?q?J=2E_M=C3=BCller?=", false, true),
        ("=?utf-7?q?M+APw-ller?=", true, true),
    ] {
        let value = format!("Ann, {word} <j@example>");
        assert_eq!(may_hide_colon(value.as_bytes()), has_colon, "{word}");
        assert_eq!(may_hide_dot(value.as_bytes()), has_dot, "{word}");
        let message = format!("To: {value}\n\nx\n");
        for needs_dots in [false, true] {
            let mut kinds = Vec::new();
            let mut visit = |region: &Region<'_>| {
                kinds.push(name(&region.kind));
                ControlFlow::Continue(())
            };
            let mut index = TriggerIndex::default();
            let triggers = index.of(message.as_bytes(), Dots::None);
            let prefilter = Prefilter::new(triggers, &|_| None).reading_dots(needs_dots);
            let scratch = &mut Scratch::default();
            assert!(regions("", message.as_bytes(), scratch, prefilter, &mut (&mut visit, |_| {})).is_continue());
            let is_decoded = has_colon || needs_dots && has_dot;
            assert_eq!(kinds[0], if is_decoded { "To" } else { "headers" }, "{word}, {needs_dots}");
        }
    }
}
