//! Runs git(1) in a repository that can be hostile.
//!
//! - [`check`] refuses a repository whose files could make git wait without end, before git runs.
//! - git gets no memory beyond [`MEMORY`], and is ended if it writes nothing for [`SILENCE`], or if no [`TimeLeft`] is
//!   left. A process of git that reads requests ends when urlspool ends, because its standard input is then closed. The
//!   others end at the next output.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Read};
use std::path::{Component, Path};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::shared;
use crate::source::entry::open_file;
use crate::source::tree::{SeenFiles, id};

/// How long git may write nothing.
const SILENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 600 });

/// How long urlspool waits for git in all.
const WAIT: Duration = Duration::from_secs(600);

/// How much longer urlspool waits for each MiB of a repository. Real archives need less, also on slow disks.
const WAIT_PER_MIB: Duration = Duration::from_secs(5);

/// Maximum number of bytes of memory that git can allocate. The files of the repository, which git maps, do not count.
#[cfg(target_os = "linux")]
const MEMORY: u64 = 1 << 30;

/// The configuration and the list of alternates of a repository are smaller than this number of bytes.
const SMALL: u64 = 1 << 20;

/// Maximum number of other repositories that have objects of a repository (`alternates`). The repository `ALL.git`,
/// which public-inbox makes to search hundreds of inboxes, has one for each epoch.
const ALTERNATES: usize = 1000;

/// Maximum number of files and directories in a repository and its alternates. git itself is slow with far fewer.
const FILES: usize = if cfg!(test) { 1000 } else { 2_000_000 };

/// The files that public-inbox includes in the configuration of its epochs (`epoch_cfg_set` in `MultiGit.pm`).
const SHARED: [&str; 2] = ["../../all.git/config", "../../ALL.git/config"];

/// Checks the files of a repository, before git reads them. git would wait without end for a pipe. The configuration must
/// not include other files, such as `/proc/self/fd/1`. Returns the size of all files in bytes. A file with several names
/// counts once.
///
/// # Errors
///
/// Returns the reason why git must not read the repository.
pub(super) fn check(repository: &Path) -> Result<u64, Error> {
    size(repository).map_err(|e| Error::open(repository, e))
}

/// Refuses a configuration that includes files other than those of an inbox.
fn check_configuration(repository: &Path) -> io::Result<()> {
    let mut names = vec!["config", "config.worktree"];
    while let Some(name) = names.pop() {
        let mut text = small(&repository.join(name))?;
        text.push(b'[');
        let of_inbox = SHARED.into_iter().filter(|path| {
            let include = format!("[include]\n\tpath = {path}\n[");
            name == "config" && memchr::memmem::find(&text, include.as_bytes()).is_some()
        });
        let of_inbox: Vec<_> = of_inbox.collect();
        if memchr::memmem::find_iter(&text.to_ascii_lowercase(), b"[include").count() > of_inbox.len() {
            return Err(refused("its configuration includes other files"));
        }
        names.extend(of_inbox);
    }
    Ok(())
}

/// Implements [`check`].
fn size(repository: &Path) -> io::Result<u64> {
    check_configuration(repository)?;
    if fs::symlink_metadata(repository.join("commondir")).is_ok() {
        return Err(refused("it has only a part of a repository (`commondir`)"));
    }
    let (mut directories, mut seen) = (vec![repository.to_path_buf()], SeenFiles::default());
    let mut is_new = |data: &fs::Metadata| id(data).is_none_or(|id| seen.is_first(id));
    let objects = repository.join("objects");
    for line in small(&objects.join("info/alternates"))?.split(|&byte| byte == b'\n') {
        let other = objects.join(shared::path(line));
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        // git reads a quoted line, or a line with a NUL, as another path.
        let is_plain = !line.starts_with(b"\"") && !line.contains(&0);
        let is_usual = is_plain && other.ends_with("objects") && !other.join("info/alternates").exists();
        if !is_usual {
            return Err(refused("its objects are in other repositories (`alternates`) in an unusual way"));
        }
        if directories.len() > ALTERNATES {
            return Err(refused(&format!(
                "its objects are in more than {ALTERNATES} other repositories (`alternates`)"
            )));
        }
        check_way(&other)?;
        if fs::metadata(&other).is_ok_and(|data| is_new(&data)) {
            directories.push(other);
        }
    }
    let (mut size, mut stored, mut count) = (0, 0, 0);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            // git runs no hooks. Their directory is often a link.
            if directory == repository && entry.file_name() == "hooks" {
                continue;
            }
            count += 1;
            if count > FILES {
                return Err(refused(&format!("it has more than {FILES} files")));
            }
            match entry.metadata() {
                Ok(data) if data.is_symlink() => {
                    if directory != repository || is_read(&entry.file_name()) {
                        check_link(&entry.path())?;
                    }
                }
                Ok(data) if !is_new(&data) => {}
                Ok(data) if data.is_dir() => directories.push(entry.path()),
                Ok(data) if data.is_file() => {
                    size += data.len();
                    stored += stored_size(&data);
                }
                Ok(_) => return Err(refused("it contains a pipe or a device")),
                // The file was removed.
                Err(_) => {}
            }
        }
    }
    // Some file systems do not say how much space a file takes.
    Ok(if stored == 0 { size } else { stored })
}

/// Returns the size of a file without its holes. They take no space, but would raise the limit on expansion.
fn stored_size(data: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    return data.len().min(std::os::unix::fs::MetadataExt::blocks(data).saturating_mul(512));
    #[cfg(not(unix))]
    data.len()
}

/// Whether git reads this file or directory of a repository. Others, such as `README`, can be links.
fn is_read(name: &std::ffi::OsStr) -> bool {
    const NAMES: &[&str] =
        &["config", "head", "info", "logs", "objects", "packed-refs", "refs", "reftable", "shallow", "worktrees"];
    let name = name.to_string_lossy().to_ascii_lowercase();
    NAMES.iter().any(|known| name.starts_with(known)) || name.ends_with("head")
}

/// Refuses a symbolic link, except to a file in `refs` below the directory of the link: old versions of git make such a
/// link as `HEAD`. In the process of git, a link to `/proc/self/fd/1` is another file than in this process.
fn check_link(path: &Path) -> io::Result<()> {
    let Ok(target) = fs::read_link(path) else { return Ok(()) };
    let is_below = target.components().all(|part| matches!(part, Component::Normal(_)));
    if is_below && target.starts_with("refs") && !path.is_dir() {
        return Ok(());
    }
    Err(refused(&format!("{} is a symbolic link (points to {})", path.display(), target.display())))
}

/// Refuses a path through a link such as `/proc/self/cwd`, which in the process of git leads to another directory than
/// in this process.
#[cfg(target_os = "linux")]
fn check_way(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;
    match openat2(CWD, path, OFlags::PATH, Mode::empty(), ResolveFlags::NO_MAGICLINKS) {
        Err(Errno::LOOP) => Err(refused(&format!("the way to {} has a link to `/proc`", path.display()))),
        // The directory is missing, or the kernel is older than Linux 5.6.
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn check_way(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Reads a file that git reads whole. A missing file is empty.
fn small(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    check_link(path)?;
    if fs::symlink_metadata(path).is_ok() {
        let file = open_file(path, false)?;
        if !file.metadata()?.is_file() || file.take(SMALL).read_to_end(&mut text)? as u64 == SMALL {
            let name = path.file_name().unwrap_or_default().display();
            return Err(refused(&format!("its file `{name}` is not a small file")));
        }
    }
    Ok(text)
}

fn refused(why: &str) -> io::Error {
    let remedy = "if the repository is your own, make a copy with `git clone --mirror --no-local`";
    io::Error::other(format!("{why}, so git cannot read it safely; {remedy}"))
}

/// A git process. The process is killed when this value is dropped.
pub(super) struct Process {
    child: Child,
}

impl Process {
    /// Starts git with these arguments for the repository `path`. If `is_asked` is set, git has a pipe as its standard
    /// input.
    pub(super) fn start(path: &Path, arguments: &[&str], is_asked: bool) -> io::Result<Process> {
        let input = if is_asked { Stdio::piped() } else { Stdio::null() };
        let mut git = command(path);
        let child = git.args(arguments).stdin(input).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Pid, Resource, Rlimit, prlimit};
            let limit = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
            // Without the limit, git still works. It fails if git has ended already.
            let _ = prlimit(Some(Pid::from_child(&child)), Resource::Data, limit);
        }
        Ok(Process { child })
    }

    /// Runs git. Returns its standard output, and whether git succeeded.
    pub(super) fn all(path: &Path, arguments: &[&str]) -> Result<(String, bool), Error> {
        let mut process = Process::start(path, arguments, false).map_err(|e| Error::open(path, e))?;
        let mut output = String::new();
        process.output(&TimeLeft::of(0)).read_to_string(&mut output).map_err(|e| Error::read(path, e))?;
        let status = process.end().map_err(|e| Error::read(path, e))?;
        Ok((output, status.success()))
    }

    /// Returns the standard output of git. Panics if called twice.
    pub(super) fn output(&mut self, time: &TimeLeft) -> Output {
        let pipe = self.child.stdout.take().expect("standard output of git is a pipe");
        Output { pipe, time: time.clone() }
    }

    /// Returns the standard input of git. `None` if it is not a pipe, or if it was already taken.
    pub(super) fn input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Waits for git to exit. Its output must have ended.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error is ignored, because `drop` cannot return it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The time, in microseconds, for which urlspool still waits for output of git, for all processes that read a repository.
/// A chain of deltas over all messages, which only a hostile repository has, takes git quadratic time.
#[derive(Clone, Debug)]
pub(super) struct TimeLeft(Arc<AtomicU64>);

impl TimeLeft {
    /// Returns the time for a repository whose files have `size` bytes.
    pub(super) fn of(size: u64) -> TimeLeft {
        let extra = (size >> 20).saturating_mul(WAIT_PER_MIB.as_micros() as u64);
        TimeLeft(Arc::new((WAIT.as_micros() as u64).saturating_add(extra).into()))
    }

    /// Returns the time that is left. Fails if no time is left.
    fn get(&self) -> io::Result<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => Err(too_slow("git is too slow for a repository of this size")),
            left => Ok(Duration::from_micros(left)),
        }
    }

    #[cfg(test)]
    pub(super) fn end(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Takes the time since `begun`.
    fn take(&self, begun: Instant) {
        let taken = begun.elapsed().as_micros() as u64;
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(taken)));
    }
}

fn too_slow(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("{why}; run `git repack -adf` in the repository if it is your own"))
}

/// The standard output of git. Reading fails if git writes nothing for [`SILENCE`], or if no [`TimeLeft`] is left.
pub(super) struct Output {
    pipe: ChildStdout,
    time: TimeLeft,
}

impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (left, begun) = (self.time.get()?, Instant::now());
        let has_output = wait(&self.pipe, left.min(SILENCE));
        self.time.take(begun);
        if !has_output {
            self.time.get()?;
            return Err(too_slow(&format!("git wrote nothing for {} seconds", SILENCE.as_secs())));
        }
        self.pipe.read(buffer)
    }
}

/// Waits for output, at most for this time. Returns whether there is any, or an error or the end.
#[cfg(unix)]
fn wait(pipe: &ChildStdout, most: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let most = Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: most.subsec_nanos().into() };
    poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&most)) != Ok(0)
}

#[cfg(not(unix))]
fn wait(_: &ChildStdout, _: Duration) -> bool {
    true
}

/// What `git cat-file --batch` writes before an object.
pub(super) struct Header {
    pub(super) is_tree: bool,
    /// The size of the object in bytes.
    pub(super) size: u64,
}

/// Reads the header of the object `id` from the output of `git cat-file --batch`. Returns `None` if the object is missing.
///
/// # Errors
///
/// Returns an error of the kind [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if git has ended. Returns another error if
/// the line is not that of the object `id`.
pub(super) fn header(output: &mut impl BufRead, id: &str) -> io::Result<Option<Header>> {
    /// Maximum length in bytes of the line. The line has a name of at most 64 digits, a type, and at most 20 digits.
    const LINE_MAX: u64 = 96;
    let mut line = Vec::new();
    if output.take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, damaged()));
    }
    // The line is `<name> <type> <size>`, or `<name> missing`.
    let line = str::from_utf8(&line).ok().and_then(|line| line.strip_suffix('\n')?.strip_prefix(id));
    let mut fields = line.ok_or_else(damaged)?.split(' ').skip(1);
    match (fields.next(), fields.next()) {
        (Some("missing"), _) => Ok(None),
        (kind, Some(size)) => {
            let size = size.parse().map_err(|_| damaged())?;
            Ok(Some(Header { is_tree: kind == Some("tree"), size }))
        }
        _ => Err(damaged()),
    }
}

pub(super) fn damaged() -> io::Error {
    io::Error::other("git cannot read the object; run `git fsck` in the repository to find the damage")
}

/// Returns a command that runs git for one repository. The command ignores the environment variables of git, and the
/// configuration of the user and of the system. The command does not use the network.
pub(super) fn command(path: &Path) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        git.env_remove(name);
    }
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let environment = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", nothing),
        ("GIT_ATTR_NOSYSTEM", "1"),
        // The next two variables stop git from fetching the missing objects of a partial clone. Old versions of git
        // know only the second one.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", ""),
        // git allocates the size that an object states. The system's limit is set only after git has started.
        ("GIT_ALLOC_LIMIT", "1g"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    git.envs(environment).args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"]);
    // With a small cache, which a repository can ask for, git reads a chain of deltas again for each object.
    let cache = "core.deltaBaseCacheLimit=256m";
    for setting in ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", cache] {
        git.args(["-c", setting]);
    }
    // Without `--git-dir`, git refuses a repository that belongs to another user.
    let mut directory = OsString::from("--git-dir=");
    directory.push(path);
    git.arg(directory);
    git
}

#[cfg(test)]
#[cfg(all(unix, feature = "git"))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::source::Temp;

    #[test]
    fn a_repository_that_could_make_git_wait_is_refused() {
        let large = " ".repeat(SMALL as usize);
        let rows = [
            ("config", "[core]\n\tbare = true\n[included]\n", "includes other files"),
            ("config", "[core]\n\tbare = true # include\n", ""),
            ("config", "[IncludeIf \"gitdir:**\"] path = /proc/self/fd/1", "includes other files"),
            ("config", "[core]\n[include]\n\tpath = ../../all.git/config\n[gitweb]\n", ""),
            ("config", "[include]\n\tpath = ../../all.git/config\n\tpath = /dev/x\n", "includes other files"),
            ("config", "[include]\n\tpath = ../../All.git/config\n", "includes other files"),
            ("config.worktree", "[include]\n\tpath = ../../all.git/config\n", "includes other files"),
            ("config.worktree", "[core]\n[iNCLUDE]\npath = x", "includes other files"),
            ("config", "socket", "`config` is not a small file"),
            ("config", large.as_str(), "`config` is not a small file"),
            ("config/x", "", "`config` is not a small file"),
            ("commondir", "../other", "only a part of a repository"),
            ("packed-refs", "socket", "a pipe or a device"),
            ("refs/heads/master", "socket", "a pipe or a device"),
            ("config", "-> /proc/self/fd/1", "config is a symbolic link (points to /proc/self/fd/1)"),
            ("refs/heads/master", "-> /proc/self/fd/1", "refs/heads/master is a symbolic link"),
            ("objects/info/alternates", "-> /dev/zero", "alternates is a symbolic link"),
            ("HEAD", "-> refs/heads/master", ""),
            ("HEAD", "-> refs/../hooks/HEAD", "HEAD is a symbolic link"),
            ("HEAD", "-> hooks/HEAD", "HEAD is a symbolic link"),
            ("top/link", "-> refs", "top/link is a symbolic link"),
            ("objects/info/alternates", "# one\n../../other/objects\n", ""),
            ("objects/info/alternates", "\"../../other/objects\"\n", "in an unusual way"),
            ("objects/info/alternates", "\"../../other\"X/objects\n", "in an unusual way"),
            ("objects/info/alternates", "../../other\0/objects\n", "in an unusual way"),
            ("objects/info/alternates", "../objects", "in an unusual way"),
            ("refs", "-> /usr", "refs is a symbolic link"),
            ("refs/hooks", "-> /usr", "refs/hooks is a symbolic link"),
            ("hooks", "-> /usr", ""),
        ];
        for (name, text, want) in rows {
            let temp = Temp::new("inbox-check");
            fs::create_dir_all(temp.0.join("top/refs")).expect("a directory");
            let path = temp.write(name, text.as_bytes());
            let _socket = (text == "socket").then(|| {
                fs::remove_file(&path).expect("a file");
                UnixListener::bind(&path).expect("a socket")
            });
            if let Some(target) = text.strip_prefix("-> ") {
                fs::remove_file(&path).expect("a file");
                symlink(target, &path).expect("a link");
            }
            let why = check(&temp.0).err().map_or(String::new(), |error| error.to_string());
            let is_right = if want.is_empty() { why.is_empty() } else { why.contains(want) || text == "socket" };
            assert!(is_right, "{name} {text}: {why}");
        }
    }

    #[test]
    fn holes_in_files_do_not_count() {
        let temp = Temp::new("inbox-hole");
        temp.write("objects/a", b"text");
        fs::File::create(temp.0.join("hole")).and_then(|file| file.set_len(1 << 40)).expect("a file");
        assert!(check(&temp.0).expect("a repository") < 1 << 20);
    }

    #[test]
    fn a_file_with_several_names_counts_once() {
        let (temp, other) = (Temp::new("inbox-names"), Temp::new("inbox-other-names"));
        let pack = temp.write("objects/pack", &[b'a'; 1 << 20]);
        other.write("objects/pack", &[b'b'; 1 << 20]);
        for name in ["b", "c"] {
            fs::hard_link(&pack, temp.0.join(name)).expect("a link");
        }
        assert!(check(&temp.0).expect("a repository") < 2 << 20);
        let line = format!("{}/objects\n", other.0.display());
        for lines in [1, 2 * ALTERNATES] {
            temp.write("objects/info/alternates", line.repeat(lines).as_bytes());
            assert!(check(&temp.0).expect("a repository") < 3 << 20, "{lines} lines");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn ways_through_the_directory_of_a_process_are_refused() {
        let (temp, other) = (Temp::new("inbox-way"), Temp::new("inbox-usual-way"));
        other.write("objects/pack", b"pack");
        for (target, is_refused) in
            [(Path::new("/proc/self/cwd"), true), (Path::new("/proc"), false), (&other.0, false)]
        {
            let link = other.0.join("link");
            symlink(target, &link).expect("a link");
            let line = format!("{}/objects\n", link.display());
            temp.write("objects/info/alternates", line.as_bytes());
            let why = check(&temp.0).err().map_or(String::new(), |error| error.to_string());
            fs::remove_file(link).expect("a link");
            assert_eq!(why.contains("has a link to `/proc`"), is_refused, "{}: {why}", target.display());
        }
    }

    #[test]
    fn too_many_files_or_alternates_are_refused() {
        let temp = Temp::new("inbox-count");
        let lines = |count| (0..count).map(|number| format!("../{number}/objects\n")).collect::<String>();
        for number in 0..=ALTERNATES {
            fs::create_dir_all(temp.0.join(format!("{number}/objects"))).expect("a directory");
        }
        let why = || check(&temp.0).expect_err("too many").to_string();
        assert!(why().contains("it has more than 1000 files"), "{}", why());
        temp.write("objects/info/alternates", lines(ALTERNATES + 1).as_bytes());
        assert!(why().contains("more than 1000 other repositories"), "{}", why());
    }

    #[test]
    fn a_silent_or_slow_process_is_ended() {
        for command in ["sleep 60", "while :; do echo; sleep 0.3; done"] {
            let mut shell = Command::new("sh");
            let mut child = shell.args(["-c", command]).stdout(Stdio::piped()).spawn().expect("a process");
            let time = TimeLeft(Arc::new(900_000.into()));
            let mut output = Output { pipe: child.stdout.take().expect("a pipe"), time };
            let process = Process { child };
            let begun = Instant::now();
            let error = loop {
                if let Err(error) = output.read(&mut [0]) {
                    break error;
                }
            };
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{command}");
            assert!(begun.elapsed() < Duration::from_secs(20), "{command}");
            drop(process);
        }
    }
}
