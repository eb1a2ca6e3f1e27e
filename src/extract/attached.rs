//! Unpacks attachments: archives, compressed files and mailboxes. They are read like files on disk.

use std::ops::ControlFlow;

use crate::container::SegmentKind;
use crate::magic;
use crate::mail::Member;
use crate::source::{Batch, Input, Options, SkipReason, Stream, StreamEvent};

/// Maximum number of bytes of a member that is searched. The rest is not searched.
const MEMBER_MAX: usize = if cfg!(test) { 1 << 19 } else { 64 << 20 };

/// Calls `visit` for each member of `data`. See [`Unpack`](crate::mail::Unpack).
pub(super) fn unpack(data: &[u8], visit: &mut dyn FnMut(&[u8], Member<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut stream = Stream::from_reader(data, "", &Options::default());
    let (mut batch, mut file, mut rest) = (Batch::default(), Vec::new(), 0);
    let mut damaged: Option<Vec<u8>> = None;
    // The messages of a member wait for its end, because the checksum shows damage only there.
    let (mut messages, mut waiting) = (Vec::<Vec<u8>>::new(), 0);
    while let Some(event) = stream.next(&mut batch) {
        let input = batch.file.clone();
        let name = |input: Option<&Input>| input.and_then(Input::member).unwrap_or_default().to_vec();
        for error in event.errors(&batch) {
            let place = error.path().as_os_str().as_encoded_bytes();
            let place = place.strip_prefix(b"!").unwrap_or(place);
            // A damaged file can cause several errors, of which only the first is reported.
            if error.diagnostic().is_none() || damaged.as_deref() != Some(place) {
                visit(place, Member::Skipped(error.what(), 0))?;
            }
            damaged = error.diagnostic().map(|_| place.to_vec()).or(damaged);
        }
        let is_damaged = |name: &[u8]| damaged.as_deref() == Some(name);
        match event {
            StreamEvent::Batch => {
                // A document, such as an HTML page, is one segment like a message, but it is not mail.
                let is_mail = input.as_deref().is_none_or(|input| input.media().is_empty());
                for segment in &batch.segments {
                    match segment.kind {
                        SegmentKind::Message if is_mail => {
                            let message = &batch.bytes()[segment.range.clone()][segment.envelope as usize..];
                            waiting += message.len();
                            match waiting <= MEMBER_MAX {
                                true => messages.push(message.to_vec()),
                                false => {
                                    let name = name(input.as_deref());
                                    visit(&name, Member::Message(message, is_damaged(&name)))?;
                                }
                            }
                        }
                        // As a file of its own, this data would be recognized as a mailbox again, without end.
                        SegmentKind::Meta => {}
                        _ => {
                            let text = &batch.bytes()[segment.starts.clone()];
                            let kept = text.len().min(MEMBER_MAX - file.len());
                            file.extend_from_slice(&text[..kept]);
                            rest += text.len() - kept;
                        }
                    }
                }
            }
            StreamEvent::End(input, _) => {
                let name = name(input.as_deref());
                for message in messages.drain(..) {
                    visit(&name, Member::Message(&message, is_damaged(&name)))?;
                }
                waiting = 0;
                if !file.is_empty() {
                    visit(&name, Member::File(&file, is_damaged(&name)))?;
                }
                if rest > 0 {
                    visit(&name, Member::Skipped("the rest of a file over 64 MiB", rest))?;
                }
                // Another member can have the same name.
                damaged = damaged.filter(|damaged| *damaged != name);
                file.clear();
                rest = 0;
            }
            StreamEvent::Skipped(path, why) => {
                let place = path.as_os_str().as_encoded_bytes();
                // The batch still has the beginning of a binary member.
                let what = magic::binary(batch.bytes()).filter(|_| why == SkipReason::Binary);
                let skipped = Member::Skipped(what.unwrap_or(why.what()), 0);
                visit(place.strip_prefix(b"!").unwrap_or(place), skipped)?;
            }
            StreamEvent::Finished(_) => {}
        }
    }
    ControlFlow::Continue(())
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_long_file_is_read_to_the_limit() {
        let text = vec![b'\n'; MEMBER_MAX + 10];
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let archive = encoder.write_all(&text).and_then(|()| encoder.finish()).expect("memory");
        let mut sizes = Vec::new();
        let flow = unpack(&archive, &mut |_, member| {
            sizes.push(match member {
                Member::File(file, _) => ("read", file.len()),
                Member::Message(message, _) => ("message", message.len()),
                Member::Skipped(what, size) => (what, size),
            });
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        assert_eq!(sizes, [("read", MEMBER_MAX), ("the rest of a file over 64 MiB", 10)]);
    }
}
