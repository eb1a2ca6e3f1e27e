//! One parse function for each [`Grammar`]. In these functions, `from` is the offset after the scheme's colon.

use memchr::{memchr, memmem, memrchr};

use super::authority::{HOSTPORT, LOGIN, Rules};
use super::class::{
    ALPHA, ARTICLE, DIGIT, FIELD, FPATH, GROUP, HPATH, QUESTION, SEARCH, SEMICOLON, SLASH, UCHAR, XCHAR, class,
};
use super::component::Component;
use super::parser::Parser;
use super::scheme::Grammar;
use super::{ParseError, ParseErrorKind, Tier, host, iri, percent};

/// Parses the text after the scheme's colon by the grammar of the scheme.
#[inline]
pub(super) fn parse(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    match parser.url.grammar() {
        Grammar::Ftp => ftp(parser, from),
        Grammar::Http => http(parser, from),
        Grammar::Gopher => gopher(parser, from),
        Grammar::Mailto => mailto(parser, from),
        Grammar::News => news(parser, from),
        Grammar::Nntp => nntp(parser, from),
        Grammar::Telnet => telnet(parser, from),
        Grammar::Wais => wais(parser, from),
        Grammar::File => file(parser, from),
        Grammar::Prospero => prospero(parser, from),
        Grammar::MessageId => message_id(parser, from),
        Grammar::Internet => internet(parser, from),
        Grammar::Generic => generic(parser, from),
    }
}

/// RFC 1738 section 3.3 does not allow a user name in an http URL. Mail archives contain http URLs with a user name, so
/// these URLs are accepted at [`Tier::Relaxed`].
const HTTP: Rules = Rules { login: Tier::Relaxed, hostless: false, port: true };

/// `httpurl = "http://" hostport [ "/" hpath [ "?" search ]]`, RFC 1738 section 3.3.
fn http(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let from = parser.slashes(from)?;
    let at = parser.authority(from, &HTTP)?;
    match parser.byte(at) {
        None => Ok(()),
        Some(b'/') => {
            parser.path_begins(at + 1);
            let at = parser.take(Component::Path, at + 1, QUESTION, HPATH, ParseErrorKind::Reserved)?;
            parser.search(at, SEARCH)
        }
        Some(_) => {
            // URLs such as `http://host?search`, without a slash before the `?`, are frequent, so they are accepted at
            // the tier `Relaxed`.
            parser.depart(Tier::Relaxed, ParseErrorKind::Path, at);
            parser.search(at, SEARCH)
        }
    }
}

const TYPE: &[u8] = b"type=";

/// `ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]`, RFC 1738 section 3.2.
fn ftp(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let Some(path) = parser.server(from, &LOGIN, None)? else { return Ok(()) };
    // A `?` in an ftp URL is part of the path, because an ftp URL of RFC 1738 has no query.
    let end = parser.end;
    let typed = if parser.url.seen & SEMICOLON == 0 { None } else { typecode(parser.text, path, end) };
    let name_end = typed.unwrap_or(end);
    parser.check(Component::Name, path, name_end, FPATH, ParseErrorKind::Reserved)?;
    match memrchr(b'/', &parser.text[path..name_end]) {
        Some(length) => {
            let slash = path + length;
            parser.push(Component::Cwd, path, slash);
            parser.push(Component::Name, slash + 1, name_end);
        }
        None => parser.push(Component::Name, path, name_end),
    }
    if let Some(semicolon) = typed {
        let value = semicolon + 1 + TYPE.len();
        // RFC 1738 defines only the codes `a`, `i` and `d`. Other codes are accepted at the tier `Rfc3986`, because an
        // older draft had longer codes, such as `A N` and `L 8`.
        let known = matches!(&parser.text[value..end], [b'a' | b'i' | b'd' | b'A' | b'I' | b'D']);
        if !known || !parser.text[semicolon + 1..].starts_with(TYPE) {
            parser.depart(Tier::Rfc3986, ParseErrorKind::TypeCode, semicolon);
        }
        parser.check(Component::TypeCode, value, end, UCHAR, ParseErrorKind::TypeCode)?;
        parser.push(Component::TypeCode, value, end);
    }
    Ok(())
}

/// Returns the offset of the semicolon of a `;type=` in the last path segment. The word `type` can be in upper or lower
/// case.
fn typecode(text: &[u8], path: usize, end: usize) -> Option<usize> {
    let semicolon = path + memrchr(b';', &text[path..end])?;
    let value = semicolon + 1 + TYPE.len();
    let marked = value <= end && text[semicolon + 1..value].eq_ignore_ascii_case(TYPE);
    (marked && memchr(b'/', &text[value..end]).is_none()).then_some(semicolon)
}

/// `gopherurl = "gopher://" hostport [ / [ gtype [ selector [ "%09" search [ "%09" gopher+_string ] ] ] ] ]`,
/// RFC 1738 section 3.4.
fn gopher(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let Some(path) = parser.server(from, &HOSTPORT, None)? else { return Ok(()) };
    // The selector can contain every xchar, because no character is reserved in a gopher path (RFC 1738, section
    // 3.4.1).
    let end = parser.end;
    parser.check(Component::Selector, path, end, XCHAR, ParseErrorKind::Character)?;
    if path == end {
        return Ok(());
    }
    let text = &parser.text[..end];
    let selector = path + first_character(&text[path..]);
    let tab = |from: usize| memmem::find(&text[from..], b"%09").map(|length| from + length);
    let first = tab(selector);
    let second = first.and_then(|first| tab(first + 3));
    parser.push(Component::GopherType, path, selector);
    parser.push(Component::Selector, selector, first.unwrap_or(end));
    if let Some(first) = first {
        parser.push(Component::GopherSearch, first + 3, second.unwrap_or(end));
    }
    if let Some(second) = second {
        parser.push(Component::GopherPlus, second + 3, end);
    }
    Ok(())
}

/// Returns the length in bytes of the first character of `text`, which is the gopher type. The type can be an escape
/// such as `%31`, which has three bytes.
fn first_character(text: &[u8]) -> usize {
    if percent::escape(text).is_some() { 3 } else { iri::ucschar(text, false).unwrap_or(1) }
}

/// `mailtourl = "mailto:" 1*xchar`, RFC 1738 section 3.5.
///
/// The grammar allows every xchar, so this function does not check whether the address follows RFC 822. A `?` begins
/// the headers of RFC 6068. The address before the `?` can be empty.
fn mailto(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let at = parser.take(Component::AddrSpec, from, QUESTION, XCHAR, ParseErrorKind::Character)?;
    parser.search(at, XCHAR)
}

/// `newsurl = "news:" ( "*" | group | article )`, RFC 1738 section 3.6.
fn news(parser: &mut Parser<'_, '_>, mut from: usize) -> Result<(), ParseError> {
    if parser.has_slashes(from) {
        // RFC 5538 section 3 allows a server before the group, as in `news://host/group`. By RFC 1738, the whole text
        // `//host/a@b` in `news://host/a@b` would be a message-id, but authors of such URLs mean the server `host`.
        parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, from);
        match parser.server(from, &LOGIN, None)? {
            Some(path) if path < parser.end => from = path,
            _ => return Ok(()),
        }
    }
    match (&parser.text[from..parser.end], memrchr(b'@', &parser.text[from..parser.end])) {
        (b"*", _) => {
            parser.push(Component::Newsgroup, from, parser.end);
            Ok(())
        }
        (_, Some(length)) => article(parser, from, from + length),
        (_, None) => group(parser, from, parser.end),
    }
}

/// `group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]`. RFC 5538 also allows wildcards and escapes.
fn group(parser: &mut Parser<'_, '_>, from: usize, end: usize) -> Result<(), ParseError> {
    if from == end || class(parser.text[from]) != ALPHA {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, from);
    }
    parser.check(Component::Newsgroup, from, end, GROUP, ParseErrorKind::Newsgroup)?;
    parser.push(Component::Newsgroup, from, end);
    Ok(())
}

/// `article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host`. `at` is the offset of the `@`.
fn article(parser: &mut Parser<'_, '_>, from: usize, at: usize) -> Result<(), ParseError> {
    let end = parser.end;
    if from == at {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Address, from);
    }
    parser.check(Component::MessageId, from, at, ARTICLE, ParseErrorKind::Address)?;
    match host::judge(&parser.text[at + 1..end]) {
        Ok(None) => {}
        Ok(Some((tier, _, offset))) => parser.depart(tier, ParseErrorKind::Address, at + 1 + offset),
        // In many message-ids, the text after the `@` is not a host. No client connects to the host of a message-id, so
        // every xchar is allowed.
        Err((_, offset)) => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Address, at + 1 + offset);
            parser.check(Component::MessageId, at + 1, end, XCHAR, ParseErrorKind::Address)?;
        }
    }
    parser.push(Component::MessageId, from, end);
    Ok(())
}

/// `nntpurl = "nntp://" hostport "/" group [ "/" digits ]`, RFC 1738 section 3.7.
fn nntp(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    if !parser.has_slashes(from) {
        // draft-ietf-uri-url-03 defines the form `nntp:group/digits`, without a host.
        parser.depart(Tier::Rfc3986, ParseErrorKind::MissingSlashes, from);
        return group_and_article(parser, from);
    }
    match parser.server(from, &HOSTPORT, None)? {
        Some(path) if path < parser.end => group_and_article(parser, path),
        _ => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Newsgroup, parser.end);
            Ok(())
        }
    }
}

fn group_and_article(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let slash = parser.find(from, SLASH);
    group(parser, from, slash)?;
    if slash < parser.end {
        let end = parser.take(Component::Article, slash + 1, 0, DIGIT, ParseErrorKind::Article)?;
        if slash + 1 == end {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Article, end);
        }
    }
    Ok(())
}

/// `telneturl = "telnet://" login [ "/" ]`, RFC 1738 section 3.8.
fn telnet(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    match parser.server(from, &LOGIN, None)? {
        // RFC 1738 allows only a slash after the host and port, because a telnet session has no path.
        Some(path) if path < parser.end => {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Path, path);
            parser.path_and_search(path)
        }
        _ => Ok(()),
    }
}

/// `waisurl = waisdatabase | waisindex | waisdoc`, RFC 1738 section 3.9.
///
/// RFC 1738 has three forms: `wais://host/database`, `wais://host/database?search` and
/// `wais://host/database/wtype/wpath`. At [`Tier::Rfc3986`], the database or the wpath can be missing, and a search can
/// follow the wpath.
fn wais(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let Some(path) = parser.server(from, &HOSTPORT, Some(ParseErrorKind::Document))? else { return Ok(()) };
    let part = SLASH | QUESTION;
    let at = parser.take(Component::Database, path, part, UCHAR, ParseErrorKind::Document)?;
    if parser.byte(at) != Some(b'/') {
        return parser.search(at, SEARCH);
    }
    let at = parser.take(Component::Wtype, at + 1, part, UCHAR, ParseErrorKind::Document)?;
    if parser.byte(at) != Some(b'/') {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Document, at);
        return parser.search(at, SEARCH);
    }
    let at = parser.take(Component::Wpath, at + 1, QUESTION, UCHAR, ParseErrorKind::Document)?;
    if at < parser.end {
        parser.depart(Tier::Rfc3986, ParseErrorKind::Document, at);
    }
    parser.search(at, SEARCH)
}

const FILE: Rules = Rules { login: Tier::Rfc3986, hostless: true, port: false };

/// `fileurl = "file://" [ host | "localhost" ] "/" fpath`, RFC 1738 section 3.10.
fn file(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let path = if parser.byte(from) == Some(b'/') && !parser.has_slashes(from) {
        // `file:/path` is the minimal form of RFC 8089 appendix B.
        parser.depart(Tier::Rfc3986, ParseErrorKind::MissingSlashes, from);
        parser.path_begins(from + 1);
        from + 1
    } else {
        match parser.server(from, &FILE, Some(ParseErrorKind::Path))? {
            Some(path) => path,
            None => return Ok(()),
        }
    };
    // A `?` in a file URL is part of the path, because a file URL of RFC 1738 has no query.
    parser.take(Component::Path, path, 0, FPATH, ParseErrorKind::Reserved)?;
    Ok(())
}

/// Separates the object name from the version in a Prospero URL. The drafts of RFC 1738 define the version.
const VERSION: &[u8] = b"%00";

/// `prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]`, RFC 1738 section 3.11.
fn prospero(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let Some(path) = parser.server(from, &HOSTPORT, Some(ParseErrorKind::Path))? else { return Ok(()) };
    let end = parser.find(path, SEMICOLON);
    parser.check(Component::Hsoname, path, end, FPATH, ParseErrorKind::Reserved)?;
    match memmem::find(&parser.text[path..end], VERSION) {
        Some(length) => {
            parser.push(Component::Hsoname, path, path + length);
            parser.push(Component::Version, path + length + VERSION.len(), end);
        }
        None => parser.push(Component::Hsoname, path, end),
    }
    if end < parser.end {
        parser.push(Component::FieldName, end + 1, parser.end);
        fields(parser, end)?;
    }
    Ok(())
}

/// `*[ ";" fieldname "=" fieldvalue ]`. `at` is the offset of the first semicolon. A field without a `=` has a name and
/// no value.
fn fields(parser: &mut Parser<'_, '_>, mut at: usize) -> Result<(), ParseError> {
    while at < parser.end {
        let field_end = parser.find(at + 1, SEMICOLON);
        let equals = parser.text[at + 1..field_end].iter().position(|&byte| byte == b'=');
        let name_end = equals.map_or(field_end, |length| at + 1 + length);
        parser.check(Component::FieldName, at + 1, name_end, FIELD, ParseErrorKind::Field)?;
        if equals.is_some() {
            parser.check(Component::FieldValue, name_end + 1, field_end, FIELD, ParseErrorKind::Field)?;
        } else {
            parser.depart(Tier::Rfc3986, ParseErrorKind::Field, field_end);
        }
        at = field_end;
    }
    Ok(())
}

/// `midaddress = "mid:" addr-spec`, `cidaddress = "cid:" content-identifier`, draft-www-uri-00.
///
/// RFC 1738 section 4 reserves the schemes `mid` and `cid`, but has no grammar for them. This function therefore allows
/// every xchar. A content-id without an `@` is accepted, because some mail programs write such content-ids. A slash
/// after the `@` begins the path, which is the content-id of a body part of the message (RFC 2392 section 2).
fn message_id(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    let end = parser.end;
    parser.check(Component::MessageId, from, end, XCHAR, ParseErrorKind::Character)?;
    let text = &parser.text[..end];
    let slash = memchr(b'@', &text[from..]).and_then(|length| {
        let at = from + length;
        memchr(b'/', &text[at..]).map(|length| at + length)
    });
    parser.push(Component::MessageId, from, slash.unwrap_or(end));
    if let Some(slash) = slash {
        parser.push(Component::Path, slash + 1, end);
    }
    Ok(())
}

/// `ip-schemepart = "//" login [ "/" urlpath ]`, RFC 1738 section 5. Used for known schemes that require a host, but
/// have no grammar of their own in RFC 1738. The urlpath is split into path and search as in RFC 3986.
fn internet(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    match parser.server(from, &LOGIN, None)? {
        Some(path) => parser.path_and_search(path),
        None => Ok(()),
    }
}

/// `schemepart = *xchar | ip-schemepart`. Every `ip-schemepart` also matches `*xchar`, so RFC 1738 allows any sequence
/// of `xchar` here. If `//` follows the colon, this function is stricter than RFC 1738: it rejects an invalid port and
/// an empty host. A host can be empty only if the whole authority is empty and a slash follows (`scheme:///path`).
fn generic(parser: &mut Parser<'_, '_>, from: usize) -> Result<(), ParseError> {
    if !parser.has_slashes(from) {
        return parser.path_and_search(from);
    }
    let at = parser.loose_authority(from + 2)?;
    match parser.byte(at) {
        Some(b'/') => parser.path_and_search(at + 1),
        _ => parser.search(at, XCHAR),
    }
}
