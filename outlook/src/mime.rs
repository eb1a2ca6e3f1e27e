//! Writes an [`Item`] as a MIME message.
//!
//! Parts are written without a transfer encoding (`8bit`). The boundary is a string that no part contains.

use std::borrow::Cow;
use std::collections::BTreeSet;

use memchr::memmem::Finder;

use super::item::{Attachment, Content, Item, Value, tag};
use super::{Budget, codepage, compound, lzfu, msg, rtf, tnef};

/// A MIME part.
#[derive(Debug)]
struct Part {
    fields: Vec<u8>,
    content: Vec<u8>,
}

impl Part {
    fn new(media: &str, content: Vec<u8>) -> Part {
        Part { fields: format!("Content-Type: {media}\r\n").into_bytes(), content }
    }

    /// Makes a text part with content in the code page `page`.
    fn text(media: &str, page: u32, content: Vec<u8>) -> Part {
        Part::new(&format!("{media}; charset={}", codepage::name(page)), content)
    }
}

/// Writes `item` as a message. `depth` is the number of messages that contain `item`, one inside the other. If
/// `headers` is true, also writes From, Date and similar fields. The content of a `winmail.dat` file needs no such
/// fields, because the message that contains the file has them.
pub(super) fn message(item: Item, headers: bool, depth: usize, budget: &mut Budget) -> Vec<u8> {
    // This field comes first, because a malformed field that the sender wrote can hide the fields after it.
    let mut out = b"MIME-Version: 1.0\r\n".to_vec();
    if headers {
        fields(&item, &mut out);
    }
    let bodies = bodies(&item, budget);
    let attachments: Vec<Part> =
        item.attachments.into_iter().filter_map(|attachment| part(attachment, depth, budget)).collect();
    let mut all = Vec::new();
    match bodies.len() {
        0 => {}
        1 => all.extend(bodies),
        _ => all.push(multipart("alternative", &bodies)),
    }
    all.extend(attachments);
    let whole = match all.len() {
        0 => Part::new("text/plain", Vec::new()),
        1 => all.swap_remove(0),
        _ => multipart("mixed", &all),
    };
    out.extend(whole.fields);
    out.extend(b"Content-Transfer-Encoding: 8bit\r\n\r\n");
    out.extend(whole.content);
    out
}

/// Returns the bodies of the message: plain text, HTML, or both.
fn bodies(item: &Item, budget: &mut Budget) -> Vec<Part> {
    let properties = &item.properties;
    let mut bodies = Vec::new();
    match properties.get(tag::BODY) {
        Some(Value::Text(text)) if !text.is_empty() => {
            bodies.push(Part::text("text/plain", codepage::UTF_8, text.clone().into_bytes()));
        }
        Some(Value::Bytes(text)) if !text.is_empty() => {
            bodies.push(Part::text("text/plain", properties.codepage(), text.clone()));
        }
        _ => {}
    }
    match properties.get(tag::HTML) {
        Some(Value::Text(text)) if !text.is_empty() => {
            bodies.push(Part::text("text/html", codepage::UTF_8, text.clone().into_bytes()));
        }
        Some(Value::Bytes(text)) if !text.is_empty() => {
            let page = properties.number(tag::HTML_CODEPAGE).and_then(|page| u32::try_from(page).ok());
            bodies.push(Part::text("text/html", page.unwrap_or_else(|| properties.codepage()), text.clone()));
        }
        // RTF is read only if the message has no HTML. If a message has both, the RTF is a copy of the HTML.
        _ => {
            if let Some(Value::Bytes(packed)) = properties.get(tag::RTF)
                && !packed.is_empty()
            {
                match lzfu::decompress(packed, budget) {
                    Some(text) => {
                        let html = rtf::html(&text);
                        if !html.is_from_text || bodies.is_empty() {
                            bodies.push(Part::text("text/html", codepage::UTF_8, html.text.into_bytes()));
                        }
                    }
                    None => budget.is_damaged = true,
                }
            }
        }
    }
    bodies
}

/// Writes From, Date and similar fields. Outlook can store the header with which a message was delivered. This function
/// copies the fields of that header, and makes missing fields from the other properties.
fn fields(item: &Item, out: &mut Vec<u8>) {
    let properties = &item.properties;
    let sent = properties.text(tag::TRANSPORT_HEADERS).unwrap_or_default();
    let sent = transport_fields(&sent);
    for field in &sent {
        out.extend(field.as_bytes());
    }
    let has = |name: &str| sent.iter().any(|field| field_name(field).eq_ignore_ascii_case(name));
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|_| !has(name)) {
            out.extend(format!("{name}: {}\r\n", one_line(&value)).as_bytes());
        }
    };
    let text = |tag: u16| properties.text(tag);
    let from = |name: u16, smtp: u16, address: u16| {
        let address = text(smtp).or_else(|| text(address)).filter(|address| address.contains('@'));
        match (text(name), address) {
            (Some(name), Some(address)) if name != address => {
                Some(format!("\"{}\" <{address}>", name.replace(['"', '\\'], "")))
            }
            (name, address) => address.or(name),
        }
    };
    let sender = from(tag::REPRESENTING_NAME, tag::REPRESENTING_SMTP, tag::REPRESENTING_ADDRESS);
    add("From", sender.or_else(|| from(tag::SENDER_NAME, tag::SENDER_SMTP, tag::SENDER_ADDRESS)));
    add("To", text(tag::DISPLAY_TO));
    add("Cc", text(tag::DISPLAY_CC));
    add("Subject", text(tag::SUBJECT).map(|subject| without_mark(&subject).to_owned()));
    let times = [tag::SUBMITTED, tag::DELIVERED, tag::CREATED];
    add("Date", times.iter().find_map(|&tag| date(properties.number(tag)?)));
    add("Message-ID", text(tag::MESSAGE_ID));
    add("In-Reply-To", text(tag::IN_REPLY_TO));
    add("References", text(tag::REFERENCES));
    add("List-Help", text(tag::LIST_HELP));
    add("List-Subscribe", text(tag::LIST_SUBSCRIBE));
    add("List-Unsubscribe", text(tag::LIST_UNSUBSCRIBE));
}

/// Splits the stored header of a message into fields. Each field includes its line ends. Drops the fields that describe
/// the MIME structure, such as Content-Type, because this module writes a new structure.
fn transport_fields(text: &str) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for line in text.trim_start().lines() {
        if line.is_empty() {
            break;
        }
        match fields.last_mut() {
            Some(field) if line.starts_with([' ', '\t']) => field.push_str(&format!("{line}\r\n")),
            // Outlook can store a line that is not a field before the fields. `is_kept` drops this line.
            _ => fields.push(format!("{line}\r\n")),
        }
    }
    let is_kept = |field: &String| {
        let name = field_name(field);
        let is_mime = ["MIME-Version", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"]
            .iter()
            .any(|mime| mime.eq_ignore_ascii_case(name));
        !name.is_empty() && !name.contains([' ', '\t']) && !is_mime
    };
    fields.into_iter().filter(is_kept).collect()
}

/// Returns the name of a field, or an empty string if the line is not a field.
fn field_name(field: &str) -> &str {
    field.split_once(':').map_or("", |(name, _)| name.trim_end())
}

/// Returns the subject without the two characters that Outlook can put before it. The two characters store the length
/// of a prefix such as `Re: `.
fn without_mark(subject: &str) -> &str {
    let mut characters = subject.chars();
    if characters.next() == Some('\u{1}') && characters.next().is_some() { characters.as_str() } else { subject }
}

/// Replaces control characters by blanks, so that the value fits on one line.
fn one_line(value: &str) -> Cow<'_, str> {
    if value.contains(char::is_control) {
        return value.replace(char::is_control, " ").into();
    }
    value.into()
}

/// Formats a time for a Date field. `time` counts units of 100 ns since 1601-01-01 UTC. Returns `None` for times before
/// about 1701 or after about 4600.
fn date(time: i64) -> Option<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let seconds = time / 10_000_000;
    let (days, second) = (seconds / 86400, seconds % 86400);
    // Times outside this range come from unset clocks, or mean "no time".
    if !(100 * 365..=3000 * 365).contains(&days) {
        return None;
    }
    // 1601-01-01 was a Monday and the first day of a 400-year cycle of leap years.
    let (mut year, mut day) = (1601 + days / 146_097 * 400, days % 146_097);
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while day >= 365 + i64::from(is_leap(year)) {
        day -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (weekday, month) = (DAYS[(days % 7) as usize], MONTHS[month]);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{weekday}, {} {month} {year} {hour:02}:{minute:02}:{second:02} +0000", day + 1))
}

/// Returns a part for an attachment. Returns `None` if the attachment has no content, no name and no URL.
fn part(attachment: Attachment, depth: usize, budget: &mut Budget) -> Option<Part> {
    let name = attachment.name();
    let stated = attachment.media_type();
    let url = attachment.properties.text(tag::LONG_PATH);
    let has_content = !matches!(attachment.content, Content::None);
    let mut part = match attachment.content {
        Content::Item(item) => Part::new("message/rfc822", message(*item, true, depth + 1, budget)),
        Content::Bytes(bytes) => file(bytes, stated, depth, budget),
        Content::None => Part::new("application/octet-stream", Vec::new()),
    };
    if let Some(name) = &name {
        let name = one_line(name).replace(['"', '\\'], "_");
        part.fields.extend(format!("Content-Disposition: attachment; filename=\"{name}\"\r\n").as_bytes());
    }
    // Instead of a file, the sender can attach the URL of a file on a server.
    if let Some(url) = url.as_ref().filter(|url| url.contains("://")) {
        part.fields.extend(format!("Content-Location: {}\r\n", one_line(url)).as_bytes());
    }
    (has_content || name.is_some() || url.is_some()).then_some(part)
}

/// Returns a part for an attached file. `stated` is the result of [`Attachment::media_type`].
fn file(bytes: Vec<u8>, stated: Option<String>, depth: usize, budget: &mut Budget) -> Part {
    let inner = match bytes.starts_with(compound::SIGNATURE) {
        true => msg::item(&bytes, depth + 1, budget).ok(),
        false => tnef::item(&bytes, depth + 1, budget),
    };
    if let Some(inner) = inner {
        return Part::new("message/rfc822", message(inner, true, depth + 1, budget));
    }
    let media = stated.filter(|_| !is_binary(&bytes));
    Part::new(media.as_deref().unwrap_or("application/octet-stream"), bytes)
}

/// Whether a file is binary, although its media type is text. UTF-16 with a byte order mark is not binary.
fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(8 << 10)];
    let is_wide = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    head.starts_with(b"%PDF-") || (!is_wide && head.contains(&0))
}

/// Joins parts into a multipart with the subtype `kind`.
fn multipart(kind: &str, parts: &[Part]) -> Part {
    let boundary = boundary(parts);
    let mut content = Vec::new();
    for part in parts {
        content.extend(format!("--{boundary}\r\n").as_bytes());
        content.extend(&part.fields);
        content.extend(b"Content-Transfer-Encoding: 8bit\r\n\r\n");
        content.extend(&part.content);
        content.extend(b"\r\n");
    }
    content.extend(format!("--{boundary}--\r\n").as_bytes());
    Part::new(&format!("multipart/{kind}; boundary=\"{boundary}\""), content)
}

/// The beginning of each boundary. A number and `_` follow.
const BOUNDARY: &str = "=_mailpart_";

/// Returns a boundary that no part contains. Takes almost linear time, even if hostile parts contain many boundaries.
fn boundary(parts: &[Part]) -> String {
    let finder = Finder::new(BOUNDARY);
    let number = |rest: &[u8]| {
        let digits = rest.iter().take(20).position(|&byte| byte == b'_')?;
        str::from_utf8(&rest[..digits]).ok()?.parse::<u64>().ok()
    };
    let used: BTreeSet<_> = parts
        .iter()
        .map(|part| &part.content)
        .flat_map(|text| finder.find_iter(text).filter_map(|at| number(&text[at + BOUNDARY.len()..])))
        .collect();
    let number = (1..).find(|number| !used.contains(number)).unwrap_or_default();
    format!("{BOUNDARY}{number}_")
}

#[cfg(test)]
mod tests {
    use super::super::item::kind;
    use super::*;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn dates() {
        let table = [
            (0, None),
            (116_444_736_000_000_000, Some("Thu, 1 Jan 1970 00:00:00 +0000")),
            (125_962_560_000_000_000, Some("Tue, 29 Feb 2000 00:00:00 +0000")),
            (133_801_631_990_000_000, Some("Tue, 31 Dec 2024 23:59:59 +0000")),
            (i64::MAX, None),
            (-1, None),
        ];
        for (time, want) in table {
            assert_eq!(date(time).as_deref(), want, "{time}");
        }
    }

    #[test]
    fn fields_of_both_kinds() {
        let mut item = Item::default();
        item.properties.put(tag::SUBJECT, kind::WIDE, &wide("\u{1}\u{5}Re: a\r\nX-Evil: b"));
        item.properties.put(tag::SENDER_NAME, kind::NARROW, b"Zo\xEB \"Z\"");
        item.properties.put(tag::SENDER_ADDRESS, kind::NARROW, b"zoe@example.org\0");
        let sent = "Microsoft Mail Internet Headers Version 2.0\r\nReceived: by a;\r\n\tMon\r\nContent-Type: text/html;\r\n charset=x\r\nfrom: A <a@b>\r\n\r\nbody";
        let whole = |item| String::from_utf8(message(item, true, 0, &mut Budget::new())).unwrap();
        assert_eq!(
            whole(item),
            "MIME-Version: 1.0\r\nFrom: \"Zoë Z\" <zoe@example.org>\r\nSubject: Re: a  X-Evil: b\r\n\
             Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        );
        let mut item = Item::default();
        item.properties.put(tag::TRANSPORT_HEADERS, kind::WIDE, &wide(sent));
        item.properties.put(tag::SENDER_NAME, kind::NARROW, b"other");
        item.properties.put(tag::MESSAGE_ID, kind::NARROW, b"<1@x>");
        assert_eq!(
            whole(item),
            "MIME-Version: 1.0\r\nReceived: by a;\r\n\tMon\r\nfrom: A <a@b>\r\nMessage-ID: <1@x>\r\n\
             Content-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        );
    }

    #[test]
    fn boundaries_that_are_in_no_part() {
        let part = |text: &str| Part::new("text/plain", text.as_bytes().to_vec());
        assert_eq!(boundary(&[part("a")]), "=_mailpart_1_");
        let both = [part("--=_mailpart_1_"), part("b")];
        assert_eq!(boundary(&both), "=_mailpart_2_");
        let odd =
            [part("=_mailpart_3_=_mailpart_1_ =_mailpart_ =_mailpart_4"), part("=_mailpart_99999999999999999999_")];
        assert_eq!(boundary(&odd), "=_mailpart_2_");
    }
}
