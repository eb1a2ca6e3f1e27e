//! Searches one message, or one window of text (a block of a text that is not a message). A message is split into
//! regions, such as header fields and decoded MIME parts, which the [`Composer`] turns into hits.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock};

use super::compose::{Composer, Kept};
use super::{Extractor, MessageFilter, attached, defanged};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::event::{Event, Sink};
use crate::hit::{Gaps, Lines, MessageContext, MessageFacts, RegionContext};
use crate::mail::html;
use crate::mail::{self, Kind, Map, Prefilter, Region, Scratch, Section};
use crate::options::{Options, SearchIn};
use crate::scan::{Elsewhere, Scanner, dots_of};
use crate::source::Input;
use crate::trigger::{Dots, TriggerIndex};
use crate::url::{Url, percent};
use crate::zone::{self, Zones};

/// A worker frees its buffers after a message of more than this number of bytes. [`text_of`] also returns at most about
/// this number of bytes.
const LARGE: usize = 1 << 20;

/// Searches messages and windows of text, one after another, and reuses its buffers for all of them.
pub(super) struct Worker<'c> {
    pub(super) config: &'c Extractor,
    pub(super) filter: &'c MessageFilter,
    buffers: &'c mut Buffers,
}

#[derive(Debug, Default)]
pub(super) struct Buffers {
    scratch: Scratch,
    triggers: TriggerIndex,
    kept: Kept,
}

/// The position of a message, or of a window of text, in the input.
#[derive(Clone, Copy, Default)]
pub(super) struct InputContext<'a> {
    /// The file. `None` for a message in memory.
    pub(super) file: Option<&'a Arc<Input>>,
    /// The offset in the file of the first byte of the message or window.
    pub(super) base: u64,
    /// The number of the message, or of the message that contains the window of text. 0 if there is no message.
    pub(super) number: u64,
    /// If the text is in the rest of an oversized message, the beginning of this message. Otherwise empty.
    pub(super) head: &'a [u8],
    /// The line before the message in an mbox, or nothing.
    pub(super) envelope: &'a [u8],
    /// Finds the line numbers of offsets. `None` if lines are not counted.
    pub(super) lines: Option<&'a Lines<'a>>,
    /// The ranges of bytes that were removed from the stored message.
    pub(super) gaps: Option<&'a Gaps>,
    /// Whether the message or window may continue, because the file was not read to its end.
    pub(super) is_cut: bool,
    /// Whether it is text outside messages that has files in uuencode, base64 and so on, which are decoded.
    pub(super) has_files: bool,
}

impl<'a> InputContext<'a> {
    /// `bytes` are those of the message or window.
    fn of_message(&self, message: &'a MessageFacts<'a>, bytes: &[u8]) -> MessageContext<'a> {
        let InputContext { file, base, lines, gaps, is_cut, .. } = *self;
        let cut = is_cut.then(|| bytes.trim_ascii_end().len());
        MessageContext { file, message, lines, base, gaps, length: None, cut, elsewhere: None }
    }
}

/// Returns the header block of a document: that of the message if an HTML page shows one, and otherwise an empty one.
/// Returns `None` for messages.
#[inline]
pub(super) fn page_headers(media: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    if media.is_empty() { None } else { Some(headers_of_document(media, bytes)) }
}

#[cold]
fn headers_of_document(media: &str, bytes: &[u8]) -> Vec<u8> {
    if media == "text/html" { html::page_headers(bytes) } else { Vec::new() }
}

/// Returns the base URL of a page: its path or, in an archive, its name, resolved with the option `base`, which is the
/// URL of the current directory. Returns this option if there is no file, and `None` if the path is absolute.
#[cold]
fn base_of_page(base: &str, file: Option<&Arc<Input>>) -> Option<Box<[u8]>> {
    /// The characters that a path can have unescaped, besides letters and digits (RFC 3986, section 3.3).
    const PLAIN: &[u8] = b"/-._~!$&'()*+,;=:@";
    let Some(file) = file.filter(|file| file.name() != Path::new("-") || file.member().is_some()) else {
        return Some(base.as_bytes().into());
    };
    let path = match file.member() {
        Some(member) => member,
        None if file.name().is_absolute() => return None,
        None => file.name().as_os_str().as_encoded_bytes(),
    };
    let path = &path[path.iter().take_while(|byte| **byte == b'/').count()..];
    let mut reference = b"./".to_vec();
    for &byte in path {
        match byte {
            b'\\' if cfg!(windows) => reference.push(b'/'),
            byte if byte.is_ascii_alphanumeric() || PLAIN.contains(&byte) => reference.push(byte),
            byte => reference.extend(percent::encode(byte)),
        }
    }
    let slash = if base.ends_with('/') || base.contains(['?', '#']) { "" } else { "/" };
    Some(Url::parse(&format!("{base}{slash}")).ok()?.resolve(&reference).into())
}

/// Whether a page with the header block `head` shows a message: it has any field but Subject, which is the title of the
/// page.
#[cold]
fn has_fields(head: &[u8]) -> bool {
    head.split(|&byte| byte == b'\n').any(|line| line.contains(&b':') && !line.starts_with(b"Subject"))
}

impl<'c> Worker<'c> {
    pub(super) fn new(config: &'c Extractor, filter: &'c MessageFilter, buffers: &'c mut Buffers) -> Worker<'c> {
        Worker { config, filter, buffers }
    }

    /// Must be called after `bytes` bytes were skipped. Skipped bytes count like bytes that were read, so that
    /// [`Event::Check`] is reported often enough.
    pub(super) fn pass_over(&mut self, bytes: usize) {
        self.buffers.kept.unchecked += bytes;
    }

    /// Passes the hits in the message `bytes` to `sink`, headers first. If the input is [text with
    /// files](InputContext::has_files), passes the hits in the text and in the files.
    pub(super) fn message(&mut self, bytes: &[u8], input: InputContext<'_>, sink: &mut dyn Sink) -> ControlFlow<()> {
        let (config, is_text) = (self.config, input.has_files);
        let (media, page) = if is_text {
            ("text/plain", None)
        } else {
            let declared = config.options.format.map_or("", |format| format.media);
            let media = input.file.map_or(declared, |file| file.media());
            (media, page_headers(media, bytes))
        };
        let head = page.as_deref().unwrap_or(if is_text { input.head } else { bytes });
        let message = &MessageFacts::new(input.number, head, input.envelope);
        if let Some(base) = &config.options.base
            && page.is_some()
        {
            self.buffers.scratch.base = base_of_page(base, input.file);
        }
        let text = LazyLock::new(|| text_of(media, bytes));
        let asked = <[AtomicUsize; 2]>::default();
        let length = input.gaps.map_or(bytes.len(), |gaps| gaps.before(bytes.len())) as u64;
        let in_message = &MessageContext {
            length: (!is_text).then_some(length),
            elsewhere: (!is_text).then(|| Elsewhere::new(&text, &asked)),
            ..input.of_message(message, bytes)
        };
        let is_message = !is_text && page.as_deref().is_none_or(has_fields);
        let Buffers { scratch, triggers, kept } = &mut *self.buffers;
        kept.clear();
        let notes = Vec::new();
        let mut composer = Composer { config, in_message, is_message, regions: 0, texts: 0, notes, kept, sink };
        mail::regions(media, bytes, scratch, config.prefilter(triggers, bytes), &mut composer)?;
        let (mut notes, refused) = (composer.notes, self.buffers.kept.refused);
        if bytes.len() > LARGE {
            self.free();
        }
        if refused == 0 && notes.is_empty() && !message.is_read() {
            return ControlFlow::Continue(());
        }
        notes.extend(message.cut().into_iter().map(|name| Diagnostic::of_cut_field(name, 0)));
        self.report(refused, notes, input, sink)
    }

    /// Frees the buffers.
    #[cold]
    fn free(&mut self) {
        *self.buffers = Buffers::default();
    }

    /// Reports what is wrong in a message: the number of links that are not URLs, and `notes`.
    #[cold]
    fn report(
        &self,
        refused: u32,
        notes: Vec<Diagnostic>,
        input: InputContext<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let file = input.file.map(|file| &**file);
        if refused > 0 {
            let diagnostic = &Diagnostic::with_number(DiagnosticKind::RefusedLinks, input.base, refused.into());
            sink.event(Event::Diagnostic { file, diagnostic })?;
        }
        for note in notes {
            if note.kind() == DiagnosticKind::BadTnef && !self.config.options.searches(SearchIn::Attachments) {
                continue;
            }
            let at = note.offset as usize;
            let at = input.gaps.map_or(at, |gaps| gaps.before(at));
            let diagnostic = &Diagnostic { offset: input.base + at as u64, ..note };
            sink.event(Event::Diagnostic { file, diagnostic })?;
        }
        ControlFlow::Continue(())
    }

    /// Scans `text`, without parsing it as a message. `sink` receives only the hits that begin within the range
    /// `starts`.
    pub(super) fn text(
        &mut self,
        text: &[u8],
        starts: Range<usize>,
        input: InputContext<'_>,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let (config, kept) = (self.config, &mut self.buffers.kept);
        if !config.options.searches(SearchIn::Text) {
            return ControlFlow::Continue(());
        }
        let message = MessageFacts::new(input.number, input.head, b"");
        let (part, map, raw) = (&Section::default(), &Map::Shift(0), (0, text.len()));
        let zones = &Zones::new(text, b"", zone::Kind::Lines, config.options.zones.is_some());
        let in_region = RegionContext::new(part, map, raw, zones);
        kept.clear();
        let in_message = &input.of_message(&message, text);
        let notes = Vec::new();
        let mut composer = Composer { config, in_message, is_message: false, regions: 0, texts: 0, notes, kept, sink };
        composer.search(&config.scanner(), starts, &in_region)
    }
}

/// Returns the offset of the first trigger in `text`, or of the first dot in `dots`, whichever is first.
fn first_trigger_or_dot(text: &[u8], dots: Dots) -> Option<usize> {
    let trigger = Scanner::first_trigger(text);
    dots.first(text, 0..trigger.unwrap_or(text.len())).or(trigger)
}

/// Returns the decoded text of all parts of `message`, but at most about [`LARGE`] bytes.
#[cold]
fn text_of(media: &str, message: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let visit = |region: &Region<'_>| {
        if matches!(region.kind, Kind::Text | Kind::Html | Kind::Raw) {
            text.extend_from_slice(&region.text[..region.text.len().min(LARGE - text.len())]);
            text.push(b'\n');
        }
        if text.len() < LARGE { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let prefilter = Prefilter::new(None, &Scanner::first_trigger);
    // The result can be ignored: `Break` only means that the text reached `LARGE` bytes.
    let _ = mail::regions(media, message, &mut Scratch::default(), prefilter, &mut (visit, |_| {}));
    text
}

impl Extractor {
    /// Returns a scanner for decoded text. Of the options, only `join`, `hyphen` and `scheme` have an effect on it.
    pub fn scanner(&self) -> Scanner {
        let Options { join, drops_hyphens, ref own_schemes, .. } = self.options;
        Scanner::new().join(join).drop_hyphens(drops_hyphens).own_schemes(own_schemes.clone())
    }

    /// Returns the prefilter that skips text of `message` in which no URL can begin.
    #[inline]
    pub(super) fn prefilter<'w>(&self, index: &'w mut TriggerIndex, message: &[u8]) -> Prefilter<'w> {
        let dots = dots_of(&self.options.forms);
        if dots == Dots::None && !self.options.defanged {
            return Prefilter::new(index.of(message, dots), &Scanner::first_trigger).unpacking(attached::unpack);
        }
        self.unusual_prefilter(index, message, dots)
    }

    #[cold]
    fn unusual_prefilter<'w>(&self, index: &'w mut TriggerIndex, message: &[u8], dots: Dots) -> Prefilter<'w> {
        let prefilter = match dots {
            _ if self.options.defanged => defanged::prefilter(index, message, dots),
            Dots::None => Prefilter::new(index.of(message, dots), &Scanner::first_trigger),
            Dots::Paths => Prefilter::new(index.of(message, dots), &|text| first_trigger_or_dot(text, Dots::Paths)),
            Dots::Hosts => Prefilter::new(index.of(message, dots), &|text| first_trigger_or_dot(text, Dots::Hosts)),
        };
        prefilter.unpacking(attached::unpack).reading_dots(dots != Dots::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::Warning;

    /// A copy of a URL anywhere else in the message decides whether a broken URL is joined.
    #[test]
    fn copies_are_found_in_all_parts() {
        let url = "http://www.example.org/archive/of/the/list-o/about/old/computers/and/the";
        let broken = format!("See {url}\n12345 and so on\n");
        let copy = format!("The first is at <{url}12345> here, which is whole.\n");
        let wide: String = copy.chars().flat_map(|c| [c, '\0']).collect();
        let head = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n";
        let uu = format!("begin 644 a\n{}`\nend\n", format!("M{}\n", "0V%T".repeat(15)).repeat(40));
        let part = |fields: &str, text: &str| format!("{head}--b\n\n{broken}\n--b\n{fields}\n{text}\n--b--\n");
        let nested = format!("Content-Type: multipart/mixed; boundary=c\n\n--c\n\n{copy}\n--c--\n");
        for (message, want) in [
            (format!("Subject: x\n\n{broken}"), false),
            (format!("Subject: x\n\n{copy}{broken}"), true),
            (format!("Subject: x\n\n{copy}{uu}{broken}"), true),
            (part("", "no copy"), false),
            (part("", &copy), true),
            (part("Content-Transfer-Encoding: quoted-printable\n", &copy.replace("http", "ht=\ntp")), true),
            (part("Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: binary\n", &wide), true),
            (format!("{head}--b\n\n{copy}\n--b--\n{broken}"), true),
            (format!("{head}--b\n{nested}{broken}\n--b--\n"), true),
        ] {
            let hits = Extractor::new().message(&message);
            let is_joined = hits.iter().any(|hit| hit.rejoined() && hit.url().as_bytes().ends_with(b"the12345"));
            assert_eq!(is_joined, want, "{message}");
        }
    }

    /// A copy decides only if the evidence leaves a doubt: the sums are -64 and -82.
    #[test]
    fn a_copy_does_not_outweigh_all_evidence() {
        let url = "http://www.example.org/archive/of/the/list/about/old/computers";
        for (word, want) in [("x.y", true), ("computers-old", false)] {
            let message = format!("Subject: x\n\nSee {url}\n{word} and so on\n\nagain {url}{word} here\n");
            let hits = Extractor::new().message(message.as_bytes());
            assert_eq!(hits.iter().any(crate::hit::Hit::rejoined), want, "{word}");
        }
    }

    #[test]
    fn a_long_text_of_a_link_is_not_compared_with_its_url() {
        for (length, want) in [(0, true), (900, true), (1100, false)] {
            let text = "x".repeat(length);
            let html = format!("<a href=\"http://a.example/\">http://b.example/{text}</a>");
            let message = format!("Content-Type: text/html\n\n{html}\n");
            let hits = Extractor::new().message(message.as_bytes());
            let hit = hits.first().expect("a hit");
            assert_eq!(hit.warnings().any(|warning| warning == Warning::ShownAsOtherHost), want, "{length} bytes");
        }
    }

    fn content(buffers: &Buffers) -> String {
        format!("{:?} {:?}", buffers.scratch, buffers.triggers)
    }

    /// If the worker kept its buffers, it would hold the memory for the largest message until the end of the search.
    #[test]
    fn a_large_message_frees_the_buffers() {
        for (size, is_freed) in [(1000, false), (LARGE, false), (LARGE + 1, true)] {
            let mut message = b"Content-Transfer-Encoding: base64\n\n".to_vec();
            message.extend_from_slice(&b"aHR0cDovL2EvICAg\n".repeat(60));
            message.resize(size.max(message.len()), b'\n');
            let (config, mut buffers) = (Extractor::new(), Buffers::default());
            let mut worker = Worker::new(&config, &MessageFilter::EVERYTHING, &mut buffers);
            let input = InputContext { number: 1, ..InputContext::default() };
            let _ = worker.message(&message, input, &mut |_: Event<'_>| ControlFlow::Continue(()));
            assert_eq!(content(&buffers) == content(&Buffers::default()), is_freed, "{size} bytes");
        }
    }

    /// Texts of the parts are joined up to the limit. Each text is followed by a line break.
    #[test]
    fn the_joined_text_of_a_message_has_a_limit() {
        for (sizes, want) in [([10, 20], 10 + 1 + 20 + 1), ([LARGE - 1, 20], LARGE), ([LARGE / 2, LARGE], LARGE + 1)] {
            let part = |size: usize| format!("--b\n\n{}\n", "x".repeat(size));
            let parts = sizes.map(part).concat();
            let message = format!("Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n");
            assert_eq!(text_of("", message.as_bytes()).len(), want, "{sizes:?}");
        }
    }

    /// Counts checks and hits, and keeps the reasons of rejects and the offsets of diagnostics.
    #[derive(Default)]
    struct Calls {
        checks: usize,
        hits: usize,
        rejects: Vec<&'static str>,
        diagnostics: Vec<(DiagnosticKind, u64)>,
    }

    impl Sink for Calls {
        fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
            match event {
                Event::Hit(_) => self.hits += 1,
                Event::Reject(reject) => self.rejects.push(reject.reason().kind().as_str()),
                Event::Diagnostic { diagnostic, .. } => {
                    self.diagnostics.push((diagnostic.kind(), diagnostic.offset()));
                }
                Event::Check => self.checks += 1,
                _ => {}
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn urls_after_a_character_reference() {
        for before in ["&amp;", "a&amp;", "ab&amp;", "abc&amp;"] {
            let message = format!("Content-Type: text/html\n\n{before}http://a.example/ b");
            let hit = Extractor::new().read(message.as_bytes()).next().expect("a hit").expect("a message");
            assert_eq!((hit.offset(), hit.length()), (25 + before.len() as u64, 17), "{before}");
        }
    }

    /// A field is folded at blanks, so a URL does not continue on the next line. In Content-Type, it can.
    #[test]
    fn urls_in_folded_fields() {
        let (first, second) = ("http://www.example.org/archive/of/the/list/about/old/computers-", "and/manuals.html");
        for (name, want) in [("Subject", first.to_owned()), ("Content-Type", [first, second].concat())] {
            let message = format!("{name}: {first}\n {second}\n\n");
            let hit = Extractor::new().read(message.as_bytes()).next().expect("a hit").expect("a message");
            assert_eq!(hit.url().as_str(), want, "{name}");
        }
    }

    /// In `format=flowed`, a line break without a blank before it is meant. In HTML, a line break is part of the text only
    /// in a `pre` element.
    #[test]
    fn line_breaks_that_are_meant() {
        let first = "http://www.example.org/archive/of/the/list/about/old";
        let joined = &format!("{first}/computers");
        let pre = format!("<pre wrap=\"\"><b>The list of {first}\n/computers</b> and manuals</pre>");
        for (media, text, want) in [
            ("text/plain", format!("The list of {first}\n/computers and manuals\n"), joined),
            ("text/plain; format=flowed", format!("The list of {first}\n/computers and manuals\n"), &first.to_owned()),
            ("text/plain; format=flowed", format!("The list of {first} \n/computers and manuals\n"), joined),
            ("text/html", pre.clone(), joined),
            ("text/html", pre.replace("pre", "div"), &first.to_owned()),
            ("text/html", format!("<pre>x</pre>The list of {first}\n/computers and manuals"), &first.to_owned()),
        ] {
            let hits = Extractor::new().message(&format!("Content-Type: {media}\n\n{text}"));
            assert_eq!(hits[0].url().as_str(), want, "{media}: {text}");
        }
    }

    /// One call is for the whole part. The part has 250 KiB, so there are three more calls.
    #[test]
    fn the_sink_is_checked_again_after_64_kib() {
        let line = format!("http://a.example/ {}\n", "x".repeat(1005));
        let mut calls = Calls::default();
        let _ = Extractor::new().message_into(&format!("Subject: x\n\n{}", line.repeat(250)), &mut calls);
        assert_eq!((calls.hits, calls.checks), (250, 4));
        let mut calls = Calls::default();
        let _ = Extractor::new().message_into("Subject: x\n\nhttp://a.example/\n", &mut calls);
        assert_eq!((calls.hits, calls.checks), (1, 0));
    }

    #[test]
    fn a_url_of_more_than_64_kib_is_rejected() {
        for (length, want) in [(1000, &[][..]), (70 << 10, &["too-long"])] {
            let mut calls = Calls::default();
            let _ =
                Extractor::new().message_into(&format!("\n\nhttp://a.example/{}\n", "x".repeat(length)), &mut calls);
            assert_eq!((calls.hits, &calls.rejects[..]), (1 - want.len(), want), "{length} bytes");
        }
    }

    #[test]
    fn diagnostics_have_offsets_in_the_file() {
        let message = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: odd\n\ntext\n\n";
        let value = message.find(" odd").expect("a value") as u64;
        let mut calls = Calls::default();
        let _ = Extractor::new().read(message.repeat(2).as_bytes()).each(&mut calls);
        let want = [value, message.len() as u64 + value].map(|offset| (DiagnosticKind::UnknownEncoding, offset));
        assert_eq!(calls.diagnostics, want);
    }
}
