//! A message as Outlook stores it: properties with numbers ([MS-OXPROPS]).

use std::collections::BTreeMap;

use super::codepage;

/// Makes a constant for the number of each property, and the list of all of them.
macro_rules! tags {
    ($($name:ident = $number:literal,)*) => {
        /// Numbers of the properties that are read.
        pub(super) mod tag {
            $(pub(crate) const $name: u16 = $number;)*
            /// The content of an attachment. Each format stores it in its own way.
            pub(crate) const ATTACHED: u16 = 0x3701;
        }

        /// The properties that are read in the same way from `.msg` files, TNEF and `.pst` files.
        const WANTED: &[u16] = &[$($number),*];
    };
}

tags! {
    SUBJECT = 0x0037,
    SUBMITTED = 0x0039,
    REPRESENTING_NAME = 0x0042,
    REPRESENTING_ADDRESS = 0x0065,
    TRANSPORT_HEADERS = 0x007D,
    SENDER_NAME = 0x0C1A,
    SENDER_ADDRESS = 0x0C1F,
    DISPLAY_CC = 0x0E03,
    DISPLAY_TO = 0x0E04,
    DELIVERED = 0x0E06,
    BODY = 0x1000,
    RTF = 0x1009,
    HTML = 0x1013,
    MESSAGE_ID = 0x1035,
    REFERENCES = 0x1039,
    IN_REPLY_TO = 0x1042,
    LIST_HELP = 0x1043,
    LIST_SUBSCRIBE = 0x1044,
    LIST_UNSUBSCRIBE = 0x1045,
    DISPLAY_NAME = 0x3001,
    CREATED = 0x3007,
    FILE_NAME = 0x3704,
    LONG_FILE_NAME = 0x3707,
    LONG_PATH = 0x370D,
    MEDIA_TYPE = 0x370E,
    CODEPAGE = 0x3FFD,
    HTML_CODEPAGE = 0x3FDE,
    SENDER_SMTP = 0x5D01,
    REPRESENTING_SMTP = 0x5D02,
}

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

    /// Returns the media type that the sender stated, if it is the type of text or of a message. The name and the content
    /// of another file say more than its type.
    pub(super) fn media_type(&self) -> Option<String> {
        let stated = self.properties.text(tag::MEDIA_TYPE)?.trim().to_ascii_lowercase();
        match &*stated {
            // Outlook stores the content of a signed message as a single attachment. This attachment begins with a
            // Content-Type field, so it can be read as a message.
            "message/rfc822" | "multipart/signed" => Some("message/rfc822".to_owned()),
            text if text.starts_with("text/")
                && text.bytes().all(|byte| byte.is_ascii_graphic() && !b";\"()".contains(&byte)) =>
            {
                Some(stated)
            }
            _ => None,
        }
    }
}
