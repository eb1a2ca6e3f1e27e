//! Comparison at the same encoding level: draft-www-uri-00, "Reduced or increased safe character
//! sets", examples 1 and 2; RFC 1738 sections 2.1 and 2.2.

use super::component::Component;
use super::scheme::Shape;
use super::{Url, percent};

impl Url<'_> {
    /// Do the two URLs mean the same by their syntax alone?
    ///
    /// They do if the schemes are equal (in any mix of case), the fragments are, and each component
    /// stands for the same octets: an escape equals its character unless the character is
    /// reserved there ([`percent::is_reserved`]), so that `%2D` is `-`, but `%2F` in a path is not
    /// `/`. Beyond that
    ///
    /// - hosts are equal in any mix of case, and so is the domain of a mailto address (RFC 822 6.2.4);
    /// - a port equals its absence if it is the scheme's default (3.1), and an empty port is none;
    /// - no path is an empty path (3.3: "the `/` may also be omitted"; RFC 3986 6.2.3);
    /// - a gopher URL without a type has type `1` (3.4.1);
    /// - a file URL's empty host is `localhost` (3.10);
    /// - an ftp typecode has no case (section 5);
    /// - an empty fragment is none (draft-www-uri-00, "Fragment-id").
    ///
    /// Dot segments are not resolved, and no user name differs from an empty one. Allocates nothing.
    ///
    /// ```
    /// # use urlspool::url::Url;
    /// let left = Url::parse(b"http://info.cern.ch/albert/marie-claude")?;
    /// let right = Url::parse(b"HTTP://INFO.cern.ch:80/albert/marie%2Dclaude")?;
    /// assert!(left.same(&right));
    /// # Ok::<(), urlspool::url::ParseError>(())
    /// ```
    #[must_use]
    pub fn same(&self, other: &Url<'_>) -> bool {
        let shape = self.shape();
        let fragment = |url: &Self| url.fragment().unwrap_or_default();
        self.scheme().eq_ignore_ascii_case(other.scheme())
            && self.port_or_default() == other.port_or_default()
            && percent::same(shape, Component::Fragment, fragment(self), other.fragment().unwrap_or_default())
            && same_components(shape, self, other)
    }
}

/// The components but the port, with what may be left out left out.
fn same_components(shape: Shape, left: &Url<'_>, right: &Url<'_>) -> bool {
    let mut left = left.components().filter(|part| is_significant(shape, part));
    let mut right = right.components().filter(|part| is_significant(shape, part));
    let alike = left.all(|(name, text)| {
        right.next().is_some_and(|(other, its)| name == other && same_component(shape, name, text, its))
    });
    alike && right.next().is_none()
}

/// Does it say more than its absence would? A component that may be left out of the text and still
/// be there is left out of both, so that what remains can be compared one by one.
fn is_significant(shape: Shape, &(component, text): &(Component, &[u8])) -> bool {
    match component {
        Component::Port => false,
        Component::Host if shape == Shape::File => !text.is_empty() && !text.eq_ignore_ascii_case(b"localhost"),
        // Of `ftp://host/` the name; of an ftp directory the empty name says that it is one, and
        // its `cwd`s stay in the count.
        Component::Path | Component::Name | Component::Selector => !text.is_empty(),
        Component::GopherType => !matches!(text, b"1" | b"%31"),
        _ => true,
    }
}

fn same_component(shape: Shape, component: Component, left: &[u8], right: &[u8]) -> bool {
    if component != Component::AddrSpec {
        return percent::same(shape, component, left, right);
    }
    // The domain behind the last `@`, encoded or not (3.5: nothing is reserved), has no case.
    let ats = |text: &[u8]| percent::octets(text).filter(|octet| octet.value == b'@').count();
    let level = |text| {
        let mut ahead = ats(text);
        percent::octets(text).map(move |octet| {
            ahead -= usize::from(octet.value == b'@');
            let value = if ahead == 0 { octet.value.to_ascii_lowercase() } else { octet.value };
            (value, octet.escaped && percent::is_reserved(shape, component, octet.value))
        })
    };
    // Without an `@` there is no domain to fold.
    if ats(left) == 0 { percent::same(shape, component, left, right) } else { level(left).eq(level(right)) }
}
