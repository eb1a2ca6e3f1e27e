//! Hits without file names and offsets. Tests use them to compare the hits in two copies of a message.

use super::record::{Event, Found};

/// The values of a hit that do not depend on where its message is stored.
#[derive(Debug, PartialEq)]
pub(crate) struct Placeless {
    pub(crate) id: Option<Vec<u8>>,
    pub(crate) part: String,
    pub(crate) header: String,
    pub(crate) form: &'static str,
    pub(crate) flags: String,
    pub(crate) url: Vec<u8>,
}

impl Placeless {
    fn new(found: &Found) -> Placeless {
        let Found { part, header, form, flags, url, message, .. } = found.clone();
        Placeless { id: message.id, part, header, form, flags, url }
    }
}

pub(crate) fn placeless<'e>(events: impl IntoIterator<Item = &'e Event>) -> Vec<Placeless> {
    let found = events.into_iter().filter_map(|event| match event {
        Event::Found(found) => Some(Placeless::new(found)),
        _ => None,
    });
    found.collect()
}

#[track_caller]
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, want: &[T], got: &[T]) {
    if let Some(i) = (0..want.len().max(got.len())).find(|&i| want.get(i) != got.get(i)) {
        let (want_len, got_len, want, got) = (want.len(), got.len(), want.get(i), got.get(i));
        panic!("{what}: {want_len} and {got_len} events; number {i}\n  wanted {want:#?}\n  got    {got:#?}");
    }
}
