//! Uses random messages to test that the regions tile each message and that all maps are correct.

use proptest::prelude::*;

use super::super::{header, words};
use super::*;

/// Fragments of mail from which random messages are built.
const BITS: [&str; 45] = [
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "From me Mon\n",
    ">From you\n",
    "Subject: x\n",
    "Subject:",
    "To: =?utf-8?q?a?=\n",
    "Content-Type: multipart/mixed; boundary=b\n\n",
    "Content-Type: multipart/alternative; boundary=\"bb\"\n\n",
    "Content-Type: multipart/digest; boundary=c\n",
    "Content-Type: message/rfc822\n",
    "Content-Type: text/html\n",
    "Content-Type: image/png\n",
    "Content-Type: text/plain; format=flowed; delsp=yes\n",
    "Content-Type: text/plain; charset=utf-16\n",
    "Content-Type: text/plain; charset=iso-2022-kr\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Transfer-Encoding: x-uue\n",
    "content-type:",
    "ConTent-tYPE: text/html\n",
    "--b\n",
    "--b--\n",
    "--bb\n",
    "--bb--\n",
    "--c\n\n",
    "--c--\n",
    "--",
    "aGVsbG8gdGhlcmUhIFRv\n",
    "OiB5Cgpib2R5",
    "=3D=\n",
    "= \n",
    "text \n",
    "> quoted \n",
    "http://example.org/ \n",
    ">From http://example.org/\n",
    "- http://example.org/\n",
    "X: http://example.org/\n",
    " \t\n",
    "\u{1b}$)C\u{e}é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1738), ..ProptestConfig::default() })]

    #[test]
    fn regions_cover_pieces_of_mail(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..60), prefilter in 0..3) {
        walk_with(bits.concat().as_bytes(), &Limits::default(), &|bytes| match prefilter {
            0 => None,
            1 => Some(0),
            _ => memchr::memmem::find(bytes, b"http"),
        });
    }

    #[test]
    fn regions_cover_messages_beyond_the_limits(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..60), depth in 0..4usize, parts in 0..4usize) {
        walk_with(bits.concat().as_bytes(), &Limits { depth, parts, header_value: 30 }, &|bytes| (bytes.len() % 2 == 0).then_some(0));
    }

    #[test]
    fn a_rough_prefilter_gives_the_same_regions(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..60)) {
        let message = bits.concat();
        let find = |bytes: &[u8]| memchr::memmem::find(bytes, b"http");
        let line = |bytes: &[u8]| find(bytes).map(|at| memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |i| i + 1));
        let (roughly, _) = walk_with(message.as_bytes(), &Limits::default(), &line);
        let mut reported = Vec::new();
        let mut visit = |region: &Region<'_>| {
            reported.push((name(&region.kind), region.raw.clone()));
            ControlFlow::Continue(())
        };
        let mut scratch = Scratch::default();
        let flow = regions("", message.as_bytes(), &mut scratch, Prefilter::new(None, &find), &mut (&mut visit, |_| {}));
        prop_assert!(flow.is_continue());
        prop_assert_eq!(reported, roughly.into_iter().map(|seen| (seen.kind, seen.raw)).collect::<Vec<_>>());
    }

    #[test]
    fn the_header_scan_agrees_with_the_line_walker(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..20)) {
        let message = bits.concat().replace('\r', "");
        let message = message.as_bytes();
        let walked = header::block(message, 0, true, &mut |_| false);
        // A line that has only blanks continues a field or ends the header block, depending on the next line. The SIMD
        // scan does not handle such lines. If the header block has such a line, the scan can find a different end of
        // the header block than the line-by-line parser.
        let blanks = message[..walked.body].split(|&byte| byte == b'\n').any(|line| !line.is_empty() && line.trim_ascii().is_empty());
        if let Some(mut scanned) = header::scan(message)
            && walked.damage.is_none()
            && !blanks
        {
            // The line-by-line parser does not search for encoded words. So check `words` separately, and then compare
            // everything else.
            let words = std::mem::replace(&mut scanned.words, walked.words);
            let first = message[..scanned.end].windows(2).position(|two| two == b"=?");
            prop_assert_eq!(words, first.map_or(words::Words::None, words::Words::First));
            prop_assert_eq!(format!("{scanned:?}"), format!("{walked:?}"));
        }
    }

    #[test]
    fn regions_cover_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        walk(&bytes);
    }

    #[test]
    fn a_walk_can_be_stopped_anywhere(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..40), stop in 0..10usize) {
        let mut left = stop;
        let mut visit = |_: &Region<'_>| if left == 0 { ControlFlow::Break(()) } else { left -= 1; ControlFlow::Continue(()) };
        let message = bits.concat();
        let (scratch, prefilter) = (&mut Scratch::default(), Prefilter::new(None, &|_| Some(0)));
        let _ = regions("", message.as_bytes(), scratch, prefilter, &mut (&mut visit, |_| {}));
        prop_assert_eq!(left, left.min(stop));
    }
}

#[test]
fn buffers_used_again_change_nothing() {
    let messages: Vec<String> = (0..BITS.len()).map(|i| BITS[i..].concat()).collect();
    let mut scratch = Scratch::default();
    for message in &messages {
        let mut texts = Vec::new();
        let mut visit = |region: &Region<'_>| {
            texts.push((region.part.to_string(), region.text.to_vec()));
            ControlFlow::Continue(())
        };
        let flow = regions(
            "",
            message.as_bytes(),
            &mut scratch,
            Prefilter::new(None, &|_| Some(0)),
            &mut (&mut visit, |_| {}),
        );
        assert!(flow.is_continue());
        let fresh: Vec<_> = walk(message.as_bytes()).0.into_iter().map(|seen| (seen.part, seen.text)).collect();
        assert_eq!(texts, fresh);
    }
}

/// A line of blanks ends this header block, because no field follows it. Fuzzing found that the block went on if its
/// last field had a URL.
#[test]
fn a_line_of_blanks_ends_the_header_block_after_any_field() {
    for from in ["a@b", "http://a.example/"] {
        let head = format!("From: {from}\n \t\n");
        let message = format!("{head}- http://b.example/\nContent-Type: text/html\n\nhttp://c.example/\n");
        let (seen, _) =
            walk_with(message.as_bytes(), &Limits::default(), &|bytes| memchr::memmem::find(bytes, b"http"));
        let body = seen.iter().find(|seen| seen.kind == "text").expect("a body");
        assert_eq!(body.raw, head.len()..message.len(), "{from}");
    }
}

/// Fuzzing found that the regions of the first message overlapped.
#[test]
fn regions_cover_headers_that_begin_with_mbox_lines() {
    for message in [
        "From a\n>From http://a.example/\n>From http://b.example/\n",
        "From a\n>From http://a.example/\n- http://b.example/\n",
        "From a\n http://a.example/\n- http://b.example/\n",
        "From a\nX: http://a.example/\n>From http://b.example/\nSubject: c\n\n",
        ">From http://a.example/\n \nX: b\n- http://c.example/\n",
    ] {
        walk_with(message.as_bytes(), &Limits::default(), &|bytes| memchr::memmem::find(bytes, b"http"));
    }
}
