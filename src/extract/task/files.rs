//! Lists the files that a search would read.

use std::fs::File;
use std::path::PathBuf;

use crate::container::HEAD;
use crate::error::Error;
use crate::extract::search::Search;
use crate::extract::{FromPaths, Hits};
use crate::magic::Codec;
use crate::source::{self, Batch, Division, Entry, FileEntry, Input, Options, Stream, StreamEvent, Walk};

impl Hits<FromPaths> {
    /// Returns an iterator over the files that the search would read, in the order of the search. The iterator omits
    /// files that the search would skip. These are, for example, binary files, and plain text files if
    /// the option `format` is `mail`.
    ///
    /// The iterator reads only the beginning of each file: at most the first message, or about 1 MiB of text. The
    /// iterator uses one thread.
    ///
    /// An item is an error if a file or a directory cannot be read, or if the format of a file is not supported. After
    /// an error, the iterator continues with the next file.
    ///
    /// ```
    /// use urlspool::{Error, Extractor, ListedFile};
    ///
    /// let files = Extractor::new().paths(["corpus/mbox"]).files().collect::<Result<Vec<ListedFile>, Error>>()?;
    /// assert_eq!(files[0].path.to_str(), Some("corpus/mbox/quoted_from.mbox"));
    /// assert_eq!((files[0].format, files[0].splits), (Some("mbox"), Some("messages")));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn files(mut self) -> impl Iterator<Item = Result<ListedFile, Error>> + Send {
        let paths = std::mem::take(&mut self.from.paths);
        let walk = self.search.walk(paths);
        Files { walk, search: self.search, repositories: Vec::new().into_iter() }
    }
}

/// An iterator over the files that a search would read.
struct Files {
    walk: Walk,
    search: Search,
    /// The repositories of the current public-inbox that were not returned yet.
    repositories: std::vec::IntoIter<PathBuf>,
}

/// A file that a search would read.
///
/// ```
/// use urlspool::{Extractor, ListedFile};
///
/// let file: ListedFile = Extractor::new().paths(["corpus/mbox"]).files().next().unwrap()?;
/// assert_eq!((file.size, file.format, file.codec), (Some(493), Some("mbox"), None));
/// # Ok::<(), urlspool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedFile {
    /// The path of the file. For a public-inbox, the path of one of its repositories. For standard input, `-`.
    pub path: PathBuf,
    /// The size of the file in bytes, as stored. `None` for a pipe, a device, standard input and a repository.
    pub size: Option<u64>,
    /// The name of the format, such as `mbox`. The name is `archive` for tar and zip, and `git` for a repository. `None`
    /// for a pipe, a device and standard input, because their content is not read.
    pub format: Option<&'static str>,
    /// The compression of the file, such as `gzip`. `None` if the file is not compressed.
    pub codec: Option<&'static str>,
    /// How [`Hits::manifest`] divides the file if it is large: into ranges of whole `messages`, or of whole `members`.
    /// `None` if the file is always read as a whole. The value can be wrong for a zip archive, because its directory is
    /// not checked here. A zip archive is read as a whole if its directory is missing or unusual.
    pub splits: Option<&'static str>,
}

fn unread(path: PathBuf, format: Option<&'static str>) -> ListedFile {
    ListedFile { path, size: None, format, codec: None, splits: None }
}

impl Files {
    /// Describes a file. Returns `None` if the search would skip the file.
    fn file(&self, entry: FileEntry) -> Result<Option<ListedFile>, Error> {
        let path = entry.path.clone();
        if entry.size.is_none() {
            return Ok(Some(unread(path, None)));
        }
        let mut opened = File::open(&path).map_err(|e| source::unopened(&path, e))?;
        let size = opened.metadata().map_err(|e| Error::open(&path, e))?.len();
        let is_member = entry.member.is_some();
        let (division, codec) = source::divide(&mut opened, &self.search.source).map_err(|e| Error::read(&path, e))?;
        let splits = match division {
            _ if is_member => None,
            Division::Nowhere => None,
            Division::Messages => Some("messages"),
            Division::Members(_) => Some("members"),
        };
        let Some(format) = self.format(entry)? else { return Ok(None) };
        Ok(Some(ListedFile { path, size: Some(size), format: Some(format), codec: codec.map(Codec::as_str), splits }))
    }

    /// Returns the name of the format. Returns `None` if the search would skip the file.
    fn format(&self, entry: FileEntry) -> Result<Option<&'static str>, Error> {
        const ARCHIVE: &str = "archive";
        let path = entry.path.clone();
        let options = Options { chunk: HEAD, ..self.search.source.clone() };
        let mut stream = match Stream::open(Entry::File(entry), &options) {
            Ok(stream) => stream,
            Err(StreamEvent::End(_, Some(error))) => return Err(error),
            Err(_) => return Ok(None),
        };
        // The folders of an Outlook mailbox (`pst`) are its members, but the file is not listed as an archive.
        let of = |file: &Input| match file.format() {
            format if file.member().is_none() || format == "pst" => format,
            _ => ARCHIVE,
        };
        let is_prefix = |batch: &Batch, stream: &Stream<_>| {
            let is_whole = batch.file.as_deref().is_none_or(|file| file.member().is_none() && file.codec().is_none());
            is_whole && stream.is_unpacked()
        };
        let mut batch = Batch::default();
        while let Some(event) = stream.next(&mut batch) {
            match event {
                // This batch is not a member of the archive: it is the program at the start of a self-extracting zip
                // archive.
                StreamEvent::Batch if is_prefix(&batch, &stream) => return Ok(Some(ARCHIVE)),
                StreamEvent::Batch => return Ok(batch.file.as_deref().map(of)),
                StreamEvent::End(Some(file), _) => return Ok(Some(of(&file))),
                // An error with the path `path` is about the archive itself. An error with another path is about a
                // member. If only a member cannot be read, the archive is still listed.
                StreamEvent::End(None, Some(error)) if error.path() == path => return Err(error),
                StreamEvent::Skipped(skipped, _) if skipped == path => return Ok(None),
                StreamEvent::End(None, Some(_)) | StreamEvent::Skipped(..) => return Ok(Some(ARCHIVE)),
                StreamEvent::End(None, None) | StreamEvent::Finished(_) => {}
            }
        }
        Ok(None)
    }
}

impl Iterator for Files {
    type Item = Result<ListedFile, Error>;

    fn next(&mut self) -> Option<Result<ListedFile, Error>> {
        loop {
            if let Some(repository) = self.repositories.next() {
                return Some(Ok(unread(repository, Some("git"))));
            }
            match self.walk.next()? {
                Entry::File(entry) => {
                    if let Some(file) = self.file(entry).transpose() {
                        return Some(file);
                    }
                }
                Entry::Inbox(repositories) => self.repositories = repositories.into_iter(),
                Entry::Stdin => return Some(Ok(unread("-".into(), None))),
                Entry::Problem(error) => return Some(Err(error)),
                Entry::Skipped(..) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Extractor;
    use crate::source::{Temp, tar};

    #[test]
    fn files_have_a_format_and_a_compression() {
        let temp = Temp::new("files");
        let mbox = b"From a@b Mon Jan  1 00:00:00 2001\nSubject: x\n\nx\n";
        // The text `text` and a line break, compressed by gzip.
        let packed = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\x49\xad\x28\xe1\x02\0\x27\xda\xec\x37\x05\0\0\0";
        for (name, content) in [
            ("box", &mbox[..]),
            ("text.gz", packed),
            ("binary", b"\0\x01\x02"),
            ("a.tar", &tar(&[("binary", b"\0\x01\x02"), ("box", mbox)])),
        ] {
            temp.write(name, content);
        }
        // Columns: the path, and the format, the compression and the division of the file.
        let table = [
            ("box", (Some("mbox"), None, Some("messages"))),
            ("text.gz", (Some("text"), Some("gzip"), None)),
            ("a.tar", (Some("archive"), None, Some("members"))),
            ("a.tar!box", (Some("archive"), None, None)),
        ];
        for (name, want) in table {
            let mut files = Extractor::new().paths([temp.0.join(name)]).files();
            let file = files.next().expect("a file").expect("a file");
            assert_eq!((file.format, file.codec, file.splits), want, "{name}");
        }
        let listed = Extractor::new().paths([&temp.0]).files().map(|file| file.expect("a file").path);
        assert_eq!(listed.collect::<Vec<_>>(), ["a.tar", "box", "text.gz"].map(|name| temp.0.join(name)));
    }

    /// An archive is listed even if one of its members is not supported.
    #[test]
    fn only_an_unsupported_file_is_an_error() {
        let temp = Temp::new("unsupported-files");
        let content = b"7z\xbc\xaf\x27\x1c";
        let file = temp.write("a.7z", content);
        let archive = temp.write("a.tar", &tar(&[("a.7z", content)]));
        let listed = |path| Extractor::new().paths([path]).files().next().expect("an entry");
        assert!(listed(&file).is_err_and(|error| error.path() == file));
        assert_eq!(listed(&archive).expect("a file").format, Some("archive"));
    }
}
