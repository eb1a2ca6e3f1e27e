//! Entries: the files and other paths that a walk over directories returns.

use std::collections::HashMap;
use std::fs::{self, DirEntry, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, SystemTimeError, UNIX_EPOCH};

use super::layout::SkipReason;
use super::listing::{changed, is_old};
use crate::error::Error;
use crate::shared;

/// An input to read, or a path that is skipped or cannot be read.
#[derive(Debug)]
pub(crate) enum Entry {
    File(FileEntry),
    /// The git repositories of a public-inbox. The walk does not check whether the repositories contain mail.
    Inbox(Vec<PathBuf>),
    /// Standard input, with the name `-`.
    Stdin,
    /// A path that is skipped, and the reason.
    Skipped(PathBuf, SkipReason),
    /// A path that cannot be read.
    Problem(Error),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) path: PathBuf,
    /// Size in bytes when the file was found. For most messages in a Maildir, an MH folder or a news spool, this size
    /// is a guess, because checking each file would be slow. `None` for a pipe or device that the user named.
    pub(crate) size: Option<u64>,
    /// Whether the file is one message by convention: the file is in a Maildir, or its name is a number, as in an MH
    /// folder or a news spool. If the content of such a file looks like plain text, the file is read as a message.
    pub(crate) message: bool,
    /// Whether the user named the path. `false` for a file that was found in a directory.
    pub(crate) named: bool,
    /// The only member to read, if the file is an archive. If the archive contains another archive, such as
    /// `inner.zip`, a member of the inner archive has a name such as `inner.zip!a.txt`.
    pub(crate) member: Option<Vec<u8>>,
    /// Whether the file was found in a directory by a walk that does not follow symbolic links. If the file has become
    /// a symbolic link since then, the file is skipped.
    pub(crate) listed: bool,
    /// The size and the modification time that the file had when it became part of a task. `None` if the file is not
    /// part of a task.
    pub(crate) stamp: Option<Stamp>,
}

/// The size of a file and the time of its last change. If two stamps of a file differ, the file was changed after the
/// first stamp was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Size in bytes.
    pub(crate) size: u64,
    /// Time of the last change of the content, in seconds since 1970-01-01 UTC. Fractions of a second are ignored,
    /// because copies of a file often lose them. `None` in a task whose files are compared only by their sizes.
    pub(crate) mtime: Option<i64>,
}

impl Stamp {
    pub(crate) fn of(data: &Metadata) -> Stamp {
        let time = data.modified().unwrap_or(UNIX_EPOCH);
        let before = |why: SystemTimeError| -i64::try_from(why.duration().as_secs()).unwrap_or(i64::MAX);
        let after = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Stamp { size: data.len(), mtime: Some(time.duration_since(UNIX_EPOCH).map_or_else(before, after)) }
    }
}

/// The messages of the Maildir in which a message was last looked for.
#[derive(Debug, Default)]
pub(crate) struct Present {
    maildir: PathBuf,
    /// The times at which `cur` and `new` were last changed.
    changed: Option<[SystemTime; 2]>,
    /// Maps the unique name of each message to its path.
    messages: HashMap<Box<[u8]>, PathBuf>,
}

impl Present {
    const FOLDERS: [&str; 2] = ["cur", "new"];

    fn changed(maildir: &Path) -> Option<[SystemTime; 2]> {
        let [cur, new] = Present::FOLDERS.map(|folder| changed(&maildir.join(folder)));
        Some([cur?, new?])
    }

    /// Whether `maildir` was listed, and has not changed since then.
    fn is_of(&self, maildir: &Path) -> bool {
        self.maildir == maildir && self.changed.is_some() && self.changed == Present::changed(maildir)
    }

    fn list(maildir: &Path) -> Present {
        let changed = Present::changed(maildir).filter(|times| times.iter().all(is_old));
        let folders = Present::FOLDERS.iter().flat_map(|folder| fs::read_dir(maildir.join(folder)));
        let unique = |entry: &DirEntry| shared::unique_name(entry.file_name().as_encoded_bytes()).into();
        let messages = folders.flatten().flatten().map(|entry| (unique(&entry), entry.path())).collect();
        Present { maildir: maildir.into(), changed, messages }
    }
}

impl FileEntry {
    /// Checks that the file was not changed since it became part of a task.
    ///
    /// # Errors
    ///
    /// Returns an error if the file was changed or cannot be checked.
    pub(super) fn check(&self, file: &File) -> Result<(), Error> {
        let Some(then) = self.stamp else { return Ok(()) };
        let now = file.metadata().map(|data| Stamp::of(&data)).map_err(|e| Error::open(&self.path, e))?;
        if now.size != then.size {
            let (then, now) = (then.size, now.size);
            return Err(Error::changed(&self.path, format!("its size was {then} bytes, and is now {now} bytes")));
        }
        match (then.mtime, now.mtime) {
            (Some(then), Some(now)) if then != now => {
                let what = format!("its modification time was {then}, and is now {now}, in seconds since 1970");
                Err(Error::changed(&self.path, what))
            }
            _ => Ok(()),
        }
    }

    /// Returns the Maildir of the message. Returns `None` if the file is not a message in a Maildir.
    fn maildir(&self) -> Option<&Path> {
        let folder = self.path.parent().filter(|_| self.message)?;
        if folder.ends_with("cur") || folder.ends_with("new") { folder.parent() } else { None }
    }

    /// Whether the file is a message that mail programs may delete while a search runs. The messages of a task are
    /// complete.
    pub(super) fn may_be_gone(&self) -> bool {
        !self.named && self.stamp.is_none() && self.maildir().is_some()
    }

    /// Looks for a message of a Maildir that was renamed after its directory was listed, and returns its path. The
    /// unique name, before the colon, stays the same. Returns `None` if the file is not a message in a Maildir, or
    /// was deleted. If many messages were deleted, `present` saves listing the Maildir for each of them.
    pub(super) fn renamed(&self, present: &Mutex<Present>) -> Option<PathBuf> {
        /// The flags of the Maildir format, in their order in a name. Lowercase letters are keywords of Dovecot.
        const FLAGS: [&str; 6] = ["D", "F", "P", "R", "S", "T"];
        let name = self.path.file_name()?.as_encoded_bytes();
        let maildir = self.maildir()?;
        let unique = shared::unique_name(name);
        let mut present = present.lock().unwrap_or_else(PoisonError::into_inner);
        if !present.is_of(maildir) {
            let keywords: Vec<u8> = name[unique.len()..].iter().copied().filter(u8::is_ascii_lowercase).collect();
            // These tries are much faster than listing a large directory again.
            let mut likely = (0..1 << FLAGS.len()).map(|set: u32| {
                let flags = (0..).zip(FLAGS).filter(|(bit, _)| set >> bit & 1 == 1);
                let flags: String = flags.map(|(_, flag)| flag).collect();
                let name = [unique, b":2,", flags.as_bytes(), &keywords].concat();
                maildir.join("cur").join(shared::path(&name))
            });
            if let Some(path) = likely.find(|path| path.is_file()) {
                return Some(path);
            }
            *present = Present::list(maildir);
        }
        present.messages.get(unique).filter(|path| path.is_file()).cloned()
    }

    /// Opens the file, or returns the reason why it is skipped. After the walk found the file, another process may have
    /// replaced it by a link or a pipe.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened.
    pub(super) fn open(&self) -> io::Result<Result<File, SkipReason>> {
        if self.size.is_none() {
            return File::open(&self.path).map(Ok);
        }
        match open_file(&self.path, self.listed) {
            Ok(file) if file.metadata()?.is_file() => Ok(Ok(file)),
            Ok(_) => Ok(Err(SkipReason::Special)),
            Err(_) if self.listed && fs::symlink_metadata(&self.path).is_ok_and(|data| data.is_symlink()) => {
                Ok(Err(SkipReason::Link))
            }
            // Opening a socket fails, but a socket is skipped like a pipe, without an error.
            Err(_) if fs::symlink_metadata(&self.path).is_ok_and(|data| !data.is_file() && !data.is_symlink()) => {
                Ok(Err(SkipReason::Special))
            }
            Err(error) => Err(error),
        }
    }
}

/// Opens a path that should be a regular file. If the path has become a pipe, this function does not wait for a writer.
/// If `listed` is true and the path is a symbolic link, this function fails.
#[cfg(unix)]
pub(super) fn open_file(path: &Path, listed: bool) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | if listed { OFlags::NOFOLLOW } else { OFlags::empty() };
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Opens a path that should be a regular file.
#[cfg(not(unix))]
pub(super) fn open_file(path: &Path, _: bool) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

impl Entry {
    /// Returns the size in bytes of a regular file. Returns `None` for other entries.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Entry::File(input) => input.size,
            Entry::Inbox(_) | Entry::Stdin | Entry::Skipped(..) | Entry::Problem(_) => None,
        }
    }

    /// Returns the size in bytes of an entry that a worker can take together with other entries. Such an entry is a
    /// small file, or an entry that needs no reading, whose size is 0. Returns `None` for other entries.
    pub(crate) fn small_size(&self) -> Option<u64> {
        match self {
            Entry::File(_) => self.size().filter(|&size| size <= SMALL_FILE),
            Entry::Inbox(_) | Entry::Stdin => None,
            Entry::Skipped(..) | Entry::Problem(_) => Some(0),
        }
    }
}

/// Maximum size in bytes of a file that a worker takes together with other files.
pub(crate) const SMALL_FILE: u64 = 64 << 10;

/// Splits a path such as `archive.zip!mh/inbox/2` into the path of the archive and the name of the member. Returns
/// `None` if no part of the path before a `!` is the path of an existing file.
pub(crate) fn member_of(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let name = shared::bytes(path);
    memchr::memchr_iter(b'!', name).find_map(|at| {
        let archive = shared::path(&name[..at]);
        archive.is_file().then(|| (archive.into(), name[at + 1..].to_vec()))
    })
}

/// Makes the error for a path that cannot be opened. For a dangling symbolic link, the error names the missing target.
pub(crate) fn unopened(path: &Path, reason: io::Error) -> Error {
    match fs::read_link(path) {
        Ok(target) if reason.kind() == io::ErrorKind::NotFound => Error::dangling(path, target, reason),
        _ => Error::open(path, reason),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::error::ErrorKind;
    use crate::source::Temp;

    #[test]
    fn times_before_1970_are_negative() {
        let temp = Temp::new("stamps");
        let path = temp.write("old", b"text");
        let file = File::options().write(true).open(path).expect("a file");
        for mtime in [-86_400_i64, -1, 0, 1_000_000_000] {
            let after = Duration::from_secs(mtime.max(0).unsigned_abs());
            let before = Duration::from_secs(mtime.min(0).unsigned_abs());
            file.set_modified(UNIX_EPOCH + after - before).expect("a time");
            assert_eq!(Stamp::of(&file.metadata().expect("metadata")), Stamp { size: 4, mtime: Some(mtime) });
        }
    }

    /// Between the walk and the opening of a file, the file can become a link, a socket or a directory.
    #[test]
    fn a_file_that_became_something_else_is_skipped() {
        let temp = Temp::new("became");
        temp.write("file", b"text");
        symlink("file", temp.0.join("link")).expect("a link");
        symlink("nowhere", temp.0.join("dangling")).expect("a link");
        let _socket = UnixListener::bind(temp.0.join("socket")).expect("a socket");
        let open = |name: &str, listed: bool| {
            let path = temp.0.join(name);
            let entry = FileEntry { path, size: Some(4), named: !listed, listed, ..FileEntry::default() };
            match entry.open() {
                Ok(Ok(_)) => "opened".into(),
                Ok(Err(why)) => format!("{why:?}"),
                Err(error) => format!("{:?}", error.kind()),
            }
        };
        // Columns: the file, the result if it was found by a walk that does not follow links, and the result if it was
        // named.
        let table = [
            ("file", "opened", "opened"),
            ("link", "Link", "opened"),
            ("dangling", "Link", "NotFound"),
            ("socket", "Special", "Special"),
            ("", "Special", "Special"),
            ("missing", "NotFound", "NotFound"),
        ];
        for (name, if_listed, if_named) in table {
            assert_eq!((&*open(name, true), &*open(name, false)), (if_listed, if_named), "{name}");
        }
    }

    /// A mail program renames the messages of a Maildir when it changes their flags.
    #[test]
    fn a_renamed_message_of_a_maildir_is_found() {
        let temp = Temp::new("renamed");
        let _ = ["cur/1.a:2,FS", "cur/2.a:2,Sbc", "cur/3.a:1,x", "new/4.a", "other/5.a:2,S"]
            .map(|name| temp.write(name, b"x"));
        let table = [
            ("new/1.a", Some("cur/1.a:2,FS")),
            ("cur/1.a:2,", Some("cur/1.a:2,FS")),
            ("cur/2.a:2,bc", Some("cur/2.a:2,Sbc")),
            ("new/2.a", Some("cur/2.a:2,Sbc")),
            ("new/3.a", Some("cur/3.a:1,x")),
            ("cur/4.a:2,S", Some("new/4.a")),
            ("new/1", None),
            ("new/6.a", None),
            ("other/5.a", None),
        ];
        for (name, want) in table {
            let entry = FileEntry { path: temp.0.join(name), message: true, ..FileEntry::default() };
            assert_eq!(entry.renamed(&Mutex::default()), want.map(|want| temp.0.join(want)), "{name}");
        }
        // The directories are listed once, until one of them changes.
        let set = |folder: &str, seconds| {
            let directory = File::open(temp.0.join(folder)).expect("a directory");
            directory.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).expect("a time");
        };
        ["cur", "new"].into_iter().for_each(|folder| set(folder, 1));
        let present = Mutex::default();
        let find = |name: &str| {
            let entry = FileEntry { path: temp.0.join(name), message: true, ..FileEntry::default() };
            entry.renamed(&present).is_some()
        };
        assert!(!find("cur/6.a:2,S") && find("cur/3.a:2,"));
        temp.write("cur/6.a:1,x", b"x");
        set("cur", 1);
        assert!(!find("cur/6.a:2,S") && find("cur/3.a:2,"));
        set("cur", 2);
        assert!(find("cur/6.a:2,S"));
    }

    #[test]
    fn a_changed_file_of_a_task_is_an_error() {
        let temp = Temp::new("stamp");
        let path = temp.write("file", b"text");
        let file = File::open(&path).expect("a file");
        let then = Stamp::of(&file.metadata().expect("metadata"));
        let (shorter, older) = (Stamp { size: 3, ..then }, Stamp { mtime: then.mtime.map(|time| time - 1), ..then });
        for (stamp, is_unchanged) in [(None, true), (Some(then), true), (Some(shorter), false), (Some(older), false)] {
            let result = FileEntry { path: path.clone(), stamp, ..FileEntry::default() }.check(&file);
            let kind = result.err().map(|error| error.kind());
            assert_eq!(kind, (!is_unchanged).then_some(ErrorKind::Changed), "{stamp:?}");
        }
    }

    #[test]
    fn a_member_is_named_after_an_existing_file() {
        let temp = Temp::new("member");
        temp.write("mail.zip", b"");
        temp.write("odd!name.zip", b"");
        temp.write("folder!/x", b"");
        let table = [
            ("mail.zip!mh/inbox/2", Some(("mail.zip", "mh/inbox/2"))),
            ("mail.zip!inner.zip!a.txt", Some(("mail.zip", "inner.zip!a.txt"))),
            ("odd!name.zip!a.txt", Some(("odd!name.zip", "a.txt"))),
            ("mail.zip", None),
            ("missing.zip!a.txt", None),
            ("folder!a.txt", None),
        ];
        for (path, want) in table {
            let want = want.map(|(archive, member)| (temp.0.join(archive), member.as_bytes().to_vec()));
            assert_eq!(member_of(&temp.0.join(path)), want, "{path}");
        }
    }

    /// A link can fail for another reason than a missing target, for example because the target must not be read.
    #[test]
    fn only_a_link_to_a_missing_file_is_dangling() {
        let temp = Temp::new("unopened");
        symlink("nowhere", temp.0.join("link")).expect("a link");
        let table = [
            ("link", io::ErrorKind::NotFound, ErrorKind::DanglingLink),
            ("link", io::ErrorKind::PermissionDenied, ErrorKind::Open),
            ("missing", io::ErrorKind::NotFound, ErrorKind::Open),
        ];
        for (name, reason, want) in table {
            assert_eq!(unopened(&temp.0.join(name), reason.into()).kind(), want, "{name} {reason:?}");
        }
    }
}
