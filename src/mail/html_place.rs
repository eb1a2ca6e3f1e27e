//! Where in HTML a link is that no browser follows from there.

named! {
    /// A place in HTML that holds a link and that browsers do not follow.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum HtmlPlace {
        /// A conditional comment, `<!--[if mso]>`, which Outlook reads.
        ConditionalComment = "conditional-comment",
        /// The attribute `data-saferedirecturl`, in which Gmail puts where a click really leads.
        SafeRedirect = "data-saferedirecturl",
        /// The attribute `originalsrc`, in which Outlook keeps the link that SafeLinks took the place of.
        OriginalSource = "originalsrc",
    }
}
