//! Where the output goes: standard output, or the file of `-o`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use same_file::Handle;
use urlspool::{Extractor, HitRef, Input, Sink};

use super::input::STDIN;
use crate::escaped::Escaped;

/// The output.
pub(crate) enum Output {
    Stdout,
    /// A file, with its name for people.
    File(File, String),
}

impl Output {
    /// Opens `path`, and empties it if it is a regular file. `inputs` are the files that are read, as far as they are known;
    /// standard input is `-`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, is one of the inputs, or holds mail or something compressed: no output of this program
    /// does, so the name must be a slip.
    pub(crate) fn open<'p>(path: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> io::Result<Output> {
        if path == Path::new(STDIN) {
            return Ok(Output::Stdout);
        }
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.is_file() {
            let same = Handle::from_path(path)?;
            let is_same = |input: &Path| match input {
                input if input == Path::new(STDIN) => Handle::stdin().is_ok_and(|input| input == same),
                input => Handle::from_path(input).is_ok_and(|input| input == same),
            };
            if let Some(input) = inputs.into_iter().find(|input| is_same(input)) {
                let input =
                    if input == Path::new(STDIN) { "standard input".into() } else { Escaped::path(input).to_string() };
                return Err(io::Error::other(format!("it is also an input ({input}); give another name")));
            }
            if let Some(what) = precious(path)? {
                return Err(io::Error::other(format!(
                    "it exists and is not an earlier output ({what}); give another name"
                )));
            }
            file.set_len(0)?;
        }
        Ok(Output::File(file, Escaped::path(path).to_string()))
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Output::Stdout => None,
            Output::File(file, _) => Some(file),
        }
    }

    /// What it is called, for people.
    pub(crate) fn name(&self) -> String {
        match self {
            Output::Stdout => "standard output".into(),
            Output::File(_, name) => name.clone(),
        }
    }

    /// Writes to it.
    pub(crate) fn lock(&self) -> Box<dyn Write + '_> {
        match self {
            Output::Stdout => Box::new(io::stdout().lock()),
            Output::File(file, _) => Box::new(file),
        }
    }
}

/// How much of a file says what it is.
const HEAD: u64 = 64 << 10;

/// As what a file would be read, if it is not plain text.
fn precious(path: &Path) -> io::Result<Option<String>> {
    struct Kind(Option<String>);
    impl Sink for Kind {
        type Flow = ();

        fn hit(&mut self, _: &HitRef<'_>) {}

        fn end(&mut self, file: &Input) {
            let codec = file.codec().map(urlspool::Codec::as_str);
            self.0 = codec.or((file.format() != "text").then_some(file.format())).map(str::to_owned).or(self.0.take());
        }
    }
    let mut kind = Kind(None);
    let head = File::open(path)?.take(HEAD);
    // That the rest is missing is no surprise.
    let _ = Extractor::new().read(head).each(&mut kind);
    Ok(kind.0)
}
