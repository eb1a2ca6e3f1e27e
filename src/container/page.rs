//! Files that are one document of a media type: HTML pages, calendars and vCards, RTF, and JSON. They are recognized by their
//! first bytes, and read like a part of a message with this type.

use super::header::BOM;
use super::lines::{Form, SegmentStart};
use super::{SegmentKind, Unknown, Window};

/// JSON lines: each line is an object.
pub(super) const JSON_LINES: Form = Form {
    start: b"\n{\"",
    judge,
    // The first object of an array can be in the line of the bracket.
    preamble: |head| if head.starts_with(b"[{") { SegmentKind::Message } else { SegmentKind::Rest },
};

fn judge(window: Window<'_>, at: usize) -> Result<Option<SegmentStart>, Unknown> {
    match window.bytes[at..].get(..KEY_MAX) {
        None if !window.eof => Err(Unknown),
        _ => Ok(is_object(&window.bytes[at..]).then(|| SegmentStart::new(SegmentKind::Message, 0))),
    }
}

/// Maximum length in bytes of the beginning of an object up to the colon after its first key.
const KEY_MAX: usize = 256;

/// Whether `text` begins with a JSON object that has a key.
fn is_object(text: &[u8]) -> bool {
    let text = &text[..text.len().min(KEY_MAX)];
    let Some(key) = text.strip_prefix(b"{").and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\"")) else {
        return false;
    };
    let Some(end) = memchr::memchr2(b'"', b'\n', key) else { return false };
    key[end] == b'"' && key[end + 1..].trim_ascii_start().starts_with(b":")
}

/// Whether `head` is the beginning of JSON: an object with a key, or an array of such objects.
pub(super) fn begins_json(head: &[u8]) -> bool {
    let head = content(head);
    is_object(head) || head.strip_prefix(b"[").is_some_and(|rest| is_object(rest.trim_ascii_start()))
}

/// Whether `head` is the beginning of JSON in which each line is an object. The lines can be in an array.
pub(super) fn begins_json_lines(head: &[u8]) -> bool {
    let first = [&b"[\r\n"[..], b"[\n", b"["].iter().find_map(|open| head.strip_prefix(*open)).unwrap_or(head);
    let ends = memchr::memchr_iter(b'\n', first).take(2).map(|end| end + 1);
    first.starts_with(b"{\"")
        && is_object(first)
        && ends.clone().count() > 0
        && ends.into_iter().all(|at| {
            let next = &first[at..];
            next.is_empty() || next[0] == b']' || is_object(next)
        })
}

/// Whether `head` is the beginning of an iCalendar, vCalendar or vCard file.
#[inline]
pub(crate) fn begins_card(head: &[u8]) -> bool {
    // A fast path: most text begins with another letter.
    matches!(head.iter().find(|byte| !byte.is_ascii_whitespace()), Some(b'B' | b'b' | 0xEF))
        && begins_with(content(head), &[b"BEGIN:VCALENDAR", b"BEGIN:VCARD"])
}

pub(super) fn begins_rtf(head: &[u8]) -> bool {
    content(head).starts_with(b"{\\rtf")
}

/// Tags that HTML begins with. Most are those of the MIME Sniffing Standard, section 7.1, which browsers use.
const TAGS: [&[u8]; 25] = [
    b"<!doctype html",
    b"<!doctype svg",
    b"<a href",
    b"<b",
    b"<base",
    b"<blockquote",
    b"<body",
    b"<br",
    b"<center",
    b"<div",
    b"<font",
    b"<h1",
    b"<h2",
    b"<head",
    b"<html",
    b"<iframe",
    b"<meta",
    b"<p",
    b"<pre",
    b"<script",
    b"<style",
    b"<svg",
    b"<table",
    b"<title",
    b"<ul",
];

/// Whether `head` is the beginning of HTML or of an SVG picture. Comments and an XML declaration can be before the first
/// tag.
pub(crate) fn begins_html(head: &[u8]) -> bool {
    let ends = |rest: &[u8]| rest.first().is_none_or(|byte| b" \t\r\n\x0C>/=".contains(byte));
    let mut rest = content(head);
    loop {
        let end: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', b'x', b'm', b'l', ..] => b"?>",
            _ => return TAGS.iter().any(|tag| begins_with(rest, &[tag]) && ends(&rest[tag.len()..])),
        };
        let Some(at) = memchr::memmem::find(rest, end) else { return false };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
}

/// Skips a byte order mark and white space.
fn content(head: &[u8]) -> &[u8] {
    head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start()
}

fn begins_with(text: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;

    #[test]
    fn an_object_is_judged_when_its_first_key_is_known() {
        let judged = |text: &str, eof| judge(Window { bytes: text.as_bytes(), base: 0, eof }, 0);
        let start = Ok(Some(SegmentStart::new(SegmentKind::Message, 0)));
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(KEY_MAX));
        for (text, at_end, before_end) in [
            ("{\"a\"", Ok(None), Err(Unknown)),
            ("{\"a\": 1}", start, Err(Unknown)),
            (&long, start, start),
            (&long.replace(':', ";"), Ok(None), Ok(None)),
        ] {
            assert_eq!((judged(text, true), judged(text, false)), (at_end, before_end), "{text}");
        }
    }

    #[test]
    fn pages_are_detected_by_their_first_bytes() {
        let table: &[(&str, &str)] = &[
            ("html", "<HTML>"),
            ("html", "\u{feff}\r\n <!DOCTYPE html PUBLIC \"x\">"),
            ("html", "<!--X-Subject: x -->\n<!-- received=\"x\" -->\n<head>"),
            ("html", "<?xml version=\"1.0\"?>\n<svg xmlns=\"x\">"),
            ("html", "<h1>x</h1>"),
            ("html", "<p>x</p>"),
            ("html", "<P CLASS=x>"),
            ("html", "<a href=\"http://a.example/\">x</a>"),
            ("text", "<a file>"),
            ("text", "<path>/x"),
            ("text", "<divide>"),
            ("text", "<!-- <html>"),
            ("text", "<http://a.example/>"),
            ("calendar", "begin:vcard\r\n"),
            ("rtf", "{\\rtf1\\ansi x}"),
            ("text", "{\\r}"),
            ("json-lines", "{\"a\": 1}\n{\"b\": 2}\n"),
            ("json-lines", "{\"a\": 1}\n"),
            ("json-lines", "[{\"a\": 1},\n{\"b\": 2}]\n"),
            ("json-lines", "[\n{\"a\": 1}\n]\n"),
            ("json", "[{\"a\": 1},\n \"b\"]\n"),
            ("json", "{\"a\": 1}"),
            ("json", "[\n {\"a\": 1}]"),
            ("json", "{\n  \"a\": 1\n}\n"),
            ("text", "{\"a\"}"),
            ("text", "[1] {x}\n"),
        ];
        for (want, head) in table {
            assert_eq!(Format::detect(head.as_bytes()).name, *want, "{head:?}");
        }
    }
}
