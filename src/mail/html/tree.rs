//! Follows the stack of open elements, as the tree construction of the HTML standard does (section 13.2.6).
//!
//! The tokenizer needs this stack only in odd documents. In SVG and MathML, `<style>` contains markup, and `<![CDATA[`
//! begins text. In a `frameset`, `<style>` is ignored. No tree is built: the stack has only names.

use super::content::Content;
use super::tag::{Name, named_list};

/// Maximum number of open elements. Deeper elements are not pushed. The limit bounds the time for each tag, and is far
/// above the depth of real mail.
const DEEPEST: usize = 256;
/// Maximum number of active formatting elements. The first ones are forgotten.
const MOST_FORMATTING: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Html,
    Svg,
    MathMl,
}

/// An open element.
#[derive(Clone, Copy, Debug)]
struct Node {
    name: Name,
    space: Space,
    /// Whether this is the MathML element `annotation-xml` with HTML in it.
    annotates: bool,
    /// Identifies the element in the list of formatting elements.
    id: u32,
    /// The insertion mode in this element. `None` if it is that of the parent.
    mode: Option<Mode>,
}

/// An active formatting element (section 13.2.4.3).
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: Name,
    /// A hash of the attributes.
    attributes: Name,
    id: u32,
}

/// The rules for the next tag: the insertion mode (section 13.2.4.1). Derived from the stack, except in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Body,
    Table,
    TableBody,
    Row,
    Cell,
    Caption,
    ColumnGroup,
    Template,
    Frameset,
    AfterFrameset,
}

/// Whether `$name` is one of the names in `$list`, which are separated by blanks.
macro_rules! is {
    ($name:expr, $list:literal) => {
        named_list!($list).contains(&$name)
    };
}

/// The state of the tree construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    stack: Vec<Node>,
    /// The active formatting elements. `None` is a marker.
    formatting: Vec<Option<Entry>>,
    /// The insertion mode of each open template.
    templates: Vec<Mode>,
    /// The id of the current form.
    form: Option<u32>,
    next_id: u32,
    /// Whether a `frameset` can replace the body.
    frameset_ok: bool,
    in_head: bool,
    /// Whether an element was not pushed. From then on, the stack can be wrong, so all content is read as markup. It is
    /// better to report a link that browsers do not follow than to hide one.
    pub(super) is_overfull: bool,
    /// Whether the element of the last opening tag is in SVG or MathML.
    pub(super) tag_is_foreign: bool,
    /// Whether the document is in quirks mode. A table then does not close a paragraph.
    pub(super) quirks: bool,
}

/// The parts of an opening tag that matter here.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagFacts {
    pub(super) self_closing: bool,
    /// Whether a `font` has an attribute `color`, `face` or `size`.
    pub(super) is_styled: bool,
    /// Whether an `annotation-xml` has HTML in it.
    pub(super) annotates: bool,
    /// Whether the `type` is `hidden`.
    pub(super) is_hidden: bool,
    /// A hash of the attributes.
    pub(super) attributes: Name,
}

fn is_table_scope(name: Name) -> bool {
    is!(name, "html table template")
}

fn is_default_scope(name: Name) -> bool {
    is!(name, "applet caption html table td th marquee object select template")
}

fn is_formatting(name: Name) -> bool {
    is!(name, "a b big code em font i nobr s small strike strong tt u")
}

fn is_heading(name: Name) -> bool {
    is!(name, "h1 h2 h3 h4 h5 h6")
}

/// The elements whose start tag closes a paragraph, and whose end tag closes all elements in them.
fn is_block(name: Name) -> bool {
    is!(
        name,
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure \
        footer header hgroup main menu nav ol search section summary ul pre listing"
    )
}

/// The parts of a table, whose tags are read by the rules for tables.
fn is_table_part(name: Name) -> bool {
    is!(name, "caption col colgroup tbody td tfoot th thead tr")
}

fn is_table_body(name: Name) -> bool {
    is!(name, "tbody tfoot thead")
}

/// Elements without content.
fn is_void(name: Name) -> bool {
    is!(
        name,
        "base basefont bgsound link meta param source track area br embed img image keygen wbr input hr \
        col frame"
    )
}

/// The tags that end SVG and MathML (section 13.2.6.5).
fn ends_foreign(name: Name) -> bool {
    is!(
        name,
        "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li \
        listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
    )
}

impl Node {
    fn new(name: Name, space: Space, annotates: bool, id: u32) -> Self {
        let mode = match () {
            () if space != Space::Html => None,
            () if is!(name, "td th") => Some(Mode::Cell),
            () if is!(name, "tr") => Some(Mode::Row),
            () if is_table_body(name) => Some(Mode::TableBody),
            () if is!(name, "caption") => Some(Mode::Caption),
            () if is!(name, "colgroup") => Some(Mode::ColumnGroup),
            () if is!(name, "table") => Some(Mode::Table),
            () if is!(name, "template") => Some(Mode::Template),
            () if is!(name, "frameset") => Some(Mode::Frameset),
            () if is!(name, "html") => Some(Mode::AfterFrameset),
            () if is!(name, "body") => Some(Mode::Body),
            () => None,
        };
        Node { name, space, annotates, id, mode }
    }

    fn is(&self, name: Name) -> bool {
        self.space == Space::Html && self.name == name
    }

    fn is_any(&self, names: &[Name]) -> bool {
        self.space == Space::Html && names.contains(&self.name)
    }

    fn is_text_integration_point(&self) -> bool {
        self.space == Space::MathMl && is!(self.name, "mi mo mn ms mtext")
    }

    fn is_html_integration_point(&self) -> bool {
        self.annotates || self.space == Space::Svg && is!(self.name, "foreignobject desc title")
    }

    /// Whether tags and text in this element are read by the rules of HTML.
    fn hosts_html(&self) -> bool {
        self.space == Space::Html || self.is_text_integration_point() || self.is_html_integration_point()
    }

    /// Whether the search for an open element ends at this element.
    fn bounds_scope(&self) -> bool {
        match self.space {
            Space::Html => is_default_scope(self.name),
            _ => self.is_text_integration_point() || self.is_html_integration_point() || self.is_annotation(),
        }
    }

    fn is_annotation(&self) -> bool {
        self.space == Space::MathMl && is!(self.name, "annotation-xml")
    }

    fn is_special(&self) -> bool {
        match self.space {
            Space::Html => {
                let name = self.name;
                is_block(name)
                    || is_heading(name)
                    || is_table_part(name)
                    || is_void(name) && !is!(name, "image")
                    || is_default_scope(name)
                    || is!(
                        name,
                        "body button dd dt form frameset head iframe li noembed noframes noscript p \
                        plaintext script style textarea title xmp"
                    )
            }
            _ => self.bounds_scope(),
        }
    }
}

impl Tree {
    pub(super) fn new() -> Self {
        let node = |name: &[u8]| Node::new(Name::new(name), Space::Html, false, 0);
        Tree {
            stack: vec![node(b"html"), node(b"body")],
            frameset_ok: true,
            in_head: true,
            quirks: true,
            ..Tree::default()
        }
    }

    /// Whether the current element is in SVG or MathML. `<![CDATA[` then begins text.
    pub(super) fn is_foreign(&self) -> bool {
        self.current().space != Space::Html
    }

    /// Whether the current element is in an SVG `style` or `script`. Browsers request images in it, but show nothing of
    /// it.
    pub(super) fn is_hidden(&self) -> bool {
        self.stack.iter().any(|node| node.space == Space::Svg && is!(node.name, "style script"))
    }

    pub(super) fn is_in_template(&self) -> bool {
        !self.templates.is_empty()
    }

    fn is_in_head(&self) -> bool {
        self.in_head && !self.is_in_template()
    }

    /// Leaves the head if `leaves` is set. Nothing in a template does.
    fn leave_head(&mut self, leaves: bool) {
        self.in_head &= !leaves || self.is_in_template();
    }

    /// The current element. The stack always has the element `html`.
    fn current(&self) -> Node {
        self.stack[self.stack.len() - 1]
    }

    fn mode(&self) -> Mode {
        match self.stack.iter().rev().find_map(|node| node.mode) {
            Some(Mode::Template) => self.templates.last().copied().unwrap_or(Mode::Template),
            mode => mode.unwrap_or(Mode::Body),
        }
    }

    fn new_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Pushes an HTML element, and returns its id.
    fn push(&mut self, name: Name) -> u32 {
        self.push_in(name, Space::Html, false)
    }

    fn push_in(&mut self, name: Name, space: Space, annotates: bool) -> u32 {
        let id = self.new_id();
        if self.stack.len() < DEEPEST {
            self.stack.push(Node::new(name, space, annotates, id));
        } else {
            self.is_overfull = true;
        }
        id
    }

    /// Pops elements until `is_last` is true for the name of the current HTML element. Keeps this element and the root.
    fn pop_to(&mut self, is_last: impl Fn(Name) -> bool) {
        while self.stack.len() > 1 && !(self.current().space == Space::Html && is_last(self.current().name)) {
            self.stack.pop();
        }
    }

    /// Does the same as [`pop_to`](Self::pop_to), and then pops the current element, unless it is the root.
    fn pop_through(&mut self, is_last: impl Fn(Name) -> bool) {
        self.pop_to(is_last);
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    fn pop_named(&mut self, name: Name) {
        self.pop_through(|open| open == name);
    }

    /// Returns the index of the innermost open element that `is_wanted`, unless an element that `bounds` is nearer.
    fn find(&self, is_wanted: impl Fn(&Node) -> bool, bounds: impl Fn(&Node) -> bool) -> Option<usize> {
        for (at, node) in self.stack.iter().enumerate().rev() {
            if node.space == Space::Html && is_wanted(node) {
                return Some(at);
            }
            if bounds(node) {
                break;
            }
        }
        None
    }

    fn in_scope(&self, name: Name) -> bool {
        self.find(|node| node.name == name, Node::bounds_scope).is_some()
    }

    /// Closes the element `name` and all elements in it, and returns whether it was open.
    fn close(&mut self, name: Name) -> bool {
        let is_open = self.in_scope(name);
        if is_open {
            self.pop_named(name);
        }
        is_open
    }

    fn in_table_scope(&self, is_wanted: impl Fn(Name) -> bool) -> bool {
        self.find(|node| is_wanted(node.name), |node| node.space == Space::Html && is_table_scope(node.name)).is_some()
    }

    fn imply_ends(&mut self, except: Option<Name>) {
        while let Node { name, space: Space::Html, .. } = self.current()
            && is!(name, "dd dt li option optgroup p rb rp rt rtc")
            && Some(name) != except
        {
            self.stack.pop();
        }
    }

    fn close_p(&mut self) {
        let bounds = |node: &Node| node.bounds_scope() || node.is(Name::new(b"button"));
        if self.find(|node| is!(node.name, "p"), bounds).is_some() {
            self.pop_named(Name::new(b"p"));
        }
    }

    fn clear_to_marker(&mut self) {
        while let Some(Some(_)) = self.formatting.pop() {}
    }

    /// Returns the index after the last marker of the active formatting elements.
    fn after_marker(&self) -> usize {
        self.formatting.iter().rposition(Option::is_none).map_or(0, |at| at + 1)
    }

    /// Returns the index of the active formatting element `id`.
    fn entry(&self, id: u32) -> Option<usize> {
        self.formatting.iter().position(|entry| entry.is_some_and(|entry| entry.id == id))
    }

    /// Returns the last active formatting element `name` after the last marker.
    fn last_entry(&self, name: Name) -> Option<Entry> {
        self.formatting[self.after_marker()..].iter().flatten().rfind(|entry| entry.name == name).copied()
    }

    /// Opens the active formatting elements that are not open (section 13.2.4.3).
    fn reconstruct(&mut self) {
        // All content is read as markup, so the list is not needed any more. None of its elements could be pushed.
        if self.is_overfull {
            return;
        }
        let is_open =
            |entry: &Option<Entry>| entry.is_none_or(|entry| self.stack.iter().rev().any(|node| node.id == entry.id));
        let from = self.formatting.iter().rposition(is_open).map_or(0, |at| at + 1);
        for at in from..self.formatting.len() {
            if let Some(entry) = self.formatting[at] {
                self.formatting[at] = Some(Entry { id: self.push(entry.name), ..entry });
            }
        }
    }

    fn push_formatting(&mut self, name: Name, attributes: Name) {
        let id = self.push(name);
        let same = |entry: &&Entry| entry.name == name && entry.attributes == attributes;
        let earlier: Vec<_> = self.formatting[self.after_marker()..].iter().flatten().filter(same).collect();
        if let [first, _, _, ..] = earlier[..]
            && let Some(first) = self.entry(first.id)
        {
            self.formatting.remove(first);
        }
        self.add_formatting(Some(Entry { name, attributes, id }));
    }

    /// Adds an active formatting element or a marker. If there are too many, forgets the first one.
    fn add_formatting(&mut self, entry: Option<Entry>) {
        if self.formatting.len() >= MOST_FORMATTING {
            self.formatting.remove(0);
        }
        self.formatting.push(entry);
    }

    fn remove(&mut self, id: u32) {
        self.stack.retain(|node| node.id != id);
        self.formatting.retain(|entry| entry.is_none_or(|entry| entry.id != id));
    }

    /// The adoption agency algorithm (section 13.2.6.4.7).
    fn adopt(&mut self, name: Name) {
        let current = self.current();
        if current.is(name) && self.entry(current.id).is_none() {
            self.stack.pop();
            return;
        }
        for _ in 0..8 {
            let Some(old) = self.last_entry(name) else { return self.end_other(name) };
            let Some(at) = self.stack.iter().rposition(|node| node.id == old.id) else { return self.remove(old.id) };
            if self.find(|node| node.id == old.id, Node::bounds_scope).is_none() {
                return;
            }
            let Some(furthest) = (at + 1..self.stack.len()).find(|at| self.stack[*at].is_special()) else {
                self.stack.truncate(at);
                return self.remove(old.id);
            };
            self.adopt_nodes(at, furthest, old);
        }
    }

    /// The inner loop of the algorithm: replaces the formatting elements between the stack positions `at` and
    /// `furthest`.
    fn adopt_nodes(&mut self, at: usize, furthest: usize, old: Entry) {
        let block = self.stack[furthest].id;
        // The entry of the new element goes after that of the last replaced node, or to the old entry's position.
        let mut last = None;
        for (count, node) in (at + 1..furthest).rev().enumerate() {
            match (self.entry(self.stack[node].id), self.new_id()) {
                (Some(place), id) if count < 3 => {
                    self.formatting[place] = self.formatting[place].map(|entry| Entry { id, ..entry });
                    self.stack[node].id = id;
                    last = last.or(Some(id));
                }
                (entry, _) => {
                    entry.map(|place| self.formatting.remove(place));
                    self.stack.remove(node);
                }
            }
        }
        let id = self.new_id();
        let after = last.and_then(|last| self.entry(last)).map(|at| at + 1);
        if let Some(place) = after.or_else(|| self.entry(old.id)) {
            self.formatting.insert(place, Some(Entry { id, ..old }));
        }
        self.remove(old.id);
        let block = self.stack.iter().rposition(|node| node.id == block).unwrap_or(self.stack.len() - 1);
        self.stack.insert(block + 1, Node::new(old.name, Space::Html, false, id));
    }

    /// Any other end tag (section 13.2.6.4.7).
    fn end_other(&mut self, name: Name) {
        for at in (1..self.stack.len()).rev() {
            let node = self.stack[at];
            if node.is(name) {
                self.stack.truncate(at);
                return;
            }
            if node.is_special() {
                return;
            }
        }
    }

    /// Reads text, and returns whether browsers show it.
    pub(super) fn text(&mut self, text: &[u8]) -> bool {
        let node = self.current();
        let is_blank = text.iter().all(|byte| super::tag::is_blank(*byte));
        self.frameset_ok &= text.iter().all(|byte| *byte == 0 || super::tag::is_blank(*byte));
        self.leave_head(!is_blank);
        if !is_blank && node.is(Name::new(b"colgroup")) {
            self.stack.pop();
        }
        let in_table = self.in_table() || self.mode() == Mode::ColumnGroup;
        let is_framed = matches!(self.mode(), Mode::Frameset | Mode::AfterFrameset);
        if !node.hosts_html() || self.is_in_head() || is_blank && in_table || is_framed {
            return node.space == Space::Html || !is!(node.name, "style script");
        }
        self.reconstruct();
        true
    }

    fn in_table(&self) -> bool {
        matches!(self.mode(), Mode::Table | Mode::TableBody | Mode::Row)
    }

    /// Reads an opening tag, and returns the kind of the element's content.
    pub(super) fn start(&mut self, name: Name, facts: TagFacts) -> Content {
        let node = self.current();
        let is_html = node.space == Space::Html
            || node.is_text_integration_point() && !is!(name, "mglyph malignmark")
            || node.is_annotation() && is!(name, "svg")
            || node.is_html_integration_point();
        let leaves = !is_html && (ends_foreign(name) || is!(name, "font") && facts.is_styled);
        self.tag_is_foreign = !is_html && !leaves || is!(name, "svg math");
        if leaves {
            self.leave_foreign();
        }
        if is_html || leaves {
            return self.start_html(name, facts);
        }
        if !facts.self_closing {
            self.push_in(
                name,
                node.space,
                facts.annotates && is!(name, "annotation-xml") && node.space == Space::MathMl,
            );
        }
        Content::Markup
    }

    fn leave_foreign(&mut self) {
        while self.stack.len() > 1 && !self.current().hosts_html() {
            self.stack.pop();
        }
    }

    /// Reads an end tag.
    pub(super) fn end(&mut self, name: Name) {
        if !self.is_foreign() {
            return self.end_html(name);
        }
        if is!(name, "br p") {
            self.leave_foreign();
            return self.end_html(name);
        }
        for at in (1..self.stack.len()).rev() {
            let node = self.stack[at];
            if node.space == Space::Html {
                return self.end_html(name);
            }
            if node.name == name {
                self.stack.truncate(at);
                return;
            }
        }
    }

    fn start_html(&mut self, name: Name, facts: TagFacts) -> Content {
        // Before the body, nothing keeps a `frameset` out.
        self.frameset_ok |= self.is_in_head() && is!(name, "frameset");
        self.leave_head(!is!(
            name,
            "html head base basefont bgsound link meta title style script noframes noscript template"
        ));
        match self.mode() {
            Mode::Frameset | Mode::AfterFrameset => return self.start_in_frameset(name),
            Mode::Template => self.enter_template(name),
            Mode::ColumnGroup if !is!(name, "col template html") => {
                if !self.current().is(Name::new(b"colgroup")) {
                    return Content::Markup;
                }
                self.stack.pop();
            }
            _ => {}
        }
        // In a table, the tags of its parts can close open parts and open missing ones.
        if is_table_part(name) || is!(name, "table") {
            while let Some(is_done) = self.start_part(name) {
                if is_done {
                    return Content::Markup;
                }
            }
        }
        if is!(name, "form") && self.in_table() {
            if self.form.is_some() || self.is_in_template() {
                return Content::Ignored;
            }
            // The form is closed at once.
            self.form = Some(self.new_id());
            return Content::Markup;
        }
        self.start_in_body(name, facts)
    }

    fn start_in_frameset(&mut self, name: Name) -> Content {
        match () {
            () if is!(name, "noframes") => return Content::Raw,
            () if self.mode() != Mode::Frameset || !is!(name, "frame frameset") => return Content::Ignored,
            () if is!(name, "frameset") => _ = self.push(name),
            () => {}
        }
        Content::Markup
    }

    /// Chooses the insertion mode of the innermost template by its first tag.
    fn enter_template(&mut self, name: Name) {
        let mode = match () {
            () if is!(name, "caption colgroup") || is_table_body(name) => Mode::Table,
            () if is!(name, "col") => Mode::ColumnGroup,
            () if is!(name, "tr") => Mode::TableBody,
            () if is!(name, "td th") => Mode::Row,
            () if is!(name, "base basefont bgsound link meta noframes script style template title") => {
                return;
            }
            () => Mode::Body,
        };
        if let Some(last) = self.templates.last_mut() {
            *last = mode;
        }
    }

    /// Makes one step for the opening tag of a table or a part of one. Returns whether the tag is done. `None` if the
    /// rules for bodies apply.
    fn start_part(&mut self, name: Name) -> Option<bool> {
        let to_body = |name: Name| is_table_body(name) || is!(name, "template html");
        let to_row = |name: Name| is!(name, "tr template html");
        let is_cell = is!(name, "td th");
        // This also ends the calls if the missing parts cannot be pushed.
        if self.stack.len() + 4 > DEEPEST {
            self.is_overfull = true;
            return Some(true);
        }
        match self.mode() {
            Mode::Cell | Mode::Caption if is!(name, "table") => return None,
            Mode::Cell | Mode::Caption => self.close_cell(),
            Mode::Row if is_cell => {
                self.pop_to(to_row);
                self.push(name);
                self.add_formatting(None);
                return Some(true);
            }
            Mode::Row if !is!(name, "table") => {
                if !self.in_table_scope(|name| is!(name, "tr")) {
                    return Some(true);
                }
                self.pop_to(to_row);
                self.stack.pop();
            }
            Mode::TableBody if is_cell || is!(name, "tr") => {
                self.pop_to(to_body);
                self.push(Name::new(b"tr"));
                return Some(!is_cell);
            }
            Mode::TableBody if !is!(name, "table") => {
                if !self.in_table_scope(is_table_body) {
                    return Some(true);
                }
                self.pop_to(to_body);
                self.stack.pop();
            }
            Mode::Table | Mode::TableBody | Mode::Row if is!(name, "table") => {
                if !self.in_table_scope(|name| is!(name, "table")) {
                    return Some(true);
                }
                self.pop_named(name);
            }
            Mode::Table => return Some(self.open_part(name)),
            Mode::ColumnGroup => return Some(true),
            _ => return None,
        }
        Some(self.stack.len() == 1)
    }

    /// Opens a part of a table, or the part that is implied before it. Returns whether the part itself was opened.
    fn open_part(&mut self, name: Name) -> bool {
        self.pop_to(is_table_scope);
        let is_implied = is!(name, "td th tr col");
        let opened = match () {
            () if is!(name, "col") => Name::new(b"colgroup"),
            () if is_implied => Name::new(b"tbody"),
            () => name,
        };
        self.push(opened);
        if is!(name, "caption") {
            self.add_formatting(None);
        }
        !is_implied
    }

    /// Closes the open cell or caption.
    fn close_cell(&mut self) {
        self.pop_through(|name| is!(name, "td th caption"));
        self.clear_to_marker();
    }

    fn start_in_body(&mut self, name: Name, facts: TagFacts) -> Content {
        if is!(name, "html head body") {
            self.frameset_ok &= !is!(name, "body");
            return Content::Markup;
        }
        if is!(name, "frame frameset") || is_table_part(name) {
            if is!(name, "frameset") && self.frameset_ok {
                self.stack.truncate(1);
                self.push(name);
            }
            return Content::Ignored;
        }
        if is!(name, "form") && self.form.is_some() && !self.is_in_template() {
            return Content::Ignored;
        }
        self.frameset_ok &= is!(name, "input") && facts.is_hidden
            || !is!(
                name,
                "li dd dt pre listing button applet marquee object table area br embed img image keygen wbr \
                input hr textarea xmp iframe select template"
            );
        let content = Content::of(name);
        if content != Content::Markup {
            if is!(name, "xmp plaintext") {
                self.close_p();
            }
            if is!(name, "xmp") {
                self.reconstruct();
            }
            return content;
        }
        if is_void(name) {
            self.start_void(name);
        } else {
            self.open_in_body(name, facts);
        }
        Content::Markup
    }

    /// Reads the tag of an element without content.
    fn start_void(&mut self, name: Name) {
        if is!(name, "hr") {
            self.close_p();
        } else if is!(name, "area br embed img image keygen wbr input") {
            if is!(name, "input") {
                self.close(Name::new(b"select"));
            }
            self.reconstruct();
        }
    }

    /// Pushes an element in the body, after it closed the elements that it must.
    fn open_in_body(&mut self, name: Name, facts: TagFacts) {
        let space = match () {
            () if is!(name, "svg") => Space::Svg,
            () if is!(name, "math") => Space::MathMl,
            () => Space::Html,
        };
        match () {
            () if is!(name, "template") => {
                self.add_formatting(None);
                self.templates.push(Mode::Template);
            }
            () if is!(name, "noscript") && self.is_in_head() => return,
            () if is!(name, "select") && self.in_scope(name) => return self.pop_named(name),
            () if is_block(name) || is!(name, "p form") => self.close_p(),
            () if is!(name, "table") && self.quirks => {}
            () if is!(name, "table") => self.close_p(),
            () if is_heading(name) => {
                self.close_p();
                if self.current().space == Space::Html && is_heading(self.current().name) {
                    self.stack.pop();
                }
            }
            () if is!(name, "li dd dt") => self.close_item(name),
            () if is_formatting(name) => {
                if let Some(open) = self.last_entry(name).filter(|open| open.name == Name::A) {
                    self.adopt(name);
                    self.remove(open.id);
                }
                self.reconstruct();
                if is!(name, "nobr") && self.in_scope(name) {
                    self.adopt(name);
                    self.reconstruct();
                }
                return self.push_formatting(name, facts.attributes);
            }
            () if is!(name, "rb rtc rp rt") => {
                if self.in_scope(Name::new(b"ruby")) {
                    self.imply_ends(is!(name, "rp rt").then(|| Name::new(b"rtc")));
                }
            }
            () => self.open_other(name),
        }
        if space == Space::Html || !facts.self_closing {
            let id = self.push_in(name, space, false);
            if is!(name, "form") && !self.is_in_template() {
                self.form = Some(id);
            }
        }
        if is!(name, "applet marquee object") {
            self.add_formatting(None);
        }
    }

    /// Makes the steps before an element that needs no paragraph closed.
    fn open_other(&mut self, name: Name) {
        if is!(name, "button") {
            self.close(name);
        } else if is!(name, "option optgroup") {
            if self.in_scope(Name::new(b"select")) {
                self.imply_ends(is!(name, "option").then(|| Name::new(b"optgroup")));
            } else if self.current().is(Name::new(b"option")) {
                self.stack.pop();
            }
        }
        self.reconstruct();
    }

    /// Closes the open list item before a new one.
    fn close_item(&mut self, name: Name) {
        for at in (1..self.stack.len()).rev() {
            let node = self.stack[at];
            let is_same = if is!(name, "li") { node.is(name) } else { node.is_any(named_list!("dd dt")) };
            if is_same {
                self.stack.truncate(at);
                break;
            }
            if node.is_special() && !node.is_any(named_list!("address div p")) {
                break;
            }
        }
        self.close_p();
    }

    fn end_html(&mut self, name: Name) {
        self.leave_head(is!(name, "head body html br"));
        if is!(name, "template") {
            if self.is_in_template() {
                self.pop_named(name);
                self.clear_to_marker();
                self.templates.pop();
            }
            return;
        }
        if self.mode() == Mode::ColumnGroup && !is!(name, "col") {
            let is_open = self.current().is(Name::new(b"colgroup"));
            if is_open {
                self.stack.pop();
            }
            if !is_open || is!(name, "colgroup") {
                return;
            }
        }
        match self.mode() {
            Mode::Frameset if is!(name, "frameset") => {
                self.stack.pop();
            }
            Mode::Frameset | Mode::AfterFrameset | Mode::Template => {}
            _ if is_table_part(name) || is!(name, "table") => self.end_part(name),
            _ => self.end_in_body(name),
        }
    }

    /// Reads the end tag of a table or a part of one.
    fn end_part(&mut self, name: Name) {
        let mode = self.mode();
        let is_read = match mode {
            Mode::Cell => !is!(name, "caption col colgroup"),
            Mode::Caption => is!(name, "caption table"),
            Mode::Row => is!(name, "tr table") || is_table_body(name),
            Mode::TableBody => is!(name, "table") || is_table_body(name),
            Mode::Table => is!(name, "table"),
            _ => false,
        };
        // `</table>` ends a part, and is read again. In a template, a part can be open without a table.
        let is_part = |open| match mode {
            Mode::Caption => is!(open, "caption"),
            Mode::Row => is!(open, "tr"),
            _ => mode == Mode::TableBody && is_table_body(open),
        };
        if is!(name, "table") && self.in_table_scope(is_part) {
            match mode {
                Mode::Caption => self.close_cell(),
                _ => self.pop_through(is_part),
            }
            return self.end_part(name);
        }
        if !is_read || !self.in_table_scope(|open| open == name) {
            return;
        }
        if matches!(mode, Mode::Cell | Mode::Caption) {
            self.close_cell();
        }
        if !is!(name, "td th caption") {
            self.pop_named(name);
        }
    }

    fn end_in_body(&mut self, name: Name) {
        match () {
            () if is!(name, "body html") => {}
            () if is!(name, "br") => {
                self.reconstruct();
                self.frameset_ok = false;
            }
            () if is!(name, "form") && !self.is_in_template() => {
                if let Some(id) = self.form.take()
                    && self.find(|node| node.id == id, Node::bounds_scope).is_some()
                {
                    self.imply_ends(None);
                    self.stack.retain(|node| node.id != id);
                }
            }
            () if is_block(name) || is!(name, "button select form") => {
                self.close(name);
            }
            () if is!(name, "p") => self.close_p(),
            () if is!(name, "li dd dt") => {
                let bounds = |node: &Node| node.bounds_scope() || is!(name, "li") && node.is_any(named_list!("ol ul"));
                if self.find(|node| node.name == name, bounds).is_some() {
                    self.pop_named(name);
                }
            }
            () if is_heading(name) => {
                if self.find(|node| is_heading(node.name), Node::bounds_scope).is_some() {
                    self.pop_through(is_heading);
                }
            }
            () if is_formatting(name) => self.adopt(name),
            () if is!(name, "applet marquee object") => {
                if self.close(name) {
                    self.clear_to_marker();
                }
            }
            () => self.end_other(name),
        }
    }
}
