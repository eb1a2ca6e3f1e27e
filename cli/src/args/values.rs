//! Parsers for the values of options.

use std::path::{Path, PathBuf};

use urlspool::shared;

use super::Wrong;
use crate::escaped::Escaped;

/// Checks the value of `--size`.
pub(super) fn task_size(text: &str) -> Result<(), String> {
    match shared::size(text) {
        Some(0) => Err("give a size of at least 1 byte, such as 64M".into()),
        Some(_) => Ok(()),
        None => Err("give a number of bytes, with or without K, M or G after it, such as 64M".into()),
    }
}

/// Parses the value of `--skip-common`, such as `2%`.
pub(crate) fn percent(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
    (percent > 0.0 && percent <= 100.0).then_some(percent)
}

/// Checks the value of `--skip-common`.
pub(super) fn check_percent(text: &str) -> Result<(), String> {
    percent(text).map(|_| ()).ok_or("give a percentage above 0 and at most 100, such as 2%".into())
}

/// Checks the value of `--max-count`.
pub(super) fn most(text: &str) -> Result<(), String> {
    let is_valid = text.parse::<u64>().is_ok_and(|number| number > 0);
    if is_valid { Ok(()) } else { Err("give a number of lines, at least 1, such as 10".into()) }
}

/// Parses an operand such as `FILE:N`. Returns the file and the number of the `what`, such as a message, from 1. Without
/// `:N`, the number is 1. If a file exists whose whole name is `FILE:N`, returns this file and the number 1. Returns an
/// error if FILE exists and N is not a number from 1.
pub(crate) fn message(path: &Path, what: &str) -> Result<(PathBuf, u64), Wrong> {
    let name = shared::bytes(path);
    let number = name.iter().rposition(|&byte| byte == b':').and_then(|colon| {
        let digits = std::str::from_utf8(&name[colon + 1..]).ok()?;
        let number = digits.parse().ok().filter(|number| *number > 0 && !digits.starts_with('+'))?;
        Some((shared::path(&name[..colon]).into(), number))
    });
    if path.exists() {
        return Ok((path.into(), 1));
    }
    if number.is_none()
        && let Some((before, _)) = path.to_str().and_then(|name| name.rsplit_once(':'))
        && Path::new(before).is_file()
    {
        let (file, before) = (Escaped::path(path), Escaped(before.as_bytes()));
        return Err(format!("{file}: wrong {what} number; numbers count from 1, as in {before}:1").into());
    }
    Ok(number.unwrap_or_else(|| (path.into(), 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        let table =
            [("0", Some(0)), ("12", Some(12)), ("64k", Some(65_536)), ("3M", Some(3 << 20)), ("2G", Some(2 << 30))];
        for (text, want) in table {
            assert_eq!(shared::size(text), want, "{text}");
        }
        for wrong in ["", "k", "-1", "+1", "1T", "1.5M", "many", "99999999999999G"] {
            assert!(shared::size(wrong).is_none(), "{wrong}");
        }
    }
}
