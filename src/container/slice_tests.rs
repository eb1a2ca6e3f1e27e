//! Checks which segments a [`Slicer`] returns, and what a later run needs to continue.

use super::SegmentKind::{Message, Meta, Rest, Text};
use super::{FORMATS, LOOKBACK, Limits, LineCut, SegmentKind, Slicer, Window};
use crate::diagnostic::DiagnosticKind;

/// Small limits, so that short test texts exceed them.
const SMALL: Limits = Limits { message: 600, least: 64, most: 256, context: 16 };

/// An envelope line of 34 bytes.
const FROM: &str = "From a@b Mon Jan  1 00:00:00 2001\n";

/// Kind, envelope, `starts`, and number of a segment.
type Row = (SegmentKind, u32, (u64, u64), u64);
type Notes = Vec<(DiagnosticKind, u64)>;

fn slicer(format: &str, limits: Limits) -> Slicer {
    Slicer::new(FORMATS.iter().find(|row| row.name == format).expect("a format"), limits)
}

/// Passes one window to `slicer`: the bytes of `text` from the offset `from` to the offset `to`. Returns the offset at
/// which the next window begins, the segments and the diagnostics.
fn window(slicer: &mut Slicer, text: &str, from: u64, to: usize) -> (u64, Vec<Row>, Notes) {
    let bytes = &text.as_bytes()[from as usize..to];
    let (mut segments, mut notes) = (Vec::new(), Vec::new());
    let window = Window { bytes, base: from, eof: to == text.len() };
    let next = slicer.slice(window, &mut segments, &mut notes);
    let at = |index: usize| from + index as u64;
    let row = |s: &super::ArchiveSegment| (s.kind, s.envelope, (at(s.starts.start), at(s.starts.end)), s.number);
    (next, segments.iter().map(row).collect(), notes.iter().map(|note| (note.kind, note.offset)).collect())
}

/// Passes `text` to `slicer` from the offset `from`. Each window ends `step` bytes after the window before it.
fn all(slicer: &mut Slicer, text: &str, from: u64, step: usize) -> (Vec<Row>, Notes) {
    let (mut next, mut end, mut rows, mut notes) = (from, from as usize, Vec::new(), Vec::new());
    while !slicer.is_finished() {
        end = (end + step).min(text.len());
        let found = window(slicer, text, next, end);
        next = found.0;
        rows.extend(found.1);
        notes.extend(found.2);
    }
    (rows, notes)
}

/// Three messages of 47 bytes.
fn mailbox() -> String {
    format!("{FROM}To: c\n\ntext\n\n").repeat(3)
}

/// Edge cases of the containers. The segments do not depend on the size of the windows.
#[test]
fn small_windows_give_the_same_segments() {
    let dated = format!("{FROM}To: c\n\ntext\n\n{FROM}To: d\n");
    let preamble = format!("\n\nThe end of a message.\n\n{FROM}To: c\n");
    let quoting = "#! rnews 33\nSubject: a\n\n#! rnews 4\nabcd\nefgh\n#! rnews 11\nSubject: b\n";
    let relayed = format!("\x01\x01\x01\x01\n{FROM}To: c\n\x01\x01\x01\x01\n");
    let spaced = "\x01\x01\x01\x01\nFrom : a@b\nTo: c\n\x01\x01\x01\x01\n>From a b\nTo: c\n";
    let unfinished = "\x01\x01\x01\x01\nTo: c\n\x01\x01\x01\x01\nFro";
    let (long, short) = ("-".repeat(70), "-".repeat(30));
    let digest = format!("To: a\n\ncontents\n\n{long}\n\nTo: b\n\ntext\n\n{short}\n\nTo: c\n\ntext\n");
    // A ruler of a digest needs the right length, a blank line before it, and a blank line and a field after it.
    let rulers =
        format!("To: a\n\n{short}----\n\nTo: b\ntext\n{short}\n\nTo: c\n\n{short}\n\nprose\n\n{short}\nTo: d\n");
    let first = format!("{short}\n\nTo: a\n");
    let table: &[(&str, &str, &[Row])] = &[
        ("mbox", &dated, &[(Message, 34, (0, 47), 1), (Message, 34, (47, 87), 2)]),
        // Text before the first message has no envelope.
        ("mbox", &preamble, &[(Rest, 0, (0, 25), 0), (Message, 34, (25, 65), 1)]),
        // An article with a right byte count can contain a line that begins an article.
        ("rnews", quoting, &[(Message, 12, (0, 45), 1), (Message, 12, (45, 68), 2)]),
        ("mmdf", &relayed, &[(Message, 39, (0, 45), 1), (Meta, 0, (45, 50), 0)]),
        // A `From` field is not an envelope line. Neither is a quoted `From ` line.
        ("mmdf", spaced, &[(Message, 5, (0, 22), 1), (Message, 5, (22, 43), 2)]),
        // The text ends with a part of `From `.
        ("mmdf", unfinished, &[(Message, 5, (0, 11), 1), (Message, 5, (11, 19), 2)]),
        ("emlx", "6 \nTo: a\n<plist/>\n", &[(Message, 3, (0, 9), 1), (Meta, 0, (9, 18), 0)]),
        ("digest", &digest, &[(Message, 0, (0, 17), 1), (Message, 72, (17, 102), 2), (Message, 32, (102, 146), 3)]),
        ("digest", &rulers, &[(Message, 0, (0, rulers.len() as u64), 1)]),
        ("digest", &first, &[(Message, 0, (0, first.len() as u64), 1)]),
    ];
    for (format, text, want) in table {
        for step in [1, 3, 20, text.len()] {
            let got = all(&mut slicer(format, SMALL), text, 0, step);
            assert_eq!(got, (want.to_vec(), vec![]), "{format}, {step} bytes: {text:?}");
        }
    }
}

/// Lines of base64 do not count towards the size limit, up to 15 times the limit.
#[test]
fn a_large_picture_does_not_truncate_a_message() {
    let base64 = |lines: usize| format!("{}\n", "A".repeat(75)).repeat(lines);
    let text = |lines: usize| "Some words of text\n".repeat(lines);
    let table = [
        (text(29), true),
        (text(30), false),
        (base64(30) + &text(20), true),
        (text(9) + &base64(100) + &text(20), true),
        (base64(30) + &text(32), false),
        (base64(120), true),
        (base64(130), false),
        ("A".repeat(700), false),
    ];
    for (body, is_whole) in table {
        let text = format!("{FROM}\n{body}");
        let wanted = all(&mut slicer("mbox", SMALL), &text, 0, text.len());
        assert_eq!(wanted.0.len() == 1, is_whole, "{body}");
        for step in [7, 300] {
            assert_eq!(all(&mut slicer("mbox", SMALL), &text, 0, step), wanted, "{step} bytes: {body}");
        }
    }
}

/// At most 16 KiB of blank bytes can follow the last separator line.
#[test]
fn a_mailbox_ends_with_blank_bytes() {
    for (blanks, text, messages) in [(16_383, "x", 2), (16_384, "", 1), (16_384, "x", 2), (16_385, "", 2)] {
        let text = format!("\x01\x01\x01\x01\nTo: a\n\x01\x01\x01\x01\n{}{text}", "\n".repeat(blanks));
        let (rows, _) = all(&mut slicer("mmdf", Limits::default()), &text, 0, text.len());
        let got = rows.iter().map(|row| row.3).max();
        assert_eq!(got, Some(messages), "{blanks} blank bytes, and {text:?}");
    }
}

/// A whole field after the separator line is enough to decide that a message begins.
#[test]
fn a_message_is_returned_when_the_next_one_begins() {
    let text = "\x01\x01\x01\x01\nTo: a\n\n\x01\x01\x01\x01\nTo: b\n\ntext\n";
    let rows = |to: usize| window(&mut slicer("mmdf", SMALL), text, 0, to).1;
    assert_eq!(rows(17), []);
    assert_eq!(rows(23), [(Message, 5, (0, 12), 1)]);
}

/// Each wrong byte count halves the size up to which byte counts are checked, but this size is always at least 64 KiB.
#[test]
fn large_byte_counts_are_ignored_after_a_wrong_one() {
    let table = [
        // Columns: the limit, the number of wrong counts, the size of the next article, whether its count is checked.
        (128 << 10, 0, 100_000, true),
        (128 << 10, 1, 100_000, false),
        (128 << 10, 1, 60_000, true),
        (128 << 10, 3, 60_000, true),
        (256 << 10, 1, 100_000, true),
    ];
    for (message, wrong, size, is_checked) in table {
        let limits = Limits { message, ..SMALL };
        let article = format!("Subject: b\n\n#! rnews 4\n{}", "text\n".repeat(size / 5));
        let before = "#! rnews 3\nSubject: a\n".repeat(wrong);
        let text = format!("{before}#! rnews {}\n{article}", article.len());
        let (rows, _) = all(&mut slicer("rnews", limits), &text, 0, text.len());
        assert_eq!(rows.len() == wrong + 1, is_checked, "{message} {wrong} {size}");
    }
}

#[test]
fn text_is_cut_after_a_line_or_a_word() {
    let table: &[(&str, &[u64])] = &[
        (&"word word\n".repeat(100), &[250, 500, 750, 1000]),
        (&"word ".repeat(100), &[255, 500]),
        (&"word\t".repeat(100), &[255, 500]),
        (&"word.".repeat(100), &[256, 500]),
        (&("word word\n".repeat(7) + "\n" + &"word word\n".repeat(20)), &[71, 271]),
        (&"word\n".repeat(12), &[60]),
    ];
    for (text, want) in table {
        for step in [1, text.len()] {
            let (rows, _) = all(&mut slicer("text", SMALL), text, 0, step);
            assert_eq!(rows.iter().map(|row| row.2.1).collect::<Vec<_>>(), *want, "{text:?}");
        }
    }
}

/// To cut a piece of text, the slicer needs the piece and its context, but not the rest of the file.
#[test]
fn a_piece_of_text_does_not_wait_for_the_end() {
    let text = "word word\n".repeat(100);
    let rows = |cut: LineCut, to: usize| {
        let mut slicer = slicer("text", SMALL);
        slicer.set_line_cut(cut);
        window(&mut slicer, &text, 0, to).1
    };
    assert_eq!(rows(LineCut::Never, 271), []);
    assert_eq!(rows(LineCut::Never, 272), [(Text, 0, (0, 250), 0)]);
    // Bytes from a slow input are returned line by line.
    assert_eq!(rows(LineCut::Complete, 15), [(Text, 0, (0, 10), 0)]);
}

#[test]
fn a_message_over_the_limit_is_cut_after_a_blank_line() {
    for (blank, cut) in [("\r\n\r\n", 590), ("\n\n", 588), ("\n", 587)] {
        let text = format!("{FROM}To: c\r\n\r\n{}{blank}{}", "x".repeat(543), "y".repeat(100));
        let want = vec![(Message, 34, (0, cut), 1), (Rest, 0, (cut, text.len() as u64), 1)];
        let got = all(&mut slicer("mbox", SMALL), &text, 0, text.len());
        assert_eq!(got, (want, vec![(DiagnosticKind::OversizeMessage, 0)]), "{blank:?}");
    }
}

/// A message that an earlier run has read is a segment only if more than white space was added to it.
#[test]
fn a_later_run_returns_a_message_that_has_grown() {
    let grown: &[(DiagnosticKind, u64)] = &[(DiagnosticKind::Grown, 47)];
    // Columns: the offset up to which an earlier run read the second message, whether the later run returns this message,
    // and the diagnostics of the later run.
    let table = [
        (94, false, &[][..]),
        (93, false, &[]),
        (92, false, &[]),
        (91, true, grown),
        (82, true, grown),
        // The earlier run held the message back, and returned nothing of it.
        (47, true, &[]),
    ];
    let text = mailbox();
    for (end, is_returned, notes) in table {
        let mut want = vec![(Message, 34, (47, 94), 2), (Message, 34, (94, 141), 3)];
        want.drain(..usize::from(!is_returned));
        for (from, messages) in [(47 - LOOKBACK, Some(1)), (0, None)] {
            let mut slicer = slicer("mbox", SMALL).after(47, end, messages);
            assert_eq!(all(&mut slicer, &text, from, text.len()), (want.clone(), notes.to_vec()), "{end} {messages:?}");
            assert_eq!(slicer.reached(), Some((94, 141, 2)));
        }
    }
}

#[test]
fn an_incomplete_last_message_is_held_back() {
    let is_complete: fn(&[u8]) -> bool = |message| message.ends_with(b"text\n\n");
    let text = mailbox();
    // Columns: the length of the file, the number of segments, and the result of `reached`.
    for (length, want) in [(141, (3, Some((94, 141, 2)))), (140, (2, Some((94, 94, 2)))), (134, (2, Some((94, 94, 2))))]
    {
        let mut slicer = slicer("mbox", SMALL);
        slicer.hold(is_complete);
        let (rows, notes) = all(&mut slicer, &text[..length], 0, length);
        assert_eq!((rows.len(), slicer.reached()), want, "{length}");
        let held: &[_] = if want.0 == 2 { &[(DiagnosticKind::HeldBack, 94)] } else { &[] };
        assert_eq!(notes, held, "{length}");
    }
    // An earlier run has read the incomplete message, and the message has not grown since then.
    let mut known = slicer("mbox", SMALL).after(94, 134, Some(2));
    known.hold(is_complete);
    assert_eq!(all(&mut known, &text[..134], 94 - LOOKBACK, 134), (vec![], vec![]));
}

/// The first article, the line break after it, or the first line of the next article is not written to its end. A line
/// of the first article looks like the beginning of another article.
#[test]
fn an_article_that_ends_after_the_file_is_held_back() {
    let article = "To: a\n\n#! rnews 4\nabcd\n";
    for (count, more) in [(50, ""), (23, "#! rn"), (23, "\r")] {
        let text = &format!("#! rnews {count}\n{article}{more}");
        let mut slicer = slicer("rnews", SMALL);
        slicer.hold(|_| false);
        let held = (vec![], vec![(DiagnosticKind::HeldBack, 0)]);
        assert_eq!(all(&mut slicer, text, 0, text.len()), held, "{text}");
        assert_eq!(slicer.reached(), Some((0, 0, 0)), "{text}");
    }
}

/// A later run reads the last line of a mailbox again, with the message before it: the line can then begin a message, or
/// belong to the message.
#[test]
fn a_later_run_reads_the_last_separator_again() {
    let table = [
        ("mmdf", "\x01\x01\x01\x01\nTo: a\n", "\x01\x01\x01\x01", "b\n"),
        ("babyl", "\x1F\x0C\n1,,\n*** EOOH ***\nTo: a\n", "\x1F\n", ",\n"),
    ];
    for (format, message, line, more) in table {
        let (text, end) = ([message, line].concat(), message.len() as u64);
        let mut first = slicer(format, SMALL);
        all(&mut first, &text, 0, text.len());
        assert_eq!((first.reached(), first.at_message()), (Some((0, end, 0)), None), "{format}");
        let later = |text: &str| {
            let (rows, _) = all(&mut slicer(format, SMALL).after(0, end, None), text, 0, text.len());
            rows.into_iter().filter(|row| row.0 == Message).map(|row| row.2).collect::<Vec<_>>()
        };
        let grown = [&text, more].concat();
        assert_eq!((later(&text), later(&grown)), (vec![], vec![(0, grown.len() as u64)]), "{format}");
    }
}

#[test]
fn messages_are_numbered_from_the_start_of_the_file_or_the_range() {
    let text = mailbox();
    for (range, numbers, messages) in [(47..94, &[2][..], 2), (47..95, &[2, 3], 3), (40..48, &[2], 2), (0..47, &[1], 1)]
    {
        let mut slicer = slicer("mbox", SMALL).within(range.clone());
        let (rows, _) = all(&mut slicer, &text, 0, text.len());
        assert_eq!(rows.iter().map(|row| row.3).collect::<Vec<_>>(), numbers, "{range:?}");
        assert_eq!(slicer.messages(), messages, "{range:?}");
    }
    let mut relative = slicer("mbox", SMALL).within(47..94).relative();
    assert_eq!(all(&mut relative, &text, 0, text.len()).0, [(Message, 34, (47, 94), 1)]);
}

#[test]
fn messages_can_be_renumbered() {
    let text = mailbox();
    let mut numbered = slicer("mbox", SMALL);
    let (next, rows, _) = window(&mut numbered, &text, 0, 90);
    assert_eq!((next, rows), (47, vec![(Message, 34, (0, 47), 1)]));
    assert_eq!((numbered.at_message(), numbered.messages()), (Some((47, 1)), 2));
    numbered.add(10);
    assert_eq!((numbered.at_message(), numbered.messages()), (Some((47, 11)), 12));
    let rows = window(&mut numbered, &text, next, text.len()).1;
    assert_eq!(rows, [(Message, 34, (47, 94), 12), (Message, 34, (94, 141), 13)]);
    assert_eq!(numbered.at_message(), None);

    // Without numbers, nothing changes.
    let mut unnumbered = slicer("mbox", SMALL).unnumbered();
    let (next, ..) = window(&mut unnumbered, &text, 0, 90);
    unnumbered.add(10);
    let rows = window(&mut unnumbered, &text, next, text.len()).1;
    assert_eq!(rows.iter().map(|row| row.3).collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn at_message_is_none_in_text_and_in_the_rest_of_a_large_message() {
    let mut text = slicer("text", SMALL);
    window(&mut text, "some text\n", 0, 5);
    assert_eq!(text.at_message(), None);
    let large = format!("{FROM}To: c\n\n{}", "text\n".repeat(200));
    let mut message = slicer("mbox", SMALL);
    window(&mut message, &large, 0, 700);
    assert_eq!(message.at_message(), None);
}
