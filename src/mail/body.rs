//! Decodes a part that is not a multipart: first the transfer encoding, then the charset and folded lines. Each step
//! makes an offset map, and this module composes all these maps into one map.

use crate::container::begins_card;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use std::ops::Range;

use super::attachment;
use super::content::{self, Reading, Role};
use super::encoded_text::{DATA, begins_base64, is_text, may_have_files};
use super::map::Map;
use super::structure::{Caller, Flow, Walk, nested};
use super::transfer::{self, Decoded, Encoding, Points};
use super::{Kind, Region, Scratch, Visitor, charset, flowed, html, json, pgp_clearsign, unfold};
use crate::magic::{self, MAGIC_LEN};

impl Walk<'_, '_> {
    /// Visits the content `raw` of a part that has no parts of its own.
    pub(super) fn leaf(&mut self, role: Role, encoding: Encoding, raw: Range<usize>) -> Flow {
        match role {
            Role::Text(reading) if encoding == Encoding::File => self.encoded_files(raw, &reading, true),
            Role::Text(Reading { charset: None, .. })
                if encoding.is_identity() && is_binary(&self.message[raw.clone()]) =>
            {
                let head = &self.message[raw.start..raw.end.min(raw.start + MAGIC_LEN)];
                self.file(head, raw, encoding)
            }
            // Some programs send calendars and vCards as plain text.
            Role::Text(reading)
                if encoding.is_identity() && !reading.folded && begins_card(&self.message[raw.clone()]) =>
            {
                self.leaf(Role::Text(Reading { folded: true, ..reading }), encoding, raw)
            }
            Role::Text(reading) if encoding.is_identity() && may_have_files(&self.message[raw.clone()]) => {
                self.encoded_files(raw, &reading, false)
            }
            Role::Text(reading) => self.text(Kind::Text, raw, encoding, &reading, self.is_guessed()),
            Role::Html(reading)
                if !matches!(encoding, Encoding::Base64 | Encoding::File)
                    && begins_base64(&self.message[raw.clone()]) =>
            {
                self.note(DiagnosticKind::UndeclaredBase64, raw.start);
                self.text(Kind::Html, raw, Encoding::Base64, &reading, true)
            }
            Role::Html(reading) => self.text(Kind::Html, raw, encoding, &reading, self.is_guessed()),
            Role::Skipped(why) => {
                let size = encoding.size(&self.message[raw.clone()]);
                self.skip(why, raw, size)
            }
            Role::Message if encoding == Encoding::File => self.encoded_files(raw, &Reading::default(), true),
            Role::Message if !self.full() => self.encoded(raw, encoding, None, false),
            Role::Message | Role::Multipart { .. } => {
                self.note(DiagnosticKind::Depth, raw.start);
                self.emit(Kind::Raw, raw, false)
            }
            role => self.container(&role, raw, encoding),
        }
    }

    /// Visits a text part. Decodes the transfer encoding, and passes the result to [`Self::read`].
    pub(super) fn text(
        &mut self,
        kind: Kind<'_>,
        raw: Range<usize>,
        encoding: Encoding,
        reading: &Reading,
        recovered: bool,
    ) -> Flow {
        let bytes = &self.message[raw.clone()];
        // Eudora writes HTML between these tags, without another Content-Type.
        let kind = if kind == Kind::Text && bytes.starts_with(b"<x-html>") { Kind::Html } else { kind };
        let is_wrong = encoding == Encoding::Quoted && transfer::is_unencoded(bytes);
        let (encoding, recovered) = if is_wrong { (Encoding::Identity, true) } else { (encoding, recovered) };
        let identity = encoding.is_identity();
        // Text can be quoted-printable although the header does not declare this encoding. Plain text without a trigger
        // (a colon that may belong to a URL) has no URL, so it is not checked for quoted-printable. Triggers can be
        // found in the undecoded text, because encoders leave colons unchanged. But they can cut the label after a dot.
        let plain = identity && kind == Kind::Text && *reading == Reading::default() && !charset::is_wide(bytes);
        let has_none = plain && self.caller.prefilter.first(self.message, raw.clone()).is_none();
        let cuts_labels = || memchr::memchr(b'=', bytes).is_some() && transfer::may_be_quoted(bytes);
        let worthless = has_none && !(self.caller.prefilter.needs_dots && cuts_labels());
        let has_quoted_values = || reading.folded && unfold::has_quoted(bytes);
        let undeclared = identity && !worthless && transfer::looks_quoted_printable(bytes) && !has_quoted_values();
        match encoding {
            Encoding::File => self.encoded_files(raw, reading, true),
            Encoding::Identity | Encoding::Unknown if !undeclared => {
                let map = Map::Shift(raw.start);
                if !plain || raw.is_empty() {
                    return self.read(kind, raw, bytes, map, reading, recovered);
                }
                let Scratch { joined, section: part, .. } = &mut *self.scratch;
                let (text, media, alternative) = (bytes, self.media, self.alternative);
                let triggers = self.caller.prefilter.triggers_from(raw.start);
                let region = Region { kind, raw, part, media, text, triggers, map, recovered, alternative };
                if worthless || !pgp_clearsign::has_escapes(text) {
                    return self.caller.visitor.region(&region);
                }
                pgp_clearsign::unescape(text, joined);
                self.caller.visit_joined(&region, joined)
            }
            Encoding::Identity | Encoding::Unknown | Encoding::Quoted => {
                if undeclared {
                    self.note(DiagnosticKind::UndeclaredQuoted, raw.start);
                }
                self.quoted(kind, raw, reading, recovered || undeclared)
            }
            Encoding::Base64 => self.base64(kind, raw, reading, recovered),
        }
    }

    /// Visits a part that is a file, although its header declares text or no type. `head` is the beginning of the file.
    #[cold]
    fn file(&mut self, head: &[u8], raw: Range<usize>, encoding: Encoding) -> Flow {
        let role = match attachment::role(content::media(self.media), b"", head) {
            Role::Text(_) | Role::Html(_) => Role::Skipped(content::BINARY),
            role => role,
        };
        let name = content::file_name(self.media, "name", self.scratch.limits.header_value);
        let name = self.cut(name.map_or(content::media(self.media).into(), String::into_bytes), raw.start);
        self.named(&name, |walk| walk.leaf(role, encoding, raw))
    }

    /// Visits a quoted-printable part.
    #[inline(never)]
    fn quoted(&mut self, kind: Kind<'_>, raw: Range<usize>, reading: &Reading, recovered: bool) -> Flow {
        let bytes = &self.message[raw.clone()];
        let (mut text, mut points) = self.take();
        transfer::decode_quoted(bytes, &mut text, &mut points);
        if kind == Kind::Text && reading.charset.is_none() && is_binary(&text) {
            let flow = self.file(&text[..text.len().min(MAGIC_LEN)], raw, Encoding::Quoted);
            self.give_back(text, points);
            return flow;
        }
        let has_files = kind == Kind::Text && !self.full() && may_have_files(&text);
        let decoded = Decoded { raw: bytes, points: &points, base: raw.start };
        let flow = if has_files {
            Flow::Continue(())
        } else {
            self.read(kind, raw.clone(), &text, Map::Quoted(&decoded), reading, recovered)
        };
        self.give_back(text, points);
        if has_files { self.encoded(raw, Encoding::Quoted, Some(reading), recovered) } else { flow }
    }

    /// Visits a base64 part. Bytes that are not base64 are visited undecoded. If rows are out of step, the decoding begins
    /// again at the next row.
    fn base64(&mut self, kind: Kind<'_>, raw: Range<usize>, reading: &Reading, recovered: bool) -> Flow {
        let message = self.message;
        let mut at = raw.start;
        let mut recovered = recovered;
        // The number of bytes that can be decoded again, so that damaged rows take linear time.
        let mut again = 8 * raw.len() + (1 << 20);
        while at < raw.end {
            let bytes = &message[at..raw.end];
            let (mut text, mut points) = self.take();
            let (used, made) = transfer::decode_base64(bytes, &mut text, &mut points);
            let head = &text[..made.min(MAGIC_LEN)];
            if at == raw.start && reading.charset.is_none() && magic::is_binary(head) {
                let flow = self.file(head, raw, Encoding::Base64);
                self.give_back(text, points);
                return flow;
            }
            if kind == Kind::Text && at == raw.start && !self.full() && may_have_files(&text[..made]) {
                self.give_back(text, points);
                return self.encoded(raw, Encoding::Base64, Some(reading), recovered);
            }
            let mut decoded = Decoded { raw: &bytes[..used], points: &points, base: at };
            let is_narrow = bytes.len() <= again && reading.charset.is_none() && !charset::is_wide(&text[..made]);
            let shift = if is_narrow { transfer::base64_shift(&text[..made], &decoded) } else { None };
            let (used, made) = shift.unwrap_or((used, made));
            decoded.raw = &bytes[..used];
            let end = at + used;
            let flow = match used {
                0 => Flow::Continue(()),
                _ => self.read(
                    kind,
                    at..end,
                    &text[..made],
                    Map::Base64(&decoded),
                    reading,
                    recovered || shift.is_some(),
                ),
            };
            self.give_back(text, points);
            flow?;
            if end == raw.end && shift.is_none() {
                break;
            }
            if !recovered {
                self.note(DiagnosticKind::BrokenBase64, end);
            }
            recovered = true;
            if shift.is_some() {
                again -= bytes.len();
                at = end;
                continue;
            }
            at = transfer::base64_again(&message[end..raw.end]).map_or(raw.end, |i| end + i);
            // If the part has no base64 at all, its declared encoding is wrong. In this case, the whole part is visited
            // undecoded, as the text or HTML that its Content-Type declares.
            let kind = if (end, at) == (raw.start, raw.end) { kind } else { Kind::Raw };
            self.emit(kind, end..at, true)?;
        }
        Flow::Continue(())
    }

    pub(super) fn take(&mut self) -> (Vec<u8>, Points) {
        (std::mem::take(&mut self.scratch.decoded), std::mem::take(&mut self.scratch.points))
    }

    pub(super) fn give_back(&mut self, text: Vec<u8>, points: Points) {
        self.scratch.decoded = text;
        self.scratch.points = points;
    }

    /// Visits `text`, whose transfer encoding is already decoded. First decodes the charset if necessary. Then rejoins
    /// flowed or folded lines, or removes the escapes of clear-signed text.
    pub(super) fn read(
        &mut self,
        kind: Kind<'_>,
        raw: Range<usize>,
        text: &[u8],
        map: Map<'_>,
        reading: &Reading,
        recovered: bool,
    ) -> Flow {
        let mut decoded = None;
        if let Some(label) = &reading.charset {
            decoded = charset::decode(label.as_bytes(), text);
        } else if charset::is_wide(text) {
            decoded = charset::decode(b"", text);
        } else if kind == Kind::Html
            && let Some(label) = html::escaped_charset(self.media, text)
        {
            decoded = charset::decode(&label, text);
        }
        let (text, map) = match &decoded {
            Some(decoded) => (decoded.as_bytes(), Map::Whole { start: raw.start, end: raw.end }),
            None => (text, map),
        };
        // `folded` is set for calendars and vCards, if their type says what they are, or, without an encoding, their text.
        if kind == Kind::Text && !reading.delsp && (reading.json || reading.folded || begins_card(text)) {
            return self.strings(raw, text, &map, recovered, !reading.json);
        }
        let Scratch { joined, section: part, .. } = &mut *self.scratch;
        let (media, alternative) = (self.media, self.alternative);
        let region = Region { kind, raw, part, media, text, triggers: None, map, recovered, alternative };
        match kind {
            // At most one of these two conversions is made. `delsp` is set for `format=flowed` text with `DelSp=yes`, which
            // is rarely clear-signed.
            Kind::Text if reading.delsp => flowed::join(text, joined),
            Kind::Text if pgp_clearsign::has_escapes(text) && (self.caller.prefilter.find)(text).is_some() => {
                pgp_clearsign::unescape(text, joined);
            }
            _ => return self.caller.visit(&region),
        }
        self.caller.visit_joined(&region, joined)
    }

    /// Visits JSON, or a calendar or vCard if `is_card`. Strings that are encoded messages, such as `rawEmail` of Yahoo
    /// Groups, and strings in base64, such as `raw` of Gmail and the attachments of a calendar, are visited as what they
    /// are, and the rest as text.
    fn strings(&mut self, raw: Range<usize>, text: &[u8], map: &Map<'_>, recovered: bool, is_card: bool) -> Flow {
        let mut joined = std::mem::take(&mut self.scratch.joined);
        let mut strings = if self.full() || is_card { Vec::new() } else { json::encoded(text) };
        if is_card {
            unfold::unfold_text(text, &mut joined);
            strings = if self.full() { strings } else { unfold::in_base64(&joined.text) };
        } else {
            json::unescape(text, &strings, &mut joined);
            strings.iter_mut().for_each(|(string, _)| *string = joined.find(string.start)..joined.find(string.end));
        }
        let length = joined.text.len();
        let inner = joined.map();
        let outer = Map::Composed(&inner, map);
        let is_exact = map.exact();
        let (mut end, mut done) = (0, raw.start);
        // Returns the source of the text up to the offset `upto`, after that of the last call.
        let mut source = |upto: usize| {
            let next = if is_exact && upto < length { outer.raw(upto..upto + 1).start } else { raw.end };
            let from = done;
            done = if is_exact { next.max(from) } else { raw.start };
            from..next.max(from)
        };
        let mut flow = Flow::Continue(());
        let end_of_text = (length..length, Encoding::Identity);
        for (message, encoding) in strings.into_iter().chain(std::iter::once(end_of_text)) {
            let role = match encoding {
                Encoding::Base64 => match self.in_base64(&joined.text[message.clone()]) {
                    Some(role) => Some(role),
                    None => continue,
                },
                _ => None,
            };
            if flow.is_continue() && end < message.start {
                let (part, media, alternative) = (&self.scratch.section, self.media, self.alternative);
                let map = Map::Composed(&Map::Shift(end), &outer);
                let (text, raw) = (&joined.text[end..message.start], source(message.start));
                let kind = Kind::Text;
                let region = Region { kind, raw, part, media, text, triggers: None, map, recovered, alternative };
                flow = self.caller.visit(&region);
            }
            if flow.is_continue() && !message.is_empty() {
                let map = Map::Composed(&Map::Shift(message.start), &outer);
                let role = role.as_ref().map(|role| (role, encoding));
                let mut place = |region: &Region<'_>, visitor: &mut dyn Visitor| {
                    let raw = source(message.start + region.raw.end);
                    let recovered = recovered || region.recovered;
                    visitor.region(&Region { raw, map: Map::Composed(&region.map, &map), recovered, ..region.clone() })
                };
                let text = &joined.text[message.clone()];
                flow = match role.is_some_and(|(role, _)| role.is_attachment()) {
                    true => self.named(if is_card { b"text/calendar" } else { b"application/json" }, |walk| {
                        walk.nest(text, role, raw.start, &mut place)
                    }),
                    false => self.nest(text, role, raw.start, &mut place),
                };
            }
            end = message.end;
        }
        self.scratch.joined = joined;
        flow
    }

    /// Returns how to read `text`, a string that begins with base64. Returns `None` if it is probably not base64, or if
    /// its text has no URL.
    pub(super) fn in_base64(&mut self, text: &[u8]) -> Option<Role> {
        let (mut decoded, mut points) = self.take();
        let data = transfer::decoded(text, Encoding::Base64, &mut decoded, &mut points);
        let role = attachment::role(b"", b"", &data[..data.len().min(MAGIC_LEN)]);
        let is_mostly_ascii = |data: &[u8]| data.iter().filter(|byte| byte.is_ascii()).count() > data.len() / 4 * 3;
        let has_text = |data| str::from_utf8(data).is_ok() || is_mostly_ascii(data);
        let is_read = match role {
            Role::Text(_) | Role::Html(_) => has_text(data) && (self.caller.prefilter.find)(data).is_some(),
            Role::Skipped(_) => data.len() >= DATA,
            _ => true,
        };
        self.give_back(decoded, points);
        is_read.then_some(role)
    }

    /// Visits the regions of `message`, which was decoded from a part that begins at `start`. If `role` is not `None`,
    /// `message` has no headers, and is read in this way, with this encoding. `place` gets each region and the visitor,
    /// and sets the place of the region in the outer message.
    pub(super) fn nest(
        &mut self,
        message: &[u8],
        role: Option<(&Role, Encoding)>,
        start: usize,
        place: &mut dyn FnMut(&Region<'_>, &mut dyn Visitor) -> Flow,
    ) -> Flow {
        let mut inner = self.scratch.inner.take().unwrap_or_default();
        inner.section.clone_from(&self.scratch.section);
        inner.limits = self.scratch.limits;
        let Caller { prefilter, visitor } = &mut *self.caller;
        let prefilter = prefilter.of_decoded();
        let mut caller = Caller { prefilter, visitor: &mut Relay { place, to: &mut **visitor, start } };
        let depth = self.depth + self.scratch.frames.len() + 1;
        let spent = (&mut *self.parts, &mut *self.unpacked);
        let document = role.map(|(role, encoding)| (self.media, role, encoding));
        let flow = nested(message, document, &mut inner, &mut caller, depth, spent, self.alternative);
        self.scratch.inner = Some(inner);
        flow
    }

    /// Decodes an encoded part that contains a message, or text with files, and visits its regions. Composes the map of
    /// each region with the map of the part, so that offsets refer to the outer message. `text` says how to read text.
    fn encoded(&mut self, raw: Range<usize>, encoding: Encoding, text: Option<&Reading>, recovered: bool) -> Flow {
        let role = text.map(|reading| Role::Text(reading.clone()));
        let bytes = &self.message[raw.clone()];
        let (mut decoded, mut points) = self.take();
        let (used, made) = match encoding {
            Encoding::Base64 => transfer::decode_base64(bytes, &mut decoded, &mut points),
            Encoding::Quoted => {
                transfer::decode_quoted(bytes, &mut decoded, &mut points);
                (bytes.len(), decoded.len())
            }
            _ => (0, 0),
        };
        let text = &decoded[..made];
        let source = Decoded { raw: &bytes[..used], points: &points, base: raw.start };
        let outer = if encoding == Encoding::Base64 { Map::Base64(&source) } else { Map::Quoted(&source) };
        let end = raw.start + used;
        let mut done = raw.start;
        let role = role.as_ref().map(|role| (role, Encoding::Identity));
        let flow = self.nest(text, role, raw.start, &mut |region, visitor| {
            let recovered = recovered || region.recovered;
            let upto =
                if region.raw.end == text.len() { end } else { outer.raw(region.raw.end..region.raw.end + 1).start };
            let map = Map::Composed(&region.map, &outer);
            let raw = done..upto.max(done);
            done = raw.end;
            visitor.region(&Region { raw, map, recovered, ..region.clone() })
        });
        self.give_back(decoded, points);
        flow?;
        if end < raw.end {
            self.note(DiagnosticKind::BrokenBase64, end);
        }
        if done < raw.end {
            self.emit(Kind::Raw, done..raw.end, true)?;
        }
        Flow::Continue(())
    }
}

/// Passes the regions of a decoded message on to the visitor of the outer message; see [`Walk::nest`].
struct Relay<'r> {
    place: &'r mut dyn FnMut(&Region<'_>, &mut dyn Visitor) -> Flow,
    to: &'r mut dyn Visitor,
    /// The offset of the part in the outer message.
    start: usize,
}

impl Visitor for Relay<'_> {
    fn region(&mut self, region: &Region<'_>) -> Flow {
        (self.place)(region, self.to)
    }

    fn note(&mut self, note: Diagnostic) {
        self.to.note(Diagnostic { offset: self.start as u64, ..note });
    }
}

/// Whether `bytes` begin with the signature of a file, and are not text that begins in the same way, such as `GIF89a is
/// the format of…`.
#[inline]
fn is_binary(bytes: &[u8]) -> bool {
    let may_be = match bytes {
        [b'P', b'K', ..] | [b'%', b'P', ..] | [b'G', b'I', ..] | [b'R', b'a', ..] | [b'7', b'z', ..] => true,
        [b'B', b'Z', ..] | [b'M', b'Z', ..] | [b'(', 0x80..=0xFF, ..] | [b'x', 0x80..=0xFF, ..] | [b']', 0, ..] => true,
        [b' '..=b'~' | b'\t' | b'\n' | b'\r' | 0x1B, ..] | [] => false,
        _ => true,
    };
    may_be && is_known_binary(&bytes[..bytes.len().min(MAGIC_LEN)])
}

#[cold]
fn is_known_binary(head: &[u8]) -> bool {
    magic::is_binary(head) && !is_text(head)
}
