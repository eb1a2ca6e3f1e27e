//! What a character reference stands for.
//!
//! The few that mail is full of are known here; html5gum's table knows the other two thousand.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};
use memchr::memchr;

use super::super::map::Run;

/// The longest reference that is looked up: the table's longest name with its `&` and `;`.
const LONGEST: usize = 34;

/// Decodes the reference at the start of `html`, which is a `&`: what it stands for, in UTF-8, into
/// `decoded`, and its length. `None` if it is none. In an attribute, `&lt=1` is none.
///
/// Named references need their `;`, except for `amp`, `lt`, `gt`, `quot` and `nbsp`: of the others that HTML
/// allows without, none is ASCII, and `?a=1&copy=2` is more common than they are.
pub(super) fn at_start(html: &[u8], attribute: bool, decoded: &mut Vec<u8>) -> Option<usize> {
    let rest = html.get(1..)?;
    if let [b'#', number @ ..] = rest {
        return numeric(number, decoded).map(|len| len + 2);
    }
    let len =
        rest.iter().take(LONGEST).position(|octet| !octet.is_ascii_alphanumeric()).unwrap_or(rest.len().min(LONGEST));
    let name = &rest[..len];
    let closed = rest.get(len) == Some(&b';');
    let known: Option<(usize, &[u8])> = match name {
        [b'a', b'm', b'p', ..] | [b'A', b'M', b'P', ..] => Some((3, b"&")),
        [b'l', b't', ..] => Some((2, b"<")),
        [b'g', b't', ..] => Some((2, b">")),
        [b'q', b'u', b'o', b't', ..] | [b'Q', b'U', b'O', b'T', ..] => Some((4, b"\"")),
        [b'n', b'b', b's', b'p', ..] => Some((4, b"\xC2\xA0")),
        _ => None,
    };
    if let Some((length, meaning)) = known
        && !(closed && len > length)
    {
        let next = rest.get(length);
        if attribute && next.is_some_and(|octet| octet.is_ascii_alphanumeric() || *octet == b'=') {
            return None;
        }
        decoded.extend_from_slice(meaning);
        return Some(1 + length + usize::from(next == Some(&b';')));
    }
    if !closed || len < 2 {
        return None;
    }
    let before = decoded.len();
    let whole = &html[..len + 2];
    let Ok(()) = Tokenizer::new_with_emitter(whole, Decoded { text: decoded }).finish();
    if decoded[before..] == *whole {
        decoded.truncate(before);
        return None;
    }
    // Without its `;` a shorter name may have matched: not what was written.
    if decoded.last() == Some(&b';') && decoded.len() > before + 1 {
        decoded.truncate(before);
        return None;
    }
    Some(len + 2)
}

/// `#58;`, `#x3a;` without the mark; its length.
fn numeric(number: &[u8], decoded: &mut Vec<u8>) -> Option<usize> {
    let (prefix, radix) = match number {
        [b'x' | b'X', ..] => (1, 16),
        _ => (0, 10),
    };
    let digits = number[prefix..].iter().take_while(|octet| char::from(**octet).is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let code = number[prefix..prefix + digits]
        .iter()
        .try_fold(0u32, |code, &octet| code.checked_mul(radix)?.checked_add(char::from(octet).to_digit(radix)?));
    let c = match code {
        // Windows-1252 where Latin-1 has controls, as HTML has it; only the blank-like matter to a URL.
        Some(code) => char::from_u32(code).filter(|&c| c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER),
        None => char::REPLACEMENT_CHARACTER,
    };
    let mut utf8 = [0; 4];
    decoded.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    let end = prefix + digits;
    Some(end + usize::from(number.get(end) == Some(&b';')))
}

/// Decodes all references of an attribute's value, and says in `runs` what came from where in it.
pub(super) fn decode(raw: &[u8], decoded: &mut Vec<u8>, runs: &mut Vec<Run>) {
    decoded.clear();
    runs.clear();
    let mut at = 0;
    while at < raw.len() {
        let run = |text: usize, len: usize| Run { text: text as u32, raw: at as u32, len: len as u32 };
        let before = decoded.len();
        if raw[at] == b'&'
            && let Some(len) = at_start(&raw[at..], true, decoded)
        {
            runs.push(run(before, len));
            at += len;
            continue;
        }
        let len = 1 + memchr(b'&', &raw[at + 1..]).unwrap_or(raw.len() - at - 1);
        decoded.extend_from_slice(&raw[at..at + len]);
        runs.push(run(before, len));
        at += len;
    }
}

/// Takes the text of a tokenizer that sees nothing else.
struct Decoded<'d> {
    text: &'d mut Vec<u8>,
}

impl Emitter for Decoded<'_> {
    type Token = Infallible;

    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        None
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        false
    }

    fn set_last_start_tag(&mut self, _: Option<&[u8]>) {}
    fn emit_eof(&mut self) {}
    fn emit_error(&mut self, _: Error) {}
    fn init_start_tag(&mut self) {}
    fn init_end_tag(&mut self) {}
    fn init_comment(&mut self) {}
    fn emit_current_comment(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_self_closing(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_tag_name(&mut self, _: &[u8]) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn init_attribute(&mut self) {}
    fn push_attribute_name(&mut self, _: &[u8]) {}
    fn push_attribute_value(&mut self, _: &[u8]) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
