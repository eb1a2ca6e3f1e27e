//! Recipes: how to do with this library what archivers do.
//!
//! Every example compiles and runs as a test. Bytes come in and go out; what is told borrows from the input, and is to be
//! copied if it should stay.
//!
//! - [The URLs of a text](#the-urls-of-a-text)
//! - [One URL](#one-url)
//! - [The URLs of a message](#the-urls-of-a-message)
//! - [Messages and threads of your own](#messages-and-threads-of-your-own)
//! - [The URLs of a connection](#the-urls-of-a-connection)
//! - [The URLs of a mailbox, in parallel](#the-urls-of-a-mailbox-in-parallel)
//! - [Links in a page](#links-in-a-page)
//! - [Links to another message](#links-to-another-message)
//! - [Links in a message as it lies](#links-in-a-message-as-it-lies)
//! - [A sink of your own](#a-sink-of-your-own)
//! - [Stopping early](#stopping-early)
//! - [Features](#features)
//!
//! # The URLs of a text
//!
//! For text that is already decoded. A [`Candidate`](crate::Candidate) may be a URL; [`Url::parse`](crate::Url::parse) says
//! whether it is. Nothing is allocated but for a URL that stood in several pieces or has several readings.
//!
//! ```
//! use urlspool::Scanner;
//!
//! let text = b"Both <URL:http://www.example.org/a/\n  b.html> and (ftp://ftp.example.org/pub).";
//! let urls: Vec<_> = Scanner::new().find_iter(text).filter_map(|candidate| candidate.parse().ok()).collect();
//! assert_eq!((urls[0].as_str(), urls[0].host()), ("http://www.example.org/a/b.html", Some("www.example.org")));
//! assert_eq!((urls[1].as_str(), urls[1].host()), ("ftp://ftp.example.org/pub", Some("ftp.example.org")));
//! ```
//!
//! # One URL
//!
//! For what is said to be a URL: the parser alone. It refuses with a reason and an offset, and for what it takes says how far
//! that obeys RFC 1738, and what to beware of.
//!
//! ```
//! use urlspool::url::{Url, percent};
//! use urlspool::{Component, Tier, Warning};
//!
//! let url = Url::parse("http://www.example.org:8080/%7Eme/a?b#c")?;
//! assert_eq!((url.tier(), url.host(), url.port()), (Tier::Rfc1738, Some("www.example.org"), Some(8080)));
//! let path = url.get(Component::Path).unwrap();
//! assert_eq!((path, &*percent::decode(path.as_bytes())), ("%7Eme/a", &b"~me/a"[..]));
//! assert!(url.warnings().iter().eq([Warning::PortNotDefault]));
//!
//! assert!(url.is_equivalent(&Url::parse("HTTP://WWW.example.org:8080/~me/a?b#c")?));
//! assert_eq!(url.join("../d")?.as_str(), "http://www.example.org:8080/d");
//!
//! let error = Url::parse("http://www.example.org:99999/").unwrap_err();
//! assert_eq!((error.offset(), error.to_string().as_str()), (23, "port above 65535 at offset 23 (RFC 793 3.1)"));
//! # Ok::<(), urlspool::ParseError>(())
//! ```
//!
//! # The URLs of a message
//!
//! Headers, MIME and all, in the order of their place.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlspool::{Extractor, sink};
//!
//! let message = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nSee http://www.example.org/?a=3D1=\n&b\n";
//! let mut urls = Vec::new();
//! let mut sink = sink::from_fn(|hit| {
//!     urls.push(hit.url().to_string());
//!     ControlFlow::Continue(())
//! });
//! let _ = Extractor::builder().build().message(message, &mut sink);
//! assert_eq!(urls, ["http://www.example.org/?a=1&b"]);
//! ```
//!
//! # Messages and threads of your own
//!
//! For an index that has its messages already, in a Maildir that changes, a Git store or a database, and reads each that is
//! new. One [`Extractor`](crate::Extractor) serves all threads. A hit borrows from the message, so that what is to stay is
//! copied. A sink that overrides [`part`](crate::Sink::part) is asked at each part too, whether it should go on: if somebody
//! wants to end the work, or a message takes too long. One that is too large is better not given at all.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::{AtomicBool, Ordering};
//! use std::thread;
//! use std::time::{Duration, Instant};
//! use urlspool::{Extractor, HitRef, Section, Sink};
//!
//! struct Row {
//!     url: String,
//!     part: Section,
//!     header: Option<Vec<u8>>,
//!     offset: u64,
//! }
//!
//! struct Rows<'a> {
//!     found: Vec<Row>,
//!     cancelled: &'a AtomicBool,
//!     end: Instant,
//! }
//!
//! impl Rows<'_> {
//!     fn go_on(&self) -> ControlFlow<()> {
//!         let is_over = self.cancelled.load(Ordering::Relaxed) || Instant::now() > self.end;
//!         if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//!     }
//! }
//!
//! impl Sink for Rows<'_> {
//!     fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()> {
//!         let (url, origin) = (hit.url().to_string(), hit.origin());
//!         let header = origin.header().map(<[u8]>::to_vec);
//!         self.found.push(Row { url, part: origin.part().clone(), header, offset: origin.offset() });
//!         self.go_on()
//!     }
//!
//!     fn part(&mut self, _: &Section) -> ControlFlow<()> {
//!         self.go_on()
//!     }
//! }
//!
//! let messages = [&b"Subject: x\n\nhttp://a.example/\n"[..], b"X-URL: http://b.example/\n\n"];
//! let extractor = Extractor::builder().build();
//! let cancelled = AtomicBool::new(false);
//! let index = |message: &[u8]| {
//!     let end = Instant::now() + Duration::from_secs(10);
//!     let mut rows = Rows { found: Vec::new(), cancelled: &cancelled, end };
//!     // A message that was not read to its end is not indexed: it is still new the next time.
//!     extractor.message(message, &mut rows).is_continue().then_some(rows.found)
//! };
//! let rows: Vec<Option<Vec<Row>>> = thread::scope(|scope| {
//!     let workers = messages.map(|message| scope.spawn(move || index(message)));
//!     workers.into_iter().map(|worker| worker.join().unwrap()).collect()
//! });
//! let row = |message: usize| &rows[message].as_ref().unwrap()[0];
//! assert_eq!((row(0).url.as_str(), row(0).part.to_string(), row(0).offset), ("http://a.example/", "1".into(), 12));
//! assert_eq!(row(1).header.as_deref(), Some(&b"X-URL"[..]));
//! ```
//!
//! # The URLs of a connection
//!
//! [`Extractor::read`](crate::Extractor::read) takes whatever can be read: an mbox, a batch of news, a message, compressed or not;
//! the format is found out. Of an mbox or a feed of news each message is told as soon as it is whole, if the format was
//! [given](crate::ExtractorBuilder::format); else 64 KiB have to come first.
//!
//! ```
//! use std::io::Write;
//! use std::net::{Shutdown, TcpListener, TcpStream};
//! use std::ops::ControlFlow;
//! use urlspool::{Extractor, sink};
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let mut sender = TcpStream::connect(listener.local_addr()?)?;
//! sender.write_all(b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nhttp://www.example.org/\n")?;
//! sender.shutdown(Shutdown::Write)?;
//!
//! let (connection, from) = listener.accept()?;
//! let mut found = Vec::new();
//! let mut sink = sink::from_fn(|hit| {
//!     found.push((hit.origin().message(), hit.origin().offset(), hit.url().to_string()));
//!     ControlFlow::Continue(())
//! });
//! Extractor::builder().build().read(connection, from.to_string(), &mut sink)?;
//! assert_eq!(found, [(Some(1), 46, "http://www.example.org/".to_string())]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The URLs of a mailbox, in parallel
//!
//! Each worker fills a part of its own, and the parts are [collected](crate::Collect) one by one in the order of the input:
//! no lock per hit, and the same output with any number of threads. Paths may be directories.
//!
//! ```
//! use std::io::{self, Write};
//! use std::ops::ControlFlow;
//! use std::path::PathBuf;
//! use urlspool::{Collect, Error, Extractor, HitRef, Sink};
//!
//! struct Lines<W>(W);
//! struct Part(Vec<u8>);
//!
//! impl Sink for Part {
//!     fn hit(&mut self, hit: &HitRef<'_>) -> ControlFlow<()> {
//!         let number = hit.origin().message().unwrap_or(0);
//!         self.0.extend_from_slice(format!("{number} {}\n", hit.url()).as_bytes());
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn problem(&mut self, error: &Error) -> ControlFlow<()> {
//!         eprintln!("{error}"); // The rest goes on.
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! impl<W: Write + Send> Collect for Lines<W> {
//!     type Local = Part;
//!
//!     fn new_local(&self) -> Part {
//!         Part(Vec::new())
//!     }
//!
//!     fn is_full(part: &Part) -> bool {
//!         part.0.len() > 100_000 // Keeps memory bounded, whatever a message holds.
//!     }
//!
//!     fn collect(&mut self, part: &mut Part) -> io::Result<ControlFlow<()>> {
//!         self.0.write_all(&part.0)?;
//!         part.0.clear();
//!         Ok(ControlFlow::Continue(()))
//!     }
//! }
//!
//! let mut lines = Lines(Vec::new());
//! let mailbox = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/mbox/small.mbox");
//! Extractor::builder().threads(2).build().paths([PathBuf::from(mailbox)], &mut lines)?;
//! assert!(lines.0.starts_with(b"1 http://"));
//! # Ok::<(), io::Error>(())
//! ```
//!
//! # Links in a page
//!
//! For an archive that has decoded its text and makes a page of it. A URL that was broken over lines has several
//! [pieces](crate::Candidate::pieces): each becomes a link to the whole, and what stood between them stays. Where the
//! reader may take the host for another one, it is named behind the link, its letters outside ASCII as bytes.
//!
//! The offsets are those of the bytes that are given, whatever they are; but a URL with bytes that are not UTF-8 ends
//! before them, so that text in another charset is to be converted first.
//!
//! ```
//! use urlspool::{Scanner, Warning};
//!
//! fn escaped(text: &[u8]) -> String {
//!     let text = String::from_utf8_lossy(text);
//!     text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
//! }
//!
//! /// What is not ASCII, by its number.
//! fn ascii(host: &str) -> String {
//!     host.chars().map(|c| if c.is_ascii() { c.to_string() } else { c.escape_unicode().to_string() }).collect()
//! }
//!
//! fn page(text: &[u8]) -> String {
//!     let (mut html, mut done) = (String::new(), 0);
//!     for candidate in Scanner::new().find_iter(text) {
//!         let Ok(url) = candidate.parse() else { continue };
//!         // What a reader may click on is for the archive to say: no `javascript:`, for one.
//!         if !url.known_scheme().is_some_and(|row| ["http", "https", "ftp"].contains(&row.name)) {
//!             continue;
//!         }
//!         for piece in candidate.pieces() {
//!             html += &escaped(&text[done..piece.start]);
//!             html += &format!("<a href=\"{}\">{}</a>", escaped(url.as_bytes()), escaped(&text[piece.clone()]));
//!             done = piece.end;
//!         }
//!         let deceives = |warning| matches!(warning, Warning::HostLooksLatin | Warning::UserinfoLooksLikeHost);
//!         if url.warnings().iter().any(deceives) {
//!             html += &format!(" [{}]", ascii(url.host().unwrap_or_default()));
//!         }
//!     }
//!     html + &escaped(&text[done..])
//! }
//!
//! assert_eq!(
//!     page(b"> See <http://www.example.org/?a&\n> b>."),
//!     "&gt; See &lt;<a href=\"http://www.example.org/?a&amp;b\">http://www.example.org/?a&amp;</a>\n\
//!      &gt; <a href=\"http://www.example.org/?a&amp;b\">b</a>&gt;."
//! );
//! assert!(page(b"http://www.bank.example@evil.example/").ends_with("</a> [evil.example]"));
//! assert!(page("http://аррӏе.example/".as_bytes()).ends_with(r"</a> [\u{430}\u{440}\u{440}\u{4cf}\u{435}.example]"));
//! ```
//!
//! # Links to another message
//!
//! What stands between `<URL:` and `>` may be a partial form, which the parser refuses: an archive that knows where its page
//! is can [join](crate::Url::join) it. It may also be a word of prose, so that `>` has to follow.
//!
//! ```
//! use urlspool::{Form, Scanner, Url};
//!
//! let page = Url::parse("http://lists.example.org/tapes/1986/msg01.html")?;
//! let text = b"As in <URL:msg02.html> and <URL:../1985/>. I mean <URL:what you get>.";
//! let mut links = Vec::new();
//! for candidate in Scanner::new().find_iter(text) {
//!     let is_whole = candidate.form() == Form::Wrapped && text[candidate.span().end..].starts_with(b">");
//!     if is_whole && candidate.parse().is_err() {
//!         links.push((candidate.span(), page.join(candidate.text())?.to_string()));
//!     }
//! }
//! assert_eq!(links, [
//!     (11..21, "http://lists.example.org/tapes/1986/msg02.html".into()),
//!     (32..40, "http://lists.example.org/tapes/1985/".into()),
//! ]);
//! # Ok::<(), urlspool::ParseError>(())
//! ```
//!
//! # Links in a message as it lies
//!
//! For a "show original": the message with its headers and encodings, each URL a link from its first byte to its last.
//! [`Origin::offset`](crate::Origin::offset) and [`length`](crate::Origin::length) count bytes of the message as
//! stored, also inside quoted-printable and base64. In HTML they come out of order, so they are sorted; where one lies
//! within another, the outer one is taken.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlspool::{Extractor, sink};
//! # fn escaped(text: &[u8]) -> String {
//! #     let text = String::from_utf8_lossy(text);
//! #     text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
//! # }
//!
//! fn original(message: &[u8]) -> String {
//!     let mut spans = Vec::new();
//!     let mut sink = sink::from_fn(|hit| {
//!         let (url, origin) = (hit.url(), hit.origin());
//!         if origin.is_exact() && url.scheme().eq_ignore_ascii_case("http") {
//!             let (start, length) = (origin.offset() as usize, origin.length() as usize);
//!             spans.push((start, start + length, url.to_string()));
//!         }
//!         ControlFlow::Continue(())
//!     });
//!     let _ = Extractor::builder().build().message(message, &mut sink);
//!     spans.sort_by_key(|(start, end, _)| (*start, usize::MAX - end));
//!     let (mut html, mut done) = (String::from("<pre>"), 0);
//!     for (start, end, url) in spans {
//!         if start >= done {
//!             html += &escaped(&message[done..start]);
//!             html += &format!("<a href=\"{}\">{}</a>", escaped(url.as_bytes()), escaped(&message[start..end]));
//!             done = end;
//!         }
//!     }
//!     html + &escaped(&message[done..]) + "</pre>"
//! }
//!
//! let message = b"Content-Transfer-Encoding: quoted-printable\n\nhttp://www.example.org/=\na\n";
//! assert!(original(message).contains("\n<a href=\"http://www.example.org/a\">http://www.example.org/=\na</a>\n"));
//! ```
//!
//! # A sink of your own
//!
//! A [`Sink`](crate::Sink) is told of hits, and of what else it asks for: candidates that are no URLs, damage that was
//! read around, the end of each file. For hits alone [`sink::from_fn`](crate::sink::from_fn) makes one of a closure.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlspool::{Error, Extractor, Input, HitRef, Diagnostic, Reject, Sink};
//!
//! #[derive(Default)]
//! struct Report {
//!     urls: usize,
//!     refused: Vec<String>,
//!     damage: Vec<String>,
//!     files: Vec<String>,
//! }
//!
//! impl Sink for Report {
//!     fn hit(&mut self, _: &HitRef<'_>) -> ControlFlow<()> {
//!         self.urls += 1;
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn reject(&mut self, reject: &Reject<'_>) -> ControlFlow<()> {
//!         self.refused.push(format!("{}: {}", reject.text().escape_ascii(), reject.reason()));
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn diagnostic(&mut self, _: Option<&Input>, diagnostic: &Diagnostic) -> ControlFlow<()> {
//!         self.damage.push(diagnostic.to_string());
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn end(&mut self, file: &Input) -> ControlFlow<()> {
//!         self.files.push(format!("{} ({})", file.name().display(), file.format()));
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! let mut report = Report::default();
//! let message = &b"Subject: x\n\nhttp://www.example.org/ and http://www.example.org:99999/\n"[..];
//! Extractor::builder().build().read(message, "x.eml", &mut report)?;
//! assert_eq!((report.urls, report.damage.len()), (1, 0));
//! assert_eq!(report.refused, ["http://www.example.org:99999/: port above 65535 at offset 23 (RFC 793 3.1)"]);
//! assert_eq!(report.files, ["x.eml (message)"]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Stopping early
//!
//! After a [`Break`](std::ops::ControlFlow::Break) nothing more is told, and nothing more is read but what was asked
//! for already.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlspool::{Extractor, sink};
//!
//! // The first URL of a host.
//! let mut first = None;
//! let mut sink = sink::from_fn(|hit| {
//!     if hit.url().host().is_some_and(|host| host.eq_ignore_ascii_case("www.example.org")) {
//!         first = Some(hit.url().to_string());
//!         return ControlFlow::Break(());
//!     }
//!     ControlFlow::Continue(())
//! });
//! let message = b"Subject: x\n\nhttp://example.net/ http://WWW.example.org/1 http://www.example.org/2\n";
//! assert!(Extractor::builder().build().message(message, &mut sink).is_break());
//! assert_eq!(first.unwrap(), "http://WWW.example.org/1");
//! ```
//!
//! # Features
//!
//! The default ones are the command's, and bring several times the crates that a library needs. This is what an archiver takes.
//!
//! ```toml
//! [dependencies]
//! urlspool = { version = "0.1", default-features = false, features = ["mime", "html"] }
//! ```
//!
//! Without any feature there are [`url`](crate::url) and [`scan`](crate::scan), on top of `memchr` alone: the recipes [for one
//! URL](#one-url), [for a text](#the-urls-of-a-text) and [for a page](#links-in-a-page) need no more. Features add to it, one
//! by one: `mime` for messages and mailboxes, `html`; `parallel`, without which
//! [`Extractor::paths`](crate::Extractor::paths) has one worker; `compression`, without which packed files are told as
//! [problems](crate::Sink::problem). None changes what another finds in plain text. For text that
//! comes in pieces there is [`Scanner::stream`](crate::Scanner::stream).
//!
//! C and C++ have an interface of their own: the crate in `capi/`, with its header `urlspool.h`.
