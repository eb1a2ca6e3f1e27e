//! [`linkify`]: converts a text to HTML with links.

use super::Extractor;
use crate::container;
use crate::hit::Hit;

/// The schemes whose URLs [`linkify`] makes links from. A click on a URL of another scheme, such as `javascript:` or
/// `data:`, could run a program.
///
/// ```
/// assert!(urlspool::LINKED.contains(&"https") && !urlspool::LINKED.contains(&"javascript"));
/// ```
pub const LINKED: &[&str] = &[
    "http", "https", "ftp", "ftps", "sftp", "mailto", "news", "nntp", "snews", "gopher", "telnet", "wais", "prospero",
    "irc", "ircs", "magnet", "git", "ssh",
];

/// Converts a text to HTML, with a link around each URL whose scheme is in [`LINKED`]. If a URL was broken over lines,
/// the piece in each line is a link to the whole URL. The URLs are those that `extractor` finds in plain text. To find
/// the URLs of HTML, set the option `format` to `html` and use [`Extractor::message`].
///
/// ```
/// use urlspool::{Extractor, linkify};
///
/// let html = linkify(&Extractor::new(), "> R&D: <http://a.example/?x&\n> y>, <javascript:alert(1)>");
/// let link = "<a href=\"http://a.example/?x&amp;y\">";
/// let want = format!(
///     "&gt; R&amp;D: &lt;{link}http://a.example/?x&amp;</a>\n&gt; {link}y</a>&gt;, &lt;javascript:alert(1)&gt;"
/// );
/// assert_eq!(html, want);
/// ```
pub fn linkify(extractor: &Extractor, text: &str) -> String {
    let mut options = extractor.options().clone();
    options.format = Some(container::TEXT);
    // Reading from memory does not fail, so no error is lost here.
    let hits = Extractor::with(options).read(text.as_bytes()).filter_map(Result::ok);
    let is_linked = |hit: &Hit<'_>| hit.url().known_scheme().is_some_and(|scheme| LINKED.contains(&scheme));
    let (mut html, mut done) = (String::with_capacity(text.len()), 0);
    for hit in hits.filter(is_linked) {
        let mut pieces = hit.pieces().into_iter().peekable();
        while let Some(piece) = pieces.next() {
            let (start, mut end) = (piece.start as usize, piece.end as usize);
            // A link can have blanks. A URL in brackets can have thousands of them.
            while let Some(next) = pieces.next_if(|next| !text[end..next.start as usize].contains('\n')) {
                end = next.end as usize;
            }
            if start < done {
                continue;
            }
            push(&mut html, &text[done..start]);
            html.push_str("<a href=\"");
            push(&mut html, hit.url().as_str());
            html.push_str("\">");
            push(&mut html, &text[start..end]);
            html.push_str("</a>");
            done = end;
        }
    }
    push(&mut html, &text[done..]);
    html
}

/// Appends text for an element or an attribute.
fn push(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::linkify;
    use crate::Extractor;

    /// The links of a text are at most nine times as long as the text: a URL in brackets has at most nine lines.
    #[test]
    fn blanks_in_a_line_are_in_its_link() {
        let html = linkify(&Extractor::new(), "<URL:http://a.example/b c d\n e>");
        let link = "<a href=\"http://a.example/bcde\">";
        assert_eq!(html, format!("&lt;URL:{link}http://a.example/b c d</a>\n {link}e</a>&gt;"));
        let text = format!("<URL:http://a.example/{}b>\n", "a ".repeat(4000));
        assert_eq!(linkify(&Extractor::new(), &text).len(), 12_064);
    }
}
