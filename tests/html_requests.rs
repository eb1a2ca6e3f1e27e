//! Checks that the library finds every link that a browser would request.

use std::collections::BTreeSet;

use mailparse::ParsedMail;
use urlspool::{Extractor, Form, Hit};

use crate::requests::{ATTRIBUTES, ODD, missing, requests};
use crate::support::messages;

/// Decodes every HTML part of `mail`, and adds it to `html`.
fn parts(mail: &ParsedMail<'_>, html: &mut Vec<String>) {
    if mail.ctype.mimetype == "text/html" {
        html.extend(mail.get_body());
    }
    mail.subparts.iter().for_each(|part| parts(part, html));
}

#[test]
fn requests_of_the_corpus_are_found() {
    let mut asked = 0;
    for (name, message) in messages() {
        let Ok(mail) = mailparse::parse_mail(&message) else { continue };
        let mut html = Vec::new();
        parts(&mail, &mut html);
        for html in html {
            asked += requests(&html).len();
            assert_eq!(missing(&html, &message), [""; 0], "{name}");
        }
    }
    assert!(asked > 30, "{asked} requests");
}

/// A small random number generator (xorshift). Its numbers are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Joins up to `most` random strings of `choices`.
    fn some(&mut self, most: usize, choices: &[&str]) -> String {
        (0..self.below(most + 1)).map(|_| self.of(choices)).collect()
    }
}

const SCHEMES: [&str; 8] = ["http:", "https:", "HTTP:", "ftp:", "ht&#9;tp:", "http&colon;", "ht\ntps:", "//"];
const SLASHES: [&str; 8] = ["//", "//", "//", "/", "", "///", "\\\\", "/\n\\"];
const HOSTS: [&str; 14] = [
    "a.example",
    "b.example:8080",
    "u@c.example",
    "u v:w@d.example",
    "e_f.example",
    "1.2.3.4",
    "[::1]",
    "b\u{FC}.example",
    "a b.example",
    "{{host}}",
    "g.example:99999",
    "%61.example",
    "h.example.",
    "\u{1D7DC}.example",
];
const PATH: [&str; 30] = [
    "/",
    "a",
    "B",
    ".",
    " ",
    "  ",
    "\t",
    "\n",
    "\\",
    "?",
    "#",
    "=",
    "&amp;",
    "&",
    "&copy",
    "&copy=1",
    "&#128;",
    "&#153;",
    "&#x20;",
    "&nbsp;",
    "%20",
    "%",
    "\u{E9}",
    "\u{20AC}",
    "&lt;b&gt;",
    "&quot;",
    "|",
    "{x}",
    "\u{80}",
    "\u{E000}",
];
const AROUND: [&str; 17] = [
    "text ",
    "<p>",
    "<br/>",
    "<!-- c -->",
    "<!-- -- >",
    "<style>p{}</style>",
    "<script>a<b</script>",
    "<title>a<style></title>",
    "<noframes><!-- </noframes>",
    "<textarea><style></textarea>",
    "<iframe><script></iframe>",
    "<xmp><style></xmp>",
    "<!--[if mso]><a href=http://mso.example/><![endif]-->",
    "<table><tr><td>",
    "</td></tr></table>",
    "a < b",
    "</p>",
];

fn of_table(random: &mut Random) -> (&'static str, &'static str) {
    ATTRIBUTES[random.below(ATTRIBUTES.len())]
}

fn link(random: &mut Random) -> String {
    let (element, attribute) = of_table(random);
    let blanks = |random: &mut Random| random.some(2, &[" ", "\n", "\t", "&#1;"]);
    let value = [
        blanks(random),
        random.of(&SCHEMES).to_owned(),
        random.of(&SLASHES).to_owned(),
        random.of(&HOSTS).to_owned(),
        random.some(8, &PATH),
        blanks(random),
    ];
    let quote = random.of(&["\"", "'"]);
    format!("<{element} {}{attribute}={quote}{}{quote}>", random.of(&["", "class=x ", "alt='>' "]), value.concat())
}

#[test]
fn requests_of_generated_html_are_found() {
    let mut random = Random(0x1738);
    let mut asked = 0;
    for _ in 0..1500 {
        let html: String = (0..6).map(|_| random.some(2, &AROUND) + &link(&mut random)).collect();
        asked += requests(&html).len();
        let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
        assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{html}");
    }
    assert!(asked > 1_500, "{asked} requests");
}

/// Compares the links of `count` documents with much odd markup.
fn odd_documents(seed: u64, count: usize) {
    let mut random = Random(seed);
    let mut asked = 0;
    for _ in 0..count {
        let mut html = String::new();
        for at in 0..1 + random.below(4) {
            html += &random.some(5, ODD);
            // Half of the links are `a` elements, which the adoption agency algorithm moves.
            let (element, attribute) = if random.below(2) == 0 { ATTRIBUTES[0] } else { of_table(&mut random) };
            let scheme = random.of(&["http:", "http:", ""]);
            html += &format!("<{element} {attribute}={scheme}//h{at}.example/>");
        }
        let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
        asked += requests(&html).len();
        assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{html}");
    }
    assert!(asked > count / 2, "{asked} requests");
}

/// No number of open elements hides a link: html5ever has no limit.
#[test]
fn requests_below_many_elements_are_found() {
    let links = "<a href=http://a.example/><svg><a xlink:href=http://b.example/><image xlink:href=http://c.example/>";
    let deep = ["<svg><title>", "<svg><g>", "<div>", "<table><td>", "<template>", "<svg><foreignobject>"];
    let end = ["<svg><script/>", "<svg><style>", "<script/>", "</title><script/>", "<svg><![CDATA[>", "</svg></svg>"];
    for (deep, count) in deep.iter().flat_map(|deep| [120, 130, 250, 260, 2000].map(|count| (deep, count))) {
        for end in end {
            let html = format!("<svg>{}{end}{links}", deep.repeat(count));
            let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
            assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{deep} {count} {end}");
        }
    }
    for (start, end) in [("<svg>", "</svg>"), ("<template>", "</template>"), ("<table><td>", "</table>")] {
        let html = format!("{}{}<a xlink:href=http://a.example/>", start.repeat(300), end.repeat(260));
        let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
        assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{start}");
    }
}

/// Tags that open and close elements in all ways that the standard knows. Each row has tags that act on each other.
const TREE: [&str; 6] = [
    "<svg> </svg> <foreignObject> </foreignObject> <desc> </desc> <title> </title> <g> </g> <math> </math> <mi> </mi> \
    <mo> <mglyph> <font> <font_color=red> <p> </p> <br> </br> <b> </b> <a> </a> <table> <td> <div> x",
    "<b> </b> <b_class=x> <i> </i> <a> </a> <nobr> </nobr> <p> </p> <div> </div> <span> </span> <li> <td> <table> \
    <button> <applet> </applet> <code> </code> <b> </b> <i> </i> <a> </a> <svg> <h1> </h1> </br> <br> _ x",
    "<table> </table> <caption> </caption> <colgroup> </colgroup> <col> <tbody> </tbody> <thead> </tfoot> <tr> </tr> \
    <td> </td> <th> <table> </table> <tr> <td> </table> <input> <colgroup> <b> <svg> <p> <div> _ x",
    "<ul> </ul> <ol> <li> </li> <dl> <dd> <dt> </dd> </dl> <h1> </h1> </h2> <p> </p> <div> </div> <address> <hr> <br> \
    </br> <button> </button> <select> </select> <option> <optgroup> </option> <form> </form> <object> </object> \
    <ruby> <rb> <rt> <rtc> <rp> </ruby> <pre> </pre> <table> <td> <span> </span> <input> <svg> <center> <section> x",
    "<head> </head> <body> </body> <html> </html> <frameset> </frameset> <frame> <frameset> <meta> <base> <noscript> \
    </noscript> <noframes></noframes> <title></title> <input_type=hidden> <input> <li> <br> </br> <div> <svg> <p> _ x",
    "<template> </template> <template> <colgroup> <tr> <td> <tbody> <caption> <meta> <style></style> <div> </div> \
    </tr> </td> <b> </b> </b> <form> </form> <svg> </svg> <table> </table> _ x",
];

/// The beginnings of documents, and tags that perhaps close the last element of the beginning. Such a tag does nothing
/// in some other elements, so that the links after it show which elements were open.
const INSIDE: [(&str, &str); 12] = [
    ("", ""),
    ("<svg></svg>", ""),
    ("<svg><desc>", "</desc>"),
    ("<svg><foreignObject>", "</foreignObject>"),
    ("<svg><foreignObject>", "</foreignObject>"),
    ("<math><mi>", "</mi>"),
    ("<svg><desc><table><tr><td>", "</td></tr></table></desc>"),
    ("<svg><desc><div>", "</div></desc>"),
    ("<svg><desc><span>", "</span></desc>"),
    ("<svg><desc><span>", "</span></desc>"),
    ("<svg><desc><p><b>", "</p></b></desc>"),
    ("<math><mi><a>", "</a></mi>"),
];

/// Tags before and in a document with frames, and links in it.
const FRAMES: &str = "<frameset> <frameset> </frameset> <frame> <div> </div> <noframes></noframes> <html> </html> <body> \
    </body> <p> </p> <meta> <head> </head> <a> </a> <input_type=hidden> <input> </template> <br> </br> <table> x _";
const INSIDE_FRAMES: [(&str, &str); 3] = [("<frameset>", ""), ("<frameset>", "</frameset>"), ("<frame>", "<frameset>")];
const FRAME_PROBES: [&str; 3] = [
    "<frame src=http://h.example/>",
    "<a href=http://h.example/></a>",
    "<noframes><a href=http://h.example/></noframes>",
];

/// Links that are found or not, depending on the elements that are open.
const PROBES: [&str; 6] = [
    "<![CDATA[<a href=http://h.example/>]]>",
    "<![CDATA[<a href=http://h.example/>]]>",
    "<noembed><a href=http://h.example/></noembed>",
    "<a xlink:href=http://h.example/>",
    "<title><img src=http://h.example/></title>",
    "<script/><a href=http://h.example/></script>",
];

/// Makes `COUNT` documents, and compares their links with those of html5ever. Each document begins like one of
/// `inside`. Then it has tags, all from the same one of `rows`, and links from `probes`.
fn trees(seed: u64, rows: &[&str], inside: &[(&str, &str)], probes: &[&str]) {
    const COUNT: usize = 700;
    let (mut random, extractor) = (Random(seed), Extractor::new());
    let mut with_links = 0;
    for _ in 0..COUNT {
        let tags: Vec<_> = random.of(rows).split_ascii_whitespace().collect();
        let (begin, end) = inside[random.below(inside.len())];
        let mut html = begin.to_owned();
        for at in 0..1 + random.below(2) {
            html += &random.some(8, &tags).replace('_', " ");
            html += if random.below(3) == 0 { "" } else { end };
            html += &random.of(probes).replace("h.e", &format!("h{at}.e"));
        }
        let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
        let want: BTreeSet<_> = requests(&html).into_iter().map(|(_, url)| url.to_string()).collect();
        let hits = extractor.message(message.as_bytes());
        let is_read =
            |hit: &&Hit| hit.form() == Form::Href && !matches!(hit.html_place(), Some("raw-text" | "other-element"));
        let found: BTreeSet<_> = hits.iter().filter(is_read).map(|hit| hit.url().as_str().to_owned()).collect();
        with_links += usize::from(!found.is_empty());
        assert_eq!(found, want, "{html}");
    }
    assert!(with_links > COUNT / 6, "{with_links}");
}

#[test]
fn foreign_and_formatting_elements_are_open_as_in_html5ever() {
    trees(3, &TREE[..2], &INSIDE, &PROBES);
}

#[test]
fn parts_of_tables_and_blocks_are_open_as_in_html5ever() {
    trees(3, &TREE[2..4], &INSIDE, &PROBES);
}

#[test]
fn bodies_and_templates_are_open_as_in_html5ever() {
    trees(3, &TREE[4..], &INSIDE, &PROBES);
}

#[test]
fn framesets_are_open_as_in_html5ever() {
    trees(3, &[FRAMES], &INSIDE_FRAMES, &FRAME_PROBES);
}

#[test]
fn requests_of_odd_html_are_found() {
    odd_documents(0x4242, 2_000);
}

/// The nightly part of the differential test.
#[test]
#[ignore = "takes minutes; runs every night"]
fn requests_of_much_odd_html_are_found() {
    (1..=30).for_each(|seed| odd_documents(seed * 0x9E37_79B9, 2_000));
}

/// The inputs of html5lib-tests, with a link before each `<` and at the end. See `tests/html5lib/LICENSE`.
#[test]
fn requests_after_the_inputs_of_html5lib_are_found() {
    const LINK: &str = "<a href=http://h.example/>";
    let inputs = include_str!("html5lib/inputs.jsonl").lines();
    let mut asked = 0;
    for input in inputs.map(|line| serde_json::from_str::<String>(line).expect("a JSON string")) {
        let starts = input.match_indices('<').map(|(at, _)| at).take(6).chain([input.len()]);
        for html in starts.map(|at| format!("{}{LINK}{}", &input[..at], &input[at..])) {
            let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
            asked += requests(&html).len();
            assert_eq!(missing(&html, message.as_bytes()), [""; 0], "{html}");
        }
    }
    assert!(asked > 5_000, "{asked} requests");
}

/// The table `corpus/html.toml`. Each row has HTML, and the links that a browser follows.
#[test]
fn links_of_the_table_are_found() {
    let table: toml::Table = include_str!("../corpus/html.toml").parse().unwrap();
    let rows = table.iter().flat_map(|(class, rows)| rows.as_array().unwrap().iter().map(move |row| (class, row)));
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 300);
    for (class, row) in rows {
        let html = row["html"].as_str().unwrap();
        let want: BTreeSet<_> = row["want"].as_array().unwrap().iter().map(|url| url.as_str().unwrap()).collect();
        let message = format!("Content-Type: text/html; charset=utf-8\n\n{html}");
        let hits = Extractor::new().message(message.as_bytes());
        let links = hits.iter().filter(|hit| hit.form() == Form::Href && hit.html_place().is_none());
        let urls: Vec<_> = links.map(|hit| hit.url().as_str().to_owned()).collect();
        assert_eq!(urls.iter().map(String::as_str).collect::<BTreeSet<_>>(), want, "{class}: {html}");
    }
}
