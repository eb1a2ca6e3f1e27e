//! Checks with generated pages that the walk over HTML has the same results whether it skips text or not.

use super::super::html::{HtmlItem, Scratch, walk};
use super::*;

/// A generator of pages like those in newsletters. Its pages are the same in every run.
struct Pages(u64);

impl Pages {
    const ELEMENTS: [&str; 24] = [
        "a", "a", "a", "A", "img", "img", "img", "IMG", "td", "td", "table", "tr", "div", "p", "span", "span", "b",
        "font", "input", "link", "iframe", "area", "body", "br",
    ];
    const ATTRIBUTES: [&str; 20] = [
        "href",
        "href",
        "HREF",
        "src",
        "src",
        "src",
        "Src",
        "alt",
        "title",
        "class",
        "style",
        "style",
        "width",
        "border",
        "background",
        "id",
        "srcset",
        "originalsrc",
        "bgcolor",
        "data-x",
    ];
    const VALUES: [&str; 28] = [
        "http://h.example/",
        "http://h.example/a.png",
        "https://h.example/a?b=1&amp;c=2",
        "mailto:a@h.example",
        "page.html",
        "a.png",
        "//h.example/a",
        "/a//b",
        "#top",
        "",
        "#x:y",
        "1",
        "100%",
        "a b",
        "a: b",
        "color:red",
        "color:red;background:url(http://h.example/b.png)",
        "a > b",
        "http://h.example/>",
        "&#104;ttp://h.example/",
        "http&#58;//h.example/",
        " http://h.example/ ",
        "\nhttp://h.example/\n",
        "cid:a",
        "it's: so",
        "<b>",
        "data:,a",
        "a.png 1x, http://h.example/b.png 2x",
    ];
    const TEXT: [&str; 26] = [
        "Hello",
        "word",
        " ",
        " ",
        "\n",
        "\r\n\r\n",
        "see http",
        "://t.example/",
        "http://t.example/x",
        "http://t.example/x",
        "&nbsp;",
        "&amp;",
        "&#58;",
        "&copy;",
        "a < b",
        "a & b",
        "5 > 4",
        ".",
        "www.t.example",
        "note:",
        "\u{e9}",
        "&lt;http://t.example/&gt;",
        "http",
        ": ",
        "&c",
        "<",
    ];
    const MARKUP: [&str; 36] = [
        "</a>",
        "</a>",
        "</td>",
        "</tr></table>",
        "</p>",
        "</div>",
        "</span>",
        "</b>",
        "</font>",
        "<p>",
        "<br/>",
        "<br>\n",
        "<td>",
        "<tr><td>",
        "</a ><!-- -->",
        "<!-- c -->",
        "<!-- <a href=\"http://no.example/\"> -->",
        "<!--[if mso]><a href=\"http://m.example/\" title=\"x\">x</a><![endif]-->",
        "<!--[if !mso]><!-->",
        "<!--<![endif]-->",
        "<!doctype html>",
        "<style>p{background:url(http://s.example/)}</style>",
        "<style type=\"a/b\">p{}</style>",
        "<script>x=\"<a href='http://no.example/'>\"</script>",
        "<title>A title</title>",
        "<title>a: b</title>",
        "<textarea><a href=\"http://r.example/\">x: y</textarea>",
        "<http://b.example/>",
        "<_b>",
        "<?xml a?>",
        "</>",
        "<meta http-equiv=\"refresh\" content=\"0;url=http://h.example/\">",
        "<a href=\"http://h.example/\">www</a><a href=\"http://h.example/\">.t.example</a>",
        "<a href=\"b\">www</a><a href=\"b\">.t.example: y</a>",
        "<noscript>",
        "</noscript>",
    ];

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }

    /// Returns a tag. Most of its attributes have the form `name="value"`. Only links and pictures repeat a name.
    fn tag(&mut self) -> String {
        let element = self.of(&Self::ELEMENTS);
        let (mut tag, mut names) = (format!("<{element}"), Vec::new());
        for _ in 0..self.below(5) {
            let name =
                self.of(if element.eq_ignore_ascii_case("img") { &Self::ATTRIBUTES[3..] } else { &Self::ATTRIBUTES });
            if names.contains(&name.to_ascii_lowercase()) && !matches!(element, "a" | "img") {
                continue;
            }
            names.push(name.to_ascii_lowercase());
            tag += self.of(&[" ", " ", " ", " ", " ", " ", "  ", "\n", "\r\n ", "\t", " nowrap ", " nowrap\n", " a/"]);
            tag += name;
            tag += self.of(&["=", "=", "=", "=", "=", "=", "=", "= ", " =", " = "]);
            let value = self.of(&Self::VALUES);
            tag += &match self.below(8) {
                0 if !value.contains([' ', '\n', '>', '\'']) && !value.is_empty() => value.to_owned(),
                1 | 2 if !value.contains('\'') => format!("'{value}'"),
                _ => format!("\"{value}\""),
            };
        }
        tag += self.of(&[">", ">", ">", ">", "/>", " />", " >"]);
        if element == "iframe" { tag + "</iframe>" } else { tag }
    }

    fn page(&mut self) -> String {
        // The SIMD search reads blocks, which begin at other bytes of the page after each of these words.
        let mut page = "x".repeat(self.below(70));
        for _ in 0..self.below(30) {
            page += &match self.below(5) {
                0 | 1 => self.tag(),
                2 => self.tag() + self.of(&Self::TEXT) + self.of(&["</a>", "</a>", "", "</td>"]),
                3 => self.of(&Self::TEXT).to_owned(),
                _ => self.of(&Self::MARKUP).to_owned(),
            };
        }
        page
    }
}

/// Describes the attributes and the texts with a colon in `html`, with all their offsets. `shift` is added to
/// each offset. If `all_text` is set, the walk skips nothing.
fn visited(html: &str, shift: isize, all_text: bool) -> (Vec<String>, Vec<String>) {
    let (mut attributes, mut texts) = (Vec::new(), Vec::new());
    let moved = |at: usize| at as isize + shift;
    let mut scratch = Scratch::default();
    scratch.all_text = all_text;
    let flow = walk(html.as_bytes(), b"", None, &mut scratch, &mut |item| {
        match item {
            HtmlItem::Attribute { value, span, link } => {
                let (value, word) = (value.escape_ascii(), link.word.escape_ascii());
                let tag = link.tag.map(|tag| (moved(tag.element), tag.attribute));
                let from = link.from.map(moved);
                let span = moved(span.start)..moved(span.end);
                attributes
                    .push(format!("{value} {span:?} {tag:?} {word} {from:?} {:?} {}", link.place, link.no_scheme));
            }
            HtmlItem::Text { text, map } if text.contains(&b':') => {
                let text = text.trim_ascii_end();
                let raw: Vec<_> = (0..text.len()).map(|at| moved(map.raw(at..at + 1).start)).collect();
                texts.push(format!("{} {raw:?}", text.escape_ascii()));
            }
            HtmlItem::Text { .. } => {}
            HtmlItem::Unresolved(span) => attributes.push(format!("? {}", moved(span.start))),
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    (attributes, texts)
}

#[test]
fn skipping_changes_no_result() {
    let mut pages = Pages(17);
    let (mut attributes, mut texts) = (0, 0);
    for _ in 0..400 {
        let page = pages.page();
        let skipped = visited(&page, 0, false);
        assert_eq!(skipped, visited(&page, 0, true), "{page}");
        (attributes, texts) = (attributes + skipped.0.len(), texts + skipped.1.len());
    }
    assert!(attributes > 2_000 && texts > 500, "{attributes} attributes, {texts} texts");
}

/// The SIMD search reads a window of 8 KiB, which moves in long pages.
#[test]
fn joined_pages_have_the_results_of_each_page() {
    let mut pages = Pages(1969);
    let (mut all, mut attributes, mut texts) = (String::new(), Vec::new(), Vec::new());
    for _ in 0..150 {
        let page = pages.page() + "</a><p>";
        let (in_attributes, in_texts) = visited(&page, all.len() as isize, false);
        attributes.extend(in_attributes);
        texts.extend(in_texts);
        all += &page;
    }
    let mut joined = visited(&all, 0, false);
    // Relative references are visited after everything else.
    attributes.sort();
    joined.0.sort();
    assert_eq!(joined.0, attributes);
    assert_eq!(joined.1, texts);
}

/// After an element of SVG, the walk follows the open elements. In a page without odd markup, this changes only which
/// elements browsers ignore, such as a cell outside a table.
#[test]
fn following_the_elements_changes_no_result() {
    const BEFORE: &str = "<svg></svg>";
    let mut pages = Pages(38);
    for _ in 0..200 {
        let page = pages.page();
        let [skipped, followed] = [String::new(), BEFORE.to_owned()].map(|before| {
            let (mut attributes, texts) = visited(&format!("{before}{page}"), -(before.len() as isize), false);
            attributes.iter_mut().for_each(|attribute| *attribute = attribute.replace("Some(OtherElement)", "None"));
            (attributes, texts)
        });
        assert_eq!(skipped, followed, "{page}");
    }
}
