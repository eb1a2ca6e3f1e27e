//! Draws a URL for `check`. Below the URL, each component is on a line of its own, in the same columns as in the URL.
//! For an invalid URL, a caret marks the first wrong byte.

use std::fmt::Arguments;
use std::io::Write;
use std::ops::Range;

use urlspool::Url;

use crate::escaped::Escaped;

/// If a URL has at least this number of columns, its components are listed at the left margin. Otherwise the lines of
/// the components would be so long that most terminals would wrap them.
const WIDE: usize = 72;

/// Draws a valid URL.
pub(crate) fn accepted(url: &Url<'_>, out: &mut Vec<u8>) {
    let text = url.as_bytes();
    line(out, format_args!("{}", Escaped(text)));
    if let Some(departure) = url.departure() {
        caret(text, departure.offset(), format_args!("not allowed by RFC 1738: {departure}"), out);
    }
    let width = Escaped(text).columns();
    let mut row = |name: &str, span: Range<usize>| {
        let value = Escaped(&text[span.clone()]);
        match width {
            WIDE.. if span.is_empty() => line(out, format_args!("  {name:<13} (empty)")),
            WIDE.. => line(out, format_args!("  {name:<13} {value}")),
            _ => {
                // Only here, because this reads the URL up to the component.
                let column = Escaped(&text[..span.start]).columns();
                let rest = width - column - value.columns();
                let empty = if span.is_empty() { " (empty)" } else { "" };
                line(out, format_args!("{:column$}{value}{:rest$}  {name}{empty}", "", ""));
            }
        }
    };
    row("scheme", 0..url.scheme().len());
    for (component, span) in url.spans() {
        row(component.as_str(), span);
    }
    if let Some(fragment) = url.fragment() {
        row("fragment", text.len() - fragment.len()..text.len());
    }
    line(out, format_args!("  {:<13} {}", "tier", url.tier()));
    for warning in url.warnings() {
        line(out, format_args!("  {:<13} {}", "warning", warning.as_str()));
    }
    for target in url.targets() {
        line(out, format_args!("  {:<13} {}", "target", Escaped(target.as_bytes())));
    }
    hint(text, out);
}

/// Draws a text that is not a URL, with a caret and `message` at `offset`.
pub(crate) fn refused(text: &[u8], offset: usize, message: &str, out: &mut Vec<u8>) {
    line(out, format_args!("{}", Escaped(text)));
    caret(text, offset, format_args!("{message}"), out);
    hint(text, out);
}

/// Writes a hint if the text is a URL in a wrapper, such as `<URL:http://...>`. Without the hint, a user who passes
/// `URL:http://...` would see only that this is a valid URL with the scheme `URL`.
fn hint(text: &[u8], out: &mut Vec<u8>) {
    if let Some(inner) = unwrapped(text) {
        line(out, format_args!("  the wrapper is not part of the URL; use urlspool check '{}'", Escaped(inner)));
    }
}

/// Removes the angle brackets, `URL:` and blanks from a text such as `<URL:http://...>`, and returns the URL. Returns
/// `None` if the result is not a URL, or if nothing was removed.
fn unwrapped(text: &[u8]) -> Option<&[u8]> {
    let mut inner = text.trim_ascii();
    inner = inner.strip_prefix(b"<").unwrap_or(inner);
    inner = inner.strip_suffix(b">").unwrap_or(inner);
    if let Some((_, rest)) = inner.split_at_checked(4).filter(|(prefix, _)| prefix.eq_ignore_ascii_case(b"URL:")) {
        inner = rest;
    }
    let inner = inner.trim_ascii();
    (inner.len() < text.len() && Url::parse(inner).is_ok()).then_some(inner)
}

fn caret(text: &[u8], offset: usize, message: Arguments<'_>, out: &mut Vec<u8>) {
    let before = &text[..offset.min(text.len())];
    // A width in a format has at most 16 bits.
    out.resize(out.len() + Escaped(before).columns(), b' ');
    line(out, format_args!("^ {message}"));
}

fn line(out: &mut Vec<u8>, text: Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a Vec cannot fail");
}
