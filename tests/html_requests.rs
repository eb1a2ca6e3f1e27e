//! Checks that the library finds every link that a browser would request.
//!
//! html5ever implements the HTML standard, and the crate `url` implements the WHATWG URL standard. The tests use the
//! two crates to determine which URLs a browser requests. If the library does not find one of these URLs, [`reason`]
//! must return a reason.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, QualName, local_name, ns, parse_document};
use mailparse::ParsedMail;
use url::Url;
use urlspool::{Extractor, Form};

use crate::support::messages;

/// Each row has the name of an element, and the name of its attribute that contains a URL. A browser requests the URL
/// at once, or after a click.
const ATTRIBUTES: [(&str, &str); 12] = [
    ("a", "href"),
    ("area", "href"),
    ("img", "src"),
    ("form", "action"),
    ("link", "href"),
    ("iframe", "src"),
    ("frame", "src"),
    ("input", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("video", "poster"),
    ("button", "formaction"),
];

/// The schemes for which a browser makes a network request.
const NETWORK: [&str; 5] = ["ftp", "http", "https", "ws", "wss"];

/// Records the values of the attributes in [`ATTRIBUTES`], without building a tree.
#[derive(Default)]
struct Values(RefCell<Vec<String>>);

/// An element: its name, and whether it is the MathML element `annotation-xml` with HTML in it.
type Element = Rc<(QualName, bool)>;

impl TreeSink for Values {
    type Handle = Element;
    type Output = Vec<String>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Vec<String> {
        self.0.into_inner()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Element {
        let asked = |attribute: &&Attribute| ATTRIBUTES.contains(&(&*name.local, &*attribute.name.local));
        self.0.borrow_mut().extend(attributes.iter().filter(asked).map(|attribute| attribute.value.to_string()));
        Rc::new((name, flags.mathml_annotation_xml_integration_point))
    }

    fn elem_name<'a>(&'a self, element: &'a Element) -> ExpandedName<'a> {
        element.0.expanded()
    }

    fn get_document(&self) -> Element {
        Rc::new((QualName::new(None, ns!(), local_name!("")), false))
    }

    fn create_comment(&self, _: StrTendril) -> Element {
        self.get_document()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Element {
        self.get_document()
    }

    fn get_template_contents(&self, element: &Element) -> Element {
        element.clone()
    }

    fn same_node(&self, one: &Element, other: &Element) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn is_mathml_annotation_xml_integration_point(&self, element: &Element) -> bool {
        element.1
    }

    fn parse_error(&self, _: Cow<'static, str>) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append(&self, _: &Element, _: NodeOrText<Element>) {}
    fn append_before_sibling(&self, _: &Element, _: NodeOrText<Element>) {}
    fn append_based_on_parent_node(&self, _: &Element, _: &Element, _: NodeOrText<Element>) {}
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn add_attrs_if_missing(&self, _: &Element, _: Vec<Attribute>) {}
    fn remove_from_parent(&self, _: &Element) {}
    fn reparent_children(&self, _: &Element, _: &Element) {}
}

/// Returns the decoded values of the [`ATTRIBUTES`] in `html`, each with the URL that a browser requests for the value.
/// A value such as `//host/path` gets the scheme `https`, as in web mail. Other relative URLs are omitted, because mail
/// has no base URL.
fn requests(html: &str) -> Vec<(String, Url)> {
    let mut options = html5ever::ParseOpts::default();
    // Mail programs do not run scripts.
    options.tree_builder.scripting_enabled = false;
    let values = parse_document(Values::default(), options).one(html);
    let page = Url::parse("https://page.example/").unwrap();
    let request = |value: String| page.join(&value).ok().map(|url| (value, url));
    let is_absolute = |url: &Url| NETWORK.contains(&url.scheme()) && url.host_str() != page.host_str();
    values.into_iter().filter_map(request).filter(|(_, url)| is_absolute(url)).collect()
}

/// Returns the URLs that the library finds in the HTML attributes of the message, as normalized by the crate `url`.
fn found(message: &[u8]) -> BTreeSet<Url> {
    let mut found = BTreeSet::new();
    let of_attributes = Extractor::new().message(message).into_iter().filter(|hit| hit.form() == Form::Href);
    found.extend(of_attributes.filter_map(|hit| Url::parse(hit.url().as_str()).ok()));
    found
}

/// Returns why the library need not find `url`, which a browser requests for the attribute value `value`. Returns
/// `None` if the library must find the URL.
fn reason(value: &str, url: &Url) -> Option<&'static str> {
    let host = value.trim_start_matches(|c: char| c <= ' ').split_once(':')?.1;
    let host = host.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let host = host.split(['/', '\\', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    match () {
        () if host.contains('\u{7f}') => Some("a character that no host has"),
        () if url.host_str().is_none_or(|host| !host.contains(|c: char| c.is_ascii_alphanumeric())) => {
            Some("a host without a letter or digit")
        }
        () => None,
    }
}

/// Returns the URLs that a browser requests for `html`, and that the library should find in `message` but does not
/// find.
fn missing(html: &str, message: &[u8]) -> Vec<String> {
    let found = found(message);
    let is_missing = |(value, url): &(String, Url)| !found.contains(url) && reason(value, url).is_none();
    requests(html).into_iter().filter(is_missing).map(|(value, url)| format!("{value:?}: {url}")).collect()
}

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

/// Markup that browsers and simple parsers read differently.
const ODD: &[&str] = &[
    "<svg>",
    "</svg>",
    "<svg/>",
    "<math>",
    "</math>",
    "<style>",
    "</style>",
    "<style/>",
    "<script>",
    "</script>",
    "<script/>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "<select>",
    "</select>",
    "<option>",
    "<template>",
    "</template>",
    "<foreignObject>",
    "</foreignObject>",
    "<desc>",
    "</desc>",
    "<svg><title>",
    "<mi>",
    "</mi>",
    "<mtext>",
    "</mtext>",
    "<annotation-xml encoding=text/html>",
    "<annotation-xml>",
    "</annotation-xml>",
    "<mglyph>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "--!>",
    "---!>",
    "<!-->",
    "<!--->",
    "<!--<!-->",
    "<!--<script>",
    "<!x>",
    "<?x>",
    "</ x>",
    "</>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a>",
    "</a>",
    "<i class=x>",
    "</i>",
    "<nobr>",
    "</nobr>",
    "<div>",
    "</div>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<caption>",
    "<colgroup>",
    "<col>",
    "<li>",
    "</li>",
    "<font>",
    "<font color=x>",
    "</font>",
    "<form>",
    "</form>",
    "<button>",
    "</button>",
    "<h1>",
    "</h2>",
    "<ruby><rt>",
    "</br>",
    "<frameset>",
    "<body>",
    "<n x='",
    "x",
    "<noscript>",
    "</noscript>",
    "<plaintext>",
    "<thead>",
    "<tbody>",
    "<tfoot>",
    "<th>",
    "</tr>",
    "</tbody>",
    "</caption>",
    "</colgroup>",
    "<optgroup>",
    "</optgroup>",
    "</option>",
    "<input>",
    "<input type=hidden>",
    "<hr>",
    "<br>",
    "<img>",
    "<image>",
    "<object>",
    "</object>",
    "<marquee>",
    "</applet>",
    "<dd>",
    "<dt>",
    "</dl>",
    "<ul>",
    "</ul>",
    "<frame>",
    "</frameset>",
    "</html>",
    "</body>",
    "<html>",
    "<head>",
    "</head>",
    "<area>",
    "<!doctype html>",
    "<pre>",
    "</pre>",
    "<center>",
    "</center>",
    "<address>",
    "<rtc>",
    "</ruby>",
    "<mi/>",
    "<a/>",
    "<b/>",
    "<svg><desc>",
    "<svg><a>",
    "<g>",
    "</g>",
    "<keygen>",
    "<isindex>",
    "<search>",
    "<summary>",
    "<dialog>",
    "</noscript >",
    "</table/>",
    "<p/>",
    "<br/>",
    "<td/>",
    "<math><annotation-xml encoding=\"application/xhtml+xml\">",
    "<math><mi>",
    "</math >",
    "<svg><script/>",
    "<script type=text/template>",
    "<style media=x>",
    "<title/>",
    "<textarea/>",
    "<template/>",
    "<select multiple>",
    "<select/>",
    "<svg><font size=1>",
    "<svg><font>",
    "<span>",
    "</span>",
    "<u>",
    "</u>",
    "<code>",
    "\0",
    "&lt;",
    "\"",
    "'",
    "<",
    "</",
    "</a",
    "<a b=\"",
    "<a b='",
    ">",
    "<div title=\">\">",
    "<!doctype>",
    "<strong>",
    "</strong>",
    "<em class=y>",
    "<a name=z>",
    "</form/>",
    "<label>",
    "<fieldset>",
    "<legend>",
    "<video>",
    "</video>",
    "<audio>",
    "<source>",
    "<param>",
    "<embed>",
    "<wbr>",
    "<bgsound>",
    "<basefont>",
    "<meta>",
    "<link>",
    "<big>",
    "<small>",
    "<s>",
    "<strike>",
    "<tt>",
    "<i>",
    "<listing>",
    "</listing>",
    "<dir>",
    "<menu>",
    "<menuitem>",
    "<main>",
    "<nav>",
    "<header>",
    "<hgroup>",
    "<h6>",
    "</h1>",
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
