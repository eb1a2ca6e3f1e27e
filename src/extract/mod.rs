//! Searches files, streams or single messages, and returns hits.

mod attached;
mod compose;
mod defanged;
mod explain;
mod hits;
mod legacy;
mod linkify;
mod message;
mod message_filter;
mod messages;
mod run;
mod search;
mod seen;
mod select;
#[cfg(feature = "tasks")]
mod task;
#[cfg(feature = "tasks")]
mod work;

use self::hits::FromReader;
pub use self::hits::{FromPaths, Hits};
pub use self::linkify::{LINKED, linkify};
use self::message::{Buffers, InputContext, Worker};
use self::message_filter::MessageFilter;
pub use self::messages::{Message, Part};
#[cfg(feature = "tasks")]
pub use self::task::{ListedFile, Task};
use crate::container::{self, line_ends, message_start};
use crate::error::Error;
use crate::event::{Event, Sink};
use crate::hit::{Gaps, Hit, Lines};
use crate::named::InvalidValue;
use crate::options::Options;
use crate::source::Paths;
use crate::url::Url;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Finds the URLs in mail and news. An extractor is cheap to clone and can be shared between threads.
///
/// [`set`](Self::set) sets an option. These methods start a search:
///
/// - [`message`](Self::message) searches one message in memory;
/// - [`read`](Self::read) searches a stream;
/// - [`open`](Self::open) and [`paths`](Self::paths) search files and directories;
/// - [`Hits::messages`] returns the messages of a search, with their URLs.
///
/// ```
/// use urlspool::Extractor;
///
/// let message = b"Subject: x\n\nSee <http://www.example.org/a/\n  b.html>.\n";
/// let hits = Extractor::new().message(message);
/// assert_eq!(hits[0].url().as_str(), "http://www.example.org/a/b.html");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Extractor {
    options: Options,
}

/// Options.
impl Extractor {
    /// Returns an extractor with default options.
    pub fn new() -> Extractor {
        Extractor::default()
    }

    /// Returns an extractor with these options.
    pub fn with(options: Options) -> Extractor {
        Extractor { options }
    }

    /// Returns the options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets the option `name`. [`OPTIONS`](crate::OPTIONS) lists the options.
    ///
    /// If any of the options `since`, `until`, `newsgroup` and `list` is set, text outside messages is skipped. A message
    /// without a valid date does not match `since` and `until`.
    ///
    /// If you divide a file with the option `byte-range`, each message belongs to exactly one range, and a plain text
    /// file belongs to the range that contains offset 0. If the range begins after the first 64 KiB of an uncompressed
    /// mbox, the bytes before the range are not read. The hits then have no [message number](crate::Location::message). In other
    /// formats, or if `count-lines` is set, these bytes are read but not searched.
    ///
    /// # Errors
    ///
    /// Returns an error if no option has this name, or if the value is invalid.
    ///
    /// ```
    /// use urlspool::Extractor;
    ///
    /// let extractor = Extractor::new().set("host", "example.org")?.set("until", "1999")?;
    /// let text = "http://www.example.org/ http://a.example/";
    /// assert_eq!(extractor.read(text.as_bytes()).count(), 0); // A plain text has no date.
    /// # Ok::<(), urlspool::InvalidValue>(())
    /// ```
    pub fn set(mut self, name: &str, value: &str) -> Result<Extractor, InvalidValue> {
        self.options.set(name, value)?;
        Ok(self)
    }

    /// Sets the number of threads. Default: 0, which means one thread for each core. At most 256 threads are used. With
    /// one thread, or without the feature `parallel`, the search runs in the caller's thread. The number does not
    /// affect the result.
    ///
    /// With two threads, the search needs less than 64 MiB of memory for any input, unless
    /// the option `max-message` was raised. Each further thread needs up to about 10 MiB.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }
}

/// Methods that search.
impl Extractor {
    /// Returns the URLs of one message in memory. The message consists of headers, a blank line, and the body with its
    /// MIME parts. Use this method if your program reads a Maildir, a Git repository or a database itself.
    ///
    /// The URLs are in the order of their offsets. HTML is an exception: a URL in an attribute can come before a URL in
    /// earlier text. The hits have no [file](crate::Location::file) and no message number.
    ///
    /// If the lines end in CRLF and the last line is a single dot, as in SMTP, dot-stuffing is removed. That is, a line
    /// that begins with `..` loses the first dot. A message of 4 GiB or more is searched as plain text.
    ///
    /// The time is proportional to the size of the message. At most one decoded part is in memory at a time. The
    /// buffers are freed before the method returns.
    ///
    /// With the option `format`, the bytes can also be HTML, a calendar or JSON:
    ///
    /// ```
    /// let html = urlspool::Extractor::new().set("format", "html")?;
    /// assert_eq!(html.message("<a href='http://a.example/?b&amp;c'>")[0].url().as_str(), "http://a.example/?b&c");
    /// # Ok::<(), urlspool::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn message<T: AsRef<[u8]> + ?Sized>(&self, message: &T) -> Vec<Hit<'static>> {
        let mut hits = Vec::new();
        let _ = self.message_into(message, &mut |event: Event<'_>| {
            if let Event::Hit(hit) = event {
                hits.push(hit.to_owned());
            }
            ControlFlow::Continue(())
        });
        hits
    }

    /// Passes the URLs of one message to `sink` without copying them; see [`message`](Self::message). The sink also
    /// receives diagnostics, rejects and parts, but neither [`Segment`](Event::Segment) nor [`End`](Event::End).
    ///
    /// Returns [`ControlFlow::Break`] if the sink stopped the search.
    pub fn message_into<T, S>(&self, message: &T, sink: &mut S) -> ControlFlow<()>
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
        let lines = self.options.count_lines.unwrap_or(true).then(|| Lines::new(message, 0, 1));
        let start = message_start(message);
        let message = &message[start..];
        let (base, lines) = (start as u64, lines.as_ref());
        let mut cuts = Vec::new();
        container::MESSAGE.cuts(message, &mut cuts);
        let (gaps, message) = Gaps::cut(message, &cuts);
        let input = InputContext { base, lines, gaps: gaps.as_ref(), ..InputContext::default() };
        Worker::new(self, &MessageFilter::EVERYTHING, &mut Buffers::default()).message(&message, input, sink)
    }

    /// Returns whether the options `scheme`, `host`, `url` and `tier` select a URL. Use this method for the
    /// [alternatives](Hit::alternatives) of a hit, because the search selects only hits.
    ///
    /// ```
    /// use urlspool::{Extractor, Url};
    ///
    /// let extractor = Extractor::new().set("host", "example.org")?;
    /// let found = ["http://www.example.org/", "http://example.com/"].map(|url| extractor.selects(&Url::parse(url).unwrap()));
    /// assert_eq!(found, [true, false]);
    /// # Ok::<(), urlspool::InvalidValue>(())
    /// ```
    #[must_use]
    pub fn selects(&self, url: &Url<'_>) -> bool {
        select::url_excluded_by(&self.options, url).is_none()
    }

    /// Returns an iterator over the URLs of a stream. A stream is, for example, a file, a socket, a byte slice, or a
    /// `&mut` to a reader. The compression and the format (such as mbox, news batch, archive, one message or plain
    /// text) are detected from the first 64 KiB.
    ///
    /// The stream is read in large blocks, so a `BufReader` is not needed. On a slow connection, the iterator first
    /// waits for 64 KiB, unless the option `format` is set. After that, it returns the URLs of each message as
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
    pub fn read<R: Read>(&self, reader: R) -> Hits<R> {
        Hits::new(self.clone(), FromReader::new(reader))
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
    /// [`Location::member`](crate::Location::member).
    ///
    /// With the feature `parallel`, several threads search the next files while you process the URLs that the iterator
    /// has returned; see [`threads`](Self::threads).
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
        let paths: Vec<_> = paths.into_iter().map(Into::into).collect();
        Hits::new(self.clone(), FromPaths::new(Paths::Known(paths.into_iter())))
    }

    /// Does the same as [`paths`](Self::paths), but reads the paths during the search. Use this method for a long list,
    /// or for a list that is still being written: each path is searched as soon as it arrives. With several threads,
    /// another thread reads the list ahead, so the iterator must be `Send + 'static`.
    pub fn lazy_paths<P>(&self, paths: P) -> Hits<FromPaths>
    where
        P: IntoIterator<Item = PathBuf, IntoIter: Send + 'static>,
    {
        Hits::new(self.clone(), FromPaths::new(Paths::List(Box::new(paths.into_iter()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(option: &str, value: &str) -> Extractor {
        Extractor::new().set(option, value).expect(value)
    }

    #[test]
    fn a_message_beyond_the_limit_is_text() {
        let bytes = format!(
            "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n\
            http://a/=\n1\n\n{}\n<http://a/=3D>\n",
            "=41".repeat(100)
        );
        let read = |limit: Option<&str>| {
            let mut reported = Vec::new();
            let extractor = limit.map_or(Extractor::new(), |limit| with("max-message", limit));
            let _ = extractor.read(bytes.as_bytes()).name("x").each(&mut |event: Event<'_>| {
                match event {
                    Event::Hit(hit) => reported.push(hit.url().to_string()),
                    Event::Diagnostic { file, diagnostic } => {
                        assert_eq!(file.map(|file| (file.format(), file.codec())), Some(("mbox", None)));
                        reported.push(diagnostic.to_string());
                    }
                    _ => {}
                }
                ControlFlow::Continue(())
            });
            reported
        };
        assert_eq!(read(None), ["http://a/1", "http://a/="]);
        let reported = read(Some("200"));
        assert_eq!(reported.len(), 3, "{reported:?}");
        assert!(reported[0].contains("larger than the limit"), "{reported:?}");
        assert_eq!(reported[1..], ["http://a/1", "http://a/=3D"]);
        assert_eq!(read(Some("1G")), ["http://a/1", "http://a/="]);
    }

    #[test]
    fn a_single_message_has_line_numbers() {
        let message = b"X-URL: http://a/\n\n\nhttp://b/\n";
        for (extractor, want) in
            [(Extractor::new(), [1, 4]), (with("count-lines", "true"), [1, 4]), (with("count-lines", "false"), [0, 0])]
        {
            let lines: Vec<u64> = extractor.message(message).iter().map(|hit| hit.line()).collect();
            assert_eq!(lines, want);
        }
    }

    fn urls(hits: &[Hit]) -> Vec<String> {
        hits.iter().map(|hit| hit.url().to_string()).collect()
    }

    #[test]
    #[cfg(feature = "domain")]
    fn addresses_without_a_scheme_are_found_in_the_text_of_html() {
        let message = "Received: from www.a.com\nSubject: www.b.com\nContent-Type: text/html\n\n<p>www.c.com</p><!-- www.d.com \
            --><p>x</p><a href='http://e.example/'>f.com/g</a> www&#46;h.com<script>www.i.com</script>";
        let hits = with("form", "+www,path").message(message);
        let want = ["http://www.b.com", "http://www.c.com", "http://e.example/", "http://f.com/g", "http://www.h.com"];
        assert_eq!(urls(&hits), want);
        assert_eq!(urls(&Extractor::new().message(message)), ["http://e.example/"]);
    }

    #[test]
    fn relative_links_are_counted() {
        let table = [
            ("<a href='a'>", 1),
            ("<a href='#a'><a href='mailto:a@b.example'><a href='http://c.example/'>", 0),
            ("<a href='index.php?title=Special:X'><a href='/r?u=http://h.example/'><img src='a/b:c.gif'>", 3),
            ("<a href='=http://h/'><a href='h t t p://h/'><a href=' http://d.example/'>", 2),
            ("<base href='http://e.example/'><a href='a:80/b'><a href='index.php?title=Special:X'>", 0),
        ];
        for (html, want) in table {
            let mut found = 0;
            let message = format!("Content-Type: text/html\n\n{html}");
            let _ = Extractor::new().message_into(message.as_bytes(), &mut |event: Event<'_>| {
                if let Event::Diagnostic { diagnostic, .. } = event {
                    found += diagnostic.number;
                }
                ControlFlow::Continue(())
            });
            assert_eq!(found, want, "{html}");
        }
    }

    #[test]
    fn an_option_does_not_reset_other_options() {
        let bodies = with("in", "text");
        let message = "X-URL: http://a.example/\n\n<URL:http://b.example/c-\n  d>\n";
        for (extractor, want) in [
            (Extractor::new(), &["http://a.example/", "http://b.example/c-d"][..]),
            (bodies.clone(), &["http://b.example/c-d"]),
            (bodies.set("hyphen", "drop").expect("a name"), &["http://b.example/cd"]),
        ] {
            assert_eq!(urls(&extractor.message(message)), want, "{extractor:?}");
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
        let temp = crate::source::Temp::new("format-mail");
        let path = temp.write("text", b"http://a.example/\n");
        for (format, count) in [("auto", 1), ("mail", 0)] {
            assert_eq!(with("format", format).paths([&path]).count(), count);
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
            let mut hits = with("defanged", &defanged.to_string()).read(text.as_bytes());
            hits.search.source.limits = container::Limits { message: 600, least: 64, most: 256, context: 16 };
            let hits: Vec<Hit> = hits.collect::<Result<_, _>>().expect("memory");
            assert_eq!(urls(&hits), (0..60).map(|number| format!("http://a.example/{number}")).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lines_of_a_stream_are_counted_on_request() {
        for (count, want) in [(true, 3), (false, 0)] {
            let hits = with("count-lines", &count.to_string()).read(&b"Subject: x\n\nhttp://a.example/\n"[..]);
            let lines: Vec<u64> = hits.map(|hit| hit.expect("memory").line()).collect();
            assert_eq!(lines, [want]);
        }
    }
}
