//! Checks that the library finds the links that html5ever finds in odd markup.

use crate::requests::{ODD, missing};

/// Input: a byte for each piece of markup in [`ODD`]. All other bytes are links.
pub fn browser(bytes: &[u8]) {
    let mut html = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        match ODD.get(usize::from(*byte)) {
            Some(piece) => html += piece,
            None => html += &format!("<a href=http://h{at}.example/>"),
        }
    }
    let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
    assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{html}");
}
