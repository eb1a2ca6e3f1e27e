//! Visits the MIME parts of a message in one pass. A stack holds the open parts, so no tree of parts is built.
//!
//! A boundary line consists of `--`, the boundary, an optional `--`, optional blanks and a line end (RFC 2046, section
//! 5.1.1). Each line that starts with `--` is compared with all open boundaries. The boundary of an outer multipart
//! also ends all unclosed parts inside it. The line end before a boundary line belongs to the boundary line.

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::{ControlFlow, Range};

use super::content::{self, Reading, Role};
use super::header::{self, Block};
use super::map::{Joined, Map};
use super::transfer::Encoding;
use super::{Alternative, Kind, Prefilter, Region, Scratch, Skip, Visitor, guess, html};
use crate::header::{begins_part, values, without_ending};

/// An open multipart or message.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The text after `--` in the boundary lines. Empty for a message inside a message.
    boundary: Vec<u8>,
    /// Whether a part without a Content-Type is a message (RFC 2046, section 5.1.5).
    digest: bool,
    alternative: bool,
    /// Whether the boundary is guessed from the text, because the declared boundary is missing or wrong.
    guessed: bool,
    /// Whether there are blanks before the boundary lines.
    indented: bool,
    /// The name of the attachment that contains the multipart or message.
    attachment: Option<Box<[u8]>>,
    /// Whether it is a message outside a digest.
    is_forwarded: bool,
    children: u32,
    /// Number of entries in the section path of the multipart or message, such as 2 for `1.3`.
    section: usize,
}

/// A boundary line, or the end of the message.
#[derive(Clone, Copy, Debug)]
struct Delimiter {
    /// Offset of the line end before the boundary line.
    start: usize,
    /// Offset after the line end of the boundary line.
    end: usize,
    /// Index of the frame that the boundary belongs to. `None` at the end of the message.
    frame: Option<usize>,
    closing: bool,
}

pub(super) type Flow = ControlFlow<()>;

/// The arguments that the caller passed to [`super::regions`].
pub(super) struct Caller<'c> {
    pub(super) prefilter: Prefilter<'c>,
    pub(super) visitor: &'c mut dyn Visitor,
}

impl Caller<'_> {
    /// Visits `region`, if it is not empty.
    pub(super) fn visit(&mut self, region: &Region<'_>) -> Flow {
        if region.raw.is_empty() { Flow::Continue(()) } else { self.visitor.region(region) }
    }

    /// Visits `joined`, made from the text of `region`, in its place.
    pub(super) fn visit_joined(&mut self, region: &Region<'_>, joined: &Joined) -> Flow {
        let inner = joined.map();
        let map = Map::Composed(&inner, &region.map);
        self.visit(&Region { text: &joined.text, map, triggers: None, ..region.clone() })
    }
}

/// Visits the regions of `message`, which can be nested in other messages. `depth` is the nesting depth of `message`.
/// `scratch.section` is the section number of `message`. If `document` is a media type, how to read it and its encoding,
/// `message` is not a message but a document without headers.
pub(super) fn nested(
    message: &[u8],
    document: Option<(&[u8], &Role, Encoding)>,
    scratch: &mut Scratch,
    caller: &mut Caller<'_>,
    depth: usize,
    (parts, unpacked): (&mut usize, &mut usize),
    alternative: Alternative,
) -> Flow {
    scratch.frames.clear();
    let inherited = alternative;
    let outer = (scratch.section.attachment.as_deref().map(copied), scratch.section.is_forwarded);
    let mut walk = Walk { message, scratch, caller, media: b"", depth, parts, unpacked, outer, inherited, alternative };
    if u32::try_from(message.len()).is_err() {
        walk.note(DiagnosticKind::Huge, 0);
        return walk.emit(Kind::Raw, 0..message.len(), false);
    }
    if let Some(document) = document {
        return walk.document(document);
    }
    match header::scan(message) {
        // A message whose lines end in CR alone can look like one header field.
        Some(block) if block.body < message.len() || lone_cr(message).is_none() => walk.run(Some(block)),
        _ => walk.unusual(),
    }
}

/// Returns the offset of the first CR of a message whose lines end in CR alone, apart from the last one.
#[cold]
fn lone_cr(message: &[u8]) -> Option<usize> {
    let lines = message.trim_ascii_end();
    memchr::memchr(b'\r', lines).filter(|_| memchr::memchr(b'\n', lines).is_none())
}

/// Returns a copy of the name of an attachment.
#[cold]
fn copied(name: &[u8]) -> Box<[u8]> {
    name.into()
}

/// The state of a walk over a message.
pub(super) struct Walk<'w, 'c> {
    pub(super) message: &'w [u8],
    pub(super) scratch: &'w mut Scratch,
    pub(super) caller: &'w mut Caller<'c>,
    /// The Content-Type of the current part.
    pub(super) media: &'w [u8],
    /// Nesting depth of the message.
    pub(super) depth: usize,
    /// Number of parts found so far, on all levels.
    pub(super) parts: &'w mut usize,
    /// Number of bytes unpacked from attachments so far, on all levels.
    pub(super) unpacked: &'w mut usize,
    /// The name of the attachment that contains the message, and whether it is in a forwarded message.
    outer: (Option<Box<[u8]>>, bool),
    /// The position of this message in a `multipart/alternative` of the enclosing message.
    inherited: Alternative,
    pub(super) alternative: Alternative,
}

impl<'w> Walk<'w, '_> {
    /// Visits a document without headers.
    #[cold]
    fn document(&mut self, (media, role, encoding): (&'w [u8], &Role, Encoding)) -> Flow {
        self.media = media;
        self.leaf(role.clone(), encoding, 0..self.message.len())
    }

    /// Visits all regions of a message that does not begin with an ordinary header block.
    #[cold]
    fn unusual(&mut self) -> Flow {
        let message = self.message;
        let Some(cr) = lone_cr(message) else { return self.run(None) };
        self.note(DiagnosticKind::LoneCr, cr);
        if self.full() {
            return self.emit(Kind::Raw, 0..message.len(), false);
        }
        let lines: Vec<_> = message.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect();
        // All offsets stay the same, so they need no map, and the index of colons and dots stays right.
        let spent = (&mut *self.parts, &mut *self.unpacked);
        nested(&lines, None, self.scratch, self.caller, self.depth + 1, spent, self.inherited)
    }

    /// Visits all regions of the message. `first` is the header block of the message, if the caller has already parsed
    /// it.
    fn run(&mut self, mut first: Option<Block>) -> Flow {
        let mut at = 0;
        // `top` is `true` if a message begins at `at`, and `false` if a part of a multipart begins there. `digest` is
        // `true` for the parts of a `multipart/digest`, which are messages unless they have a Content-Type.
        let (mut top, mut digest) = (true, false);
        loop {
            let is_headless = at == 0 && first.is_none() && guess::begins_multipart(self.message);
            let block = if is_headless { Block::default() } else { self.headers(at, top, first.take())? };
            let header = at..block.end;
            let message = self.message;
            self.media = block.content_type.clone().map_or(b"", |value| &message[value]);
            let is_plain =
                self.media.len() <= self.scratch.limits.header_value && content::is_undecoded_plain(self.media);
            let encoding = self.encoding(&block, header.clone());
            at = block.body;
            let mut role = self.role(&block, digest, is_plain);
            if top && matches!(role, Role::Text(_) | Role::Html(_)) && self.is_multipart(at, is_plain) {
                role = Role::UNDECLARED;
            }
            self.scratch.section.base = self.base(header.clone(), &role, top);
            let is_named = self.name(header, &role, top);
            let mut end = None;
            if matches!(role, Role::Attachment) || is_named && block.content_type.is_none() {
                let found = self.find(at);
                role = self.recognize(at..found.start, encoding);
                end = Some(found);
            }
            let found = match role {
                Role::Multipart { boundary, digest, alternative } if !self.full() => {
                    let boundary = boundary.unwrap_or_default();
                    let frame = Frame { boundary, digest, alternative, ..Frame::default() };
                    self.begin_multipart(frame, encoding, at, top)?
                }
                Role::Message if !self.full() && encoding.is_identity() => {
                    self.number(top);
                    self.open(Frame { is_forwarded: !digest, ..Frame::default() });
                    self.reckon();
                    (top, digest) = (true, false);
                    continue;
                }
                role => {
                    let found = end.unwrap_or_else(|| self.find(at));
                    self.number(top);
                    self.leaf(role, encoding, at..found.start)?;
                    found
                }
            };
            if self.scratch.frames.is_empty() {
                return Flow::Continue(());
            }
            let Some(part) = self.next_part(found)? else { return Flow::Continue(()) };
            at = part;
            let Some(is_of_digest) = self.begin_part() else {
                self.note(DiagnosticKind::Parts, at);
                return self.emit(Kind::Raw, at..self.message.len(), false);
            };
            (top, digest) = (false, is_of_digest);
            self.reckon();
        }
    }

    /// Numbers a part of the innermost multipart. Returns whether that is a digest, or `None` if the message has too
    /// many parts.
    fn begin_part(&mut self) -> Option<bool> {
        *self.parts += 1;
        if *self.parts > self.scratch.limits.parts {
            return None;
        }
        let Scratch { frames, section, .. } = &mut *self.scratch;
        let frame = frames.last_mut()?;
        frame.children += 1;
        section.path.push(frame.children);
        Some(frame.digest)
    }

    /// Opens a multipart whose body begins at `at`, and returns its first boundary line. If it has no parts, visits its
    /// body as text, and returns the boundary line after the body.
    #[inline(never)]
    fn begin_multipart(
        &mut self,
        frame: Frame,
        encoding: Encoding,
        at: usize,
        top: bool,
    ) -> ControlFlow<(), Delimiter> {
        match self.multipart(frame, at)? {
            Ok(found) => ControlFlow::Continue(found),
            Err(found) => {
                self.number(top);
                // RFC 2045 forbids to encode a multipart, but some programs decode one.
                match encoding {
                    Encoding::Base64 => self.leaf(Role::Message, encoding, at..found.start)?,
                    _ => self.text(Kind::Text, at..found.start, encoding, &Reading::default(), true)?,
                }
                ControlFlow::Continue(found)
            }
        }
    }

    /// Visits the bytes from the boundary line `found` to the next boundary line that opens a part. Returns the offset
    /// of that part, or `None` at the end of the message.
    #[inline(never)]
    fn next_part(&mut self, mut found: Delimiter) -> ControlFlow<(), Option<usize>> {
        loop {
            let Some(frame) = found.frame else {
                if self.scratch.frames.iter().any(|frame| !frame.boundary.is_empty()) {
                    self.note(DiagnosticKind::Unclosed, self.message.len());
                }
                return ControlFlow::Continue(None);
            };
            if self.scratch.frames[frame + 1..].iter().any(|frame| !frame.boundary.is_empty()) {
                self.note(DiagnosticKind::Unclosed, found.start);
            }
            self.scratch.frames.truncate(frame + 1);
            let section = self.scratch.frames[frame].section;
            self.scratch.section.path.truncate(section);
            self.reckon();
            self.emit(Kind::Skipped(Skip::Boundary), found.start..found.end, false)?;
            // A part can follow a closing boundary line that should open it.
            let is_part = found.closing && begins_part(&self.message[found.end..]);
            if is_part {
                self.note(DiagnosticKind::NoBoundary, found.end);
            }
            if !found.closing || is_part {
                return ControlFlow::Continue(Some(found.end));
            }
            let closed = self.scratch.frames.pop();
            self.reckon();
            let end = found.end;
            found = self.find(end);
            if let Some(boundary) = guess::boundary(&self.message[end..found.start]).map(<[u8]>::to_vec) {
                self.note(DiagnosticKind::NoBoundary, end);
                let children = closed.map_or(0, |frame| frame.children);
                self.open(Frame { boundary, guessed: true, children, ..Frame::default() });
                found = self.find(end);
            }
            self.around(end..found.start)?;
        }
    }

    /// Whether the body that begins at `at` is a multipart, although it is declared as text. `is_plain` says whether the
    /// type has no boundary.
    fn is_multipart(&self, at: usize, is_plain: bool) -> bool {
        // Without this limit, the rest of a digest would be searched for each of its messages.
        let end = if self.scratch.frames.is_empty() { self.message.len() } else { self.find(at).start };
        let body = &self.message[at..end];
        guess::begins_multipart(body) || !is_plain && !self.media.is_empty() && self.has_boundary(body)
    }

    /// Whether `body` has the boundary that a type other than multipart declares.
    #[inline(never)]
    fn has_boundary(&self, body: &[u8]) -> bool {
        content::rough_parameter(self.media, b"boundary")
            .is_some_and(|boundary| guess::boundary(body) == Some(boundary))
    }

    /// Opens a multipart whose body begins at `at`, and returns its first boundary line. If the declared boundary does
    /// not occur, guesses the boundary. Returns the end of the body as an error if no boundary occurs.
    fn multipart(&mut self, frame: Frame, at: usize) -> ControlFlow<(), Result<Delimiter, Delimiter>> {
        let level = self.scratch.frames.len();
        let mut found = None;
        if !frame.boundary.is_empty() {
            self.open(frame);
            found = Some(self.find(at)).filter(|found| found.frame == Some(level));
            if found.is_none() {
                self.scratch.frames[level].indented = true;
                found = Some(self.find(at)).filter(|found| found.frame == Some(level));
            }
        }
        let found = match found {
            Some(found) => found,
            None => {
                self.scratch.frames.truncate(level);
                let end = self.find(at);
                // Some archives remove the bodies of messages, which leaves many empty multiparts. So an empty
                // multipart is not reported.
                if at < end.start {
                    self.note(DiagnosticKind::NoBoundary, at);
                }
                let Some(boundary) = guess::boundary(&self.message[at..end.start]) else {
                    return ControlFlow::Continue(Err(end));
                };
                self.open(Frame { boundary: boundary.to_vec(), guessed: true, ..Frame::default() });
                self.find(at)
            }
        };
        // The first boundary line can be missing.
        if begins_part(&self.message[at..]) {
            self.note(DiagnosticKind::NoBoundary, at);
            return ControlFlow::Continue(Ok(Delimiter { start: at, end: at, closing: false, ..found }));
        }
        self.around(at..found.start)?;
        ControlFlow::Continue(Ok(found))
    }

    /// Records the length of the current section path in `frame`, and pushes `frame` on the stack.
    #[inline(never)]
    fn open(&mut self, frame: Frame) {
        let section = self.scratch.section.path.len();
        let attachment = self.scratch.section.attachment.clone();
        self.scratch.frames.push(Frame { section, attachment, ..frame });
    }

    /// Whether the boundary of an open multipart is guessed.
    pub(super) fn is_guessed(&self) -> bool {
        self.scratch.frames.iter().any(|frame| frame.guessed)
    }

    /// Whether another nesting level would exceed the limit.
    pub(super) fn full(&self) -> bool {
        self.depth + self.scratch.frames.len() >= self.scratch.limits.depth
    }

    /// Appends 1 to the section path if the current part is the body of a message (`top`). For example, the body of the
    /// message in part `2` has the number `2.1`.
    fn number(&mut self, top: bool) {
        if top {
            self.scratch.section.path.push(1);
        }
    }

    /// Updates `alternative` and the name of the attachment for the next region.
    #[inline(never)]
    fn reckon(&mut self) {
        let outer = self.scratch.frames.last().map_or(&self.outer.0, |frame| &frame.attachment);
        self.scratch.section.attachment.clone_from(outer);
        self.scratch.section.is_forwarded = self.outer.1 || self.scratch.frames.iter().any(|frame| frame.is_forwarded);
        let mut frames = self.scratch.frames.iter().filter(|frame| frame.alternative);
        let Some(outermost) = frames.next() else {
            self.alternative = self.inherited;
            return;
        };
        let is_later = outermost.children > 1 || frames.any(|frame| frame.children > 1);
        self.alternative = match self.inherited {
            Alternative::No if is_later => Alternative::Later(outermost.section as u32),
            Alternative::No => Alternative::First(outermost.section as u32),
            Alternative::First(depth) if is_later => Alternative::Later(depth),
            inherited => inherited,
        };
    }

    #[cold]
    pub(super) fn note(&mut self, kind: DiagnosticKind, offset: usize) {
        self.caller.visitor.note(Diagnostic::new(kind, offset as u64));
    }

    /// Visits the bytes in `raw` as a region of the given kind, without decoding them.
    pub(super) fn emit(&mut self, kind: Kind<'_>, raw: Range<usize>, recovered: bool) -> Flow {
        let text = if matches!(kind, Kind::Skipped(_)) { &[] } else { &self.message[raw.clone()] };
        let map = Map::Shift(raw.start);
        let (part, media, alternative) = (&self.scratch.section, self.media, self.alternative);
        self.caller.visit(&Region { kind, raw, part, media, text, triggers: None, map, recovered, alternative })
    }

    /// Returns the first boundary line at or after `from`, or the end of the message. `from` must be the start of a
    /// line.
    fn find(&self, from: usize) -> Delimiter {
        let message = self.message;
        let over = Delimiter { start: message.len(), end: message.len(), frame: None, closing: false };
        let frames = &self.scratch.frames;
        if from >= message.len() || frames.iter().all(|frame| frame.boundary.is_empty()) {
            return over;
        }
        if frames.iter().any(|frame| frame.indented) {
            return self.find_indented(from).unwrap_or(over);
        }
        let at_once = message[from..].starts_with(b"--").then_some(from);
        let later = guess::DASHES.find_iter(&message[from..]).map(|i| from + i + 1);
        for line in at_once.into_iter().chain(later) {
            let end = memchr::memchr(b'\n', &message[line..]).map_or(message.len(), |i| line + i + 1);
            if let Some((frame, closing)) = boundary(frames, &message[line..end]) {
                let before = &message[from..line];
                let ending = before.len() - without_ending(before).len();
                return Delimiter { start: line - ending, end, frame: Some(frame), closing };
            }
        }
        over
    }

    /// Does the same as [`find`](Self::find), but accepts blanks before boundary lines.
    fn find_indented(&self, from: usize) -> Option<Delimiter> {
        let mut start = from;
        self.message[from..].split_inclusive(|&byte| byte == b'\n').find_map(|line| {
            let range = start..start + line.len();
            start = range.end;
            let line = line.trim_ascii_start();
            let (frame, closing) = Some(line)
                .filter(|line| line.starts_with(b"--"))
                .and_then(|line| boundary(&self.scratch.frames, line))?;
            // Only a multipart that has indented boundary lines ends at such a line.
            if range.len() > line.len() && !self.scratch.frames[frame].indented {
                return None;
            }
            let before = &self.message[from..range.start];
            let ending = before.len() - without_ending(before).len();
            Some(Delimiter { start: range.start - ending, end: range.end, frame: Some(frame), closing })
        })
    }

    /// Returns the transfer encoding of the part with the header block `header`. If its first Content-Transfer-Encoding
    /// is empty or unknown, a second one counts.
    fn encoding(&mut self, block: &Block, header: Range<usize>) -> Encoding {
        match block.encoding.clone() {
            Some(value) => self.declared_encoding(value, header),
            None => Encoding::Identity,
        }
    }

    #[inline(never)]
    fn declared_encoding(&mut self, value: Range<usize>, header: Range<usize>) -> Encoding {
        let message = self.message;
        let encoding = Encoding::parse(&message[value.clone()]);
        if encoding != Encoding::Unknown && !message[value.clone()].trim_ascii().is_empty() {
            return encoding;
        }
        self.second_encoding(encoding, value, header)
    }

    #[cold]
    fn second_encoding(&mut self, encoding: Encoding, value: Range<usize>, header: Range<usize>) -> Encoding {
        let (message, is_unknown) = (self.message, encoding == Encoding::Unknown);
        let others = values(&message[header], false, b"Content-Transfer-Encoding");
        let second = others
            .filter(|other| !other.trim_ascii().is_empty())
            .map(Encoding::parse)
            .find(|other| *other != Encoding::Unknown);
        if is_unknown && second.is_none() {
            self.note(DiagnosticKind::UnknownEncoding, value.start);
        }
        second.unwrap_or(encoding)
    }

    /// Returns the value of Content-Base, or else of Content-Location, of an HTML part. `header` is its header block.
    fn base(&self, header: Range<usize>, role: &Role, top: bool) -> Option<Box<[u8]>> {
        if matches!(role, Role::Html(_)) { self.base_of_page(&self.message[header], top) } else { None }
    }

    #[cold]
    fn base_of_page(&self, header: &[u8], top: bool) -> Option<Box<[u8]>> {
        let has = |name: &[u8]| memchr::memmem::find(header, name).is_some();
        if !(has(b"ocation") || has(b"-Base")) {
            return None;
        }
        let value =
            |name| Some(values(header, top, name).next()?.iter().copied().filter(u8::is_ascii_graphic).collect());
        let base: Option<Box<[u8]>> = value(b"Content-Base").or_else(|| value(b"Content-Location"));
        base.filter(|base| base.len() <= html::LONGEST_BASE)
    }

    fn role(&mut self, block: &Block, digest: bool, is_plain: bool) -> Role {
        match block.content_type.clone() {
            Some(_) if is_plain => Role::Text(Reading::default()),
            Some(value) => self.declared_role(value),
            None if digest => Role::Message,
            None => Role::Text(Reading::default()),
        }
    }

    #[inline(never)]
    fn declared_role(&mut self, value: Range<usize>) -> Role {
        let start = value.start;
        let value = &self.message[value];
        if value.len() > self.scratch.limits.header_value {
            self.note(DiagnosticKind::LongField, start);
        }
        let mut role = content::role(value, self.scratch.limits.header_value);
        if let Role::Text(reading) | Role::Html(reading) = &mut role
            && std::mem::take(&mut reading.is_unknown)
        {
            self.note(DiagnosticKind::UnknownCharset, start);
        }
        role
    }
}

/// Returns the index of the frame whose boundary is on `line`, and whether the boundary closes the frame. `line` starts
/// with `--`. If several frames match, returns the innermost.
pub(super) fn boundary(frames: &[Frame], line: &[u8]) -> Option<(usize, bool)> {
    let line = without_ending(line).get(2..)?;
    let mut with_boundary = frames.iter().enumerate().rev().filter(|(_, frame)| !frame.boundary.is_empty());
    with_boundary.find_map(|(index, frame)| {
        let rest = line.strip_prefix(frame.boundary.as_slice())?;
        let (closing, rest) = rest.strip_prefix(b"--").map_or((false, rest), |rest| (true, rest));
        rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')).then_some((index, closing))
    })
}
