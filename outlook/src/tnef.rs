//! Reads TNEF ([MS-OXTNEF]), Outlook's own message format. Outlook attaches it to MIME messages as `winmail.dat`.

use super::item::{Attachment, Content, Item, Properties, is_wanted, kind, tag};
use super::{Budget, DEPTH_MAX, u16_at, u32_at, u64_at};

const SIGNATURE: u32 = 0x223E_9F78;

/// Numbers of the attributes that are read. The upper 16 bits are the type of the value.
mod attribute {
    pub(super) const SUBJECT: u32 = 0x0001_8004;
    pub(super) const BODY: u32 = 0x0002_800C;
    pub(super) const ATTACH_DATA: u32 = 0x0006_800F;
    pub(super) const ATTACH_TITLE: u32 = 0x0001_8010;
    pub(super) const ATTACH_REND_DATA: u32 = 0x0006_9002;
    pub(super) const PROPERTIES: u32 = 0x0006_9003;
    pub(super) const ATTACHMENT: u32 = 0x0006_9005;
    pub(super) const CODEPAGE: u32 = 0x0006_9007;
}

/// Reads TNEF data. `depth` is the nesting depth of the data: the number of messages that contain it. Returns `None` if
/// `bytes` is not TNEF.
pub(super) fn item(bytes: &[u8], depth: usize, budget: &mut Budget) -> Option<Item> {
    if u32_at(bytes, 0)? != SIGNATURE {
        return None;
    }
    let mut item = Item::default();
    if depth > DEPTH_MAX {
        budget.is_damaged = true;
        return Some(item);
    }
    // Skip the signature of four bytes and a key of two bytes.
    let mut at = 6;
    while at < bytes.len() {
        let Some((attribute, length)) = u32_at(bytes, at + 1).zip(u32_at(bytes, at + 5)) else {
            budget.is_damaged = true;
            break;
        };
        // The first byte of an attribute is 1 for the message, or 2 for an attachment. Any other byte shows that
        // garbage follows the last attribute.
        if !matches!(bytes[at], 1 | 2) {
            budget.is_damaged = true;
            break;
        }
        if attribute == attribute::ATTACH_REND_DATA && !budget.attachment() {
            break;
        }
        let rest = &bytes[at + 9..];
        let length = length as usize;
        let value = &rest[..length.min(rest.len())];
        budget.is_damaged |= length > rest.len();
        self::attribute(&mut item, attribute, value, depth, budget);
        // The last two bytes of an attribute are a checksum, which is not verified because many programs write it
        // wrong.
        at = at.saturating_add(9 + 2).saturating_add(length);
    }
    Some(item)
}

fn attribute(item: &mut Item, attribute: u32, value: &[u8], depth: usize, budget: &mut Budget) {
    match attribute {
        attribute::CODEPAGE => item.properties.put(tag::CODEPAGE, kind::LONG, value),
        attribute::SUBJECT => put(&mut item.properties, tag::SUBJECT, kind::NARROW, value, budget),
        attribute::BODY => put(&mut item.properties, tag::BODY, kind::NARROW, value, budget),
        attribute::PROPERTIES => {
            properties(value, &mut item.properties, None, depth, budget);
        }
        // This attribute begins an attachment.
        attribute::ATTACH_REND_DATA => item.attachments.push(Attachment::default()),
        _ => {
            let Some(attachment) = item.attachments.last_mut() else { return };
            match attribute {
                attribute::ATTACH_TITLE => put(&mut attachment.properties, tag::FILE_NAME, kind::NARROW, value, budget),
                attribute::ATTACH_DATA => {
                    let most = budget.take(value.len());
                    attachment.content = Content::Bytes(value[..most].to_vec());
                }
                attribute::ATTACHMENT => {
                    properties(value, &mut attachment.properties, Some(&mut attachment.content), depth, budget);
                }
                _ => {}
            }
        }
    }
}

fn put(properties: &mut Properties, tag: u16, kind: u16, value: &[u8], budget: &mut Budget) {
    let most = budget.take(value.len());
    properties.put(tag, kind, &value[..most]);
}

/// Reads a list of properties into `into`. If the list has the content of an attachment, reads that content into
/// `content`.
fn properties(bytes: &[u8], into: &mut Properties, content: Option<&mut Content>, depth: usize, budget: &mut Budget) {
    if list(bytes, into, content, depth, budget).is_none() {
        budget.is_damaged = true;
    }
}

/// Like [`properties`], but returns `None` if the list is damaged. Even if the list is damaged, `into` gets the
/// properties before the damage.
fn list(
    bytes: &[u8],
    into: &mut Properties,
    mut content: Option<&mut Content>,
    depth: usize,
    budget: &mut Budget,
) -> Option<()> {
    let count = u32_at(bytes, 0)?;
    let mut at = 4;
    for _ in 0..count {
        let (mut kind, tag) = (u16_at(bytes, at)?, u16_at(bytes, at + 2)?);
        at += 4;
        // A tag of 0x8000 or more marks a named property. Such a property has a name before its value: a GUID of 16
        // bytes, and a number or a text.
        if tag >= 0x8000 {
            let is_number = u32_at(bytes, at + 16)? == 0;
            let length = u32_at(bytes, at + 20)? as usize;
            let name = if is_number { 24 } else { 24_usize.checked_add(length)?.checked_next_multiple_of(4)? };
            at = at.checked_add(name).filter(|&at| at <= bytes.len())?;
        }
        let has_several = kind & 0x1000 != 0;
        kind &= !0x1000;
        let length = match kind {
            0x0001 => 0,
            0x0002..=0x0004 | 0x000A | 0x000B => 4,
            0x0005..=0x0007 | kind::LONG_LONG | kind::TIME => 8,
            0x0048 => 16,
            _ => usize::MAX,
        };
        // Values of variable length always have a count before them, even if there is only one value.
        let values = if has_several || length == usize::MAX {
            at += 4;
            u32_at(bytes, at - 4)?
        } else {
            1
        };
        // If a property has several empty values, only one is read, because a hostile file can state that there are
        // billions.
        for index in 0..if length == 0 { 1 } else { values } {
            let length = if length == usize::MAX {
                at += 4;
                u32_at(bytes, at - 4)? as usize
            } else {
                length
            };
            // If a value is truncated, the available bytes are kept.
            let rest = bytes.get(at..)?;
            let value = &rest[..length.min(rest.len())];
            let is_cut = value.len() < length;
            at = at.checked_add(length)?.checked_next_multiple_of(4)?;
            if index > 0 && !is_cut {
                continue;
            }
            match content.as_deref_mut() {
                Some(content) if tag == tag::ATTACHED => self::content(value, kind, content, depth, budget),
                _ if is_wanted(tag) => put(into, tag, kind, value, budget),
                _ => {}
            }
            if is_cut {
                return None;
            }
        }
    }
    Some(())
}

/// Reads the content of an attachment. If the attachment is an object, the value begins with 16 bytes that identify an
/// interface, and the content follows.
fn content(value: &[u8], kind: u16, content: &mut Content, depth: usize, budget: &mut Budget) {
    let value = if kind == kind::OBJECT { value.get(16..).unwrap_or_default() } else { value };
    let is_message = u64_at(value, 0).is_some_and(|first| first as u32 == SIGNATURE);
    if is_message && let Some(item) = item(value, depth + 1, budget) {
        *content = Content::Item(Box::new(item));
        return;
    }
    if kind == kind::BINARY {
        let most = budget.take(value.len());
        *content = Content::Bytes(value[..most].to_vec());
    }
}
