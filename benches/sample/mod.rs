//! Generates the input of the benchmarks. Generated input is the same on every machine, and contains no private mail.

#![allow(dead_code, reason = "no bench needs all of it")]

pub(crate) mod encode;
pub(crate) mod mail;

/// The minimum size of a sample in bytes.
const SIZE: usize = 1 << 20;

/// Prose without URLs.
pub(crate) const PROSE: &str = "On Tuesday the list talked about it again: nobody had kept a copy of the old archive, and those\n\
    who said (at 12:30, or was it later?) that they had one did not say where. I asked; the answer was\n\
    \"in a box, Jim, somewhere\". That is how it is. What we have is what the spool kept.\n\n";

/// French prose without URLs. Its accented letters need a transfer encoding. Each paragraph is one line.
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

/// Returns an ordinary post with three URLs in about 2,000 bytes.
pub(crate) fn post() -> String {
    PROSE.repeat(5) + POST
}

/// Returns a post in French with the same URLs.
pub(crate) fn post_fr() -> String {
    PROSE_FR.repeat(5) + POST
}

/// Repeats `once` until the text has at least [`SIZE`] bytes. Returns the text and the number of repetitions.
pub(crate) fn repeat(once: &str) -> (String, usize) {
    let times = SIZE.div_ceil(once.len());
    (once.repeat(times), times)
}
