//! A message as Outlook stores it: properties with numbers ([MS-OXPROPS]).

use std::collections::BTreeMap;

use super::codepage;

/// Numbers of the properties that are read.
pub(super) mod tag {
    pub(crate) const SUBJECT: u16 = 0x0037;
    pub(crate) const SUBMITTED: u16 = 0x0039;
    pub(crate) const REPRESENTING_NAME: u16 = 0x0042;
    pub(crate) const REPRESENTING_ADDRESS: u16 = 0x0065;
    pub(crate) const TRANSPORT_HEADERS: u16 = 0x007D;
    pub(crate) const SENDER_NAME: u16 = 0x0C1A;
    pub(crate) const SENDER_ADDRESS: u16 = 0x0C1F;
    pub(crate) const DISPLAY_CC: u16 = 0x0E03;
    pub(crate) const DISPLAY_TO: u16 = 0x0E04;
    pub(crate) const DELIVERED: u16 = 0x0E06;
    pub(crate) const BODY: u16 = 0x1000;
    pub(crate) const RTF: u16 = 0x1009;
    pub(crate) const HTML: u16 = 0x1013;
    pub(crate) const MESSAGE_ID: u16 = 0x1035;
    pub(crate) const REFERENCES: u16 = 0x1039;
    pub(crate) const IN_REPLY_TO: u16 = 0x1042;
    pub(crate) const LIST_HELP: u16 = 0x1043;
    pub(crate) const LIST_SUBSCRIBE: u16 = 0x1044;
    pub(crate) const LIST_UNSUBSCRIBE: u16 = 0x1045;
    pub(crate) const DISPLAY_NAME: u16 = 0x3001;
    pub(crate) const CREATED: u16 = 0x3007;
    pub(crate) const ATTACHED: u16 = 0x3701;
    pub(crate) const FILE_NAME: u16 = 0x3704;
    pub(crate) const LONG_FILE_NAME: u16 = 0x3707;
    pub(crate) const LONG_PATH: u16 = 0x370D;
    pub(crate) const MEDIA_TYPE: u16 = 0x370E;
    pub(crate) const CODEPAGE: u16 = 0x3FFD;
    pub(crate) const HTML_CODEPAGE: u16 = 0x3FDE;
    pub(crate) const SENDER_SMTP: u16 = 0x5D01;
    pub(crate) const REPRESENTING_SMTP: u16 = 0x5D02;
}

/// The properties that are read in the same way from `.msg` files, TNEF and `.pst` files. [`tag::ATTACHED`] is not
/// listed, because each of these formats stores the content of an attachment in its own way.
const WANTED: &[u16] = &[
    tag::SUBJECT,
    tag::SUBMITTED,
    tag::REPRESENTING_NAME,
    tag::REPRESENTING_ADDRESS,
    tag::TRANSPORT_HEADERS,
    tag::SENDER_NAME,
    tag::SENDER_ADDRESS,
    tag::DISPLAY_CC,
    tag::DISPLAY_TO,
    tag::DELIVERED,
    tag::BODY,
    tag::RTF,
    tag::HTML,
    tag::MESSAGE_ID,
    tag::REFERENCES,
    tag::IN_REPLY_TO,
    tag::LIST_HELP,
    tag::LIST_SUBSCRIBE,
    tag::LIST_UNSUBSCRIBE,
    tag::DISPLAY_NAME,
    tag::CREATED,
    tag::FILE_NAME,
    tag::LONG_FILE_NAME,
    tag::LONG_PATH,
    tag::MEDIA_TYPE,
    tag::CODEPAGE,
    tag::HTML_CODEPAGE,
    tag::SENDER_SMTP,
    tag::REPRESENTING_SMTP,
];

/// Whether the property `tag` is in [`WANTED`].
pub(super) fn is_wanted(tag: u16) -> bool {
    WANTED.contains(&tag)
}

/// Types of properties ([MS-OXCDATA], section 2.11.1).
pub(super) mod kind {
    pub(crate) const SHORT: u16 = 0x0002;
    pub(crate) const LONG: u16 = 0x0003;
    pub(crate) const OBJECT: u16 = 0x000D;
    pub(crate) const LONG_LONG: u16 = 0x0014;
    pub(crate) const NARROW: u16 = 0x001E;
    pub(crate) const WIDE: u16 = 0x001F;
    pub(crate) const TIME: u16 = 0x0040;
    pub(crate) const BINARY: u16 = 0x0102;
}

/// The value of a property.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// Binary data, or text in the code page of the message.
    Bytes(Vec<u8>),
    Number(i64),
}

/// The properties of a message or an attachment, by number.
#[derive(Debug, Default)]
pub(super) struct Properties(BTreeMap<u16, Value>);

impl Properties {
    /// Adds the property `tag` with the type `kind`, decoded from `bytes`. Ignores objects, and also types that are not
    /// in [`kind`]. If `tag` was added before, keeps the first value.
    pub(super) fn put(&mut self, tag: u16, kind: u16, bytes: &[u8]) {
        let number = |count: usize| {
            let bytes = bytes.get(..count)?;
            Some(bytes.iter().rev().fold(0, |n: u64, &byte| n << 8 | u64::from(byte)).cast_signed())
        };
        let value = match kind {
            kind::SHORT => number(2).map(Value::Number),
            kind::LONG => number(4).map(Value::Number),
            kind::LONG_LONG | kind::TIME => number(8).map(Value::Number),
            kind::WIDE => {
                let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
                let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
                let mut text: String = text.collect();
                text.truncate(text.trim_end_matches('\0').len());
                Some(Value::Text(text))
            }
            kind::NARROW => {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                Some(Value::Bytes(bytes[..end].to_vec()))
            }
            kind::BINARY => Some(Value::Bytes(bytes.to_vec())),
            _ => None,
        };
        if let Some(value) = value {
            self.0.entry(tag).or_insert(value);
        }
    }

    pub(super) fn get(&self, tag: u16) -> Option<&Value> {
        self.0.get(&tag)
    }

    pub(super) fn number(&self, tag: u16) -> Option<i64> {
        match self.get(tag)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the decoded text of a property. Returns `None` if the property is missing, is a number, or is an empty
    /// text.
    pub(super) fn text(&self, tag: u16) -> Option<String> {
        let text = match self.get(tag)? {
            Value::Text(text) => text.clone(),
            Value::Bytes(bytes) => codepage::decode(self.codepage(), bytes),
            Value::Number(_) => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// Returns the code page of the properties whose text is not stored in UTF-16.
    pub(super) fn codepage(&self) -> u32 {
        let page = self.number(tag::CODEPAGE).or_else(|| self.number(tag::HTML_CODEPAGE));
        page.and_then(|page| u32::try_from(page).ok()).unwrap_or(codepage::DEFAULT)
    }
}

#[derive(Debug, Default)]
pub(super) struct Item {
    pub(super) properties: Properties,
    pub(super) attachments: Vec<Attachment>,
}

#[derive(Debug, Default)]
pub(super) struct Attachment {
    pub(super) properties: Properties,
    pub(super) content: Content,
}

#[derive(Debug, Default)]
pub(super) enum Content {
    /// No content, or content that was not read because it is damaged, nested too deeply, or neither text nor a
    /// message.
    #[default]
    None,
    Bytes(Vec<u8>),
    Item(Box<Item>),
}

impl Attachment {
    pub(super) fn name(&self) -> Option<String> {
        [tag::LONG_FILE_NAME, tag::FILE_NAME, tag::DISPLAY_NAME].iter().find_map(|&tag| self.properties.text(tag))
    }

    /// Returns the media type of the content. Returns `None` unless the content is text, a message, or a file that
    /// contains a message, such as `winmail.dat`.
    pub(super) fn media_type(&self) -> Option<String> {
        const BY_NAME: &[(&str, &str)] = &[
            ("txt", "text/plain"),
            ("log", "text/plain"),
            ("csv", "text/plain"),
            ("md", "text/plain"),
            ("htm", "text/html"),
            ("html", "text/html"),
            ("xhtml", "application/xhtml+xml"),
            ("xml", "text/xml"),
            ("ics", "text/calendar"),
            ("vcs", "text/x-vcalendar"),
            ("vcf", "text/vcard"),
            ("eml", "message/rfc822"),
            ("mht", "message/rfc822"),
            ("mhtml", "message/rfc822"),
            ("msg", OUTLOOK),
        ];
        let told = self.properties.text(tag::MEDIA_TYPE).map(|told| told.trim().to_ascii_lowercase());
        let is_plain = |told: &str| told.bytes().all(|b| b.is_ascii_graphic() && !b";\"()".contains(&b));
        if let Some(told) = told.filter(|told| is_plain(told)) {
            match &*told {
                // Outlook stores the content of a signed message as a single attachment. This attachment begins with a
                // Content-Type field, so it can be read as a message.
                "message/rfc822" | "multipart/signed" => return Some("message/rfc822".to_owned()),
                "application/vnd.ms-outlook" => return Some(OUTLOOK.to_owned()),
                "application/ms-tnef" | "application/vnd.ms-tnef" => return Some(TNEF.to_owned()),
                text if text.starts_with("text/") => return Some(told),
                _ => {}
            }
        }
        let name = self.name()?.to_ascii_lowercase();
        if name == "winmail.dat" {
            return Some(TNEF.to_owned());
        }
        let (_, ending) = name.rsplit_once('.')?;
        BY_NAME.iter().find(|(known, _)| *known == ending).map(|(_, media)| (*media).to_owned())
    }
}

/// The media type of a `.msg` file.
pub(super) const OUTLOOK: &str = "application/vnd.ms-outlook";
/// The media type of `winmail.dat`.
pub(super) const TNEF: &str = "application/ms-tnef";
