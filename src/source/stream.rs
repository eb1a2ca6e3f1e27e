//! One input, from its first octet to its last, batch by batch.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr_iter;

#[cfg(feature = "compression")]
use super::gzip::Gzip;
use super::magic::{self, MAGIC_LEN, Magic};
use super::{Batch, Codec, Entry, Evidence, File, Options, seek};
use crate::container::{Format, HEAD, LOOKBACK, MESSAGE, Note, NoteKind, Slicer, TEXT};
use crate::error::Error;

/// One input that is being read.
pub(crate) struct Stream<R = Box<dyn Read + Send>> {
    path: PathBuf,
    /// A file that holds one message if its content does not say otherwise.
    message: bool,
    options: Options,
    reader: Reader<R>,
    /// What is known once the first octets are there.
    file: Option<Arc<File>>,
    slicer: Option<Slicer>,
    /// The octets that were read and are in no piece yet,
    carry: Vec<u8>,
    /// where they begin in the file,
    base: u64,
    /// and in which line, from 1.
    line: u64,
    eof: bool,
    failed: Option<io::Error>,
}

enum Reader<R> {
    Plain(R),
    #[cfg(feature = "compression")]
    Gzip(Box<Gzip<Headed<R>>>),
    /// Nothing, while one is exchanged for another.
    #[cfg(feature = "compression")]
    Gone(io::Empty),
}

/// What is left of a reader, behind what was read of it already.
#[cfg(feature = "compression")]
type Headed<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

impl<R: Read> Reader<R> {
    fn as_read(&mut self) -> &mut dyn Read {
        match self {
            Reader::Plain(reader) => reader,
            #[cfg(feature = "compression")]
            Reader::Gzip(reader) => reader,
            #[cfg(feature = "compression")]
            Reader::Gone(reader) => reader,
        }
    }

    /// What was odd at the end.
    fn note(&mut self) -> Option<NoteKind> {
        match self {
            Reader::Plain(_) => None,
            #[cfg(feature = "compression")]
            Reader::Gzip(reader) => reader.note(),
            #[cfg(feature = "compression")]
            Reader::Gone(_) => None,
        }
    }

    /// Undoes the compression of what begins with `head`.
    #[cfg(feature = "compression")]
    fn decompress(&mut self, head: Vec<u8>, codec: Codec) {
        let Codec::Gzip = codec;
        if let Reader::Plain(rest) = std::mem::replace(self, Reader::Gone(io::empty())) {
            *self = Reader::Gzip(Box::new(Gzip::new(io::Cursor::new(head).chain(rest))));
        }
    }

    /// [`magic::look`] calls nothing compressed without the feature.
    #[cfg(not(feature = "compression"))]
    fn decompress(&mut self, _: Vec<u8>, codec: Codec) {
        unreachable!("{} is not undone", codec.as_str());
    }
}

impl Stream {
    /// Opens a file or standard input.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or the entry is a [`Entry::Problem`], which is handed back.
    pub(crate) fn open(entry: Entry, options: &Options) -> Result<Stream, Error> {
        let input = match entry {
            Entry::File(input) => input,
            Entry::Stdin => return Ok(Stream::from_reader(Box::new(io::stdin()), "-", options)),
            Entry::Problem(error) => return Err(error),
        };
        let mut file = std::fs::File::open(&input.path).map_err(|e| Error::open(&input.path, e))?;
        let skipped = seek::skip(&mut file, options).map_err(|e| Error::read(&input.path, e))?;
        let mut stream: Stream = Stream::new(Box::new(file), input.path, input.message, options);
        if let (Some(format), Some(range)) = (skipped, &options.range) {
            let evidence = if options.format.is_some() { Evidence::Asked } else { Evidence::Content };
            stream.file = Some(Arc::new(File { path: stream.path.clone(), format, codec: None, evidence }));
            stream.slicer = Some(Slicer::new(format, options.limits).beginning_within(range.clone()));
            stream.base = range.start - LOOKBACK;
        }
        Ok(stream)
    }
}

impl<R: Read> Stream<R> {
    /// Reads from anything, under a name for messages.
    pub(crate) fn from_reader(reader: R, name: impl AsRef<Path>, options: &Options) -> Stream<R> {
        Stream::new(reader, name.as_ref().into(), false, options)
    }

    fn new(reader: R, path: PathBuf, message: bool, options: &Options) -> Stream<R> {
        Stream {
            path,
            message,
            options: options.clone(),
            reader: Reader::Plain(reader),
            file: None,
            slicer: None,
            carry: Vec::new(),
            base: 0,
            line: 1,
            eof: false,
            failed: None,
        }
    }

    /// What is known of the file; `None` until the first octets were read, and if it is of a kind that is not read.
    pub(crate) fn file(&self) -> Option<&Arc<File>> {
        self.file.as_ref()
    }

    /// Fills the batch with the next pieces. `false` if there are no more.
    ///
    /// Reads [`Options::chunk`] octets or so, more if they hold no whole piece: at most the largest message, or 1 MiB of
    /// text, and a little. The pieces depend on the content alone.
    ///
    /// # Errors
    ///
    /// If the input is of a kind that is not read, or reading fails; all pieces before the failure have been handed out
    /// then. The stream is at its end after an error.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        while self.fill(batch)? {
            if !batch.pieces.is_empty() || !batch.notes.is_empty() {
                return Ok(true);
            }
        }
        self.failed.take().map_or(Ok(false), |e| Err(Error::read(&self.path, e)))
    }

    /// Fills the batch with what comes next: nothing, where nothing of it is wanted. `false` behind the end.
    fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let chunk = self.options.chunk.max(1);
        batch.begin(&self.carry, chunk);
        (batch.base, batch.line) = (self.base, if self.options.count_lines { self.line } else { 0 });
        let step = (chunk / 8).max(1);
        let mut target = chunk.max(self.carry.len().saturating_add(step));
        self.carry.clear();
        if self.file.is_none() && !self.eof {
            let (file, slicer) = self.begin(batch, target)?;
            (self.file, self.slicer) = (Some(Arc::new(file)), Some(slicer));
        }
        let Some(slicer) = &mut self.slicer else { return Ok(false) };
        batch.file.clone_from(&self.file);
        let keep = loop {
            if !self.eof {
                let more = batch.fill(self.reader.as_read(), target);
                self.eof = !more.unwrap_or_else(|e| {
                    self.failed = Some(e);
                    false
                });
            }
            let keep = batch.slice(slicer, self.eof);
            // Of a part of a file, what comes before it makes no pieces.
            let skips = self.options.range.is_some() && keep > batch.base;
            if self.eof || !batch.pieces.is_empty() || skips || slicer.is_finished() {
                break keep;
            }
            target = batch.bytes().len().saturating_add(step);
        };
        let keep = (keep - batch.base) as usize;
        if slicer.is_finished() {
            let end = batch.base + batch.bytes().len() as u64;
            batch.notes.extend(self.reader.note().map(|kind| Note { kind, offset: end }));
            self.slicer = None;
        } else {
            self.carry.extend_from_slice(&batch.bytes()[keep..]);
            self.base = batch.base + keep as u64;
            if self.options.count_lines {
                self.line += memchr_iter(b'\n', &batch.bytes()[..keep]).count() as u64;
            }
        }
        Ok(true)
    }

    /// Reads enough to know what the input is.
    fn begin(&mut self, batch: &mut Batch, target: usize) -> Result<(File, Slicer), Error> {
        let mut compression = None;
        self.head(batch, MAGIC_LEN.max(target));
        let mut magic = magic::look(batch.bytes());
        if let Magic::Compressed(codec, line) = magic {
            compression = Some(codec);
            self.reader.decompress(batch.take().split_off(line), codec);
            self.eof = false;
            self.head(batch, MAGIC_LEN.max(target));
            magic = magic::look(batch.bytes());
        }
        if let Magic::Unsupported(what, hint) = magic {
            self.eof = true;
            return Err(Error::unsupported(&self.path, what, hint));
        }
        let (format, evidence) = match self.options.format {
            Some(format) => (format, Evidence::Asked),
            None => {
                self.head(batch, HEAD);
                match Format::detect(batch.bytes()) {
                    format if format == TEXT && self.message => (MESSAGE, Evidence::Place),
                    format => (format, Evidence::Content),
                }
            }
        };
        let file = File { path: self.path.clone(), format, codec: compression, evidence };
        let slicer = Slicer::new(format, self.options.limits);
        Ok((file, self.options.range.clone().into_iter().fold(slicer, Slicer::within)))
    }

    /// Reads until there are so many octets, or the input ends or fails.
    fn head(&mut self, batch: &mut Batch, target: usize) {
        if self.eof {
            return;
        }
        match batch.fill(self.reader.as_read(), target) {
            Ok(more) => self.eof = !more,
            Err(e) => (self.eof, self.failed) = (true, Some(e)),
        }
    }
}
