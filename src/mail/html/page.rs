//! The header fields of a message that a list archive shows as an HTML page.

use memchr::memmem::find;

use super::reference;
use crate::mail::date;
use crate::url::percent;

/// Number of bytes at the beginning of a page in which its fields are searched.
const SEARCHED: usize = 16 << 10;

/// Where MHonArc, hypermail and pipermail write a field: its name, the text before its value, and the text after it.
const FIELDS: &[(&str, &str, &str)] = &[
    // MHonArc.
    ("Subject", "<!--X-Subject: ", " -->"),
    ("Date", "<!--X-Date: ", " -->"),
    ("Message-ID", "<!--X-Message-Id: ", " -->"),
    // hypermail.
    ("Subject", "<!-- subject=\"", "\" -->"),
    ("Date", "<!-- sent=\"", "\" -->"),
    ("Date", "<!-- received=\"", "\" -->"),
    ("Message-ID", "<!-- id=\"", "\" -->"),
    ("From", "<!-- email=\"", "\" -->"),
    ("Subject", "<meta name=\"Subject\" content=\"", "\""),
    ("From", "<meta name=\"Author\" content=\"", "\""),
    ("Date", "<meta name=\"Date\" content=\"", "\""),
    // pipermail.
    ("Message-ID", "&In-Reply-To=", "\""),
    ("Message-ID", "&amp;In-Reply-To=", "\""),
    ("Date", "<I>", "</I>"),
    ("Subject", "<TITLE>", "</TITLE>"),
    ("Subject", "<title>", "</title>"),
];

/// Returns a header block with the subject, author, date and Message-ID of `page`, as far as they are known. Takes linear
/// time.
pub(crate) fn headers(page: &[u8]) -> Vec<u8> {
    let page = &page[..page.len().min(SEARCHED)];
    let mut headers = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for &(name, before, after) in FIELDS {
        if known.contains(&name) {
            continue;
        }
        let Some(start) = find(page, before.as_bytes()).map(|at| at + before.len()) else { continue };
        let Some(length) = find(&page[start..], after.as_bytes()) else { continue };
        let (mut value, mut runs) = (Vec::new(), Vec::new());
        reference::decode(&page[start..start + length], &mut value, &mut runs);
        if before.ends_with("To=") {
            value = percent::decode(&value).to_vec();
        }
        if value.trim_ascii().is_empty() || name == "Date" && date::seconds(&value).is_none() {
            continue;
        }
        known.push(name);
        headers.extend([name.as_bytes(), b": "].concat());
        headers.extend(value.iter().map(|&byte| if byte.is_ascii_control() { b' ' } else { byte }));
        headers.push(b'\n');
    }
    headers.push(b'\n');
    headers
}
