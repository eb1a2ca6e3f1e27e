//! Gives each test its own folder, and runs the command in that folder.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run of the command that takes longer than this counts as a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder in which the command runs.
pub(crate) struct World {
    dir: PathBuf,
}

impl World {
    /// Makes an empty folder. Each test must use its own `name`.
    pub(crate) fn new(name: &str) -> World {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{name}"));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        World { dir }
    }

    /// Makes a folder with [`BOX`] as the file `box`.
    pub(crate) fn with_box(name: &str) -> World {
        World::new(name).file("box", BOX)
    }

    /// Adds a file, and makes its missing parent folders.
    pub(crate) fn file(self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> World {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Returns the path of the folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.join(name)
    }

    /// Returns the command, set up to run in this folder with an empty standard input.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urlspool"));
        command.args(arguments).current_dir(&self.dir).env_remove("URLSPOOL_CONFIG_PATH");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command. Blanks separate the arguments.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, b"")
    }

    /// Runs the command with `input` on standard input.
    pub(crate) fn run_with(&self, arguments: &str, input: &[u8]) -> Run {
        let mut child = self.command(arguments.split_whitespace()).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // The write may fail, because the command may close the pipe before it has read all input.
        std::thread::spawn(move || stdin.write_all(&input));
        finish(child)
    }
}

/// Waits until `child` exits, and returns its output and exit status. Panics if this takes too long.
pub(crate) fn finish(child: Child) -> Run {
    finish_within(child, PATIENCE).expect("the command hangs")
}

/// Waits until `child` exits, and returns its output and exit status. If `child` has not exited after `patience`, kills
/// `child` and returns `None`.
pub(crate) fn finish_within(mut child: Child, patience: Duration) -> Option<Run> {
    let stdout = child.stdout.take().map(|pipe| std::thread::spawn(move || read(pipe)));
    let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || read(pipe)));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > patience {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |thread: Option<std::thread::JoinHandle<Vec<u8>>>| thread.map_or(Vec::new(), |t| t.join().unwrap());
    Some(Run { status: status.code(), stdout: text(stdout), stderr: text(stderr) })
}

fn read(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).unwrap();
    bytes
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Run {
    /// Asserts the exact standard output and the exit status. Standard error must be empty.
    #[track_caller]
    pub(crate) fn prints(&self, status: i32, stdout: &str) {
        assert_eq!(String::from_utf8_lossy(&self.stderr), "");
        assert_eq!(String::from_utf8_lossy(&self.stdout), stdout);
        assert_eq!(self.status, Some(status));
    }

    /// Asserts that urlspool found nothing (status 1), and that standard error has exactly these lines.
    #[track_caller]
    pub(crate) fn explains(&self, lines: &str) {
        let want: String = lines.lines().map(|line| format!("urlspool: {line}\n")).collect();
        assert_eq!(String::from_utf8_lossy(&self.stderr), want);
        assert_eq!((self.status, self.stdout.len()), (Some(1), 0));
    }

    /// Asserts that standard error contains `words`, standard output is empty, and the exit status is 2.
    #[track_caller]
    pub(crate) fn complains(&self, words: &str) {
        let stderr = String::from_utf8_lossy(&self.stderr);
        assert!(stderr.contains(words), "{words:?} is not in {stderr:?}");
        assert_eq!(String::from_utf8_lossy(&self.stdout), "");
        assert_eq!(self.status, Some(2));
    }

    /// Parses standard output as JSON, one object per line.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<serde_json::Map<String, serde_json::Value>> {
        let message = String::from_utf8_lossy(&self.stderr);
        assert!(message.is_empty() || message.starts_with("urlspool: not searched in mail: "), "{message}");
        let text = std::str::from_utf8(&self.stdout).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A mailbox of two messages with examples for every option.
pub(crate) const BOX: &str = "\
From ann@example.org Mon Jan  5 10:00:00 1998
From: Ann <ann@example.org>
Date: Mon, 5 Jan 1998 12:00:00 +0200
Message-ID: <one@example.org>
Subject: Where things are
X-URL: http://ann.example.org/

The list is at http://lists.example.org/a?b#c, the rest in
<URL:ftp://ftp.example.org/pub/read-
  me>. Not here: http:///nowhere but there.
> I keep mine at http://www.example.org/~bob, see there.

From bob@example.org Tue Jan  6 10:00:00 1998
From: Bob <bob@example.org>
Message-ID: <two@example.org>
Subject: Re: Where things are
Content-Type: text/html

<p>Again: <a href=\"http://lists.example.org/a?b#c\">here</a>,
gopher://gopher.example.org/1</p>
";

/// The URLs of [`BOX`].
pub(crate) const URLS: &str = "\
http://ann.example.org/
http://lists.example.org/a?b#c
ftp://ftp.example.org/pub/read-me
http://www.example.org/~bob
http://lists.example.org/a?b#c
gopher://gopher.example.org/1
";
