//! From files, streams or single messages to hits.

mod defanged;
mod flushing_sink;
mod format;
mod hits;
mod message;
mod message_filter;
mod messages;
mod run;
mod search;
mod seen;
mod twins;

pub use self::format::Format;
pub use self::hits::{FromPaths, FromReader, Hits};
use self::message::{Buffers, InputContext, Worker};
use self::message_filter::MessageFilter;
pub use self::messages::{Message, Messages, Part};
use crate::container::{self, line_ends, message_start};
use crate::error::Error;
use crate::hit::{Hit, Lines};
use crate::scan::{Hyphen, Rejoin, Scanner};
use crate::sink::{Sink, Stoppable};
use std::io::Read;
use std::path::{Path, PathBuf};

named! {
    /// Which header fields are searched.
    ///
    /// ```
    /// use urlspool::{Extractor, HeaderScan};
    ///
    /// let message = "X-Home: http://a.example/\n\nhttp://b.example/\n";
    /// let found = |headers| Extractor::new().headers(headers).message(message).len();
    /// assert_eq!([HeaderScan::Include, HeaderScan::Exclude, HeaderScan::Only].map(found), [2, 1, 1]);
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum HeaderScan {
        /// All header fields, and the bodies.
        #[default]
        Include = "include",
        /// No header field.
        Exclude = "exclude",
        /// Header fields only.
        Only = "only",
    }
}

/// Finds the URLs in mail and news. It is cheap to copy, and may be shared between threads.
///
/// Its own methods set what is searched for. These methods set where:
///
/// - [`message`](Self::message) searches one message in memory;
/// - [`read`](Self::read) searches a stream;
/// - [`open`](Self::open) and [`paths`](Self::paths) search files and directories.
///
/// ```
/// use urlspool::Extractor;
///
/// let message = b"Subject: x\n\nSee <http://www.example.org/a/\n  b.html>.\n";
/// let hits = Extractor::new().message(message);
/// assert_eq!(hits[0].url().as_str(), "http://www.example.org/a/b.html");
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Extractor {
    scanner: Scanner,
    headers: HeaderScan,
    html: bool,
    defanged: bool,
    /// Whether a text part has the URLs that its HTML alternative has too.
    twins: bool,
    /// Lines are counted unless a byte range is asked for.
    count_lines: Option<bool>,
}

impl Default for Extractor {
    /// [`Extractor::new`].
    fn default() -> Self {
        Extractor::new()
    }
}

/// Options: what is searched for.
impl Extractor {
    /// Returns an extractor with the defaults.
    pub fn new() -> Extractor {
        Extractor {
            scanner: Scanner::new(),
            headers: HeaderScan::Include,
            html: true,
            defanged: false,
            twins: true,
            count_lines: None,
        }
    }

    /// Sets which header fields are searched. Default: all of them.
    pub fn headers(mut self, headers: HeaderScan) -> Self {
        self.headers = headers;
        self
    }

    /// Sets whether HTML parts are searched. Default: yes.
    pub fn html(mut self, html: bool) -> Self {
        self.html = html;
        self
    }

    /// Sets whether a URL in a plain text part is found if the HTML part of the same `multipart/alternative` has an
    /// [equivalent](crate::Url::is_equivalent) one with the same fragment. Default: yes.
    ///
    /// If not, the HTML part of a message is searched before its text part, and so twice. Has no effect without
    /// [HTML](Self::html).
    ///
    /// ```
    /// use urlspool::Extractor;
    ///
    /// let message = "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a.example/ http://b.example/\n\
    ///     --b\nContent-Type: text/html\n\n<a href='http://A.example'>a</a>\n--b--\n";
    /// let found = |twins| Extractor::new().twins(twins).message(message).len();
    /// assert_eq!([true, false].map(found), [3, 2]);
    /// ```
    pub fn twins(mut self, twins: bool) -> Self {
        self.twins = twins;
        self
    }

    /// Sets whether URLs that were made harmless (`hxxp://evil[.]example/`) are restored and found. Default: no.
    ///
    /// [`Hit::is_defanged`] is true for such a hit. Where it is not certain that a URL was made harmless, the hit has
    /// [alternatives](Hit::alternatives) with the [reason](crate::scan::Reason::Defanged) for them. The forms are those
    /// of section 6 of the [rules](crate::rules). A form inside an undeclared encoding, or in a malformed header block,
    /// may be missed. The search takes up to twice as long.
    pub fn defanged(mut self, defanged: bool) -> Self {
        self.defanged = defanged;
        self
    }

    /// Sets whether a bare URL at the end of a line continues on the next line. Default: where that is likely.
    pub fn rejoin(mut self, rejoin: Rejoin) -> Self {
        self.scanner = self.scanner.rejoin(rejoin);
        self
    }

    /// Sets how likely a rejoined bare URL has to be, in [percent](Hit::confidence). Default: 0. One that is less likely ends
    /// at the end of its line, and the rejoined reading is an [alternative](Hit::alternatives).
    pub fn min_confidence(mut self, percent: u8) -> Self {
        self.scanner = self.scanner.min_confidence(percent);
        self
    }

    /// Sets which reading of a hyphen at the end of a line is preferred. Default: with the hyphen.
    pub fn hyphen(mut self, hyphen: Hyphen) -> Self {
        self.scanner = self.scanner.hyphen(hyphen);
        self
    }

    /// Sets whether lines are counted, for [`Hit::line`]. Default: yes, but no with a [byte range](Hits::byte_range).
    ///
    /// Counting costs a SIMD pass over files and streams. With a byte range, all that comes before the range has to be
    /// read for it.
    pub fn count_lines(mut self, count: bool) -> Self {
        self.count_lines = Some(count);
        self
    }
}

/// Searches.
impl Extractor {
    /// Returns the URLs of one message in memory, in the order of their places. The message has headers, a blank line,
    /// and the body with its MIME parts. For a program that reads a Maildir, a Git repository or a database itself.
    ///
    /// If the message ends in a line with only a dot, as on the wire, its dot-stuffing is removed. A message should be
    /// smaller than 4 GiB; a larger one is read as text. A hit has no [file](Hit::file) and no message number.
    ///
    /// Takes time in proportion to the message, and memory for one decoded part at a time. Nothing is kept between
    /// calls.
    #[must_use]
    pub fn message<T: AsRef<[u8]> + ?Sized>(&self, message: &T) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.message_into(message, &mut crate::sink::from_fn(|hit| hits.push(hit.to_owned())));
        hits
    }

    /// Passes the URLs of one message to `sink`, without copies. The sink also gets diagnostics, rejects and parts, but
    /// no segments and no end. See [`message`](Self::message).
    ///
    /// Returns the value with which the sink stopped the search, else the value that continues.
    pub fn message_into<T, S>(&self, message: &T, sink: &mut S) -> S::Flow
    where
        T: AsRef<[u8]> + ?Sized,
        S: Sink,
    {
        let mut message = message.as_ref();
        let with_lf;
        if line_ends::are_cr(message) {
            let mut copy = message.to_vec();
            line_ends::to_lf(&mut copy);
            with_lf = copy;
            message = &with_lf;
        }
        let lines = self.count_lines.unwrap_or(true).then(|| Lines::new(message, 0, 1));
        let start = message_start(message);
        let message = &message[start..];
        let input =
            InputContext { file: None, base: start as u64, number: 0, head: b"", lines: lines.as_ref(), gaps: None };
        let mut cuts = Vec::new();
        container::MESSAGE.cuts(message, &mut cuts);
        let mut sink = Stoppable::new(sink);
        let mut buffers = Buffers::default();
        let _ = Worker::new(self, &MessageFilter::EVERYTHING, &mut buffers).stored(message, &cuts, input, &mut sink);
        sink.flow()
    }

    /// Returns an iterator over the URLs of a stream: a file, a socket, a byte slice, or a `&mut` of one. The format
    /// (mbox, news batch, archive, one message, plain text) and the compression are detected from the first 64 KiB.
    ///
    /// The stream is read in large steps, so it needs no buffer. On a slow connection, the URLs of a message are
    /// returned once the message is complete. In an mbox, that is when the next one begins.
    ///
    /// ```
    /// use urlspool::Extractor;
    ///
    /// let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n";
    /// for hit in Extractor::new().read(&mbox[..]).name("mailbox") {
    ///     let hit = hit?;
    ///     assert_eq!(format!("{}:{} {}", hit.file().display(), hit.line(), hit.url()), "mailbox:4 http://www.example.org/");
    /// }
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    pub fn read<R: Read>(&self, reader: R) -> Hits<FromReader<R>> {
        Hits::new(*self, FromReader::new(reader))
    }

    /// Returns an iterator over the URLs of a file, a directory or a member of an archive; see [`paths`](Self::paths). `-` is
    /// standard input.
    ///
    /// # Errors
    ///
    /// If the path cannot be opened.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Hits<FromPaths>, Error> {
        let path = path.as_ref();
        if path != Path::new("-") {
            let archive = crate::source::member_of(path).filter(|_| !path.exists());
            let file = archive.as_ref().map_or(path, |(archive, _)| archive);
            std::fs::File::open(file).map_err(|reason| crate::source::unopened(path, reason))?;
        }
        Ok(self.paths([path.to_path_buf()]))
    }

    /// Returns an iterator over the URLs of files, directories and standard input (`-`), in the order given.
    /// Directories are walked in a fixed order. They may be a Maildir, an MH folder, a news spool, or a tree of any
    /// files. `archive.zip!member` is a member of an archive, as [`Hit::member`] has it.
    ///
    /// With the feature `parallel` several threads work ahead of the iterator; see [`Hits::threads`].
    ///
    /// A file that cannot be read is an error in its place, and the next call continues with the next file.
    ///
    /// ```
    /// use urlspool::{Error, Extractor, Hit};
    ///
    /// let all: Vec<Hit> = Extractor::new().paths(["corpus/maildir"]).collect::<Result<_, Error>>()?;
    /// assert!(all.len() > 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn paths<P: IntoIterator<Item: Into<PathBuf>>>(&self, paths: P) -> Hits<FromPaths> {
        self.lazy_paths(paths.into_iter().map(Into::into).collect::<Vec<_>>())
    }

    /// The same as [`paths`](Self::paths), but takes the paths one by one as they are needed. Use it for a long list,
    /// or for one that is still being written. A path is processed without waiting for the next one, unless the
    /// iterator's `size_hint` promises that. The iterator goes to another thread, so it must own its paths.
    pub fn lazy_paths<P>(&self, paths: P) -> Hits<FromPaths>
    where
        P: IntoIterator<Item = PathBuf, IntoIter: Send + 'static>,
    {
        Hits::new(*self, FromPaths::new(paths.into_iter()))
    }

    /// Returns an iterator over the messages of a stream, each with its bytes, headers, parts and hits; see
    /// [`Hits::messages`].
    pub fn messages<R: Read>(&self, reader: R) -> Messages<FromReader<R>> {
        self.read(reader).messages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;
    use crate::hit::HitRef;
    use crate::source::Input;

    #[derive(Default)]
    struct Reported(Vec<String>);

    impl Sink for Reported {
        type Flow = ();

        fn hit(&mut self, hit: &HitRef<'_>) {
            self.0.push(hit.url().to_string());
        }

        fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) {
            assert_eq!(file.map(|file| (file.format(), file.codec())), Some(("mbox", None)));
            self.0.push(diagnostic.to_string());
        }
    }

    #[test]
    fn a_message_beyond_the_limit_is_text() {
        let bytes = format!(
            "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n\
            http://a/=\n1\n\n{}\n<http://a/=3D>\n",
            "=41".repeat(100)
        );
        let read = |limit: Option<usize>| {
            let mut reported = Reported::default();
            let hits = Extractor::new().read(bytes.as_bytes()).name("x");
            limit.into_iter().fold(hits, Hits::max_message).each(&mut reported).expect("memory");
            reported.0
        };
        assert_eq!(read(None), ["http://a/1", "http://a/="]);
        let reported = read(Some(200));
        assert_eq!(reported.len(), 3, "{reported:?}");
        assert!(reported[0].contains("larger than the limit"), "{reported:?}");
        assert_eq!(reported[1..], ["http://a/1", "http://a/=3D"]);
        assert_eq!(read(Some(usize::MAX)), ["http://a/1", "http://a/="]);
    }

    #[test]
    fn a_single_message_has_line_numbers() {
        let message = b"X-URL: http://a/\n\n\nhttp://b/\n";
        for (extractor, want) in [
            (Extractor::new(), [1, 4]),
            (Extractor::new().count_lines(true), [1, 4]),
            (Extractor::new().count_lines(false), [0, 0]),
        ] {
            let lines: Vec<u64> = extractor.message(message).iter().map(Hit::line).collect();
            assert_eq!(lines, want);
        }
    }
}
