//! Parses the values of options: names, numbers, sizes and ranges.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use super::{MAX_MESSAGE, Why};
use crate::container::{FORMATS, Format};
use crate::named::InvalidValue;
use crate::scan::LIKELY;
use crate::shared::size;
use crate::source::Shard;
use crate::url::{Url, is_special_scheme};

/// A value of `format` for directories with one message per file: the name, a description, and the format of each file.
const LAYOUTS: [(&str, &str, &str); 3] = [
    ("maildir", "Maildir: one mail message per file", "message"),
    ("mh", "MH folder: one mail message per file", "message"),
    ("spool", "news spool: one news article per file", "article"),
];

/// The values of `format` that mean detection by content.
const AUTO: &str = "auto";
pub(super) const MAIL: &str = "mail";

/// Returns the names that `format` accepts, each with a description.
pub(super) fn formats() -> Vec<(&'static str, &'static str)> {
    let rows = FORMATS.iter().map(|format| (format.name, format.about));
    let layouts = LAYOUTS.map(|(name, about, _)| (name, about));
    let detected = [(AUTO, "detected by content"), (MAIL, "like auto, but only mail and news are read")];
    detected.into_iter().chain(rows).chain(layouts).collect()
}

pub(super) fn format(text: &str) -> Result<Option<&'static Format>, Why> {
    let layout = LAYOUTS.iter().find(|layout| layout.0 == text);
    match layout.map_or(text, |layout| layout.2) {
        AUTO | MAIL => Ok(None),
        name => match FORMATS.iter().find(|format| format.name == name) {
            None => {
                let names: Vec<_> = formats().iter().map(|(name, _)| *name).collect();
                Err(format!("give one of {}", names.join(", ")).into())
            }
            format => Ok(format),
        },
    }
}

/// Checks a base URL. Its scheme must be one whose relative references browsers resolve.
pub(super) fn base(text: &str) -> Result<Arc<str>, Why> {
    match Url::parse(text.as_bytes()) {
        Ok(url) if is_special_scheme(url.scheme()) => Ok(text.into()),
        Ok(url) => Err(format!(
            "browsers resolve no relative links with the scheme {}; give an http or https URL",
            url.scheme()
        )
        .into()),
        Err(error) => Err(format!("this is not a URL: {error}; give an absolute URL, with its scheme").into()),
    }
}

/// Parses whether hyphens are dropped.
pub(super) fn hyphen(text: &str) -> Result<bool, Why> {
    match text {
        "keep" => Ok(false),
        "drop" => Ok(true),
        _ => Err("give one of keep, drop".into()),
    }
}

/// Parses names that are separated by commas. Returns, for each value in `all`, whether it is named. `!` before a name
/// excludes it. If the first name is excluded, the result is `default` without it.
pub(super) fn names<T, const N: usize>(all: &[T], text: &str, default: &[bool; N]) -> Result<[bool; N], Why>
where
    T: FromStr<Err = InvalidValue> + PartialEq,
{
    let mut set = if text.trim_start().starts_with('!') { *default } else { [false; N] };
    for item in text.split(',') {
        let name = item.trim().strip_prefix('!');
        let value: T = name.unwrap_or(item.trim()).parse().map_err(|why: InvalidValue| match item == text {
            true => Why::from(why.why().to_owned()),
            false => why.to_string().into(),
        })?;
        set.iter_mut()
            .zip(all)
            .filter(|(_, other)| **other == value)
            .for_each(|(is_named, _)| *is_named = name.is_none());
    }
    Ok(set)
}

/// Writes the values that [`names`] has parsed. Returns `None` if they are `default`.
pub(super) fn text_of_names<T: Display, const N: usize>(
    all: &[T],
    set: &[bool; N],
    default: &[bool; N],
) -> Option<String> {
    let names = all.iter().zip(set).filter(|(_, is_named)| **is_named).map(|(name, _)| name.to_string());
    (set != default).then(|| names.collect::<Vec<_>>().join(","))
}

pub(super) fn flag(text: &str) -> Result<bool, Why> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("give true or false".into()),
    }
}

pub(super) fn join(text: &str) -> Result<Option<u8>, Why> {
    match (text, text.parse()) {
        ("never", _) => Ok(None),
        ("likely", _) => Ok(Some(LIKELY)),
        (_, Ok(percent @ 0..=100)) => Ok(Some(percent)),
        _ => Err("give never, likely, or a percentage from 0 to 100, without the sign %".into()),
    }
}

pub(super) fn text_of_join(join: Option<u8>) -> Option<String> {
    match join {
        None => Some("never".into()),
        Some(LIKELY) => None,
        Some(percent) => Some(percent.to_string()),
    }
}

pub(super) fn message_size(text: &str) -> Result<usize, Why> {
    match size(text).map(usize::try_from) {
        None => Err("give a number of bytes, with or without K, M or G after it, such as 64M".into()),
        Some(Ok(size @ 1..=MAX_MESSAGE)) => Ok(size),
        Some(_) => Err("give a size from 1 to 1G".into()),
    }
}

pub(super) fn threads(text: &str) -> Result<usize, Why> {
    let number = text.parse().ok().filter(|number| *number <= 1024);
    number.ok_or("give a number of threads from 1 to 1024, or 0 for one per core".into())
}

/// Parses `A-B`, or `A-` for a range without an end.
pub(super) fn range(text: &str) -> Result<Range<u64>, Why> {
    let bounds = text.split_once('-').and_then(|(start, end)| {
        let end = if end.is_empty() { Some(u64::MAX) } else { size(end) };
        Some(size(start)?..end?)
    });
    match bounds {
        None => {
            Err("give the beginning and the end of the range, such as 0-1G; 1G- means everything from 1G on".into())
        }
        Some(range) if range.is_empty() => {
            Err("the range is empty; the second number must be larger than the first".into())
        }
        Some(range) => Ok(range),
    }
}

/// Parses `I/N`.
pub(super) fn shard(text: &str) -> Result<Shard, Why> {
    let shard = text.split_once('/').and_then(|(number, count)| Shard::new(number.parse().ok()?, count.parse().ok()?));
    shard.ok_or("give I/N, such as 1/4, for share I of N shares; I is from 1 to N".into())
}
