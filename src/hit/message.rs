//! The number and the headers of a message.

use std::borrow::{Borrow, Cow};
use std::ops::{Index, Range, RangeTo};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::mail::{self, HeaderIndex, Section};
use crate::shared;
use crate::source::Input;

/// The number and the headers of a message, which all hits of the message share. Most values that are read from the
/// headers are stored for the next hit.
#[derive(Debug, Default)]
pub(crate) struct MessageFacts<'a> {
    pub(super) headers: Cow<'a, [u8]>,
    pub(super) number: u64,
    /// The envelope line before the message in an mbox, or nothing.
    envelope: &'a [u8],
    /// What was read from the headers. Created on first use, because most messages have no hit.
    read: OnceLock<Box<ReadFacts>>,
}

/// What was read from the headers of a message.
#[derive(Debug, Default)]
struct ReadFacts {
    index: OnceLock<HeaderIndex>,
    seconds: OnceLock<Option<(i64, bool)>>,
    date: OnceLock<Option<String>>,
    /// The values of header fields. A value is stored here only if it differs from the bytes of the header, because it
    /// was unfolded or decoded. Otherwise, each call reads the value from `headers`.
    id: OnceLock<Vec<u8>>,
    newsgroups: OnceLock<Vec<u8>>,
    list_id: OnceLock<Vec<u8>>,
    subject: OnceLock<String>,
    from: OnceLock<String>,
    /// The names of the output fields whose values were longer than [`FIELD_MAX`](shared::FIELD_MAX), and were cut.
    cut: Mutex<Vec<&'static str>>,
    kept: OnceLock<Arc<KeptMessage>>,
    /// The section number of the MIME part that contains the previous owned hit.
    part: Mutex<Option<Arc<Section>>>,
}

/// The data of a message that all owned hits of the message share.
#[derive(Debug)]
pub(crate) struct KeptMessage {
    pub(super) file: Option<Arc<Input>>,
    pub(super) range: Option<Range<u64>>,
    /// The facts, with only those headers that they need.
    pub(super) facts: MessageFacts<'static>,
}

impl KeptMessage {
    pub(crate) fn input(&self) -> Option<&Input> {
        self.file.as_deref()
    }

    pub(crate) fn facts(&self) -> &MessageFacts<'static> {
        &self.facts
    }
}

impl<'a> MessageFacts<'a> {
    /// Makes the [`MessageFacts`] of the message with the number `number`. `bytes` must begin with the headers of the
    /// message. `envelope` is the line before it in an mbox, or empty.
    pub(crate) fn new(number: u64, bytes: &'a [u8], envelope: &'a [u8]) -> Self {
        MessageFacts { headers: bytes.into(), number, envelope, ..MessageFacts::default() }
    }

    /// Makes the facts of an owned message from the values of its header fields.
    pub(super) fn owned(number: u64, headers: Vec<u8>, index: HeaderIndex) -> MessageFacts<'static> {
        let read = Box::new(ReadFacts { index: index.into(), ..ReadFacts::default() });
        MessageFacts { headers: headers.into(), number, read: read.into(), ..MessageFacts::default() }
    }

    /// Returns the bytes that begin with the headers: the whole message, unless it is a page or was read in pieces.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.headers
    }

    fn read(&self) -> &ReadFacts {
        self.read.get_or_init(Box::default)
    }

    pub(super) fn index(&self) -> &HeaderIndex {
        self.read().index.get_or_init(|| HeaderIndex::of(&self.headers))
    }

    pub(crate) fn number(&self) -> Option<u64> {
        (self.number > 0).then_some(self.number)
    }

    pub(crate) fn id(&self) -> Option<&[u8]> {
        self.value(&self.read().id, "message_id", || self.index().message_id(&self.headers))
    }

    pub(crate) fn newsgroups(&self) -> Option<&[u8]> {
        self.value(&self.read().newsgroups, "newsgroups", || self.index().newsgroups(&self.headers))
    }

    pub(crate) fn list_id(&self) -> Option<&[u8]> {
        self.value(&self.read().list_id, "list_id", || self.index().list_id(&self.headers))
    }

    pub(crate) fn subject(&self) -> Option<&str> {
        self.value(&self.read().subject, "subject", || self.index().subject(&self.headers))
    }

    pub(crate) fn from(&self) -> Option<&str> {
        self.value(&self.read().from, "from", || self.index().from(&self.headers))
    }

    /// Whether any fact of the header fields was asked for.
    #[inline]
    pub(crate) fn is_read(&self) -> bool {
        self.read.get().is_some()
    }

    /// Returns the names of the output fields whose values were cut, because they were too long to repeat them for each
    /// hit.
    pub(crate) fn cut(&self) -> Vec<&'static str> {
        self.read.get().map(|read| read.cut.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap_or_default()
    }

    /// Returns the beginning of the value that `find` returns. If the value is owned or was cut, it is stored in `kept`.
    fn value<'m, T: AsRef<[u8]> + ToOwned + Index<RangeTo<usize>, Output = T> + ?Sized>(
        &'m self,
        kept: &'m OnceLock<T::Owned>,
        name: &'static str,
        find: impl FnOnce() -> Option<Cow<'m, T>>,
    ) -> Option<&'m T> {
        if let Some(kept) = kept.get() {
            return Some(kept.borrow());
        }
        let value = find()?;
        let length = shared::cut_field((*value).as_ref()).len();
        let value = if length < (*value).as_ref().len() {
            self.read().cut.lock().unwrap_or_else(PoisonError::into_inner).push(name);
            Cow::Owned(value[..length].to_owned())
        } else {
            value
        };
        match value {
            Cow::Borrowed(value) => Some(value),
            Cow::Owned(value) => Some(kept.get_or_init(|| value).borrow()),
        }
    }

    pub(crate) fn date(&self) -> Option<&str> {
        self.read().date.get_or_init(|| mail::rfc3339(self.seconds()?)).as_deref()
    }

    pub(crate) fn seconds(&self) -> Option<i64> {
        self.dated().map(|(seconds, _)| seconds)
    }

    /// Returns whether the date is not that of a Date field.
    pub(super) fn is_dated_by_envelope(&self) -> bool {
        self.dated().is_some_and(|(_, by_envelope)| by_envelope)
    }

    fn dated(&self) -> Option<(i64, bool)> {
        *self.read().seconds.get_or_init(|| self.index().seconds(&self.headers, self.envelope))
    }

    /// Returns the data that all owned hits of the message share. `range` is the range of the message in `file`.
    pub(crate) fn kept(&self, file: Option<&Arc<Input>>, range: Option<Range<u64>>) -> &Arc<KeptMessage> {
        self.read().kept.get_or_init(|| {
            let (headers, index) = self.index().extract(&self.headers, self.envelope);
            Arc::new(KeptMessage {
                file: file.cloned(),
                range,
                facts: MessageFacts::owned(self.number, headers, index),
            })
        })
    }

    /// Returns a reference-counted copy of `part`. To save memory, successive owned hits in the same part get the same
    /// copy.
    pub(super) fn shared_part(&self, part: &Section) -> Arc<Section> {
        let mut last = self.read().part.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if **last == *part => Arc::clone(last),
            _ => Arc::clone(last.insert(Arc::new(part.clone()))),
        }
    }
}
