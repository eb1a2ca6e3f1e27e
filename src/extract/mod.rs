//! The composer: from files, streams or single messages to hits in a sink.

mod choice;
mod defanged;
mod format;
mod message;
mod relief;
mod run;
mod seen;

use std::io::{self, Read};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use self::choice::Choice;
pub use self::format::{Format, UnknownFormat};
use self::message::{Place, Worker};
use crate::container::{self, line_ends, message_start};
use crate::error::Error;
use crate::hit::Lines;
use crate::scan::{Hyphen, Rejoin, Scanner};
use crate::sink::{Collect, Sink};
use crate::source::{self, Batch, Given, Shard, Stream};
use crate::wildmat::Wildmat;

/// Which header fields are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderScan {
    /// All of them, and the bodies.
    #[default]
    Include,
    /// None.
    Exclude,
    /// All of them, and nothing else.
    Only,
}

/// What the work on every message needs to know.
#[derive(Clone, Debug)]
struct Config {
    scanner: Scanner,
    headers: HeaderScan,
    html: bool,
    defanged: bool,
    choice: Choice,
}

/// No message is larger: places in what is decoded of it, which may be longer, are counted in 32 bits.
const MAX_MESSAGE: usize = 1 << 30;

/// Configures an [`Extractor`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ExtractorBuilder {
    extractor: Extractor,
}

impl ExtractorBuilder {
    /// Which header fields are looked at: all, unless set.
    pub fn headers(mut self, headers: HeaderScan) -> Self {
        self.extractor.config.headers = headers;
        self
    }

    /// Whether HTML parts are looked at: yes, unless set.
    pub fn html(mut self, html: bool) -> Self {
        self.extractor.config.html = html;
        self
    }

    /// Whether URLs that were made harmless (`hxxp://evil[.]example/`) are put right and found: no, unless set. What is
    /// found so [says so](crate::Origin::is_defanged); where it is not certain that a URL was made harmless, there are
    /// [alternatives](crate::Hit::alternatives), with [a reason](crate::scan::Reason::Defanged). The forms are those of
    /// RULES.md, section 6. What is written so only behind an encoding that nothing declares, or
    /// in a header block that is no such, may be missed. Takes more passes over everything: up to twice as long.
    pub fn defanged(mut self, defanged: bool) -> Self {
        self.extractor.config.defanged = defanged;
        self
    }

    /// What a bare URL at a line's end does: it goes on where that is likely, unless set.
    pub fn rejoin(mut self, rejoin: Rejoin) -> Self {
        self.extractor.config.scanner = self.extractor.config.scanner.rejoin(rejoin);
        self
    }

    /// How likely a rejoined bare URL has to be, in [percent](crate::Hit::confidence): 0, unless set. One that is less likely
    /// ends at its line's end, and the joined reading is an [alternative](crate::Hit::alternatives).
    pub fn min_confidence(mut self, percent: u8) -> Self {
        self.extractor.config.scanner = self.extractor.config.scanner.min_confidence(percent);
        self
    }

    /// Which reading of a hyphen at a line's end is preferred: with it, unless set.
    pub fn hyphen(mut self, hyphen: Hyphen) -> Self {
        self.extractor.config.scanner = self.extractor.config.scanner.hyphen(hyphen);
        self
    }

    /// How every input is stored; found out from each one's content if `None`, as it is unless set.
    pub fn format(mut self, format: Option<Format>) -> Self {
        self.extractor.source.format = format.map(|format| format.0);
        self
    }

    /// A file that is not read, under whatever name it is met, but told as a [problem](Sink::problem): the one that what is
    /// found is written to, which would grow as long as it is read. None, unless set. Costs a look at each file.
    pub fn output(mut self, file: &std::fs::File) -> Self {
        self.extractor.source.output =
            file.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|data| source::id(&data));
        self
    }

    /// Whether symbolic links in directories are followed: no, unless set. If so, no file is read twice, which takes
    /// some bits of memory for each; a link that is named is followed in any case.
    pub fn follow_links(mut self, follow: bool) -> Self {
        self.extractor.source.follow = follow;
        self
    }

    /// How many workers [`Extractor::paths`] has; 0, as it is unless set, for one per core. One starts no thread. More
    /// than 256 are 256, of cores too.
    pub fn threads(mut self, threads: usize) -> Self {
        self.extractor.threads = threads;
        self
    }

    /// Whether lines are counted, so that [`Origin::line`](crate::Origin::line) has an answer: no, unless set. Costs
    /// one SIMD pass.
    pub fn count_lines(mut self, count: bool) -> Self {
        self.extractor.source.count_lines = count;
        self
    }

    /// About how many bytes a worker reads at a time: 256 KiB, unless set. Changes the speed, never what is found.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.extractor.source.chunk = bytes;
        self
    }

    /// The largest message that is read as one, in bytes: 4 MiB, unless set. What goes beyond is read as plain text,
    /// without MIME, and noted. Smaller than 1 is 1, and larger than 1 GiB is 1 GiB.
    ///
    /// It is not asked of [`Extractor::message`]. The memory that [`Extractor::paths`] and [`Extractor::read`] promise is
    /// that of the default: a larger message is in memory as a whole, several times over where it is decoded.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.extractor.source.limits.message = bytes.clamp(1, MAX_MESSAGE);
        self
    }

    /// Only messages dated then or later, in seconds from the beginning of 1970, UTC; all if `None`, as it is unless set.
    ///
    /// A message's date is what its Date field says. One without a date that can be read is left out, and told of as
    /// [`Outcome::Undated`](crate::Outcome::Undated); and so is left out what is no message, as with the next three. It is
    /// not asked of [`Extractor::message`], nor are they.
    pub fn since(mut self, seconds: Option<i64>) -> Self {
        self.extractor.config.choice.since = seconds;
        self
    }

    /// Only messages dated before; see [`since`](Self::since).
    pub fn before(mut self, seconds: Option<i64>) -> Self {
        self.extractor.config.choice.before = seconds;
        self
    }

    /// Only messages with a newsgroup of such a name in their Newsgroups field; all if `None`, as it is unless set.
    pub fn newsgroups(mut self, names: Option<Wildmat>) -> Self {
        self.extractor.config.choice.newsgroups = names;
        self
    }

    /// Only messages with such a [List-Id](crate::Origin::list_id) (RFC 2919); all if `None`, as it is unless set.
    pub fn list_id(mut self, ids: Option<Wildmat>) -> Self {
        self.extractor.config.choice.list = ids;
        self
    }

    /// Only messages that begin in this range of their file, in bytes as stored (or decompressed); all if `None`, as it is
    /// unless set. A file that is one text begins at 0. So every message belongs to one range of a partition, and what is
    /// found in all of them is what is found in the whole.
    ///
    /// An mbox as it lies is read from the range's beginning on; then [`Origin::message`](crate::Origin::message) has no
    /// answer, for nobody has counted. With [`count_lines`](Self::count_lines), of any other container and of what is
    /// compressed or no file, what comes before is read too, and cut, but not searched. Of a tar or zip archive the bytes
    /// are those of each member.
    pub fn byte_range(mut self, range: Option<Range<u64>>) -> Self {
        self.extractor.source.range = range;
        self
    }

    /// Of the files of [`Extractor::paths`] only those of this share; all if `None`, as it is unless set. Every share walks
    /// the directories, and is told what cannot be listed.
    pub fn shard(mut self, shard: Option<Shard>) -> Self {
        self.extractor.source.shard = shard;
        self
    }

    /// The extractor.
    #[must_use]
    pub fn build(self) -> Extractor {
        self.extractor
    }
}

/// Finds the URLs in mail and news, and tells a [`Sink`]. Immutable; may be shared between threads.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlspool::{Extractor, sink};
///
/// let message = b"Subject: x\n\nSee <http://www.example.org/a/\n  b.html>.\n";
/// let mut urls = Vec::new();
/// let mut sink = sink::from_fn(|hit| {
///     urls.push(hit.url().to_string());
///     ControlFlow::Continue(())
/// });
/// let _ = Extractor::builder().build().message(message, &mut sink);
/// assert_eq!(urls, ["http://www.example.org/a/b.html"]);
/// ```
#[derive(Clone, Debug)]
pub struct Extractor {
    config: Config,
    source: source::Options,
    threads: usize,
}

impl Extractor {
    /// A builder with the defaults.
    pub fn builder() -> ExtractorBuilder {
        let extractor = Extractor {
            config: Config {
                scanner: Scanner::new(),
                headers: HeaderScan::Include,
                html: true,
                defanged: false,
                choice: Choice::default(),
            },
            source: source::Options::default(),
            threads: 0,
        };
        ExtractorBuilder { extractor }
    }

    /// Gives `sink` the URLs of one message: headers, a blank line, the body, MIME and all; wire format is undone if it
    /// ends as that does, in a line with one dot. Offsets and lines are those in `message`, which should be below 4 GiB; a
    /// larger one is read as text. For who reads a Maildir, a Git store or a database for themselves, and knows where each
    /// message is from: [`Origin`](crate::Origin) has no file and no number for it.
    ///
    /// What the builder has for choosing messages is not asked, nor its limit on their size. The sink is told of hits,
    /// rejects, notes and parts, but of no unit and no end. Gives [`ControlFlow::Break`] if the sink did.
    ///
    /// Takes time in proportion to the message, some hundred bytes a microsecond or more, and memory for what is decoded of
    /// it, one part after the other. Nothing is kept from one message to the next.
    pub fn message(&self, message: &[u8], sink: &mut impl Sink) -> ControlFlow<()> {
        if line_ends::are_cr(message) {
            let mut message = message.to_vec();
            line_ends::to_lf(&mut message);
            return self.message(&message, sink);
        }
        let lines = self.source.count_lines.then(|| Lines::new(message, 0, 1));
        let start = message_start(message);
        let message = &message[start..];
        let place = Place { file: None, base: start as u64, number: 0, head: b"", lines: lines.as_ref(), gaps: None };
        let mut cuts = Vec::new();
        container::MESSAGE.cuts(message, &mut cuts);
        Worker::new(&self.config).stored(message, &cuts, place, sink)
    }

    /// Gives `sink` the URLs of a stream in any container, which is called `name` in what it is told; in this
    /// thread. A file, a socket, a slice of bytes, or a `&mut` of one: what can be [`Read`]. It is read in large steps,
    /// and needs no buffer of its own. Of what comes slowly, as over a connection, each message is told as soon as it is whole:
    /// in an mbox when the next one begins. The format is found out from the first 64 KiB, unless
    /// [given](ExtractorBuilder::format). Plain text, and what has to be unpacked, is told in pieces of 256 KiB.
    ///
    /// If the sink breaks off, no more is read, and that is no error.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urlspool::{Extractor, sink};
    ///
    /// let bytes = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nSee http://www.example.org/\n".to_vec();
    /// let mut count = 0;
    /// let mut sink = sink::from_fn(|_| {
    ///     count += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// Extractor::builder().build().read(bytes.as_slice(), "mailbox", &mut sink)?;
    /// assert_eq!(count, 1);
    /// # Ok::<(), urlspool::Error>(())
    /// ```
    ///
    /// Memory: one batch, and one message of at most the limit; see `paths`.
    ///
    /// # Errors
    ///
    /// If reading fails, or the stream is of a kind that has to be unpacked first. What was found before was given. If
    /// several members of an archive cannot be read it is about the last; the others are told as
    /// [problems](Sink::problem).
    pub fn read<S: Sink>(&self, stream: impl Read, name: impl AsRef<Path>, sink: &mut S) -> Result<(), Error> {
        let mut stream = Stream::from_reader(stream, name, &self.source);
        let mut failure: Option<Error> = None;
        let (mut worker, mut batch) = (Worker::new(&self.config), Batch::default());
        while let Some(mut given) = stream.next(&mut batch) {
            if let Given::End(_, error @ Some(_)) = &mut given {
                // The sink gets the earlier one.
                std::mem::swap(&mut failure, error);
            }
            if worker.given(&batch, &given, sink).is_break() {
                break;
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Gives `collect` the URLs of files, directories and standard input (`-`), in their order, with several workers.
    /// Directories are walked in a fixed order: Maildir, MH, spool trees, trees of any files. The paths are taken one
    /// by one as they are needed. What is taken is worked on without waiting for more, unless the iterator's `size_hint`
    /// promises it: several small files are one worker's then. The iterator goes to the workers, and
    /// has to own what it gives: of one that borrows, a `Vec` is collected.
    ///
    /// What cannot be read is told as a [problem](Sink::problem), and the rest goes on. A panic in a sink or in `collect` ends
    /// the work, and goes on in the caller's thread.
    ///
    /// Memory: below 64 MiB with two workers, whatever the input, unless [`ExtractorBuilder::max_message`] was raised; up to
    /// some 10 MiB for each further one.
    ///
    /// # Errors
    ///
    /// The first error of `collect` itself; nothing is read after it.
    pub fn paths<P>(&self, paths: P, collect: &mut impl Collect) -> io::Result<()>
    where
        P: IntoIterator<Item = PathBuf, IntoIter: Send + 'static>,
    {
        run::paths(self, paths.into_iter(), collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;
    use crate::hit::Hit;
    use crate::sink;
    use crate::source::Input;

    #[derive(Default)]
    struct Told(Vec<String>);

    impl Sink for Told {
        fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
            self.0.push(hit.url().to_string());
            ControlFlow::Continue(())
        }

        fn diagnostic(&mut self, file: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()> {
            assert_eq!(file.map(|file| (file.format(), file.codec())), Some(("mbox", None)));
            self.0.push(diagnostic.to_string());
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn what_is_beyond_the_limit_is_text() {
        let bytes = format!(
            "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\n\
            http://a/=\n1\n\n{}\n<http://a/=3D>\n",
            "=41".repeat(100)
        );
        let read = |builder: ExtractorBuilder| {
            let mut told = Told::default();
            builder.build().read(bytes.as_bytes(), "x", &mut told).expect("memory");
            told.0
        };
        assert_eq!(read(Extractor::builder()), ["http://a/1", "http://a/="]);
        let told = read(Extractor::builder().max_message(200));
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("larger than the limit"), "{told:?}");
        assert_eq!(told[1..], ["http://a/1", "http://a/=3D"]);
        let builder = Extractor::builder().max_message(usize::MAX);
        assert_eq!(builder.extractor.source.limits.message, MAX_MESSAGE);
        assert_eq!(read(builder), ["http://a/1", "http://a/="]);
    }
    #[test]
    fn a_message_alone_has_lines() {
        let message = b"X-URL: http://a/\n\n\nhttp://b/\n";
        for (count, want) in [(true, [Some(1), Some(4)]), (false, [None; 2])] {
            let mut lines = Vec::new();
            let mut sink = sink::from_fn(|hit| {
                lines.push(hit.origin().line());
                ControlFlow::Continue(())
            });
            assert!(Extractor::builder().count_lines(count).build().message(message, &mut sink).is_continue());
            assert_eq!(lines, want);
        }
    }
}
