//! The parts of a message, streamed: no tree, one stack of what is open.
//!
//! Boundaries follow RFC 2046, section 5.1.1: `--`, the boundary, perhaps `--`, blanks, a line end. One
//! pass over the lines that start with `--` compares each with the boundaries that are open; an outer one
//! ends what is unclosed inside it. The line end before a boundary belongs to the boundary.

use std::ops::{ControlFlow, Range};

use super::charset;
use super::flowed;
use super::header::{self, Block, ContentType, Field, Fields};
use super::map::Map;
use super::needle;
use super::section::Section;
use super::transfer::{self, Base64, Encoding, Points, Quoted};
use super::{Kind, Limits, Note, NoteKind, Region, Scratch, Skip};

/// Something open that holds parts.
#[derive(Debug)]
pub(super) struct Frame {
    /// What its boundary lines say after `--`; empty for a message inside a message.
    boundary: Vec<u8>,
    /// Its parts are messages unless they say otherwise (RFC 2046, section 5.1.5).
    digest: bool,
    alternative: bool,
    children: u32,
    /// How long its section number is.
    section: usize,
}

/// What a part holds, as far as the walk cares.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Role {
    Text(Reading),
    Html(Reading),
    Multipart { boundary: Option<Vec<u8>>, digest: bool, alternative: bool },
    Message,
    Attachment,
}

/// What has to be undone in text after its transfer encoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reading {
    /// A charset in which ASCII is not ASCII.
    charset: Option<String>,
    delsp: bool,
}

/// A boundary line, or the end of the message.
#[derive(Clone, Copy, Debug)]
struct Delimiter {
    /// Where it starts, with the line end before it.
    start: usize,
    /// Where it ends, its own line end included.
    end: usize,
    /// Which frame it belongs to; `None` at the end of the message.
    frame: Option<usize>,
    closing: bool,
}

type Flow = ControlFlow<()>;

/// The caller's three functions.
struct Caller<'c> {
    find: &'c dyn Fn(&[u8]) -> Option<usize>,
    visit: &'c mut dyn FnMut(&Region<'_>) -> Flow,
    note: &'c mut dyn FnMut(Note),
}

/// One message on its way; see [`super::regions_where`].
pub(super) fn message(
    message: &[u8],
    limits: &Limits,
    scratch: &mut Scratch,
    find: &dyn Fn(&[u8]) -> Option<usize>,
    visit: &mut dyn FnMut(&Region<'_>) -> Flow,
    note: &mut dyn FnMut(Note),
) -> Flow {
    scratch.section.truncate(0);
    nested(message, limits, scratch, &mut Caller { find, visit, note }, 0, &mut 0, false)
}

/// Walks `message`, whose section number is in `scratch` and which is already `depth` levels down.
fn nested(
    message: &[u8],
    limits: &Limits,
    scratch: &mut Scratch,
    caller: &mut Caller<'_>,
    depth: usize,
    parts: &mut usize,
    alternative: bool,
) -> Flow {
    scratch.frames.clear();
    let mut walk = Walk { message, limits, scratch, caller, depth, parts, inherited: alternative, alternative };
    if u32::try_from(message.len()).is_err() {
        walk.note(NoteKind::Huge, 0);
        return walk.emit(Kind::Raw, 0..message.len(), false);
    }
    if memchr::memchr(b'\n', message).is_none()
        && let Some(cr) = memchr::memchr(b'\r', message)
        && cr + 1 < message.len()
    {
        walk.note(NoteKind::LoneCr, cr);
        return walk.emit(Kind::Raw, 0..message.len(), false);
    }
    walk.run()
}

struct Walk<'w, 'c> {
    message: &'w [u8],
    limits: &'w Limits,
    scratch: &'w mut Scratch,
    caller: &'w mut Caller<'c>,
    /// How many levels lie around this message.
    depth: usize,
    /// How many parts there have been, in all levels.
    parts: &'w mut usize,
    /// Whether all of this is inside a later alternative.
    inherited: bool,
    alternative: bool,
}

impl Walk<'_, '_> {
    fn run(&mut self) -> Flow {
        let mut at = 0;
        // Whether a message begins here, rather than a part of a multipart; and whether a part that does
        // not say what it is is a message.
        let (mut top, mut digest) = (true, false);
        loop {
            let block = self.headers(at, top)?;
            let role = self.role(&block, digest);
            let encoding = self.encoding(&block);
            at = block.body;
            let mut found = match role {
                Role::Multipart { boundary: Some(boundary), digest, alternative } if !self.full() => {
                    let section = self.scratch.section.len();
                    self.scratch.frames.push(Frame { boundary, digest, alternative, children: 0, section });
                    let found = self.find(at);
                    if found.frame == Some(self.scratch.frames.len() - 1) {
                        self.emit(Kind::Raw, at..found.start, false)?;
                    } else {
                        // Archives that strip bodies leave many of these with nothing to read.
                        if at < found.start {
                            self.note(NoteKind::NoBoundary, at);
                        }
                        self.scratch.frames.pop();
                        self.number(top);
                        self.text(Kind::Text, at..found.start, encoding, &Reading::default(), true)?;
                    }
                    found
                }
                Role::Message if !self.full() && matches!(encoding, Encoding::Identity | Encoding::Unknown) => {
                    self.number(top);
                    let section = self.scratch.section.len();
                    self.scratch.frames.push(Frame {
                        boundary: Vec::new(),
                        digest: false,
                        alternative: false,
                        children: 0,
                        section,
                    });
                    (top, digest) = (true, false);
                    continue;
                }
                role => {
                    let found = self.find(at);
                    self.number(top);
                    self.leaf(role, encoding, at..found.start)?;
                    found
                }
            };
            // From boundary to boundary until one opens a part.
            loop {
                let Some(frame) = found.frame else {
                    if self.scratch.frames.iter().any(|frame| !frame.boundary.is_empty()) {
                        self.note(NoteKind::Unclosed, self.message.len());
                    }
                    return Flow::Continue(());
                };
                if self.scratch.frames[frame + 1..].iter().any(|frame| !frame.boundary.is_empty()) {
                    self.note(NoteKind::Unclosed, found.start);
                }
                self.scratch.frames.truncate(frame + 1);
                let section = self.scratch.frames[frame].section;
                self.scratch.section.truncate(section);
                self.reckon();
                self.emit(Kind::Skipped(Skip::Boundary), found.start..found.end, false)?;
                at = found.end;
                if !found.closing {
                    break;
                }
                self.scratch.frames.pop();
                self.reckon();
                found = self.find(at);
                self.emit(Kind::Raw, at..found.start, false)?;
            }
            *self.parts += 1;
            if *self.parts > self.limits.parts {
                self.note(NoteKind::Parts, at);
                return self.emit(Kind::Raw, at..self.message.len(), false);
            }
            if let Some(frame) = self.scratch.frames.last_mut() {
                frame.children += 1;
                (top, digest) = (false, frame.digest);
                let number = frame.children;
                self.scratch.section.push(number);
            }
            self.reckon();
        }
    }

    /// Whether another level would be one too many.
    fn full(&self) -> bool {
        self.depth + self.scratch.frames.len() >= self.limits.depth
    }

    /// The only body of a message is its part 1.
    fn number(&mut self, top: bool) {
        if top {
            self.scratch.section.push(1);
        }
    }

    fn reckon(&mut self) {
        let later = |frame: &Frame| frame.alternative && frame.children > 1;
        self.alternative = self.inherited || self.scratch.frames.iter().any(later);
    }

    fn note(&mut self, kind: NoteKind, offset: usize) {
        (self.caller.note)(Note { kind, offset });
    }

    /// Visits octets of the message as they lie.
    fn emit(&mut self, kind: Kind<'_>, raw: Range<usize>, recovered: bool) -> Flow {
        let text = if matches!(kind, Kind::Skipped(_)) { &[] } else { &self.message[raw.clone()] };
        let map = Map::shift(raw.start);
        visit(self.caller, &self.scratch.section, self.alternative, kind, raw, text, map, recovered)
    }

    /// The next boundary at or after the line start `from`.
    fn find(&self, from: usize) -> Delimiter {
        let message = self.message;
        let over = Delimiter { start: message.len(), end: message.len(), frame: None, closing: false };
        let frames = &self.scratch.frames;
        if from >= message.len() || frames.iter().all(|frame| frame.boundary.is_empty()) {
            return over;
        }
        let at_once = message[from..].starts_with(b"--").then_some(from);
        let later = needle::DASHES.find_iter(&message[from..]).map(|i| from + i + 1);
        for line in at_once.into_iter().chain(later) {
            let end = memchr::memchr(b'\n', &message[line..]).map_or(message.len(), |i| line + i + 1);
            if let Some((frame, closing)) = boundary(frames, &message[line..end]) {
                let before = &message[from..line];
                let ending = before.len() - header::without_ending(before).len();
                return Delimiter { start: line - ending, end, frame: Some(frame), closing };
            }
        }
        over
    }

    /// Visits the header block at `at`: the fields of worth one by one, the rest in one piece.
    fn headers(&mut self, at: usize, top: bool) -> ControlFlow<(), Block> {
        let message = self.message;
        if at == 0
            && top
            && let Some(mut block) = header::quick_block(message)
        {
            self.fields(at, top, &mut block, &mut |_| false)?;
            return ControlFlow::Continue(block);
        }
        let frames = std::mem::take(&mut self.scratch.frames);
        let mut delimiter = |line: &[u8]| boundary(&frames, line).is_some();
        let mut block = header::block(message, at, top, &mut delimiter);
        let flow = self.fields(at, top, &mut block, &mut delimiter);
        self.scratch.frames = frames;
        flow?;
        ControlFlow::Continue(block)
    }

    /// Visits the fields of `block`, which begins at `at`, going from one octet of worth to the next.
    ///
    /// If one stands on a line that is no field, the block may have been misjudged: the lines are walked
    /// from there, and `block` is corrected.
    fn fields(&mut self, at: usize, top: bool, block: &mut Block, delimiter: &mut dyn FnMut(&[u8]) -> bool) -> Flow {
        let message = self.message;
        let find = self.caller.find;
        // Octets up to here have been visited; up to there, looked at.
        let (mut done, mut seen) = (at, at);
        let seek = |from: usize, look: &dyn Fn(&[u8]) -> Option<usize>| {
            look(&message[from..block.end]).map_or(block.end, |i| from + i)
        };
        let words = |octets: &[u8]| needle::ENCODED_WORD.find(octets);
        let (mut worth, mut word) = (seek(at, find), seek(at, &words));
        while worth.min(word) < block.end {
            let raw = header::around(message, seen, worth.min(word), block.end);
            let Some(field) = header::field(message, raw, top && seen == at) else {
                return self.walk_fields(at, seen, done, top, block, delimiter);
            };
            seen = field.raw.end;
            let encoded = word < seen;
            self.emit(Kind::Skipped(Skip::Headers), done..field.raw.start, false)?;
            done = seen;
            self.field(field, encoded)?;
            if worth < seen {
                worth = seek(seen, find);
            }
            if word < seen {
                word = seek(seen, &words);
            }
        }
        if let Some((kind, offset)) = block.damage {
            self.note(kind, offset);
        }
        self.emit(Kind::Skipped(Skip::Headers), done..block.body, false)
    }

    /// Visits what is of worth in the block that begins at `at`, line by line from `seen` on.
    fn walk_fields(
        &mut self,
        at: usize,
        seen: usize,
        mut done: usize,
        top: bool,
        block: &mut Block,
        delimiter: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Flow {
        let message = self.message;
        let mut fields = Fields::new(message, seen, top && seen == at);
        while let Some(field) = fields.next(delimiter) {
            let octets = &message[field.raw.clone()];
            let encoded = needle::ENCODED_WORD.find(octets).is_some();
            if encoded || (self.caller.find)(octets).is_some() {
                self.emit(Kind::Skipped(Skip::Headers), done..field.raw.start, false)?;
                done = field.raw.end;
                self.field(field, encoded)?;
            }
        }
        (block.end, block.body) = fields.over.unwrap_or((message.len(), message.len()));
        for field in [&mut block.content_type, &mut block.encoding] {
            field.take_if(|value| value.end > block.end);
        }
        if let Some((kind, offset)) = block.damage.or(fields.damage) {
            self.note(kind, offset);
        }
        self.emit(Kind::Skipped(Skip::Headers), done..block.body, false)
    }

    /// Visits one field.
    fn field(&mut self, field: Field, encoded: bool) -> Flow {
        let message = self.message;
        let Some(name) = field.name else { return self.emit(Kind::Raw, field.raw, false) };
        let kind = Kind::Header { name: &message[name] };
        let raw = &message[field.raw.clone()];
        let decoded = if encoded { header::decode_words(raw, self.limits.header_value) } else { None };
        if encoded && decoded.is_none() {
            self.note(NoteKind::LongField, field.raw.start);
        }
        let (text, map) = match &decoded {
            Some(value) => (value.as_bytes(), Map::whole(field.value.clone())),
            None => (&message[field.value.clone()], Map::shift(field.value.start)),
        };
        visit(self.caller, &self.scratch.section, self.alternative, kind, field.raw, text, map, false)
    }

    fn encoding(&mut self, block: &Block) -> Encoding {
        let Some(value) = block.encoding.clone() else { return Encoding::Identity };
        let encoding = Encoding::parse(&self.message[value.clone()]);
        if encoding == Encoding::Unknown {
            self.note(NoteKind::UnknownEncoding, value.start);
        }
        encoding
    }

    fn role(&mut self, block: &Block, digest: bool) -> Role {
        let Some(value) = block.content_type.clone() else {
            return if digest { Role::Message } else { Role::Text(Reading::default()) };
        };
        let start = value.start;
        let value = &self.message[value];
        if value.len() > self.limits.header_value {
            self.note(NoteKind::LongField, start);
        }
        role(value, self.limits.header_value)
    }

    /// A part without parts.
    fn leaf(&mut self, role: Role, encoding: Encoding, raw: Range<usize>) -> Flow {
        match role {
            Role::Text(reading) => self.text(Kind::Text, raw, encoding, &reading, false),
            Role::Html(reading) => self.text(Kind::Html, raw, encoding, &reading, false),
            Role::Attachment => self.emit(Kind::Skipped(Skip::Attachment), raw, false),
            Role::Multipart { boundary: None, .. } => {
                if !raw.is_empty() {
                    self.note(NoteKind::NoBoundary, raw.start);
                }
                self.text(Kind::Text, raw, encoding, &Reading::default(), true)
            }
            Role::Message if !self.full() => self.encoded_message(raw, encoding),
            Role::Message | Role::Multipart { .. } => {
                self.note(NoteKind::Depth, raw.start);
                self.emit(Kind::Raw, raw, false)
            }
        }
    }

    /// Text: undoes the transfer encoding, then what [`Self::read`] undoes.
    fn text(
        &mut self,
        kind: Kind<'_>,
        raw: Range<usize>,
        encoding: Encoding,
        reading: &Reading,
        recovered: bool,
    ) -> Flow {
        let octets = &self.message[raw.clone()];
        let undeclared = encoding != Encoding::Quoted && transfer::shows_quoted(octets) && encoding != Encoding::Base64;
        match encoding {
            Encoding::File => self.emit(Kind::Skipped(Skip::File), raw, false),
            Encoding::Identity | Encoding::Unknown if !undeclared => {
                let map = Map::shift(raw.start);
                self.read(kind, raw, octets, map, reading, recovered)
            }
            Encoding::Identity | Encoding::Unknown | Encoding::Quoted => {
                if undeclared {
                    self.note(NoteKind::UndeclaredQuoted, raw.start);
                }
                let (mut text, mut points) = self.take();
                transfer::decode_quoted(octets, &mut text, &mut points);
                let decoded = Quoted { raw: octets, points: &points, base: raw.start };
                let flow = self.read(kind, raw, &text, Map::quoted(&decoded), reading, recovered || undeclared);
                self.give_back(text, points);
                flow
            }
            Encoding::Base64 => self.base64(kind, raw, reading, recovered),
        }
    }

    /// Base64: what of it is, decoded; what is not, as it lies.
    fn base64(&mut self, kind: Kind<'_>, raw: Range<usize>, reading: &Reading, recovered: bool) -> Flow {
        let message = self.message;
        let mut at = raw.start;
        let mut recovered = recovered;
        while at < raw.end {
            let octets = &message[at..raw.end];
            let (mut text, mut points) = self.take();
            let used = transfer::decode_base64(octets, &mut text, &mut points);
            let end = at + used;
            let decoded = Base64 { raw: &octets[..used], points: &points, base: at };
            let flow = match used {
                0 => Flow::Continue(()),
                _ => self.read(kind, at..end, &text, Map::base64(&decoded), reading, recovered),
            };
            self.give_back(text, points);
            flow?;
            if end == raw.end {
                break;
            }
            if !recovered {
                self.note(NoteKind::BrokenBase64, end);
            }
            recovered = true;
            at = transfer::base64_again(&message[end..raw.end]).map_or(raw.end, |i| end + i);
            // Nothing of it was base64: the encoding was declared in error.
            let kind = if (end, at) == (raw.start, raw.end) { kind } else { Kind::Raw };
            self.emit(kind, end..at, true)?;
        }
        Flow::Continue(())
    }

    fn take(&mut self) -> (Vec<u8>, Points) {
        (std::mem::take(&mut self.scratch.decoded), std::mem::take(&mut self.scratch.points))
    }

    fn give_back(&mut self, text: Vec<u8>, points: Points) {
        self.scratch.decoded = text;
        self.scratch.points = points;
    }

    /// Visits text whose transfer encoding is undone: decodes its charset if need be, joins its lines.
    fn read(
        &mut self,
        kind: Kind<'_>,
        raw: Range<usize>,
        text: &[u8],
        map: Map<'_>,
        reading: &Reading,
        recovered: bool,
    ) -> Flow {
        if reading.charset.is_some() || charset::has_wide_mark(text) {
            let label = reading.charset.as_deref().unwrap_or_default();
            if let Some(decoded) = charset::decode(label.as_bytes(), text) {
                let map = Map::whole(raw.clone());
                let section = &self.scratch.section;
                return visit(self.caller, section, self.alternative, kind, raw, decoded.as_bytes(), map, recovered);
            }
        }
        let Scratch { joined, runs, section, .. } = &mut *self.scratch;
        if !reading.delsp || kind != Kind::Text {
            return visit(self.caller, section, self.alternative, kind, raw, text, map, recovered);
        }
        flowed::join(text, joined, runs);
        let inner = Map::runs(runs, joined.len());
        let map = Map::composed(&inner, &map);
        visit(self.caller, section, self.alternative, kind, raw, joined, map, recovered)
    }

    /// A message inside an encoded part: decoded, then walked for itself, its maps composed with the part's.
    fn encoded_message(&mut self, raw: Range<usize>, encoding: Encoding) -> Flow {
        let octets = &self.message[raw.clone()];
        let (mut text, mut points) = self.take();
        let used = match encoding {
            Encoding::Base64 => transfer::decode_base64(octets, &mut text, &mut points),
            Encoding::Quoted => {
                transfer::decode_quoted(octets, &mut text, &mut points);
                octets.len()
            }
            _ => 0,
        };
        let quoted = Quoted { raw: octets, points: &points, base: raw.start };
        let base64 = Base64 { raw: &octets[..used], points: &points, base: raw.start };
        let outer = if encoding == Encoding::Base64 { Map::base64(&base64) } else { Map::quoted(&quoted) };
        let end = raw.start + used;
        let mut inner = self.scratch.inner.take().unwrap_or_default();
        inner.section.assign(&self.scratch.section);
        let mut done = raw.start;
        let Caller { find, visit, note } = &mut *self.caller;
        let mut relay = |region: &Region<'_>| {
            let upto =
                if region.raw.end == text.len() { end } else { outer.raw(region.raw.end..region.raw.end + 1).start };
            let map = Map::composed(&region.map, &outer);
            let raw = done..upto.max(done);
            done = raw.end;
            visit(&Region { raw, map, ..region.clone() })
        };
        let mut renote = |told: Note| note(Note { offset: raw.start, ..told });
        let mut caller = Caller { find: *find, visit: &mut relay, note: &mut renote };
        let depth = self.depth + self.scratch.frames.len() + 1;
        let flow = nested(&text, self.limits, &mut inner, &mut caller, depth, self.parts, self.alternative);
        self.scratch.inner = Some(inner);
        self.give_back(text, points);
        flow?;
        if done < raw.end {
            if done < end || encoding == Encoding::Base64 {
                self.note(NoteKind::BrokenBase64, done);
            }
            self.emit(Kind::Raw, done..raw.end, true)?;
        }
        Flow::Continue(())
    }
}

/// Calls the caller, but not for nothing.
#[allow(clippy::too_many_arguments, reason = "the fields of a region, from whoever holds them")]
fn visit(
    caller: &mut Caller<'_>,
    part: &Section,
    alternative: bool,
    kind: Kind<'_>,
    raw: Range<usize>,
    text: &[u8],
    map: Map<'_>,
    recovered: bool,
) -> Flow {
    if raw.is_empty() {
        return Flow::Continue(());
    }
    (caller.visit)(&Region { kind, raw, part, text, map, recovered, alternative })
}

/// Whose boundary `line` (which starts with `--`) is, innermost first, and whether it closes.
fn boundary(frames: &[Frame], line: &[u8]) -> Option<(usize, bool)> {
    let line = header::without_ending(line).get(2..)?;
    for (index, frame) in frames.iter().enumerate().rev() {
        if frame.boundary.is_empty() || line.first() != frame.boundary.first() {
            continue;
        }
        let Some(rest) = line.strip_prefix(frame.boundary.as_slice()) else { continue };
        let (closing, rest) = match rest.strip_prefix(b"--") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        if rest.iter().all(|octet| matches!(octet, b' ' | b'\t' | b'\r')) {
            return Some((index, closing));
        }
    }
    None
}

/// What a part with this Content-Type holds.
fn role(value: &[u8], cap: usize) -> Role {
    let media = header::media(value);
    let is = |name: &str| media.eq_ignore_ascii_case(name.as_bytes());
    let is_in = |tree: &[u8]| media.len() >= tree.len() && media[..tree.len()].eq_ignore_ascii_case(tree);
    if header::is_plain_type(value) {
        return Role::Text(Reading::default());
    }
    if is_in(b"multipart/") {
        let boundary = ContentType::parse(value, cap).boundary;
        return Role::Multipart { boundary, digest: is("multipart/digest"), alternative: is("multipart/alternative") };
    }
    if is("message/partial") {
        // Only the first fragment starts with headers (RFC 2046, section 5.2.2).
        let first = ContentType::parse(value, cap).number.is_none_or(|number| number == 1);
        return if first { Role::Message } else { Role::Text(Reading::default()) };
    }
    if is("message/rfc822") || is("message/global") || is("message/news") {
        return Role::Message;
    }
    let html = is("text/html") || is("application/xhtml+xml");
    if !html && !is_in(b"text/") && !is_in(b"message/") && !is("application/pgp") && media.contains(&b'/') {
        return Role::Attachment;
    }
    let charset = header::rough_parameter(value, b"charset");
    let usual = value.len() <= cap && !value.contains(&b'*') && header::rough_parameter(value, b"delsp").is_none();
    let reading = match charset {
        Some(label) if usual && !charset::is_opaque(label) => Reading::default(),
        None if usual => Reading::default(),
        _ => {
            let parsed = ContentType::parse(value, cap);
            let charset = parsed.charset.filter(|label| charset::is_opaque(label.as_bytes()));
            Reading { charset, delsp: parsed.delsp }
        }
    };
    if html { Role::Html(reading) } else { Role::Text(reading) }
}
