//! Searches files, streams or single messages, and returns hits.

mod defanged;
mod flushing_sink;
mod hits;
mod message;
mod message_filter;
mod messages;
mod run;
mod search;
mod seen;
#[cfg(feature = "tasks")]
mod task;
mod twins;
#[cfg(feature = "tasks")]
mod work;

#[cfg(feature = "tasks")]
use self::hits::MAX_MESSAGE;
pub use self::hits::{FromPaths, FromReader, Hits};
use self::message::{Buffers, InputContext, Worker};
use self::message_filter::MessageFilter;
pub use self::messages::{Message, Messages, Part};
#[cfg(feature = "tasks")]
pub use self::task::{Files, ListedFile, Manifest, Splits, Task, TaskError};
use crate::container::{self, line_ends, message_start};
use crate::error::Error;
use crate::hit::{Hit, Lines};
use crate::options::Format;
use crate::scan::{Hyphen, Rejoin, Scanner};
use crate::sink::{Sink, Stoppable};
use std::io::Read;
use std::path::{Path, PathBuf};

named! {
    /// Whether to search the header fields, the bodies, or both.
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
        /// Search all header fields and the bodies.
        #[default]
        Include = "include",
        /// Search the bodies only.
        Exclude = "exclude",
        /// Search the header fields only.
        Only = "only",
    }
}

/// Finds the URLs in mail and news. An extractor is cheap to copy and can be shared between threads.
///
/// Most methods set options. These methods start a search:
///
/// - [`message`](Self::message) searches one message in memory;
/// - [`read`](Self::read) searches a stream;
/// - [`open`](Self::open) and [`paths`](Self::paths) search files and directories;
/// - [`messages`](Self::messages) returns the messages of a stream, with their URLs.
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
    twins: bool,
    /// Whether to count lines. `None` counts lines unless a byte range is set.
    count_lines: Option<bool>,
}

impl Default for Extractor {
    /// Same as [`Extractor::new`].
    fn default() -> Self {
        Extractor::new()
    }
}

/// Methods that set options.
impl Extractor {
    /// Returns an extractor with default options.
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

    /// Sets whether to search the header fields, the bodies, or both. Default: both.
    pub fn headers(mut self, headers: HeaderScan) -> Self {
        self.headers = headers;
        self
    }

    /// Sets whether to search HTML parts. Default: yes.
    pub fn html(mut self, html: bool) -> Self {
        self.html = html;
        self
    }

    /// Sets whether to report a URL of a plain text part if the HTML alternative of this part has the same URL. Two
    /// URLs count as the same if they are [equivalent](crate::Url::is_equivalent) and have the same fragment. Default:
    /// yes.
    ///
    /// If this option is `false` and a plain text part has URLs, its HTML alternative is searched twice: once to
    /// compare the URLs, and once to report them. The option has no effect if [HTML](Self::html) is off.
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

    /// Sets whether to restore and report defanged URLs. A defanged URL, such as `hxxp://evil[.]example/`, was made
    /// harmless on purpose. Default: no.
    ///
    /// [`Hit::is_defanged`] is true for a restored URL. If it is not certain that a URL was defanged, the hit has
    /// [alternatives](Hit::alternatives) with the reason [`Defanged`](crate::scan::Reason::Defanged). Section 6 of the
    /// [rules](crate::rules) lists the supported forms. The search may miss a defanged URL in a malformed header block,
    /// or in text whose encoding is not declared. With this option, the search takes up to twice as long.
    pub fn defanged(mut self, defanged: bool) -> Self {
        self.defanged = defanged;
        self
    }

    /// Sets when to join a bare URL (a URL without angle brackets) at the end of a line with the beginning of the next
    /// line. Default: when the next line probably continues the URL.
    pub fn rejoin(mut self, rejoin: Rejoin) -> Self {
        self.scanner = self.scanner.rejoin(rejoin);
        self
    }

    /// Sets the minimum [confidence](Hit::confidence), in percent, for joining a bare URL (a URL without angle
    /// brackets) with the beginning of the next line. Default: 0. If the confidence is lower, the URL ends at the end
    /// of its line, and the joined URL is an [alternative](Hit::alternatives).
    pub fn min_confidence(mut self, percent: u8) -> Self {
        self.scanner = self.scanner.min_confidence(percent);
        self
    }

    /// Sets whether a hyphen at a line break inside `<URL:...>` or angle brackets is part of the URL. Default: yes. The
    /// other URL, with or without the hyphen, is an [alternative](Hit::alternatives) of the hit.
    pub fn hyphen(mut self, hyphen: Hyphen) -> Self {
        self.scanner = self.scanner.hyphen(hyphen);
        self
    }

    /// Sets whether to count lines, for [`Hit::line`]. Default: yes, except with a [byte range](Hits::byte_range).
    ///
    /// To count lines, the search makes a second, fast pass over the input. With a byte range, the search must also
    /// read all bytes before the range.
    pub fn count_lines(mut self, count: bool) -> Self {
        self.count_lines = Some(count);
        self
    }
}

/// Methods that search.
impl Extractor {
    /// Returns the URLs of one message in memory. The message consists of headers, a blank line, and the body with its
    /// MIME parts. Use this method if your program reads a Maildir, a Git repository or a database itself.
    ///
    /// The URLs are in the order of their offsets. HTML is an exception: a URL in an attribute can come before a URL in
    /// earlier text. The hits have no [file](Hit::file) and no message number.
    ///
    /// If the lines end in CRLF and the last line is a single dot, as in SMTP, dot-stuffing is removed. That is, a line
    /// that begins with `..` loses the first dot. A message of 4 GiB or more is searched as plain text.
    ///
    /// The time is proportional to the size of the message. At most one decoded part is in memory at a time. The
    /// buffers are freed before the method returns.
    #[must_use]
    pub fn message<T: AsRef<[u8]> + ?Sized>(&self, message: &T) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.message_into(message, &mut crate::sink::from_fn(|hit| hits.push(hit.to_owned())));
        hits
    }

    /// Passes the URLs of one message to `sink` without copying them; see [`message`](Self::message). The sink also
    /// receives diagnostics, rejects and parts. The methods `segment` and `end` of the sink are not called.
    ///
    /// Returns the value with which the sink stopped the search. If the sink did not stop the search, returns
    /// [`Flow::go_on`](crate::Flow::go_on).
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

    /// Returns an iterator over the URLs of a stream. A stream is, for example, a file, a socket, a byte slice, or a
    /// `&mut` to a reader. The compression and the format (such as mbox, news batch, archive, one message or plain
    /// text) are detected from the first 64 KiB.
    ///
    /// The stream is read in large blocks, so a `BufReader` is not needed. On a slow connection, the iterator first
    /// waits for 64 KiB, unless a [format](Hits::format) is set. After that, it returns the URLs of each message as
    /// soon as the message is complete. In an mbox, a message is complete when the next message begins.
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

    /// Returns an iterator over the URLs of a file, a directory or a member of an archive; see [`paths`](Self::paths).
    /// The path `-` means standard input.
    ///
    /// # Errors
    ///
    /// Returns an error if the path cannot be opened.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Hits<FromPaths>, Error> {
        let path = path.as_ref();
        if path != Path::new("-") {
            let archive = crate::source::member_of(path).filter(|_| !path.exists());
            let file = archive.as_ref().map_or(path, |(archive, _)| archive);
            let unopened = |reason| crate::source::unopened(path, reason);
            let found = std::fs::metadata(file).map_err(unopened)?;
            // A FIFO is not opened here. If this check opened and closed a FIFO before the search opens it, the program
            // that writes to the FIFO could fail.
            if found.is_file() || found.is_dir() {
                std::fs::File::open(file).map_err(unopened)?;
            }
        }
        Ok(self.paths([path.to_path_buf()]))
    }

    /// Returns an iterator over the URLs of files, directories and standard input (`-`), in the order of `paths`. A
    /// directory can be a Maildir, an MH folder, a news spool, or a tree of any files. Directories are walked in a
    /// fixed order. In directories, hidden files, symbolic links and binary files are skipped; see
    /// [`SkipReason`](crate::SkipReason). A path such as `archive.zip!member` names a member of an archive; see
    /// [`Hit::member`].
    ///
    /// With the feature `parallel`, several threads search the next files while you process the URLs that the iterator
    /// has returned; see [`Hits::threads`].
    ///
    /// If a file cannot be read, the iterator returns an error, and continues with the next file.
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

    /// Does the same as [`paths`](Self::paths), but takes each path from the iterator only when the search needs it.
    /// Use this method for a long list, or for a list that is still being written. If the lower bound of the iterator's
    /// `size_hint` is 0, each path is searched as soon as it arrives. Otherwise, the search may first wait for the next
    /// path. The iterator may run in another thread, so it must be `Send + 'static`.
    pub fn lazy_paths<P>(&self, paths: P) -> Hits<FromPaths>
    where
        P: IntoIterator<Item = PathBuf, IntoIter: Send + 'static>,
    {
        Hits::new(*self, FromPaths::new(paths.into_iter()))
    }

    /// Returns an iterator over the messages of a stream, with their bytes, headers, parts and hits; see
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

    fn urls(hits: &[Hit]) -> Vec<String> {
        hits.iter().map(|hit| hit.url().to_string()).collect()
    }

    #[test]
    fn an_option_does_not_reset_other_options() {
        let bodies = Extractor::new().headers(HeaderScan::Exclude);
        let message = "X-URL: http://a.example/\n\n<URL:http://b.example/c-\n  d>\n";
        for (extractor, want) in [
            (Extractor::new(), &["http://a.example/", "http://b.example/c-d"][..]),
            (bodies, &["http://b.example/c-d"]),
            (bodies.twins(false), &["http://b.example/c-d"]),
            (bodies.hyphen(Hyphen::Drop), &["http://b.example/cd"]),
        ] {
            assert_eq!(urls(&extractor.message(message)), want, "{extractor:?}");
        }
    }

    #[cfg(feature = "html")]
    #[test]
    fn only_urls_that_are_also_in_html_are_twins() {
        let message = "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a.example/ http://b.example/\n\
            --b\nContent-Type: text/html\n\n<a href='http://A.example/'>a</a>\n--b--\n";
        let text = ["http://a.example/", "http://b.example/"];
        for (html, twins, want) in [
            (true, true, &[text[0], text[1], "http://A.example/"][..]),
            (true, false, &[text[1], "http://A.example/"]),
            (false, true, &text),
            (false, false, &text),
        ] {
            let hits = Extractor::new().html(html).twins(twins).message(message);
            assert_eq!(urls(&hits), want, "html {html}, twins {twins}");
        }
    }

    /// Root can open every file, so this test can fail only for other users.
    #[cfg(unix)]
    #[test]
    fn a_file_without_read_permission_cannot_be_opened() {
        use std::os::unix::fs::PermissionsExt;
        let temp = crate::source::Temp::new("secret");
        let path = temp.write("file", b"x");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("the file");
        let is_refused = Extractor::new().open(&path).is_err();
        assert_eq!(is_refused, std::fs::File::open(&path).is_err());
    }

    #[test]
    fn plain_text_is_not_mail() {
        let temp = crate::source::Temp::new("mail-only");
        let path = temp.write("text", b"http://a.example/\n");
        for (mail_only, count) in [(false, 1), (true, 0)] {
            assert_eq!(Extractor::new().paths([&path]).mail_only(mail_only).count(), count);
        }
    }

    #[cfg(feature = "compression")]
    #[test]
    fn a_member_of_an_archive_can_be_opened() {
        let temp = crate::source::Temp::new("opened-member");
        let path =
            temp.write("a.tar", &crate::source::tar(&[("a", b"http://a.example/"), ("b", b"http://b.example/")]));
        let open = |name| {
            let mut member = path.clone().into_os_string();
            member.push(name);
            Extractor::new().open(member).map(|hits| hits.map(|hit| hit.expect("a member")).collect::<Vec<_>>())
        };
        assert_eq!(urls(&open("!b").expect("a member")), ["http://b.example/"]);
        // Only `!` separates the name of a member.
        assert!(open("-b").is_err());
    }

    /// A long text is searched in windows that overlap.
    #[test]
    fn each_url_of_a_long_text_is_reported_once() {
        for (defanged, written) in [(false, "http://a.example/"), (true, "hxxp://a[.]example/")] {
            let text: String = (0..60).map(|number| format!("See {written}{number} and more.\n")).collect();
            let mut hits = Extractor::new().defanged(defanged).read(text.as_bytes());
            hits.search.source.limits = container::Limits { message: 600, least: 64, most: 256, context: 16 };
            let hits: Vec<Hit> = hits.collect::<Result<_, _>>().expect("memory");
            assert_eq!(urls(&hits), (0..60).map(|number| format!("http://a.example/{number}")).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lines_of_a_stream_are_counted_on_request() {
        for (count, want) in [(true, 3), (false, 0)] {
            let hits = Extractor::new().count_lines(count).read(&b"Subject: x\n\nhttp://a.example/\n"[..]);
            let lines: Vec<u64> = hits.map(|hit| hit.expect("memory").line()).collect();
            assert_eq!(lines, [want]);
        }
    }
}
