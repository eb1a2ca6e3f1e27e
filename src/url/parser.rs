//! The parser's state, and methods that split and check components.
//!
//! First, one pass over the URL collects the classes of its bytes: for example, whether the URL has any `?` or `%`.
//! Then the functions in `grammar.rs` split the text with [`Parser::find`] and check each component with
//! [`Parser::check`]. If the collected classes already determine the result, neither method reads the bytes of the
//! component. For example, a URL without a `?` is not searched for a `?`.

use memchr::memchr;

use super::class::{Class, FORBIDDEN, HASH, HIGH, NATIONAL, PERCENT, QUESTION, TILDE, XCHAR, class, classes};
use super::component::{Component, Part};
use super::parsed::Parsed;
use super::{ParseError, ParseErrorKind, Tier, iri, percent};

pub(super) struct Parser<'u, 'a> {
    pub(super) text: &'a [u8],
    /// The offset of the `#` before the fragment. Without a fragment, the length of the text.
    pub(super) end: usize,
    /// The result, which is filled in place. Copying the result right after writing it would stall the processor.
    pub(super) url: &'u mut Parsed,
}

impl Parser<'_, '_> {
    /// Returns the byte at offset `at`, or `None` at the end of the URL.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.text[at])
    }

    /// Returns the offset of the first byte at or after `from` whose class is in `stop`. If there is no such byte,
    /// returns the end of the URL.
    #[inline]
    pub(super) fn find(&self, from: usize, stop: Class) -> usize {
        if self.url.seen & stop == 0 {
            return self.end;
        }
        let text = &self.text[from..self.end];
        let length = match stop {
            QUESTION => memchr(b'?', text),
            _ => text.iter().position(|&byte| class(byte) & stop != 0),
        };
        length.map_or(self.end, |length| from + length)
    }

    /// Checks that all bytes in `start..end` have a class in `allowed`. `kind` is the error that a strict parse returns
    /// for a reserved character that is not in `allowed`.
    #[inline]
    pub(super) fn check(
        &mut self,
        component: Component,
        start: usize,
        end: usize,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<(), ParseError> {
        // A `%` is always checked, because two hexadecimal digits must follow it.
        let doubtful = !allowed | PERCENT;
        if self.url.seen & doubtful == 0 || classes(&self.text[start..end]) & doubtful == 0 {
            return Ok(());
        }
        self.inspect(component, start, end, allowed, kind)
    }

    /// Checks `start..end` byte by byte, and records each violation and the tier that allows it.
    #[cold]
    fn inspect(
        &mut self,
        component: Component,
        start: usize,
        end: usize,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<(), ParseError> {
        let mut at = start;
        while at < end {
            let class = class(self.text[at]);
            match class {
                FORBIDDEN => return Err(ParseError::new(ParseErrorKind::Character, at)),
                HIGH => {
                    let Some(length) = iri::ucschar(&self.text[at..end], component == Component::Search) else {
                        return Err(ParseError::new(ParseErrorKind::Character, at));
                    };
                    self.depart(Tier::Iri, ParseErrorKind::Character, at);
                    at += length;
                    continue;
                }
                PERCENT if percent::escape(&self.text[at..end]).is_some() => {
                    if allowed & PERCENT == 0 {
                        self.depart(Tier::Rfc3986, kind, at);
                    }
                    at += 3;
                    continue;
                }
                PERCENT | NATIONAL | HASH | TILDE => {
                    let kind = if class == PERCENT { ParseErrorKind::Escape } else { ParseErrorKind::Character };
                    self.url.bad_escape |= class == PERCENT;
                    self.url.needs_encoding |= class != TILDE;
                    // `Relaxed` means that the URL would match RFC 1738 if this byte were encoded. If the component
                    // does not allow escapes, this byte cannot be encoded.
                    let tier = if allowed & PERCENT == 0 { Tier::Rfc3986 } else { Tier::Relaxed };
                    self.depart(tier, kind, at);
                }
                _ if class & allowed == 0 => self.depart(Tier::Rfc3986, kind, at),
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// Records that the URL needs `tier` because of the byte at offset `at`.
    #[cold]
    pub(super) fn depart(&mut self, tier: Tier, kind: ParseErrorKind, at: usize) {
        if self.url.departure().is_none_or(|first| at < first.offset()) {
            self.url.departure = ParseError::new(kind, at);
        }
        self.url.tier = self.url.tier.or(tier);
    }

    #[inline]
    pub(super) fn push(&mut self, component: Component, start: usize, end: usize) {
        debug_assert!(start <= end && end <= self.text.len() && usize::from(self.url.count) < self.url.parts.len());
        if let Some(part) = self.url.parts.get_mut(self.url.count as usize) {
            *part = Part { component, start: start as u32, end: end as u32 };
            self.url.count += 1;
            self.url.has_user |= component == Component::User;
            self.url.has_odd_host |= component == Component::Host;
        }
    }

    /// Checks and stores the component that begins at `from` and ends before the first byte of a class in `stop`.
    /// Returns the offset of its end.
    #[inline]
    pub(super) fn take(
        &mut self,
        component: Component,
        from: usize,
        stop: Class,
        allowed: Class,
        kind: ParseErrorKind,
    ) -> Result<usize, ParseError> {
        let end = self.find(from, stop);
        // The component ends before the first byte whose class is in `stop`. So the result is the same if `check`
        // allows these classes, but `check` can be faster: if all bytes of the URL are allowed and none of them is a
        // `%`, `check` does not read the component.
        self.check(component, from, end, allowed | stop, kind)?;
        self.push(component, from, end);
        Ok(end)
    }

    /// Skips the `//` that a scheme with a host requires (RFC 1738 3.1). Returns the offset after the `//`.
    #[inline]
    pub(super) fn slashes(&self, from: usize) -> Result<usize, ParseError> {
        if self.has_slashes(from) {
            Ok(from + 2)
        } else {
            // The error is at the missing slash: the second slash in `http:/x`, and the first slash in `http:x`.
            let offset = from + usize::from(self.byte(from) == Some(b'/'));
            Err(ParseError::new(ParseErrorKind::MissingSlashes, offset))
        }
    }

    #[inline]
    pub(super) fn has_slashes(&self, from: usize) -> bool {
        self.text[from..self.end].starts_with(b"//")
    }

    #[inline]
    pub(super) fn path_begins(&mut self, from: usize) {
        self.url.path = Some(from as u32);
    }

    /// Parses the path that begins at `from`, and the search after a `?`, as in RFC 3986. Allows every `xchar`. Used
    /// for schemes whose path has no grammar in RFC 1738.
    pub(super) fn path_and_search(&mut self, from: usize) -> Result<(), ParseError> {
        self.path_begins(from);
        let at = self.take(Component::Path, from, QUESTION, XCHAR, ParseErrorKind::Character)?;
        self.search(at, XCHAR)
    }

    /// Parses the search. `at` is the offset of the `?`. If the URL has no search, `at` is the end of the URL.
    #[inline]
    pub(super) fn search(&mut self, at: usize, allowed: Class) -> Result<(), ParseError> {
        if at < self.end {
            self.take(Component::Search, at + 1, 0, allowed, ParseErrorKind::Reserved)?;
        }
        Ok(())
    }
}
