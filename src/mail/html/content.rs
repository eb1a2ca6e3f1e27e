//! The ends of comments, and of elements whose content is not markup.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memchr2};

use super::tag::{Name, is_named, named_list};

/// The kind of content that an element has, which is the state of the tokenizer after its opening tag (HTML standard,
/// sections 13.2.5.1 to 13.2.5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Markup.
    Markup,
    /// Text up to the closing tag of the element: RCDATA or RAWTEXT.
    Raw,
    /// RAWTEXT that is a style sheet.
    Style,
    /// Script data.
    Script,
    /// Text up to the end of the document.
    Plain,
    /// Markup. Browsers ignore the tag itself, and its attributes.
    Ignored,
}

impl Content {
    /// Returns the content of the HTML element `name`.
    pub(super) fn of(name: Name) -> Self {
        const PLAINTEXT: Name = Name::new(b"plaintext");
        match name {
            Name::SCRIPT => Content::Script,
            Name::STYLE => Content::Style,
            PLAINTEXT => Content::Plain,
            _ if named_list!("iframe noembed noframes textarea title xmp").contains(&name) => Content::Raw,
            _ => Content::Markup,
        }
    }

    /// Returns the offset at which this content ends. `from` is its start, and `element` is the name of the element as
    /// written. At the returned offset is the closing tag or the end of the HTML.
    pub(super) fn end(self, html: &[u8], from: usize, element: &[u8]) -> usize {
        match self {
            Content::Markup | Content::Ignored => from,
            Content::Plain => html.len(),
            Content::Script => script_end(html, from),
            Content::Raw | Content::Style => {
                let mut tags = CLOSING.find_iter(&html[from..]).map(|i| from + i);
                tags.find(|&at| is_named(html, at + 2, element)).unwrap_or(html.len())
            }
        }
    }
}

/// Finds the beginning of a closing tag. This finder and `DASHES` are static, because creating a finder takes as long
/// as searching a short style sheet or comment.
static CLOSING: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("</"));
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("--"));

/// Returns the end of the text and the end of the comment at `open`, which begins with `<!--` (HTML standard, sections
/// 13.2.5.43 to 13.2.5.52).
pub(crate) fn comment(html: &[u8], open: usize) -> (usize, usize) {
    let from = open + 4;
    for (text, length) in [(&b">"[..], 1), (b"->", 2)] {
        if html[from..].starts_with(text) {
            return (from, from + length);
        }
    }
    let mut at = from;
    while let Some(dashes) = DASHES.find(&html[at..]).map(|i| at + i) {
        at = dashes + html[dashes..].iter().take_while(|byte| **byte == b'-').count();
        match html[at..] {
            [b'>', ..] => return (at - 2, at + 1),
            [b'!', b'>', ..] => return (at - 2, at + 2),
            _ => {}
        }
    }
    (html.len(), html.len())
}

/// Returns the text of a `style` element in SVG, which consists of the text between comments and tags.
pub(super) fn text_of_markup(html: &[u8]) -> Vec<u8> {
    const CDATA: &[u8] = b"<![CDATA[";
    let (mut text, mut at) = (Vec::new(), 0);
    while let Some(open) = memchr(b'<', &html[at..]).map(|i| at + i) {
        text.extend_from_slice(&html[at..open]);
        at = if html[open..].starts_with(CDATA) {
            let content = &html[open + CDATA.len()..];
            let length = memmem::find(content, b"]]>").unwrap_or(content.len());
            text.extend_from_slice(&content[..length]);
            html.len().min(open + CDATA.len() + length + 3)
        } else if html[open..].starts_with(b"<!--") {
            comment(html, open).1
        } else {
            bogus_end(html, open)
        };
    }
    text.extend_from_slice(&html[at..]);
    text
}

/// Returns the end of the script that begins at `from` (HTML standard, sections 13.2.5.15 to 13.2.5.31). After `<!--`
/// and `<script>`, the next `</script>` does not end the script.
fn script_end(html: &[u8], from: usize) -> usize {
    let (mut escaped, mut double) = (false, false);
    let mut at = from;
    while let Some(i) = memchr2(b'<', b'-', &html[at..]) {
        at += i;
        let rest = &html[at..];
        let is_script = |name: usize| is_named(html, name, b"script") && html.len() > name + 6;
        if rest.starts_with(b"<!--") && !escaped {
            escaped = true;
            // The dashes can also belong to the end of the comment: `<!-->`.
            at += 2;
            continue;
        } else if rest.starts_with(b"-->") {
            (escaped, double) = (false, false);
        } else if rest.starts_with(b"</") && is_script(at + 2) {
            if !double {
                return at;
            }
            double = false;
        } else if rest[0] == b'<' && escaped && is_script(at + 1) {
            double = true;
        }
        at += 1;
    }
    html.len()
}

/// Returns the end of markup at `open` that is neither a tag nor a comment, such as a doctype. It ends at the next `>`.
pub(super) fn bogus_end(html: &[u8], open: usize) -> usize {
    memchr(b'>', &html[open..]).map_or(html.len(), |i| open + i + 1)
}
