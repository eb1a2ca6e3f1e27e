//! The benchmarks' input. It is generated, so that it is the same everywhere and contains nobody's mail.

#![allow(dead_code, reason = "no bench needs all of it")]

pub(crate) mod encode;
pub(crate) mod mail;

/// The approximate size of a sample in bytes.
const SIZE: usize = 1 << 20;

/// Prose, as between the URLs of mail.
pub(crate) const PROSE: &str = "On Tuesday the list talked about it again: nobody had kept a copy of the old archive, and those\n\
    who said (at 12:30, or was it later?) that they had one did not say where. I asked; the answer was\n\
    \"in a box, Jim, somewhere\". That is how it is. What we have is what the spool kept.\n\n";

/// French prose, which needs a transfer encoding. A paragraph is one line.
pub(crate) const PROSE_FR: &str = "Mardi, la liste en a encore parlé : personne n'avait gardé de copie des vieilles archives, \
    et ceux qui disaient (à midi, ou était-ce plus tard ?) en avoir une n'ont pas dit où. J'ai demandé ; on m'a répondu \
    « dans une boîte, là-bas ». C'est ainsi : ce que nous avons, c'est ce que le serveur a gardé.\n\n";

/// A typical post with URLs.
const POST: &str = "Jim wrote that the draft is at http://www.example.org/drafts/url-07.txt, and that the list has\n\
    its own copy (see <URL:ftp://ftp.example.org/pub/lists/url/archive/1996-04.gz> for that month).\n\
    > I could not find it, or any other of that year.\n\n-- \n\
    Jane Doe, The Example Society        http://www.example.org/~jane/\n\n";

/// The number of URLs in [`post`].
pub(crate) const POST_URLS: usize = 3;

/// Ordinary mail: three URLs in some 2,000 bytes.
pub(crate) fn post() -> String {
    PROSE.repeat(5) + POST
}

/// The same in French.
pub(crate) fn post_fr() -> String {
    PROSE_FR.repeat(5) + POST
}

/// Repeats `once` up to [`SIZE`]; returns the text and the count.
pub(crate) fn repeat(once: &str) -> (String, usize) {
    let times = SIZE.div_ceil(once.len());
    (once.repeat(times), times)
}
