//! Reads attachments. Decides by the names and the first bytes of an attachment how to read it, and opens archives and
//! other containers. Regions of such containers have the range of the whole part, because exact offsets do not exist.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use memchr::memrchr;

use super::content::{self, Reading, Role};
use super::encoded_text::{
    ARMOR_HEADER, BEGIN, BEGIN_ARMOR, DATA, base64_rows, binhex, encrypted, has_controls, may_have_files, uu_rows,
};
use super::map::Map;
use super::structure::{Flow, Walk};
use super::transfer::{self, EncodedFile, Encoding, ROWS, UNPACKED_MAX, decode_uu, decode_yenc};
use super::{Kind, Member, Region, Skip, Visitor};
use crate::container::{Format, MESSAGE, TEXT, begins_html};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
#[cfg(feature = "outlook")]
use crate::error::PARTLY_DAMAGED;
use crate::header::values;
use crate::magic::{self, MAGIC_LEN, Magic, cms};
use crate::shared;

/// Finds header blocks that may have `Content-Disposition: attachment`.
static ATTACHMENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ttachment"));

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
            self.caller.visitor.note(Diagnostic::of_cut_field("attachment", at as u64));
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
        let left = UNPACKED_MAX.saturating_sub(*self.unpacked);
        if data.len() > left {
            // The beginning of a text is searched, up to a line break. Containers need their end. An even number of
            // bytes does not divide a character of UTF-16.
            let lines = memrchr(b'\n', &data[..left]).map_or(left, |end| end + 1) & !1;
            let size = if matches!(role, Role::Text(_) | Role::Html(_)) { lines } else { 0 };
            if size > 0 {
                self.open_attachment(role, &data[..size], raw.clone(), is_damaged)?;
            }
            *self.unpacked += data.len() - size;
            let why = "data over the limit of 64 MiB for the attachments of a message";
            return self.skip(why, raw, data.len() - size);
        }
        *self.unpacked += data.len();
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
                match converted {
                    Ok(converted) => {
                        if converted.is_damaged {
                            self.note(DiagnosticKind::BadTnef, raw.start);
                            self.skip(PARTLY_DAMAGED, raw.clone(), 0)?;
                        }
                        inner(self, &converted.bytes, None)
                    }
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
        self.nest(message, role, raw.start, &mut |region, visitor| {
            let map = Map::Composed(&region.map, &outer);
            let recovered = region.recovered || is_damaged;
            visitor.region(&Region { raw: raw.clone(), map, triggers: None, recovered, ..region.clone() })
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
            let mut place = |region: &Region<'_>, visitor: &mut dyn Visitor| {
                let raw = rows.start + region.raw.start..rows.start + region.raw.end;
                let map = Map::Composed(&region.map, &outer);
                visitor.region(&Region { raw, map, triggers: None, recovered: true, ..region.clone() })
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
