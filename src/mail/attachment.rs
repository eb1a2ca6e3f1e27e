//! Reads attachments. Decides by the names and the first bytes of an attachment how to read it, and opens archives and
//! other containers. Regions of such containers have the range of the whole part, because exact offsets do not exist.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr_iter, memrchr};

use super::content::{self, Reading, Role};
use super::map::Map;
use super::structure::{Flow, Visit, Walk};
use super::transfer::{
    self, EncodedFile, Encoding, Points, QUOTE, ROWS, UNPACKED_MAX, decode_uu, decode_yenc, is_full_row, is_uu_row,
    unquoted,
};
use super::{Kind, Member, Region, Skip};
use crate::container::{Format, MESSAGE, TEXT, begins_html};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::header::values;
use crate::magic::{self, MAGIC_LEN, Magic, cms};
use crate::shared;

/// Finds header blocks that may have `Content-Disposition: attachment`.
static ATTACHMENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ttachment"));

/// Finds lines that may be the first line of a file in uuencode, yEnc or BinHex.
static BEGIN: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["\nbegin ", "\n=ybegin ", "\n(This file must be converted with BinHex"].map(Finder::new));

/// Finds the lines after encrypted text.
static ARMOR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(END_ARMOR));
const BEGIN_ARMOR: &[u8] = b"-----BEGIN PGP MESSAGE";
/// Number of bytes before the rows of encrypted text that is cut in which its first line is searched.
const ARMOR_HEADER: usize = 200;
const END_ARMOR: &[u8] = b"-----END PGP MESSAGE";

/// The minimum length of binary data that is reported, if no line says that it is a file. Shorter strings are names,
/// numbers and signatures.
pub(super) const DATA: usize = 1 << 10;

/// What is reported for a file in BinHex, which is not decoded.
const BINHEX: &str = "a file in BinHex";

/// Extensions of HTML and of other XML with links that a reader can follow.
const HTML: &[&str] = &["html", "htm", "shtml", "xhtml", "xht", "svg"];

/// Extensions of calendars, vCards and LDIF, which fold long lines.
const CARDS: &[&str] = &["ics", "ifb", "vcs", "vcf", "ldif"];

/// Media types of TNEF.
#[cfg(feature = "outlook")]
const TNEF: &[&[u8]] = &[b"application/ms-tnef", b"application/vnd.ms-tnef"];

/// Kinds of text that is not searched, by its first bytes.
const ARMORED: &[(&[u8], &str)] = &[
    (b"-----BEGIN PGP SIGNATURE-----", content::SIGNATURE),
    (b"-----BEGIN PGP PUBLIC KEY", content::KEY),
    (b"(This file must be converted with BinHex", "a file in BinHex"),
];

/// Returns how to read an attachment. `head` is its first [`MAGIC_LEN`] bytes, without a transfer encoding.
pub(super) fn role(media: &[u8], name: &[u8], head: &[u8]) -> Role {
    let text = |charset: Option<&str>| Reading { charset: charset.map(str::to_owned), ..Reading::default() };
    match magic::look(head) {
        #[cfg(feature = "outlook")]
        Magic::Ole => return Role::Outlook,
        #[cfg(feature = "outlook")]
        Magic::Tnef => return Role::Tnef,
        #[cfg(feature = "outlook")]
        Magic::Pst => return Role::Skipped("an Outlook mailbox (pst, ost)"),
        Magic::Packed(..) if cfg!(feature = "compression") => return Role::Packed,
        Magic::Packed(kind, line) => return Role::Skipped(kind.what(line)),
        Magic::Signed => return Role::Signed,
        Magic::Document => return Role::Skipped("an office document"),
        Magic::Unsupported(what, _) if !what.starts_with("text") => return Role::Skipped(what),
        Magic::Unsupported(..) => return Role::Text(text(magic::wide_charset(head))),
        Magic::Plain => {}
    }
    #[cfg(feature = "outlook")]
    if name.eq_ignore_ascii_case(b"winmail.dat") || TNEF.iter().any(|tnef| media.eq_ignore_ascii_case(tnef)) {
        return Role::Tnef;
    }
    let begins = |(start, what): &(&[u8], &'static str)| head.trim_ascii_start().starts_with(start).then_some(*what);
    if let Some(what) = magic::binary(head).or_else(|| ARMORED.iter().find_map(begins)) {
        return Role::Skipped(what);
    }
    // Zeros can pad the end of a text.
    let end = head.iter().rposition(|&byte| byte > 0).map_or(0, |at| at + 1);
    if has_controls(&head[..end]) {
        return Role::Skipped(content::BINARY);
    }
    let extension = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    let has = |names: &[&str]| names.iter().any(|name| extension.eq_ignore_ascii_case(name.as_bytes()));
    if has(HTML) || media.eq_ignore_ascii_case(b"image/svg+xml") || begins_html(head) {
        return Role::Html(Reading::default());
    }
    if has(CARDS) {
        return Role::Text(Reading { folded: true, ..Reading::default() });
    }
    match Format::detect(head) {
        format if !format.media.is_empty() => content::document(format.media),
        format if format.is_mailbox() && cfg!(feature = "compression") => Role::Packed,
        format if format == TEXT => Role::Text(text(None)),
        format if format == MESSAGE || format.name == "article" => Role::Message,
        _ => Role::Packed,
    }
}

impl Walk<'_, '_> {
    /// Stores the name of the attachment that begins with the header block `header`. Returns whether the part is an
    /// attachment, because of its type, or because a header field says so.
    pub(super) fn name(&mut self, header: Range<usize>, role: &Role, top: bool) -> bool {
        let is_attached = role.is_attachment();
        if !is_attached && (top || ATTACHMENT.find(&self.message[header.clone()]).is_none()) {
            return false;
        }
        self.name_of(header, is_attached, top)
    }

    #[cold]
    fn name_of(&mut self, header: Range<usize>, is_attached: bool, top: bool) -> bool {
        let (at, header) = (header.start, &self.message[header]);
        let disposition = values(header, top, b"Content-Disposition").next().unwrap_or_default();
        let says = |word: &[u8]| {
            disposition.trim_ascii_start().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        if !is_attached && !says(b"attachment") {
            return false;
        }
        let cap = self.scratch.limits.header_value;
        let name = content::file_name(disposition, "filename", cap)
            .or_else(|| content::file_name(self.media, "name", cap))
            .map(String::into_bytes);
        let name = name.unwrap_or_else(|| content::media(self.media).to_ascii_lowercase());
        self.scratch.section.attachment = Some(self.cut(name, at));
        true
    }

    /// Cuts a long name of an attachment. `at` is the offset of the attachment.
    pub(super) fn cut(&mut self, mut name: Vec<u8>, at: usize) -> Box<[u8]> {
        let length = shared::cut_field(&name).len();
        if length < name.len() {
            (self.caller.note)(Diagnostic::of_cut_field("attachment", at as u64));
            name.truncate(length);
        }
        name.into()
    }

    /// Returns how to read the attachment `raw`, by its name and its first bytes.
    pub(super) fn recognize(&mut self, raw: Range<usize>, encoding: Encoding) -> Role {
        /// Number of encoded bytes that contain at least [`MAGIC_LEN`] bytes, in any encoding.
        const ENCODED: usize = 4 * MAGIC_LEN;
        let bytes = &self.message[raw.start..raw.end.min(raw.start + ENCODED)];
        if encoding == Encoding::File {
            // The first bytes are recognized when the file has been decoded.
            return Role::Text(Reading::default());
        }
        let (mut decoded, mut points) = self.take();
        let head = transfer::decoded(bytes, encoding, &mut decoded, &mut points);
        let name = self.scratch.section.attachment.as_deref().unwrap_or_default();
        let role = role(content::media(self.media), name, &head[..head.len().min(MAGIC_LEN)]);
        self.give_back(decoded, points);
        role
    }

    /// Visits the content of an attachment that is a container, such as an archive.
    pub(super) fn container(&mut self, role: &Role, raw: Range<usize>, encoding: Encoding) -> Flow {
        let message = self.message;
        let (mut decoded, mut points) = self.take();
        let data = transfer::decoded(&message[raw.clone()], encoding, &mut decoded, &mut points);
        let flow = self.open_attachment(role, data, raw, false);
        self.give_back(decoded, points);
        flow
    }

    /// Visits `data`, which has no transfer encoding. `raw` is the part that contains it. If `is_damaged` is true, bytes of
    /// the data can be wrong.
    fn open_attachment(&mut self, role: &Role, data: &[u8], raw: Range<usize>, is_damaged: bool) -> Flow {
        let map = Map::Whole { start: raw.start, end: raw.end };
        *self.unpacked += data.len();
        if *self.unpacked > UNPACKED_MAX {
            return self.skip("data over the limit of 64 MiB for the attachments of a message", raw, data.len());
        }
        let inner = |walk: &mut Self, data: &[u8], role: Option<&Role>| walk.inner(data, role, raw.clone(), is_damaged);
        match role {
            Role::Text(_) if may_have_files(data) && !self.full() => inner(self, data, Some(role)),
            Role::Text(reading) => self.read(Kind::Text, raw, data, map, reading, is_damaged),
            Role::Html(reading) => self.read(Kind::Html, raw, data, map, reading, is_damaged),
            Role::Skipped(why) => self.skip(why, raw, data.len()),
            _ if self.full() => {
                self.note(DiagnosticKind::Depth, raw.start);
                self.skip("a part that is nested too deeply", raw, data.len())
            }
            Role::Message => inner(self, data, None),
            Role::Packed => self.members(data, raw),
            Role::Signed => match cms::content(data) {
                Some(content) if content.is_empty() => self.skip(content::SIGNATURE, raw, data.len()),
                Some(content) => inner(self, &content, None),
                None => self.skip("a damaged message (S/MIME)", raw, data.len()),
            },
            #[cfg(feature = "outlook")]
            Role::Rtf => {
                let html = outlook_mime::from_rtf(data);
                self.read(Kind::Html, raw, html.as_bytes(), map, &Reading::default(), is_damaged)
            }
            #[cfg(feature = "outlook")]
            Role::Tnef | Role::Outlook => {
                let converted = match role {
                    Role::Tnef => outlook_mime::from_tnef(data),
                    _ => outlook_mime::from_msg(data),
                };
                if converted.as_ref().is_ok_and(|made| made.is_damaged) {
                    self.note(DiagnosticKind::BadTnef, raw.start);
                }
                match converted {
                    Ok(converted) => inner(self, &converted.bytes, None),
                    Err(outlook_mime::Error::Document) => self.skip("an office document", raw, data.len()),
                    Err(_) => self.skip("a damaged Outlook file", raw, data.len()),
                }
            }
            Role::Attachment | Role::Multipart { .. } => self.skip(content::BINARY, raw, data.len()),
        }
    }

    /// Visits the members of an archive, or the content of a compressed file or a mailbox.
    fn members(&mut self, data: &[u8], raw: Range<usize>) -> Flow {
        let outer = self.scratch.section.attachment.take().unwrap_or_default();
        let mut is_over = false;
        let flow = (self.caller.prefilter.unpack)(data, &mut |name, member| {
            *self.parts += 1;
            let separator: &[u8] = if name.is_empty() { b"" } else { b"!" };
            self.scratch.section.attachment = Some(self.cut([&outer, separator, name].concat(), raw.start));
            match member {
                _ if *self.parts > self.scratch.limits.parts => {
                    self.note(DiagnosticKind::Parts, raw.start);
                    self.skip("the rest of an archive with too many members", raw.clone(), data.len())?;
                    is_over = true;
                    Flow::Break(())
                }
                Member::Message(message, is_damaged) => {
                    self.open_attachment(&Role::Message, message, raw.clone(), is_damaged)
                }
                Member::File(file, is_damaged) => {
                    let role = role(b"", name, &file[..file.len().min(MAGIC_LEN)]);
                    self.open_attachment(&role, file, raw.clone(), is_damaged)
                }
                // If the size of the member is unknown, that of the archive is reported.
                Member::Skipped(why, size) => self.skip(why, raw.clone(), if size > 0 { size } else { data.len() }),
            }
        });
        self.scratch.section.attachment = Some(outer);
        if is_over { Flow::Continue(()) } else { flow }
    }

    /// Visits a message that was unpacked from the part `raw`, or the text that is read as `role` says.
    fn inner(&mut self, message: &[u8], role: Option<&Role>, raw: Range<usize>, is_damaged: bool) -> Flow {
        let outer = Map::Whole { start: raw.start, end: raw.end };
        let role = role.map(|role| (role, Encoding::Identity));
        self.nest(message, role, raw.start, &mut |region, visit| {
            let map = Map::Composed(&region.map, &outer);
            let recovered = region.recovered || is_damaged;
            visit(&Region { raw: raw.clone(), map, triggers: None, recovered, ..region.clone() })
        })
    }

    /// Visits `raw` as a region that is not searched. `size` is the number of bytes that the reader of the mail would
    /// see: for a member of an archive, its size.
    pub(super) fn skip(&mut self, why: &'static str, raw: Range<usize>, size: usize) -> Flow {
        self.emit(Kind::Skipped(Skip::Attachment(why, size)), raw, false)
    }

    /// Visits the text before the first boundary line of a multipart, or after the last one. People append files there.
    pub(super) fn around(&mut self, raw: Range<usize>) -> Flow {
        /// The notices that mail programs write there are shorter.
        const SHORT: usize = 200;
        if raw.len() > SHORT && may_have_files(&self.message[raw.clone()]) {
            return self.encoded_files(raw, &Reading::default(), false);
        }
        self.emit(Kind::Raw, raw, false)
    }

    /// Visits text that can contain files in uuencode, yEnc or BinHex, and encrypted text. If `is_encoded` is true, the
    /// part declares such an encoding.
    pub(super) fn encoded_files(&mut self, raw: Range<usize>, reading: &Reading, is_encoded: bool) -> Flow {
        let message = self.message;
        let bytes = &message[raw.clone()];
        let mut starts: Vec<_> = BEGIN.iter().flat_map(|line| line.find_iter(bytes).map(|at| at + 1)).collect();
        starts.push(0);
        starts.extend(uu_rows(bytes));
        starts.sort_unstable();
        let find = self.caller.prefilter.find;
        let has_url = |row: &[u8]| find(row).is_some();
        let mut done = raw.start;
        for start in starts.into_iter().map(|at| raw.start + at) {
            if start < done {
                continue;
            }
            let text = &message[start..raw.end];
            if let Some(length) = binhex(text) {
                self.text_part(done..start, reading)?;
                done = start + length;
                self.named(b"application/mac-binhex40", |walk| walk.skip(BINHEX, start..done, length))?;
            } else if let Some(file) = decode_uu(text, &has_url).filter(is_file).or_else(|| decode_yenc(text)) {
                self.text_part(done..start, reading)?;
                done = start + file.length;
                if file.is_damaged {
                    self.note(DiagnosticKind::BrokenEncodedFile, start);
                }
                self.encoded_file(&file, start..done)?;
            }
        }
        if done == raw.start && is_encoded {
            return self.skip("a file in uuencode, yEnc or BinHex", raw.clone(), raw.len());
        }
        self.text_part(done..raw.end, reading)
    }

    /// Visits text without files, which can contain encrypted text.
    fn text_part(&mut self, raw: Range<usize>, reading: &Reading) -> Flow {
        let message = self.message;
        let mut done = raw.start;
        while done < raw.end {
            let encrypted = encrypted(&message[done..raw.end]).map(|found| done + found.start..done + found.end);
            let end = encrypted.as_ref().map_or(raw.end, |encrypted| encrypted.start);
            self.plain_text(done..end, reading)?;
            done = end;
            if let Some(encrypted) = encrypted {
                done = encrypted.end;
                let size = encrypted.len();
                self.named(b"text/plain", |walk| walk.skip(content::ENCRYPTED, encrypted, size))?;
            }
        }
        Flow::Continue(())
    }

    /// Visits text that can contain base64 that no header field declares, for example in the message that a bounce
    /// quotes. If the base64 is text or a known kind of file, it is visited as what it is.
    fn plain_text(&mut self, raw: Range<usize>, reading: &Reading) -> Flow {
        let (message, mut done, mut from) = (self.message, raw.start, raw.start);
        while let Some(rows) = base64_rows(&message[from..raw.end]).filter(|_| !self.full()) {
            let rows = from + rows.start..from + rows.end;
            from = rows.end;
            let before = &message[raw.start.max(rows.start.saturating_sub(ARMOR_HEADER))..rows.start];
            let role = match memmem::find(before, BEGIN_ARMOR) {
                Some(_) => Some(Role::Skipped(content::ENCRYPTED)),
                None => self.in_base64(&message[rows.clone()]),
            };
            let unknown = [content::BINARY, content::KEY, content::SIGNATURE].map(Role::Skipped);
            let Some(role) = role.filter(|role| !unknown.contains(role)) else { continue };
            self.text(Kind::Text, done..rows.start, Encoding::Identity, reading, self.is_guessed())?;
            done = rows.end;
            if role != Role::Skipped(content::ENCRYPTED) {
                self.note(DiagnosticKind::UndeclaredBase64, rows.start);
            }
            let outer = Map::Shift(rows.start);
            let mut place = |region: &Region<'_>, visit: &mut Visit<'_>| {
                let raw = rows.start + region.raw.start..rows.start + region.raw.end;
                let map = Map::Composed(&region.map, &outer);
                visit(&Region { raw, map, triggers: None, recovered: true, ..region.clone() })
            };
            let read = (&role, Encoding::Base64);
            match role.is_attachment() {
                true => self.named(b"text/plain", |walk| {
                    walk.nest(&message[rows.clone()], Some(read), rows.start, &mut place)
                })?,
                false => self.nest(&message[rows.clone()], Some(read), rows.start, &mut place)?,
            }
        }
        self.text(Kind::Text, done..raw.end, Encoding::Identity, reading, self.is_guessed())
    }

    /// Visits a part that is not searched or is a container. If it has no name yet, it gets this one.
    pub(super) fn named(&mut self, name: &[u8], visit: impl FnOnce(&mut Self) -> Flow) -> Flow {
        let is_unnamed = self.scratch.section.attachment.is_none();
        self.scratch.section.attachment.get_or_insert_with(|| name.into());
        let flow = visit(self);
        self.scratch.section.attachment = self.scratch.section.attachment.take().filter(|_| !is_unnamed);
        flow
    }

    fn encoded_file(&mut self, file: &EncodedFile<'_>, raw: Range<usize>) -> Flow {
        *self.parts += 1;
        if *self.parts > self.scratch.limits.parts {
            self.note(DiagnosticKind::Parts, raw.start);
            return self.skip("a file in a message with too many parts", raw, file.content.len());
        }
        let name = self.cut(file.name.to_vec(), raw.start);
        let outer = self.scratch.section.attachment.replace(name);
        let role = role(b"", file.name, &file.content[..file.content.len().min(MAGIC_LEN)]);
        let flow = self.open_attachment(&role, &file.content, raw, file.is_damaged);
        self.scratch.section.attachment = outer;
        flow
    }
}

/// Whether the file has a first line, or is long enough, or is of a known kind. Three rows of a program in a signature,
/// which other people's signatures complete, are no file.
fn is_file(file: &EncodedFile<'_>) -> bool {
    let head = &file.content[..file.content.len().min(MAGIC_LEN)];
    file.name != ROWS || file.content.len() >= DATA || role(b"", b"", head) != Role::Skipped(content::BINARY)
}

/// Whether `text` begins with a line of [`BEGIN`].
fn is_at_start(line: &Finder<'_>, text: &[u8]) -> bool {
    text.starts_with(&line.needle()[1..])
}

/// Returns the length of the file in BinHex 4.0 at the start of `text` (RFC 1741): a line of words, and the file between
/// two colons.
fn binhex(text: &[u8]) -> Option<usize> {
    if !is_at_start(&BEGIN[2], text) {
        return None;
    }
    let start = memchr(b'\n', text)?;
    let begin = start + text[start..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let rest = text[begin..].strip_prefix(b":")?;
    let rows = rest.iter().take_while(|byte| is_binhex(byte)).count();
    // The colon of a URL does not end the file.
    let is_end = matches!(&rest[rows..], [b':'] | [b':', b'\r' | b'\n' | b' ', ..]);
    (rows > 64 && is_end).then_some(begin + rows + 2)
}

/// Whether text may have files in uuencode, yEnc, BinHex or base64, or encrypted text. To save time, checks only the
/// first line, the last line, and a line in each KiB, or in each quarter of a shorter text. So a shorter file between
/// other text can be missed.
pub(crate) fn may_have_files(bytes: &[u8]) -> bool {
    if bytes.len() < 4 * SAMPLE {
        return has_mark(bytes);
    }
    let blanks = bytes.iter().rev().take_while(|&&byte| byte <= b' ').count();
    let begins = || bytes.starts_with(BEGIN_ARMOR) || BEGIN.iter().any(|line| is_at_start(line, bytes));
    let is_at_end = |text: &[u8]| match text.last() {
        Some(b'd') if text.ends_with(b"\nend") => true,
        Some(b'-') => text[memrchr(b'\n', text).map_or(0, |end| end + 1)..].starts_with(END_ARMOR),
        Some(b':') => BEGIN[2].find(text).is_some(),
        // The line ends in `size=1234`, or in the same way.
        Some(digit) if digit.is_ascii_hexdigit() => {
            let digits = text.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).count();
            text[..text.len() - digits].ends_with(b"=")
                && text[memrchr(b'\n', text).map_or(0, |end| end + 1)..].starts_with(b"=yend ")
        }
        _ => false,
    };
    if matches!(bytes[0], b'b' | b'-' | b'=' | b'(') && begins() || is_at_end(&bytes[..bytes.len() - blanks]) {
        return true;
    }
    let step = if bytes.len() < 2 << 10 { bytes.len() / 4 } else { 1 << 10 };
    let (mut is_armored, mut is_begun) = (None, None);
    let mut at = step;
    while let Some(some) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let mut begins = || *is_begun.get_or_insert_with(|| BEGIN[1..].iter().any(|line| line.find(bytes).is_some()));
        if !is_prose(some)
            && (may_be_rows(some) && is_row(bytes, at, &mut is_armored) || may_be_encoded(some) && begins())
        {
            return true;
        }
        at += step;
    }
    false
}

/// Number of bytes of text that are checked at once.
const SAMPLE: usize = 32;

/// Whether text has small letters and blanks. Uuencode has no small letters, and base64 has at most the blank of a
/// quote.
fn is_prose(text: &[u8; SAMPLE]) -> bool {
    // Without `fold`, the compiler does not make vector instructions.
    let small = text.iter().fold(false, |is, &byte| is | (byte > b'`'));
    let blanks = text.iter().fold(0_u8, |count, &byte| count + u8::from(byte == b' '));
    small & (blanks > 1)
}

/// Whether text without small letters can be uuencode, or other text can be base64. Sixteen bytes with a pattern, such as
/// a line of hyphens, do not count.
fn may_be_rows(text: &[u8; SAMPLE]) -> bool {
    let is_end = |byte: u8| matches!(byte, b'\n' | b'\r');
    match text.iter().any(|&byte| byte > b'`') {
        true => text.iter().all(|&byte| is_digit(byte) || is_end(byte) || QUOTE.contains(&byte)),
        false => text[..8] != text[8..16] && text.iter().all(|&byte| byte >= b' ' || is_end(byte)),
    }
}

/// Whether text has several bytes other than printable ASCII, as yEnc has, or only digits of BinHex without a pattern.
fn may_be_encoded(text: &[u8; SAMPLE]) -> bool {
    let is_odd = |byte: u8| !(b'\t'..=b'~').contains(&byte);
    let odd = text.iter().fold(0_u8, |count, &byte| count + u8::from(is_odd(byte)));
    odd > 3 || text[..8] != text[8..16] && text.iter().all(is_binhex)
}

/// Whether `byte` is a digit of BinHex, or ends a row of digits.
fn is_binhex(byte: &u8) -> bool {
    matches!(byte, b'!'..=b'9' | b';'..=b'r' | b'\r' | b'\n')
}

/// The number of digits in a row of base64. Encoders write 60, 64, 72 or 76, but some mail has other rows.
const ROW: RangeInclusive<usize> = 40..=100;

/// Whether `byte` is a digit of base64.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Whether a line of a short text can be base64, the first line of a file, or the last line of encrypted text.
#[cold]
fn has_mark(text: &[u8]) -> bool {
    BEGIN.iter().any(|line| is_at_start(line, text) || line.find(text).is_some())
        || ARMOR.find(text).is_some()
        || base64_rows(text).is_some()
}

/// Whether the line at the offset `at` can be a row of a file in uuencode, or of base64. `is_armored` stores
/// whether encrypted text ends after the first row of base64.
#[cold]
fn is_row(bytes: &[u8], at: usize, is_armored: &mut Option<bool>) -> bool {
    const MAX: usize = *ROW.end() + 2;
    let from = at.saturating_sub(MAX);
    let start = memrchr(b'\n', &bytes[from..at]).map_or(from, |end| from + end + 1);
    let rest = &bytes[start..];
    let window = &rest[..rest.len().min(2 * MAX)];
    let end = memchr(b'\n', window).unwrap_or(window.len());
    let row = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
    let armor = unquoted(row);
    let mut is_armor = || {
        let find = || ARMOR.find(rest).is_some() || memmem::find(&bytes[..start], BEGIN_ARMOR).is_some();
        *is_armored.get_or_insert_with(find)
    };
    let is_base64 = ROW.contains(&armor.len()) && armor.iter().copied().all(is_digit);
    let has_next = || window[end..].trim_ascii_start().iter().take_while(|byte| is_digit(**byte)).count() >= row.len();
    is_uu_row(row)
        || is_uu_row(armor)
        || is_base64 && (is_words_in_base64(row) || is_text_in_base64(row) && has_next() || is_armor())
}

/// Whether `bytes` are text in ASCII or UTF-8. Their last character can be cut.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !has_controls(bytes) && shared::begins_utf8(bytes)
}

/// Whether a row of base64 has text in ASCII or UTF-8, whose last character can be cut. One row is enough to show this.
fn is_words_in_base64(row: &[u8]) -> bool {
    let mut decoded = Vec::new();
    let data = transfer::decoded(row, Encoding::Base64, &mut decoded, &mut Points::default());
    !data.is_empty() && is_text(data)
}

/// Whether a row of base64 has no bytes that only binary files have. Signatures and keys have such bytes.
fn is_text_in_base64(row: &[u8]) -> bool {
    let mut decoded = Vec::new();
    !has_controls(transfer::decoded(row, Encoding::Base64, &mut decoded, &mut Points::default()))
}

/// Whether `bytes` have controls other than those of text, and of charsets such as ISO 2022.
fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| matches!(byte, 0..=7 | 0xB | 0x10..=0x1A | 0x1C..=0x1F))
}

/// Returns the place of the first encrypted text in `text`: the lines after the header of its armor (RFC 4880, section
/// 6.2). The lines can be quoted or indented. Other text between the same lines can have URLs, and is not encrypted.
fn encrypted(text: &[u8]) -> Option<Range<usize>> {
    let is_armor = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/= \t\r\n".contains(byte);
    // Returns the marks of quotes between the beginning of a line and `at`.
    let quote = |at: usize| {
        let start = text[..at].iter().rposition(|byte| !QUOTE.contains(byte)).map_or(0, |last| last + 1);
        (start == 0 || text[start - 1] == b'\n').then(|| text[start..at].trim_ascii())
    };
    let mut done = 0;
    ARMOR.find_iter(text).find_map(|end| {
        let marks = quote(end)?;
        let from = std::mem::replace(&mut done, end);
        let mut begins = memmem::rfind_iter(&text[from..end], BEGIN_ARMOR).map(|at| from + at);
        let begin = begins.find(|&at| quote(at) == Some(marks))?;
        let mut start = begin;
        for line in text[begin..end].split_inclusive(|&byte| byte == b'\n') {
            let is_blank = unquoted(line).trim_ascii().is_empty();
            // Each field of the header has a colon. Some programs omit the blank line after the header.
            if start > begin && !is_blank && !line.contains(&b':') {
                break;
            }
            start += line.len();
            if is_blank {
                break;
            }
        }
        let mut lines = text[start..end].split_inclusive(|&byte| byte == b'\n');
        (start < end && lines.all(|line| unquoted(line).iter().all(is_armor))).then_some(start..end)
    })
}

/// Returns the place of the first lines of base64 in `text`: long lines of one length, and a shorter line after them. A
/// single long line must have text. Blank lines can be between the long lines.
fn base64_rows(text: &[u8]) -> Option<Range<usize>> {
    let (mut start, mut length, mut rows, mut at, mut is_spaced) = (0, 0, 0, 0, false);
    let has_words = |start: usize, length: usize, rows: usize| {
        // The value of a parameter can be base64, in a URL over several lines.
        let above = start.checked_sub(1).map_or(0, |end| memrchr(b'\n', &text[..end]).map_or(0, |end| end + 1));
        rows > 0
            && is_words_in_base64(&text[start..start + length])
            && memmem::find(&text[above..start], b"://").is_none()
    };
    while at < text.len() {
        let next = memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
        let row = text[at..next].trim_ascii_end();
        let digits = row.strip_suffix(b"=").map_or(row, |row| row.strip_suffix(b"=").unwrap_or(row));
        let is_row = || digits.iter().copied().all(is_digit);
        if rows > 0 && row.len() == length && digits.len() == length && is_row() {
            rows += 1;
        } else if row.is_empty()
            && (is_spaced || rows > 0 && has_row(&text[next..], length) && has_words(start, length, rows))
        {
            is_spaced = true;
        } else if rows > 1 || has_words(start, length, rows) {
            let is_last = row.len().is_multiple_of(4) && row.len() <= length && is_row();
            return Some(start..if is_last { next } else { at });
        } else {
            let is_first = digits.len() == row.len() && ROW.contains(&row.len()) && is_row();
            (start, length, rows) = (at, row.len(), usize::from(is_first));
        }
        at = next;
    }
    (rows > 1 || has_words(start, length, rows)).then_some(start..at)
}

/// Whether `text` begins with a row of base64 of this length.
fn has_row(text: &[u8], length: usize) -> bool {
    text.iter().take_while(|byte| is_digit(**byte)).count() == length
}

/// Returns the offset of each line of uuencode that is full, if the next line is full, too, and the line before is not.
fn uu_rows(text: &[u8]) -> impl Iterator<Item = usize> {
    let (mut at, mut last, mut count) = (0, 0, 0);
    memchr_iter(b'\n', text).filter_map(move |end| {
        count = if is_full_row(unquoted(&text[at..end]).trim_ascii_end()) { count + 1 } else { 0 };
        let before = std::mem::replace(&mut last, at);
        at = end + 1;
        (count == 2).then_some(before)
    })
}

/// Whether `html` is base64: its first line is a row, and HTML begins with a tag or with words.
pub(super) fn begins_base64(html: &[u8]) -> bool {
    let html = html.trim_ascii_start();
    let begins = || base64_rows(&html[..html.len().min(256)]).is_some_and(|rows| rows.start == 0);
    html.first().copied().is_some_and(is_digit) && begins() && is_text_in_base64(&html[..56])
}
