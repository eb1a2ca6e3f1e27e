//! Finds the triggers of a text one after another, either in an index or by a search of the text.

#[cfg(feature = "mime")]
use core::iter;

#[cfg(feature = "mime")]
use super::{ColonFinder, TriggerSlice};
use super::{Trigger, trigger_at};

/// The state of the search for triggers in one text.
#[derive(Clone, Debug)]
pub(crate) struct Triggers<'h> {
    text: &'h [u8],
    #[cfg(feature = "mime")]
    colons: Colons<'h>,
}

/// How [`Triggers`] finds the colons of a text.
#[cfg(feature = "mime")]
#[derive(Clone, Debug)]
enum Colons<'h> {
    /// Searches with memchr, which is faster than SIMD blocks for short texts.
    Memchr,
    Blocks(ColonFinder),
    Indexed(TriggerSlice<'h>),
}

/// Texts with fewer bytes than this are searched with memchr.
#[cfg(feature = "mime")]
const MIN_TEXT: usize = 1 << 10;

/// The maximum distance of a second URL that is glued to a URL, in bytes. This limit keeps the time linear.
const NEAR: usize = 300;

impl<'h> Triggers<'h> {
    pub(crate) fn new(text: &'h [u8]) -> Self {
        Triggers {
            text,
            #[cfg(feature = "mime")]
            colons: if text.len() < MIN_TEXT { Colons::Memchr } else { Colons::Blocks(ColonFinder::default()) },
        }
    }

    #[cfg(feature = "mime")]
    pub(crate) fn indexed(text: &'h [u8], triggers: TriggerSlice<'h>) -> Self {
        Triggers { text, colons: Colons::Indexed(triggers) }
    }

    /// Returns the next trigger at or after offset `at`, and the offset of its colon. `at` must not be less than in the
    /// previous call.
    pub(crate) fn next(&mut self, at: usize) -> Option<(usize, Trigger)> {
        let text = self.text;
        let trigger = |colon| Some((colon, trigger_at(text, colon)?));
        #[cfg(feature = "mime")]
        match &mut self.colons {
            Colons::Memchr => {}
            Colons::Blocks(finder) => return iter::from_fn(|| finder.next(text, at)).find_map(trigger),
            Colons::Indexed(slice) => {
                while let Some(colon) = slice.next()
                    && colon < text.len()
                {
                    if colon >= at
                        && text[colon] == b':'
                        && let Some(trigger) = trigger_at(text, colon)
                    {
                        return Some((colon, trigger));
                    }
                }
                return None;
            }
        }
        memchr::memchr_iter(b':', text.get(at..)?).find_map(|i| trigger(at + i))
    }

    /// Returns the offset of the colon of the next `://`, if it is in the next [`NEAR`] bytes after `at`. `at` must be the
    /// colon of the last trigger.
    #[inline(always)]
    pub(crate) fn peek(&self, at: usize) -> Option<usize> {
        let text = &self.text[..self.text.len().min(at + NEAR)];
        let is_slashes = |colon: &usize| text.get(*colon..*colon + 3) == Some(b"://");
        #[cfg(feature = "mime")]
        if let Colons::Indexed(slice) = &self.colons {
            let mut rest = *slice;
            return iter::from_fn(|| rest.next()).take_while(|colon| *colon < text.len()).find(is_slashes);
        }
        memchr::memchr_iter(b':', text.get(at + 1..)?).map(|colon| at + 1 + colon).find(is_slashes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Trigger, Triggers};

    #[test]
    fn triggers() {
        type Place = Option<(usize, &'static str)>;
        let table: &[(&[u8], Place)] = &[
            (b"see http://x", Some((8, "slashes"))),
            (b"a svn+http://x", Some((10, "slashes"))),
            (b"://x", None),
            (b" ://x", None),
            (b"<URL:x", Some((4, "prefix"))),
            (b"<uRl:x", Some((4, "prefix"))),
            (b"curl:x", None),
            (b"MailTo:x", Some((6, "mailto"))),
            (b"xmailto:x", None),
            (b"news:", Some((4, "news"))),
            (b"<file:/x>", Some((5, "file"))),
            (b"file:/x", None),
            (b"Subject: x", None),
            (b"12:30", None),
            (b"std::x", None),
            (b":", None),
            (b"", None),
        ];
        for (text, want) in table {
            let got = Triggers::new(text).next(0).map(|(colon, trigger)| match trigger {
                Trigger::Slashes => (colon, "slashes"),
                Trigger::Prefix => (colon, "prefix"),
                Trigger::Named(row) => (colon, row.name),
            });
            assert_eq!(got, *want, "{:?}", String::from_utf8_lossy(text));
        }
    }
}
