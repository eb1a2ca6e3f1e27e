//! Unpacks attachments: archives, compressed files and mailboxes. They are read like files on disk.

use std::ops::ControlFlow;

use crate::container::SegmentKind;
use crate::magic;
use crate::mail::Member;
use crate::source::{Batch, Input, Options, SkipReason, Stream, StreamEvent};

/// Maximum number of bytes of a member that is searched. The rest is not searched.
const MEMBER_MAX: usize = if cfg!(test) { 1 << 19 } else { 64 << 20 };

type Visit<'v> = dyn FnMut(&[u8], Member<'_>) -> ControlFlow<()> + 'v;

/// Calls `visit` for each member of `data`. See [`Unpack`](crate::mail::Unpack).
pub(super) fn unpack(data: &[u8], visit: &mut Visit<'_>) -> ControlFlow<()> {
    let mut stream = Stream::from_reader(data, "", &Options::default());
    let (mut batch, mut file, mut rest) = (Batch::default(), Vec::new(), 0);
    let mut damaged: Option<Vec<u8>> = None;
    // The messages of a member wait for its end, because the checksum shows damage only there. If there are many, they
    // do not wait.
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
        let visit_all = |messages: &mut Vec<Vec<u8>>, name: &[u8], visit: &mut Visit<'_>| {
            messages.drain(..).try_for_each(|message| visit(name, Member::Message(&message, is_damaged(name))))
        };
        match event {
            StreamEvent::Batch => {
                // A document, such as an HTML page, is one segment like a message, but it is not mail.
                let is_mail = input.as_deref().is_none_or(|input| input.media().is_empty());
                for segment in &batch.segments {
                    match segment.kind {
                        SegmentKind::Message if is_mail => {
                            let message = &batch.bytes()[segment.range.clone()][segment.envelope as usize..];
                            waiting += message.len();
                            messages.push(message.to_vec());
                            if waiting > MEMBER_MAX {
                                visit_all(&mut messages, &name(input.as_deref()), visit)?;
                                waiting = 0;
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
                visit_all(&mut messages, &name, visit)?;
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

    #[test]
    fn the_messages_of_a_large_mailbox_are_in_order() {
        let filler = "x".repeat(MEMBER_MAX / 4);
        let message = |number| format!("From a Mon Jan  1 00:00:00 2001\nSubject: {number}\n\n{filler}\n\n");
        let mailbox: String = (0..11).map(message).collect();
        let mut numbers = Vec::new();
        let flow = unpack(mailbox.as_bytes(), &mut |_, member| {
            if let Member::Message(message, _) = member {
                let number = message.split(|byte| *byte == b'\n').next().unwrap_or_default();
                numbers.push(String::from_utf8_lossy(number).replace("Subject: ", ""));
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        assert_eq!(numbers, (0..11).map(|number| number.to_string()).collect::<Vec<_>>());
    }
}
