//! The target of the output: standard output or the file of `-o`.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use urlspool::{Event, Extractor, PROBLEM_KINDS};

use super::input::{STDIN, is_stdin};
use crate::args::flags::Flag;
use crate::args::{Given, Wrong};
use crate::atomic_file::private;
use crate::escaped::{Escaped, Terminal};
use crate::file_id::{id, is_same};
use crate::last_byte::last_byte;
use crate::patient::Patient;
use crate::standard_streams;
use crate::status;

/// The options that name a file to write, except `--hits`: the mail must pass even if that file is wrong.
const FILES: [&str; 4] = ["output", "problems", "state", "parquet"];

/// Checks that no two outputs go to the same file, before any file is created or changed.
///
/// # Errors
///
/// If two options name the same file, or if an option names the file of standard output or of standard error.
pub(crate) fn check(given: &Given) -> Result<(), Wrong> {
    // Devices and pipes have no content that could be lost.
    let is_file = |path: &Path| !is_stdin(path) && path.metadata().map_or(true, |data| data.is_file());
    let named = |flag: Flag| {
        let path = given.path(flag.name).filter(|path| is_file(path))?;
        Some((flag.name, given.as_written(&flag), path))
    };
    let files: Vec<_> = given.flags().filter(|flag| FILES.contains(&flag.name)).filter_map(named).collect();
    let is_printed = given.path("output").is_none_or(is_stdin) && !given.has("parquet");
    let printed = is_printed.then(|| ("standard output", standard_streams::output()));
    let streams: Vec<_> = printed.into_iter().chain([("standard error", standard_streams::errors())]).collect();
    for (index, (option, name, path)) in files.iter().enumerate() {
        if let Some((_, other, _)) = files[..index].iter().find(|(.., other)| is_same(other, path)) {
            return Err(format!("{other} and {name} name the same file; give two names").into());
        }
        let own = path.metadata().ok().and_then(|data| id(&data));
        let is_own = |file: &File| own.is_some() && file.metadata().is_ok_and(|data| id(&data) == own);
        // The file of -o is checked when it is opened.
        if *option != "output"
            && let Some((stream, _)) = streams.iter().find(|(_, file)| file.as_ref().is_ok_and(is_own))
        {
            return Err(format!("{name} names the file of {stream}; give another name").into());
        }
    }
    Ok(())
}

pub(crate) enum Output {
    Stdout,
    /// Standard output, if it is a terminal and the output is JSON or CSV. Control characters are escaped, because
    /// the terminal would run them as commands.
    Terminal,
    File(OutputFile),
}

/// A file that keeps its old content until something is written. So the content is not lost if no input can be read.
pub(crate) struct OutputFile {
    file: File,
    /// The name for error messages.
    name: String,
    /// Whether the old content must still be removed.
    is_old: AtomicBool,
    /// Whether it is a terminal, such as `/dev/tty`. Control characters are then escaped.
    is_terminal: bool,
}

impl OutputFile {
    fn begin(&self) -> io::Result<()> {
        if self.is_old.swap(false, Ordering::Relaxed) { self.file.set_len(0) } else { Ok(()) }
    }
}

impl Write for &OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output {
    /// Opens the file at `path`. If it is a regular file, the first write truncates it. `inputs` are the paths of all known input
    /// files; `-` means standard input.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, if it is one of the inputs, or if it contains mail or is compressed. urlspool
    /// itself never writes mail or compressed data, so the user has probably named the wrong file.
    pub(crate) fn open<'p>(path: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> io::Result<Output> {
        if path == Path::new(STDIN) {
            return Ok(Output::Stdout);
        }
        let file = private().create(true).truncate(false).open(path)?;
        let data = file.metadata()?;
        let is_old = AtomicBool::new(data.is_file());
        if data.is_file() {
            let own = id(&data);
            let stdin = || standard_streams::input()?.metadata();
            let is_same = |input: &Path| match input == Path::new(STDIN) {
                true => own.is_some() && stdin().is_ok_and(|data| id(&data) == own),
                false => is_same(path, input),
            };
            if let Some(input) = inputs.into_iter().find(|input| is_same(input)) {
                let input =
                    if input == Path::new(STDIN) { "standard input".into() } else { Escaped::path(input).to_string() };
                return Err(io::Error::other(format!("the file is also an input ({input}); give another name")));
            }
            if let Some(what) = precious(&File::open(path)?) {
                return Err(io::Error::other(format!(
                    "the file exists and contains {what} data, which would be lost; give another name"
                )));
            }
        }
        let (name, is_terminal) = (Escaped::path(path).to_string(), file.is_terminal());
        Ok(Output::File(OutputFile { file, name, is_old, is_terminal }))
    }

    /// Checks that the file at `path` is empty or has the lines of an earlier run with `--problems`. If `appends` is
    /// true, keeps these lines.
    pub(crate) fn check_problems(&self, path: &Path, appends: bool) -> io::Result<()> {
        let Output::File(output) = self else { return Ok(()) };
        if !output.is_old.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut start = Vec::new();
        File::open(path)?.take(64).read_to_end(&mut start)?;
        let start = String::from_utf8_lossy(&start);
        let is_problem = || {
            let (kind, rest) = start.strip_prefix("{\"kind\":\"")?.split_once('"')?;
            (PROBLEM_KINDS.contains(&kind) && rest.starts_with(",\"file\":")).then_some(())
        };
        if !start.is_empty() && is_problem().is_none() {
            return Err(io::Error::other("the file exists, and is not a list of problems; give another name"));
        }
        if appends {
            let mut file = &output.file;
            file.seek(SeekFrom::End(0))?;
            // A run that was stopped can end in the middle of a line.
            if last_byte(path)?.is_some_and(|last| last != b'\n') {
                file.write_all(b"\n")?;
            }
            output.is_old.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Output::Stdout | Output::Terminal => None,
            Output::File(output) => Some(&output.file),
        }
    }

    /// Removes the old content of the file. Call this at the end, because without output, there was no write.
    pub(crate) fn begin(&self) -> io::Result<()> {
        if let Output::File(output) = self { output.begin() } else { Ok(()) }
    }

    /// Returns the name of the output for error messages.
    pub(crate) fn name(&self) -> &str {
        match self {
            Output::Stdout | Output::Terminal => status::STDOUT,
            Output::File(output) => &output.name,
        }
    }

    pub(crate) fn lock(&self) -> Box<dyn Write + '_> {
        match self {
            Output::Stdout => status::stdout(),
            Output::Terminal => Box::new(Terminal(Patient(io::stdout().lock()))),
            Output::File(output) if output.is_terminal => Box::new(Terminal(Patient(output))),
            Output::File(output) => Box::new(Patient(output)),
        }
    }
}

/// The number of bytes that are read to detect the format of a file.
const HEAD: u64 = 64 << 10;

/// Returns the name of the compression or of the mail format of a file, such as `gzip` or `mbox`. Returns `None` if the
/// file is plain text.
pub(super) fn precious(file: impl Read + Send) -> Option<String> {
    let mut kind = None;
    // Errors are ignored: only the first 64 KiB are read, so a larger compressed file looks truncated.
    let _ = Extractor::new().read(file.take(HEAD)).each(&mut |event: Event<'_>| {
        if let Event::End(file) = event {
            // Text and documents, such as an earlier report or JSON lines, can be printed again.
            let is_mail = !["text", "html", "calendar", "json-lines", "json"].contains(&file.format());
            let name = file.codec().or(is_mail.then_some(file.format()));
            kind = name.map(str::to_owned).or(kind.take());
        }
        ControlFlow::Continue(())
    });
    kind
}
