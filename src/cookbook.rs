//! Recipes for programs that read mail or news.
//!
//! Every example compiles and runs as a test.
//!
//! - [The URLs of a string](#the-urls-of-a-string)
//! - [One URL](#one-url)
//! - [The URLs of a message](#the-urls-of-a-message)
//! - [The URLs of a mailbox](#the-urls-of-a-mailbox)
//! - [The messages of a mailbox](#the-messages-of-a-mailbox)
//! - [The URLs of a connection](#the-urls-of-a-connection)
//! - [The URLs of directories, into a database](#the-urls-of-directories-into-a-database)
//! - [Links in a page](#links-in-a-page)
//! - [Links to another message](#links-to-another-message)
//! - [Links in a message as it is stored](#links-in-a-message-as-it-is-stored)
//! - [Duplicates](#duplicates)
//! - [A time limit](#a-time-limit)
//! - [Malformed input](#malformed-input)
//! - [Features](#features)
//!
//! # The URLs of a string
//!
//! Use [`Scanner`](crate::Scanner) for text that is already decoded. A [`Candidate`](crate::Candidate) is text that
//! looks like a URL. Its method [`parse`](crate::Candidate::parse) checks whether the text is a URL. Scanning and
//! parsing allocate memory only for a URL that was broken over lines or has
//! [alternatives](crate::Candidate::alternatives).
//!
//! ```
//! use urlspool::{Scanner, Url};
//!
//! let text = "Both <URL:http://www.example.org/a/\n  b.html> and (ftp://ftp.example.org/pub).";
//! let urls: Vec<Url> = Scanner::new().find_iter(text).filter_map(|c| c.parse().ok()).collect();
//! assert_eq!((urls[0].as_str(), urls[0].host()), ("http://www.example.org/a/b.html", Some("www.example.org")));
//! assert_eq!((urls[1].as_str(), urls[1].host()), ("ftp://ftp.example.org/pub", Some("ftp.example.org")));
//!
//! // The span begins at the first byte of the URL and ends after its last byte. It contains the line break.
//! let first = Scanner::new().find(text).unwrap();
//! assert_eq!((first.span(), first.pieces().count()), (10..44, 2));
//! ```
//!
//! # One URL
//!
//! [`Url::parse`](crate::Url::parse) takes strings and bytes. The returned [`Url`](crate::Url) has the components of
//! the URL, its [tier](crate::Tier) (the narrowest grammar that allows the URL), and warnings. If the text is not a
//! URL, the error has a reason and an offset.
//!
//! ```
//! use urlspool::{Tier, Url, Warning, percent_decode};
//!
//! let url = Url::parse("http://www.example.org:8080/%7Eme/a?b#c")?;
//! assert_eq!((url.tier(), url.host(), url.port()), (Tier::Rfc1738, Some("www.example.org"), Some(8080)));
//! assert_eq!(url.path(), Some("%7Eme/a"));
//! assert_eq!(&*percent_decode(url.path().unwrap().as_bytes()), b"~me/a");
//! assert!(url.warnings().eq([Warning::PortNotDefault]));
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
//! [`Extractor::message`](crate::Extractor::message) searches a message in memory, such as a message from a database.
//! This method searches the headers and all MIME parts, in order. Several threads can share one
//! [`Extractor`](crate::Extractor).
//!
//! ```
//! use urlspool::{Extractor, Hit};
//!
//! let message = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\nSee http://www.example.org/?a=3D1=\n&b\n";
//! let found: Vec<Hit> = Extractor::new().message(message);
//! assert_eq!(found[0].url().as_str(), "http://www.example.org/?a=1&b");
//! assert_eq!((found[0].part(), found[0].line(), found[0].offset()), ("1".into(), 4, 60));
//! ```
//!
//! [`message_into`](crate::Extractor::message_into) searches a message without copying the hits. It passes each hit
//! to a [`Sink`](crate::Sink), as a [`Hit`](crate::Hit) that borrows from the message.
//!
//! # The URLs of a mailbox
//!
//! [`open`](crate::Extractor::open) reads a file or a directory in any supported format, compressed or not. With the
//! feature `parallel`, the search uses several threads.
//!
//! ```
//! use urlspool::Extractor;
//!
//! for hit in Extractor::new().open("corpus/mbox/small.mbox")? {
//!     let hit = hit?;
//!     println!("{}:{} {}", hit.file().display(), hit.line(), hit.url());
//! }
//! # Ok::<(), urlspool::Error>(())
//! ```
//!
//! If a file cannot be read to its end, the iterator returns an error, and then continues with the next file. So a
//! program that reads many files can print each error and continue.
//!
//! # The messages of a mailbox
//!
//! [`Hits::messages`](crate::Hits::messages) returns each message with its headers, its decoded text and its
//! hits. Use this method in a program that writes a mail archive.
//!
//! ```
//! use std::fs::File;
//! use urlspool::Extractor;
//!
//! let mut count = 0;
//! for message in Extractor::new().read(File::open("corpus/mbox/small.mbox")?).messages() {
//!     let message = message?;
//!     let (subject, from, date) = (message.subject(), message.from(), message.date());
//!     println!("{date:?} {from:?} {subject:?}, bytes {:?}", message.range());
//!     message.parts(|part| println!("part {}: {}", part.section(), part.to_str()));
//!     count += message.hits().len();
//! }
//! assert!(count > 0);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! To show the text of a part with links, use [`Part::hits`](crate::Part::hits), which returns each hit with its ranges
//! in the decoded text. [`Hit::offset`](crate::Location::offset) is different: it is an offset in the file. The program
//! `archive` in `examples/` is a complete example.
//!
//! # The URLs of a connection
//!
//! [`Extractor::read`](crate::Extractor::read) takes anything that implements [`Read`](std::io::Read). If you set the
//! option `format`, the iterator returns the URLs of a message as soon as the message is complete.
//! Without a format, the iterator first waits for 64 KiB of input to detect the format.
//!
//! ```
//! use std::io::Write;
//! use std::net::{Shutdown, TcpListener, TcpStream};
//! use urlspool::Extractor;
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let mut sender = TcpStream::connect(listener.local_addr()?)?;
//! sender.write_all(b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nhttp://www.example.org/\n")?;
//! sender.shutdown(Shutdown::Write)?;
//!
//! let (connection, from) = listener.accept()?;
//! for hit in Extractor::new().set("format", "mbox")?.read(connection).name(from.to_string()) {
//!     let hit = hit?;
//!     assert_eq!((hit.message(), hit.offset(), hit.url().as_str()), (Some(1), 46, "http://www.example.org/"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The URLs of directories, into a database
//!
//! The simplest way to search directories is [`paths`](crate::Extractor::paths). It returns an iterator, so your
//! program handles all hits in one thread. With [`Collect`](crate::Collect), the worker threads also run your code for
//! each hit, for example to format a line. Each thread fills [`Local`](crate::Collect::Local) sinks of its own. The
//! search then passes these sinks to `collect` one at a time, in the order of the input. So your program needs no lock,
//! and the result does not depend on the number of threads.
//!
//! ```
//! use std::io::{self, Write};
//! use std::ops::ControlFlow;
//! use urlspool::{Collect, Event, Extractor, Sink};
//!
//! struct Lines<W> { out: W, written: io::Result<()> }
//! struct Local(Vec<u8>);
//!
//! impl Sink for Local {
//!     fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
//!         match event {
//!             Event::Hit(hit) => {
//!                 let number = hit.message().unwrap_or(0);
//!                 self.0.extend_from_slice(format!("{number} {}\n", hit.url()).as_bytes());
//!             }
//!             Event::Error(error) => eprintln!("{error}"), // The run continues.
//!             _ => {}
//!         }
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! impl<W: Write + Send + 'static> Collect for Lines<W> {
//!     type Local = Local;
//!
//!     fn new_local(&self) -> Local {
//!         Local(Vec::new())
//!     }
//!
//!     fn is_full(local: &Local) -> bool {
//!         local.0.len() > 100_000 // Limits the memory of each local sink.
//!     }
//!
//!     fn collect(&mut self, local: &mut Local) -> ControlFlow<()> {
//!         self.written = self.out.write_all(&local.0);
//!         local.0.clear();
//!         // A failed write stops the run.
//!         if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
//!     }
//! }
//!
//! let lines = Lines { out: Vec::new(), written: Ok(()) };
//! let lines = Extractor::new().threads(2).paths(["corpus/mbox/small.mbox", "corpus/maildir"]).parallel(lines);
//! lines.written?;
//! assert!(lines.out.starts_with(b"1 http://"));
//! # Ok::<(), io::Error>(())
//! ```
//!
//! # Links in a page
//!
//! This recipe converts plain text to HTML with links. For the text of a message, use the recipe [the messages of a
//! mailbox](#the-messages-of-a-mailbox) instead. The [`Extractor`](crate::Extractor) of that recipe rejoins broken URLs
//! more reliably, because it checks whether the same URL occurs elsewhere in the message.
//!
//! If a URL was broken over lines, each piece is a link to the whole URL. URLs of schemes that could run a program, such
//! as `javascript:`, stay text.
//!
//! ```
//! use urlspool::{Extractor, linkify};
//!
//! assert_eq!(
//!     linkify(&Extractor::new(), "> See <http://www.example.org/?a&\n> b>."),
//!     "&gt; See &lt;<a href=\"http://www.example.org/?a&amp;b\">http://www.example.org/?a&amp;</a>\n\
//!      &gt; <a href=\"http://www.example.org/?a&amp;b\">b</a>&gt;."
//! );
//! ```
//!
//! This recipe writes a "show original" page: the message as stored, with headers and encodings. The http URLs become
//! links. [`Hit::pieces`](crate::Hit::pieces) returns byte ranges of the stored message, even inside quoted-printable
//! and base64. In HTML, hits are not always in the order of their offsets, so the recipe sorts the ranges. If a range
//! is inside another range, only the outer range becomes a link.
//!
//! ```
//! use urlspool::Extractor;
//! # fn escaped(text: &[u8]) -> String {
//! #     let text = String::from_utf8_lossy(text);
//! #     text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
//! # }
//!
//! fn original(message: &[u8]) -> String {
//!     let hits = Extractor::new().message(message);
//!     let exact = hits.iter().filter(|hit| hit.exact() && hit.url().scheme() == "http");
//!     let mut links: Vec<_> = exact.flat_map(|hit| hit.pieces().into_iter().map(move |piece| (piece, hit.url()))).collect();
//!     links.sort_by_key(|(piece, _)| (piece.start, u64::MAX - piece.end));
//!     let (mut html, mut done) = (String::from("<pre>"), 0);
//!     for (piece, url) in links {
//!         let (start, end) = (piece.start as usize, piece.end as usize);
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
//! # Duplicates
//!
//! [`normalized`](crate::Url::normalized) returns the same text for equivalent URLs, so you can use this text as a key.
//!
//! ```
//! use urlspool::{Scanner, Url};
//!
//! let text = "http://www.example.org/~me HTTP://WWW.Example.Org:80/%7Eme http://www.example.org/you";
//! let mut urls: Vec<Url> = Scanner::new().find_iter(text).filter_map(|c| c.parse().ok()).collect();
//! urls.sort_by_key(|url| url.normalized());
//! urls.dedup_by_key(|url| url.normalized());
//! assert_eq!(urls.len(), 2);
//! ```
//!
//! # A time limit
//!
//! A sink can stop the search. The search reports [`Event::Check`](crate::Event::Check) regularly, even if it finds no
//! URL.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::time::{Duration, Instant};
//! use urlspool::{Event, Extractor};
//!
//! let end = Instant::now() + Duration::from_secs(10);
//! let mut found = Vec::new();
//! let message = b"Subject: x\n\nhttp://www.example.org/\n";
//! let flow = Extractor::new().message_into(message, &mut |event: Event<'_>| {
//!     match event {
//!         Event::Hit(hit) => found.push(hit.to_owned()),
//!         Event::Check if Instant::now() >= end => return ControlFlow::Break(()),
//!         _ => {}
//!     }
//!     ControlFlow::Continue(())
//! });
//! assert!(flow.is_continue() && found.len() == 1);
//! ```
//!
//! You can cancel a search of many files in the same way, for example from another thread: if `collect` returns
//! `Break`, [`parallel`](crate::Hits::parallel) returns at once. If you use an iterator instead, drop the iterator to
//! cancel the search.
//!
//! # Malformed input
//!
//! A [`Sink`](crate::Sink) receives hits. It also receives invalid URLs, reports of malformed messages, errors about
//! files that cannot be read, and the paths of skipped files. [`Event`](crate::Event) lists all events.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlspool::{Event, Extractor};
//!
//! let message = &b"Subject: x\n\nhttp://www.example.org/ and http://www.example.org:99999/\n"[..];
//! let mut report = Vec::new();
//! let _ = Extractor::new().read(message).name("x.eml").each(&mut |event: Event<'_>| {
//!     match event {
//!         Event::Hit(hit) => report.push(hit.url().to_string()),
//!         Event::Reject(reject) => report.push(format!("{}: {}", reject.text().escape_ascii(), reject.reason())),
//!         Event::Diagnostic { diagnostic, .. } => report.push(diagnostic.to_string()),
//!         Event::Error(error) => report.push(error.to_string()),
//!         Event::Skipped { path, why } => report.push(format!("{}: {}", path.display(), why.about())),
//!         Event::End(file) => report.push(format!("{} ({})", file.name().display(), file.format())),
//!         _ => {}
//!     }
//!     ControlFlow::Continue(())
//! });
//! let port = "http://www.example.org:99999/: port above 65535 at offset 23 (RFC 793 3.1)";
//! assert_eq!(report, ["http://www.example.org/", port, "x.eml (message)"]);
//! ```
//!
//! # Features
//!
//! The recipes for [a string](#the-urls-of-a-string), [one URL](#one-url) and [a page](#links-in-a-page) need no
//! feature. They use only [`Url`](crate::Url) and [`Scanner`](crate::Scanner), which depend only on the crate `memchr`.
//!
//! Without `parallel`, [`Extractor::paths`](crate::Extractor::paths) works in the caller's thread. Without
//! `compression`, a compressed file is an [error](crate::ErrorKind::Unsupported). Without `html`, the source of HTML
//! parts is searched as plain text. The features `std`, `parallel` and `perf` never change which URLs are found.
//!
//! For C and C++, use the crate in `capi/` and its header `urlspool.h`.
