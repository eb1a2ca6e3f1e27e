//! The structs and constants of the C interface that describe a hit, which is a URL and its location.

use std::ffi::c_int;
use std::ptr;

use rust::{Candidate, Form, Reason, Tier, Url, Warning};

use crate::{pointer, span};

/// A value of `form`: the URL is written as `<URL:...>`.
pub const URLSPOOL_FORM_WRAPPED: c_int = 0;
/// A value of `form`: the URL is written in angle brackets without a prefix, as `<scheme:...>`.
pub const URLSPOOL_FORM_ANGLE: c_int = 1;
/// A value of `form`: the URL is written without brackets and without the prefix `URL:`.
pub const URLSPOOL_FORM_BARE: c_int = 2;
/// A value of `form`: the URL is written as `URL:...`, without brackets.
pub const URLSPOOL_FORM_PREFIXED: c_int = 3;
/// A value of `form`: the URL is the value of an HTML attribute.
pub const URLSPOOL_FORM_HREF: c_int = 4;
/// A value of `form`: the address has no scheme, and begins with `www.`.
pub const URLSPOOL_FORM_WWW: c_int = 5;
/// A value of `form`: the address has no scheme, and is a host with a path.
pub const URLSPOOL_FORM_PATH: c_int = 6;
/// A value of `form`: the address has no scheme, and is a host alone.
pub const URLSPOOL_FORM_DOMAIN: c_int = 7;
/// A value of `form`: a form without a constant. A library that is newer than this header can also return values that
/// this header does not list.
pub const URLSPOOL_FORM_OTHER: c_int = -1;

/// A value of `tier`: the URL satisfies RFC 1738, section 5.
pub const URLSPOOL_TIER_RFC1738: c_int = 0;
/// A value of `tier`: the URL satisfies RFC 1738 except for common deviations, such as a `~`, or an underscore in the
/// host.
pub const URLSPOOL_TIER_RELAXED: c_int = 1;
/// A value of `tier`: the URL satisfies RFC 3986.
pub const URLSPOOL_TIER_RFC3986: c_int = 2;
/// A value of `tier`: the URL satisfies RFC 3987.
pub const URLSPOOL_TIER_IRI: c_int = 3;
/// A value of `tier`: a tier without a constant.
pub const URLSPOOL_TIER_OTHER: c_int = -1;

/// A warning: the URL has a password (RFC 1738, section 6).
pub const URLSPOOL_WARNING_PASSWORD: u32 = 1;
/// A warning: the port is not the default of the scheme (RFC 1738, section 6).
pub const URLSPOOL_WARNING_PORT_NOT_DEFAULT: u32 = 2;
/// A warning: the port is below 1024 and is not the default of the scheme.
pub const URLSPOOL_WARNING_PORT_RESERVED: u32 = 4;
/// A warning: the URL of a line-based protocol, such as FTP, has an encoded CR, LF or NUL. If a client decodes and
/// sends this character, the server can read the text after it as another command.
pub const URLSPOOL_WARNING_ENCODED_CONTROL: u32 = 8;
/// A warning: the user name looks like a host, as in `http://bank.example@evil.example/`.
pub const URLSPOOL_WARNING_USERINFO_LOOKS_LIKE_HOST: u32 = 16;
/// A warning: the URL has a `%` that is not followed by two hexadecimal digits.
pub const URLSPOOL_WARNING_BAD_ESCAPE: u32 = 32;
/// A warning: a label of the host mixes Latin with Cyrillic or Greek letters, or all its letters are Cyrillic or Greek
/// letters that look like Latin letters.
pub const URLSPOOL_WARNING_HOST_LOOKS_LATIN: u32 = 64;
/// A warning: the visible text of an HTML link names a host, but the link leads to a host in another domain.
pub const URLSPOOL_WARNING_SHOWN_AS_OTHER_HOST: u32 = 128;
/// A warning: a URL in an HTML attribute has characters that are not allowed in URLs, such as blanks. urlspool has
/// encoded these characters, as browsers do.
pub const URLSPOOL_WARNING_CHARACTERS_ENCODED: u32 = 256;
/// A warning: a URL in an HTML attribute has backslashes in place of slashes, or has too few or too many slashes after
/// the scheme. urlspool has corrected the slashes, as browsers do.
pub const URLSPOOL_WARNING_SLASHES_MENDED: u32 = 512;
/// A warning: blanks or angle brackets around the address of a mailto link were removed.
pub const URLSPOOL_WARNING_ADDRESS_TRIMMED: u32 = 1024;
/// A warning: the host is a number that browsers read as an IPv4 address, as in `http://3232235521/`.
pub const URLSPOOL_WARNING_HOST_IS_NUMBER: u32 = 2048;
/// A warning: the URL has an encoded NUL, `%00`.
pub const URLSPOOL_WARNING_ENCODED_NUL: u32 = 4096;
/// A warning: the URL has a character that changes the writing direction. A terminal or browser can then show the
/// characters of the URL in another order.
pub const URLSPOOL_WARNING_BIDI_CONTROL: u32 = 8192;
/// A warning: an HTML attribute had no scheme, as in `//host/path`, and urlspool added `https:`.
pub const URLSPOOL_WARNING_NO_SCHEME: u32 = 16384;
/// A warning: the date is that of the envelope line or of a Received field, because the Date field has no valid date.
pub const URLSPOOL_WARNING_ENVELOPE_DATE: u32 = 32768;
/// A warning: the host does not end in a known public suffix, or has a character that no host has.
pub const URLSPOOL_WARNING_HOST_UNKNOWN: u32 = 65536;
/// A warning without a constant. A library that is newer than this header can also return warnings that this header
/// does not list.
pub const URLSPOOL_WARNING_OTHER: u32 = 0x8000_0000;

/// No reason for doubt: the text can mean only one URL.
pub const URLSPOOL_REASON_NONE: c_int = 0;
/// A reason for doubt: a hyphen at the end of a line may or may not be part of the URL.
pub const URLSPOOL_REASON_HYPHEN: c_int = 1;
/// A reason for doubt: a URL without brackets may or may not continue on the next line.
pub const URLSPOOL_REASON_REJOIN: c_int = 2;
/// A reason for doubt: a line between the brackets of `<URL:...>` has several words.
pub const URLSPOOL_REASON_TOKENS: c_int = 3;
/// A reason for doubt: a URL in angle brackets continues on a line that has lost its quote marks, such as `>`.
pub const URLSPOOL_REASON_QUOTE: c_int = 4;
/// A reason for doubt: a character that is not ASCII directly follows the URL, and may or may not be part of the
/// URL.
pub const URLSPOOL_REASON_SCRIPT: c_int = 5;
/// A reason for doubt: `&amp;` in plain text may mean `&`, as in HTML.
pub const URLSPOOL_REASON_REFERENCE: c_int = 6;
/// A reason for doubt: the URL may be defanged, that is, made harmless on purpose.
pub const URLSPOOL_REASON_DEFANGED: c_int = 7;
/// A reason for doubt: text directly before or after the URL may or may not belong to it.
pub const URLSPOOL_REASON_GLUED: c_int = 8;
/// A reason for doubt: escapes, such as `\_`, were removed from the URL.
pub const URLSPOOL_REASON_ESCAPE: c_int = 9;
/// A reason for doubt: ` at ` in the URL was read as `@`.
pub const URLSPOOL_REASON_OBSCURED: c_int = 10;
/// A reason for doubt: the URL has two schemes, and one was removed.
pub const URLSPOOL_REASON_DOUBLED: c_int = 11;
/// A reason for doubt: the scheme is a guess, because the text has no scheme.
pub const URLSPOOL_REASON_SCHEMELESS: c_int = 12;
/// A reason for doubt: the end of the URL may be missing: an ellipsis or a control character follows it, or the file could
/// not be read further.
pub const URLSPOOL_REASON_CUT: c_int = 13;
/// A reason for doubt without a constant. A library that is newer than this header can also return values that this
/// header does not list.
pub const URLSPOOL_REASON_OTHER: c_int = -1;

/// A range of bytes in the input. Later versions do not change this struct.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The offset of the first byte, from 0.
    pub offset: u64,
    /// The number of bytes.
    pub length: u64,
}

/// Another URL that the same text can mean. For example, a hyphen at the end of a line may or may not be part of the
/// URL. Later versions do not change this struct.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Alternative {
    /// The other URL. Not NULL.
    pub url: *const u8,
    /// The number of bytes of `url`.
    pub url_length: usize,
    /// Why the text can mean this URL: one of URLSPOOL_REASON_...
    pub reason: c_int,
}

/// A URL and its location. In a callback, the struct and everything that it points to are valid until the callback
/// returns. After a call of urlspool_search_next, they are valid until the next call with the same search. Later
/// versions may add fields at the end of the struct: see URLSPOOL_HAS. If a pointer is NULL, its length is 0.
#[repr(C)]
#[derive(Debug)]
pub struct Hit {
    /// The size of this struct in bytes in the loaded library, which can be older or newer than this header.
    pub size: usize,
    /// The URL as written, with its fragment, and rejoined if it was broken over lines. UTF-8. Not NULL.
    pub url: *const u8,
    /// The number of bytes of `url`.
    pub url_length: usize,
    /// The scheme as written. Not NULL. The scheme may be `javascript`, so make links only of schemes that you know.
    pub scheme: *const u8,
    /// The number of bytes of `scheme`.
    pub scheme_length: usize,
    /// The host; NULL if the URL has no host.
    pub host: *const u8,
    /// The number of bytes of `host`.
    pub host_length: usize,
    /// The offset of the URL in the input. If `exact` is false, this is the offset of the message part that contains
    /// the URL. For a compressed file, this is the offset in the decompressed data.
    pub offset: u64,
    /// The number of bytes of the URL in the input. The length includes line breaks and encodings inside the URL.
    pub length: u64,
    /// True if `offset` and `length` describe the URL itself. False if they describe the message part that contains the
    /// URL.
    pub exact: bool,
    /// The ranges of the input that contain the URL, in order. There can be several ranges if the URL was broken over
    /// lines, or if blanks inside the URL were removed. Otherwise, there is one range. Not NULL.
    pub pieces: *const Span,
    /// The number of ranges in `pieces`: 1 or more.
    pub pieces_length: usize,
    /// The name of the header field that contains the URL, as written; NULL if the URL is not in a header field.
    pub header: *const u8,
    /// The number of bytes of `header`.
    pub header_length: usize,
    /// How the text marks the URL: one of URLSPOOL_FORM_...
    pub form: c_int,
    /// The narrowest grammar that the URL satisfies: one of URLSPOOL_TIER_...
    pub tier: c_int,
    /// The number of quote marks, such as `>`, at the start of the line that contains the URL; 0 in headers and in HTML
    /// attributes.
    pub quote_depth: usize,
    /// The probability, in percent, that a URL without brackets was rejoined correctly; 0 if the URL has brackets or
    /// was not rejoined.
    pub confidence: c_int,
    /// A sum of URLSPOOL_WARNING_...; 0 if there is no warning.
    pub warnings: u32,
    /// Why the text can also mean another URL: one of URLSPOOL_REASON_... If the text can mean only this URL, the value
    /// is URLSPOOL_REASON_NONE.
    pub doubt: c_int,
    /// The other URLs that the same text can mean, the most likely first; NULL if there are none.
    pub alternatives: *const Alternative,
    /// The number of alternatives.
    pub alternatives_length: usize,
    /// The line number of `offset`, from 1.
    pub line: u64,
    /// The IMAP section number of the MIME part that contains the URL, such as `1.2`; NULL if the URL is in the header
    /// of the message, or outside messages.
    pub part: *const u8,
    /// The number of bytes of `part`.
    pub part_length: usize,
    /// The visible text of the link in UTF-8, if the URL is the `href` of an `a` element in HTML; otherwise NULL.
    pub link_text: *const u8,
    /// The number of bytes of `link_text`.
    pub link_text_length: usize,
    /// The original URL, if a service such as SafeLinks has rewritten the link; otherwise NULL. If several services
    /// have rewritten the link, this is the URL that the reader finally reaches.
    pub target: *const u8,
    /// The number of bytes of `target`.
    pub target_length: usize,
    /// The Message-ID without its brackets; NULL if the message has no Message-ID. The bytes are not always UTF-8.
    pub message_id: *const u8,
    /// The number of bytes of `message_id`.
    pub message_id_length: usize,
    /// Whether the message has a date that can be parsed.
    pub has_date: bool,
    /// The date of the message in seconds since 1970-01-01, UTC; 0 if there is no date.
    pub date: i64,
    /// The number of the message in its file, counted from 1. The number is 0 for text outside messages, and for
    /// urlspool_message and urlspool_text.
    pub message: u64,
    /// The path of the file; `-` for standard input; the name of a stream; NULL for urlspool_message and urlspool_text.
    pub file: *const u8,
    /// The number of bytes of `file`.
    pub file_length: usize,
    /// The name of the archive member, if the file is a tar or zip archive; otherwise NULL.
    pub member: *const u8,
    /// The number of bytes of `member`.
    pub member_length: usize,
}

/// A hit, as the Rust library returns it. [`Hit`], the struct for C, contains pointers to this data.
pub(crate) enum Found {
    /// A URL in a message or in a file.
    InMail(rust::Hit<'static>),
    /// A URL in decoded text.
    InText(Box<InText>),
}

pub(crate) struct InText {
    url: Url<'static>,
    span: Span,
    pieces: Vec<Span>,
    form: Form,
    quote_depth: usize,
    confidence: Option<u8>,
    doubt: Option<Reason>,
    alternatives: Vec<rust::Alternative>,
    line: u64,
}

impl InText {
    pub(crate) fn new(candidate: &Candidate<'_>, url: Url<'_>, line: u64) -> InText {
        let range = |range: std::ops::Range<usize>| span(range.start as u64..range.end as u64);
        InText {
            url: url.into_owned(),
            span: range(candidate.span()),
            pieces: candidate.pieces().map(range).collect(),
            form: candidate.form(),
            quote_depth: candidate.quote_depth(),
            confidence: candidate.confidence(),
            doubt: candidate.doubt(),
            alternatives: candidate.alternatives().to_vec(),
            line,
        }
    }
}

/// Arrays and strings that the methods of a hit create anew in each call. They are stored here, because [`Hit`], the
/// struct for C, points to them.
#[derive(Default)]
pub(crate) struct Derived {
    pieces: Vec<Span>,
    alternatives: Vec<Alternative>,
    part: String,
    target: Option<Url<'static>>,
    link_text: Option<String>,
}

impl Derived {
    pub(crate) fn new(found: &Found) -> Derived {
        match found {
            Found::InMail(hit) => Derived {
                pieces: hit.pieces().into_iter().map(span).collect(),
                alternatives: hit.alternatives().iter().map(alternative).collect(),
                part: hit.part(),
                target: hit.url().targets().pop(),
                link_text: hit.link_text().map(Into::into),
            },
            Found::InText(text) => Derived {
                pieces: text.pieces.clone(),
                alternatives: text.alternatives.iter().map(alternative).collect(),
                part: String::new(),
                target: text.url.targets().pop(),
                link_text: None,
            },
        }
    }
}

impl Hit {
    /// Makes the struct for C, with pointers into `found` and `derived`.
    pub(crate) fn new(found: &Found, derived: &Derived) -> Hit {
        let (part, part_length) = pointer(Some(derived.part.as_bytes()).filter(|part| !part.is_empty()));
        let (target, target_length) = pointer(derived.target.as_ref().map(Url::as_bytes));
        let (link_text, link_text_length) = pointer(derived.link_text.as_deref().map(str::as_bytes));
        let hit = match found {
            Found::InMail(hit) => Hit::in_mail(hit),
            Found::InText(text) => Hit {
                offset: text.span.offset,
                length: text.span.length,
                form: form(text.form),
                quote_depth: text.quote_depth,
                confidence: text.confidence.unwrap_or_default().into(),
                warnings: warnings(text.url.warnings()),
                doubt: text.doubt.map_or(URLSPOOL_REASON_NONE, reason),
                line: text.line,
                ..Hit::of_url(&text.url)
            },
        };
        let (alternatives, alternatives_length) =
            pointer(Some(derived.alternatives.as_slice()).filter(|them| !them.is_empty()));
        Hit {
            pieces: derived.pieces.as_ptr(),
            pieces_length: derived.pieces.len(),
            alternatives,
            alternatives_length,
            part,
            part_length,
            target,
            target_length,
            link_text,
            link_text_length,
            ..hit
        }
    }

    fn in_mail(hit: &rust::Hit<'_>) -> Hit {
        let (header, header_length) = pointer(hit.header());
        let (message_id, message_id_length) = pointer(hit.message_id());
        let (file, file_length) = pointer(hit.input().map(|input| input.name().as_os_str().as_encoded_bytes()));
        let (member, member_length) = pointer(hit.member());
        Hit {
            offset: hit.offset(),
            length: hit.length(),
            exact: hit.exact(),
            header,
            header_length,
            form: form(hit.form()),
            quote_depth: hit.quote_depth(),
            confidence: hit.confidence().unwrap_or_default().into(),
            warnings: warnings(hit.warnings()),
            doubt: hit.doubt().map_or(URLSPOOL_REASON_NONE, reason),
            line: hit.line(),
            message_id,
            message_id_length,
            has_date: hit.timestamp().is_some(),
            date: hit.timestamp().unwrap_or_default(),
            message: hit.message().unwrap_or_default(),
            file,
            file_length,
            member,
            member_length,
            ..Hit::of_url(hit.url())
        }
    }

    /// Makes a struct with the fields that depend on the URL alone. All other fields have default values.
    fn of_url(url: &Url<'_>) -> Hit {
        let (scheme, scheme_length) = pointer(Some(url.scheme().as_bytes()));
        let (host, host_length) = pointer(url.host().map(str::as_bytes));
        Hit {
            size: size_of::<Hit>(),
            url: url.as_bytes().as_ptr(),
            url_length: url.as_bytes().len(),
            scheme,
            scheme_length,
            host,
            host_length,
            offset: 0,
            length: 0,
            exact: true,
            pieces: ptr::null(),
            pieces_length: 0,
            header: ptr::null(),
            header_length: 0,
            form: URLSPOOL_FORM_OTHER,
            tier: tier(url.tier()),
            quote_depth: 0,
            confidence: 0,
            warnings: 0,
            doubt: URLSPOOL_REASON_NONE,
            alternatives: ptr::null(),
            alternatives_length: 0,
            line: 0,
            part: ptr::null(),
            part_length: 0,
            link_text: ptr::null(),
            link_text_length: 0,
            target: ptr::null(),
            target_length: 0,
            message_id: ptr::null(),
            message_id_length: 0,
            has_date: false,
            date: 0,
            message: 0,
            file: ptr::null(),
            file_length: 0,
            member: ptr::null(),
            member_length: 0,
        }
    }
}

fn alternative(other: &rust::Alternative) -> Alternative {
    Alternative { url: other.url.as_ptr(), url_length: other.url.len(), reason: reason(other.reason) }
}

fn form(form: Form) -> c_int {
    match form {
        Form::Wrapped => URLSPOOL_FORM_WRAPPED,
        Form::Angle => URLSPOOL_FORM_ANGLE,
        Form::Bare => URLSPOOL_FORM_BARE,
        Form::Prefixed => URLSPOOL_FORM_PREFIXED,
        Form::Href => URLSPOOL_FORM_HREF,
        Form::Www => URLSPOOL_FORM_WWW,
        Form::Path => URLSPOOL_FORM_PATH,
        Form::Domain => URLSPOOL_FORM_DOMAIN,
        _ => URLSPOOL_FORM_OTHER,
    }
}

pub(crate) fn tier(tier: Tier) -> c_int {
    match tier {
        Tier::Rfc1738 => URLSPOOL_TIER_RFC1738,
        Tier::Relaxed => URLSPOOL_TIER_RELAXED,
        Tier::Rfc3986 => URLSPOOL_TIER_RFC3986,
        Tier::Iri => URLSPOOL_TIER_IRI,
        _ => URLSPOOL_TIER_OTHER,
    }
}

fn reason(reason: Reason) -> c_int {
    match reason {
        Reason::Hyphen => URLSPOOL_REASON_HYPHEN,
        Reason::Rejoin => URLSPOOL_REASON_REJOIN,
        Reason::Tokens => URLSPOOL_REASON_TOKENS,
        Reason::Quote => URLSPOOL_REASON_QUOTE,
        Reason::Script => URLSPOOL_REASON_SCRIPT,
        Reason::Reference => URLSPOOL_REASON_REFERENCE,
        Reason::Defanged => URLSPOOL_REASON_DEFANGED,
        Reason::Glued => URLSPOOL_REASON_GLUED,
        Reason::Escape => URLSPOOL_REASON_ESCAPE,
        Reason::Obscured => URLSPOOL_REASON_OBSCURED,
        Reason::Doubled => URLSPOOL_REASON_DOUBLED,
        Reason::Schemeless => URLSPOOL_REASON_SCHEMELESS,
        Reason::Cut => URLSPOOL_REASON_CUT,
        _ => URLSPOOL_REASON_OTHER,
    }
}

pub(crate) fn warnings(warnings: impl Iterator<Item = Warning>) -> u32 {
    warnings.fold(0, |bits, one| bits | warning(one))
}

fn warning(warning: Warning) -> u32 {
    match warning {
        Warning::Password => URLSPOOL_WARNING_PASSWORD,
        Warning::PortNotDefault => URLSPOOL_WARNING_PORT_NOT_DEFAULT,
        Warning::PortReserved => URLSPOOL_WARNING_PORT_RESERVED,
        Warning::EncodedControl => URLSPOOL_WARNING_ENCODED_CONTROL,
        Warning::UserinfoLooksLikeHost => URLSPOOL_WARNING_USERINFO_LOOKS_LIKE_HOST,
        Warning::BadEscape => URLSPOOL_WARNING_BAD_ESCAPE,
        Warning::HostLooksLatin => URLSPOOL_WARNING_HOST_LOOKS_LATIN,
        Warning::ShownAsOtherHost => URLSPOOL_WARNING_SHOWN_AS_OTHER_HOST,
        Warning::CharactersEncoded => URLSPOOL_WARNING_CHARACTERS_ENCODED,
        Warning::SlashesMended => URLSPOOL_WARNING_SLASHES_MENDED,
        Warning::AddressTrimmed => URLSPOOL_WARNING_ADDRESS_TRIMMED,
        Warning::HostIsNumber => URLSPOOL_WARNING_HOST_IS_NUMBER,
        Warning::EncodedNul => URLSPOOL_WARNING_ENCODED_NUL,
        Warning::BidiControl => URLSPOOL_WARNING_BIDI_CONTROL,
        Warning::NoScheme => URLSPOOL_WARNING_NO_SCHEME,
        Warning::EnvelopeDate => URLSPOOL_WARNING_ENVELOPE_DATE,
        Warning::HostUnknown => URLSPOOL_WARNING_HOST_UNKNOWN,
        _ => URLSPOOL_WARNING_OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails if the library has a form, tier, warning or reason without a constant in the header.
    #[test]
    fn every_value_has_its_own_constant() {
        let upto = |last: usize| (0..last as c_int).collect::<Vec<_>>();
        assert_eq!(Form::ALL.iter().copied().map(form).collect::<Vec<_>>(), upto(Form::ALL.len()));
        assert_eq!(Tier::ALL.iter().copied().map(tier).collect::<Vec<_>>(), upto(Tier::ALL.len()));
        let reasons = [URLSPOOL_REASON_NONE].into_iter().chain(Reason::ALL.iter().copied().map(reason));
        assert_eq!(reasons.collect::<Vec<_>>(), upto(Reason::ALL.len() + 1));
        let bits: Vec<u32> = (0..Warning::ALL.len()).map(|at| 1 << at).collect();
        assert_eq!(Warning::ALL.iter().copied().map(warning).collect::<Vec<_>>(), bits);
    }
}
