//! Checks that the filter passes on its mail unchanged, except for a header field that it may add.

use urlspool::{Extractor, header_fields};

use super::listener::Listener;
use crate::support::short::Short;

#[path = "../../../cli/src/tee/passthrough.rs"]
mod passthrough;

use passthrough::Passthrough;

const FIELD: &[u8] = b"X-URL: x\n";

fn end_of_header(mail: &[u8]) -> usize {
    header_fields(mail).last().map_or(0, |(_, range)| range.end)
}

/// Input: a byte that chooses how the mail is read, then the mail.
pub fn tee(bytes: &[u8]) {
    let Some((&choice, mail)) = bytes.split_first() else { return };
    let (holding, size) = (choice & 1 == 1, usize::from(choice >> 1) + 1);
    let mut out = Vec::new();
    let from = Short(mail, size);
    let mut passthrough = Passthrough::new(from, &mut out, holding);
    let mut listener = Listener::new(u64::MAX);
    // If compressed mail is damaged, the search returns an error, but the filter must still pass on the mail.
    let _ = Extractor::new().read(&mut passthrough).name("file").each(&mut listener);
    let adds = |held: &[u8]| (choice & 2 == 2).then(|| (end_of_header(held), FIELD.to_vec()));
    passthrough.finish(adds).expect("writing to a Vec cannot fail");
    let at = end_of_header(mail);
    if holding && choice & 2 == 2 {
        assert_eq!(out, [&mail[..at], FIELD, &mail[at..]].concat());
    } else {
        assert_eq!(out, mail);
    }
}
