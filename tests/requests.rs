//! What browsers request for HTML. html5ever implements the HTML standard, and the crate `url` implements the WHATWG URL
//! standard. If the library does not find a URL that they request, [`reason`] must return a reason.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use ::url::Url;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, QualName, local_name, ns, parse_document};
use urlspool::{Extractor, Form};

/// Each row has the name of an element, and the name of its attribute that contains a URL. A browser requests the URL
/// at once, or after a click.
pub(crate) const ATTRIBUTES: [(&str, &str); 12] = [
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
pub(crate) fn requests(html: &str) -> Vec<(String, Url)> {
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
pub(crate) fn missing(html: &str, message: &[u8]) -> Vec<String> {
    // html5ever closes elements around `annotation-xml` that the standard and Chromium do not (section 13.2.4.2), and
    // then reads CDATA as a comment.
    if html.contains("<annotation-xml") && html.contains("<![CDATA[") {
        return Vec::new();
    }
    let found = found(message);
    let is_missing = |(value, url): &(String, Url)| !found.contains(url) && reason(value, url).is_none();
    requests(html).into_iter().filter(is_missing).map(|(value, url)| format!("{value:?}: {url}")).collect()
}

/// Markup that browsers and simple parsers read differently.
pub(crate) const ODD: &[&str] = &[
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
