//! `check`: parses single URLs and prints their components.

mod draw;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use urlspool::fields::{Value, base64, several_targets};
use urlspool::json::{Object, bytes};
use urlspool::{Component, Extractor, ParseError, ParseErrorKind, Tier, Url};

use crate::args::{Given, Wrong};
use crate::find::{self, input::STDIN};
use crate::status::{Status, print_message};

/// The options.
struct Check {
    /// The base URL to resolve the URLs against.
    base: Option<String>,
    /// Decides which tiers count as valid.
    extractor: Extractor,
    /// Whether only the tier `rfc1738` counts as valid.
    is_strict: bool,
    /// Whether to print JSON instead of a drawing.
    json: bool,
}

/// Why an argument is not a URL, and the offset of the first wrong byte.
struct Refused {
    reason: &'static str,
    offset: usize,
    message: String,
}

impl From<ParseError> for Refused {
    fn from(error: ParseError) -> Refused {
        Refused { reason: error.kind().as_str(), offset: error.offset(), message: error.to_string() }
    }
}

impl Refused {
    /// Says why a URL does not have one of the tiers of `--tier`. If `is_strict`, only RFC 1738 counts.
    fn by_tier(url: &Url<'_>, is_strict: bool) -> Refused {
        url.departure().filter(|_| is_strict).map(Refused::from).unwrap_or_else(|| Refused {
            reason: "tier",
            offset: 0,
            message: format!("the tier of the URL is {}", url.tier()),
        })
    }
}

/// Checks all URLs. The exit status is 0 if all URLs are valid, and 1 otherwise.
pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    let base = given.text("base");
    find::warn_if_input_is_closed(given);
    let is_strict = given.text("tier").as_deref() == Some(Tier::Rfc1738.as_str());
    let check = Check { base, extractor: Extractor::with(given.options()?), is_strict, json: given.has("json") };
    let mut all = true;
    let mut show = |url: &[u8]| {
        let mut out = Vec::new();
        all &= one(&check, url, &mut out);
        Status::found(all).after_output(&out)
    };
    let mut urls = given.operands().map(OsStr::as_encoded_bytes);
    let flow = urls.try_for_each(|url| if url == STDIN.as_bytes() { lines(&mut show) } else { show(url) });
    Ok(flow.break_value().unwrap_or(Status::found(all)))
}

/// Checks the URLs on standard input, one per line. Blank lines are skipped.
fn lines(show: &mut impl FnMut(&[u8]) -> ControlFlow<Status>) -> ControlFlow<Status> {
    for line in io::stdin().lock().split(b'\n') {
        match line {
            Ok(line) if line.trim_ascii().is_empty() => {}
            Ok(line) => show(line.strip_suffix(b"\r").unwrap_or(&line))?,
            Err(error) => {
                print_message(format_args!("cannot read standard input: {error}"));
                return ControlFlow::Break(Status::Failed);
            }
        }
    }
    ControlFlow::Continue(())
}

/// Writes the result for one argument, which is resolved against the base URL of `--base`. Returns whether the argument
/// is a valid URL.
fn one(check: &Check, argument: &[u8], out: &mut Vec<u8>) -> bool {
    let resolved: Result<Cow<'_, [u8]>, _> = match &check.base {
        Some(base) => Url::parse(base).map(|base| base.resolve(argument).into()),
        None => Ok(argument.into()),
    };
    let text = resolved.as_deref().unwrap_or(argument);
    let url = resolved.as_ref().map_err(|why| *why).and_then(|_| Url::parse(text)).map_err(Refused::from);
    let url = url.and_then(|url| match check.extractor.selects(&url) {
        true => Ok(url),
        false => Err(Refused::by_tier(&url, check.is_strict)),
    });
    match (&url, check.json) {
        (Ok(url), true) => object(url, out),
        (Ok(url), false) => draw::accepted(url, out),
        (Err(refused), true) => refused_object(text, refused, out),
        (Err(refused), false) => {
            let is_reference = refused.reason == ParseErrorKind::NoScheme.as_str() && check.base.is_none();
            let hint = if is_reference { "; to resolve a relative reference, use --base" } else { "" };
            draw::refused(text, refused.offset, &format!("{}{hint}", refused.message), out);
        }
    }
    url.is_ok()
}

fn object(url: &Url<'_>, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.field("url", url.as_bytes());
    object.field("valid", Value::Boolean(true));
    object.field("tier", url.tier().as_str());
    object.field("scheme", Value::Lower(url.scheme().as_bytes()));
    let components: Vec<_> = url.components().collect();
    let is_field = |component| matches!(component, Component::FieldName | Component::FieldValue);
    let is_one_list = |one, next| one == Component::Cwd && next == one || is_field(one) && is_field(next);
    for parts in components.chunk_by(|(one, _), (next, _)| is_one_list(*one, *next)) {
        match parts[0] {
            (Component::Cwd, _) => object.list("cwd", parts.iter().map(|(_, value)| value.as_bytes()), bytes),
            (Component::FieldName, _) => object.list("fields", fields(parts), field),
            (component, value) => object.field(component.as_str(), value.as_bytes()),
        };
    }
    object.field("fragment", url.fragment().map(str::as_bytes));
    object.field("target", url.targets().pop().map(String::from));
    object.field("targets", several_targets(url));
    object.field("warnings", url.warnings().map(|warning| warning.as_str().into()).collect::<Vec<_>>());
    object.close();
    out.push(b'\n');
}

/// Returns the name and the value of each field of a Prospero URL: `a` and `b` in `;a=b`. A field without `=` has no
/// value.
fn fields<'p, 'a>(parts: &'p [(Component, &'a str)]) -> impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)> + 'p {
    parts.chunk_by(|_, (next, _)| *next == Component::FieldValue).map(|field| {
        let value = field.get(1).map(|(_, value)| value.as_bytes());
        (field[0].1.as_bytes(), value)
    })
}

fn field(out: &mut Vec<u8>, (name, value): (&[u8], Option<&[u8]>)) {
    out.push(b'[');
    bytes(out, name);
    if let Some(value) = value {
        out.push(b',');
        bytes(out, value);
    }
    out.push(b']');
}

fn refused_object(text: &[u8], refused: &Refused, out: &mut Vec<u8>) {
    let mut object = Object::open(out);
    object.field("url", text);
    object.field("url_bytes", base64(Some(text)));
    object.field("valid", Value::Boolean(false));
    object.field("reason", refused.reason);
    object.field("offset", refused.offset as u64);
    object.close();
    out.push(b'\n');
}
