//! Walks directory trees and lists their entries.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::entry::{Entry, FileEntry, SMALL_FILE, unopened};
use super::filter::FileFilter;
use super::inbox;
use super::layout::{DirectoryKind, SkipReason, is_maildir_name, is_number, skipped, unpacked};
use super::listing::{Kind, Listing, Name};
use crate::error::Error;
use crate::shared;

/// Walks directory trees one after another. Returns a file with several names only once.
///
/// Memory holds the names in the directories that are being walked. Memory also holds about one bit per file, to
/// recognize files with several names.
///
/// Reading the metadata of a file costs as much as opening the file. `Tree` therefore does not read the metadata of
/// most messages in a Maildir, an MH folder or a news spool. Instead, `Tree` guesses the sizes of these messages, and
/// takes their inode numbers from the directory listing.
pub(super) struct Tree {
    /// The directories that are being walked. The first is the directory that the user named, each directory contains
    /// the next, and the last is the current directory.
    levels: Vec<Level>,
    pub(super) rules: Rules,
    seen: SeenFiles,
}

/// The caller's rules that decide which files are returned.
pub(super) struct Rules {
    /// Whether to follow symbolic links.
    follow: bool,
    pub(super) filter: Option<FileFilter>,
}

impl Rules {
    /// Returns `Some(true)` if the filter selects the path, and `Some(false)` if the filter excludes the path. Returns
    /// `None` if the filter does neither, or if there is no filter.
    fn choose(&self, path: &Path, is_directory: bool) -> Option<bool> {
        self.filter.as_ref().and_then(|filter| filter.choose(path, is_directory))
    }

    /// Returns the entry for the public-inbox at `path`, without the repositories that the filter excludes.
    pub(super) fn inbox(&self, path: PathBuf, mut repositories: Vec<PathBuf>) -> Entry {
        repositories.retain(|repository| self.choose(repository, true) != Some(false));
        if repositories.is_empty() { Entry::Skipped(path, SkipReason::Excluded) } else { Entry::Inbox(repositories) }
    }

    /// Whether the file `name` is compressed, and the same directory has an uncompressed copy that the filter does not
    /// exclude. An empty file does not count as a copy, because a failed decompression leaves an empty file.
    fn has_twin(&self, path: &Path, name: &[u8]) -> bool {
        let Some(unpacked) = unpacked(name) else { return false };
        let twin = path.with_file_name(&*shared::path(unpacked));
        let data = if self.follow { fs::metadata(&twin) } else { fs::symlink_metadata(&twin) };
        data.is_ok_and(|data| data.is_file() && data.len() > 0) && self.choose(&twin, false) != Some(false)
    }
}

/// A directory that is being walked.
struct Level {
    path: PathBuf,
    place: DirectoryKind,
    id: Option<Id>,
    listing: Listing,
    /// The messages in `new`, if this directory is a Maildir whose `cur` is being walked. A mail program can move these
    /// messages to `cur` after `cur` was listed.
    new: Listing,
    /// The error that ended the listing early.
    failed: Option<io::Error>,
    /// Number of small files since the last large file. Only files whose metadata was checked are counted.
    small: usize,
    /// Number of files that were returned without checking their metadata, since the last file whose metadata was
    /// checked.
    unseen: usize,
    /// Whether an inode number in the listing was wrong. Some file systems invent inode numbers.
    makes_up: bool,
}

/// Device number and inode number, which identify a file.
pub(crate) type Id = (u64, u64);

/// The files that were already visited: one bit for each pair of device number and inode number. Each `u64` has the
/// bits of 64 consecutive inode numbers, because most files of a directory tree have consecutive inode numbers.
///
/// A million files take a few hundred kilobytes if their inode numbers are close together. In the worst case, every
/// inode number needs its own `u64`, and a million files take 40 MB.
#[derive(Debug, Default)]
pub(super) struct SeenFiles(HashMap<Id, u64>);

impl SeenFiles {
    /// Adds a file. Returns `false` if the file was added before.
    pub(super) fn is_first(&mut self, (device, inode): Id) -> bool {
        let word = self.0.entry((device, inode / 64)).or_default();
        let bit = 1 << (inode % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

/// The result of [`Level::find`].
enum Found {
    Directory(DirectoryKind),
    Inbox(Vec<PathBuf>),
    File { size: u64, message: bool },
    Skipped(SkipReason),
}

/// The guessed size in bytes of a message whose metadata is not checked.
const MESSAGE_SIZE: u64 = 4 << 10;

/// After this many consecutive small files, one file is returned without a check of its metadata, and the next file is
/// checked. If the checked file is small, two files are returned without a check, and the next file is checked. If that
/// file is small, too, three files are returned without a check, and so on. Some files must still be checked, because
/// the name of a large mailbox can also be a number.
const SURELY_SMALL: usize = 8;

impl Tree {
    /// Makes an empty walk. If `follow` is true, symbolic links are followed.
    pub(super) fn new(follow: bool) -> Tree {
        Tree { levels: Vec::new(), rules: Rules { follow, filter: None }, seen: SeenFiles::default() }
    }

    /// Enters a directory that the user named.
    pub(super) fn enter(&mut self, path: PathBuf) {
        let place = match path.file_name().unwrap_or_default().as_encoded_bytes() {
            _ if is_maildir(&path) => DirectoryKind::Maildir,
            // The directory that the user named can be `cur` or `new` in a Maildir.
            b"cur" | b"new" => DirectoryKind::Messages,
            _ => DirectoryKind::Plain,
        };
        let level = Level::new(path, place, &Listing::default());
        if let Some(id) = level.id.filter(|_| self.rules.follow) {
            // This call marks the directory as visited. Its result is ignored, because a directory that the user named
            // is always walked.
            self.seen.is_first(id);
        }
        self.levels.push(level);
    }

    /// Returns the next file or skipped path.
    pub(super) fn next(&mut self) -> Option<Entry> {
        loop {
            let [above @ .., level] = self.levels.as_mut_slice() else { return None };
            if let Some(error) = level.failed.take() {
                return Some(Entry::Problem(Error::list(&level.path, error)));
            }
            let Some(name) = level.listing.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.listing.path(&level.path, name);
            match level.find(name, &path, above, &self.rules, &mut self.seen) {
                Ok(Found::Directory(place)) => {
                    let is_messages = place == DirectoryKind::Messages;
                    let new = if is_messages { std::mem::take(&mut level.new) } else { Listing::default() };
                    if is_messages && path.ends_with("cur") {
                        level.new = Listing::of(&level.path.join("new")).0;
                    }
                    self.levels.push(Level::new(path, place, &new));
                }
                Ok(Found::Inbox(repositories)) => return Some(self.rules.inbox(path, repositories)),
                Ok(Found::File { size, message }) => {
                    let (size, listed) = (Some(size), !self.rules.follow);
                    return Some(Entry::File(FileEntry { path, size, message, listed, ..FileEntry::default() }));
                }
                Ok(Found::Skipped(why)) => return Some(Entry::Skipped(path, why)),
                // The file was removed or renamed after the directory was read. Mail programs often rename files, so
                // this is not an error. A message of a Maildir is looked for again when it is opened.
                Err(error) if error.kind() == io::ErrorKind::NotFound && name.kind != Kind::Link => {
                    let id = level.id.map(|(device, _)| (device, name.inode));
                    if level.place == DirectoryKind::Messages && id.is_none_or(|id| self.seen.is_first(id)) {
                        let file = FileEntry { path, size: Some(MESSAGE_SIZE), message: true, ..FileEntry::default() };
                        return Some(Entry::File(FileEntry { listed: !self.rules.follow, ..file }));
                    }
                }
                Err(error) => return Some(Entry::Problem(unopened(&path, error))),
            }
        }
    }
}

impl Level {
    /// Lists the directory `path`. If it is for messages, adds the messages in `earlier` that are not in it any more.
    fn new(path: PathBuf, place: DirectoryKind, earlier: &Listing) -> Level {
        let id = fs::metadata(&path).ok().and_then(|data| id(&data));
        let (listing, failed) = match place {
            DirectoryKind::Messages => Listing::of_messages(&path, earlier),
            DirectoryKind::Maildir | DirectoryKind::Plain => Listing::of(&path),
        };
        let new = Listing::default();
        Level { path, place, id, listing, new, failed, small: 0, unseen: 0, makes_up: false }
    }

    /// Checks the entry `name` of this directory. `path` is the path of the entry. `above` are the directories that
    /// contain this directory.
    fn find(
        &mut self,
        name: Name,
        path: &Path,
        above: &[Level],
        rules: &Rules,
        seen: &mut SeenFiles,
    ) -> io::Result<Found> {
        let follow = rules.follow;
        let bytes = self.listing.bytes(name);
        let skipped = skipped(bytes, self.place);
        let target = (follow && name.kind == Kind::Link).then(|| fs::metadata(path)).transpose();
        let kind = match &target {
            Ok(Some(data)) => data.file_type().into(),
            _ => name.kind,
        };
        let is_wanted = match rules.choose(path, kind == Kind::Directory) {
            Some(false) => return Ok(Found::Skipped(SkipReason::Excluded)),
            choice => choice.is_some(),
        };
        let target = match (target, skipped) {
            // A dangling link is not an error if its name is a reason to skip it. For example, Emacs locks `file` with
            // a dangling link `.#file`.
            (Err(_), Some(why)) => return Ok(Found::Skipped(why)),
            (target, _) => target?,
        };
        // As in ripgrep, a hidden file is not skipped if the filter selects it.
        let skipped = skipped.filter(|why| !is_wanted || *why != SkipReason::Hidden);
        if kind == Kind::Directory {
            let is_link = target.is_some();
            let data = follow.then(|| target.map_or_else(|| fs::metadata(path), Ok)).transpose()?;
            if let Some(id) = data.and_then(|data| id(&data)) {
                // The link leads to a directory that contains the link. That directory is being walked already.
                if is_link && (Some(id) == self.id || above.iter().any(|level| Some(id) == level.id)) {
                    return Ok(Found::Skipped(SkipReason::Loop));
                }
                // Without this check, the directory would be walked once for each chain of links that leads to it. If
                // directories link to one another, the number of such chains can be enormous.
                if !seen.is_first(id) {
                    return Ok(Found::Skipped(SkipReason::Again));
                }
            }
            return Ok(match place(bytes, path, self.place, is_wanted) {
                Ok(DirectoryKind::Plain) => {
                    inbox::repositories(path).map_or(Found::Directory(DirectoryKind::Plain), Found::Inbox)
                }
                place => place.map_or_else(Found::Skipped, Found::Directory),
            });
        }
        if let Some(why) = skipped {
            return Ok(Found::Skipped(why));
        }
        match kind {
            Kind::Link => Ok(Found::Skipped(SkipReason::Link)),
            Kind::Special => Ok(Found::Skipped(SkipReason::Special)),
            Kind::File if rules.has_twin(path, bytes) => Ok(Found::Skipped(SkipReason::Packed)),
            Kind::File | Kind::Directory => self.file(name, path, target, follow, seen),
        }
    }

    /// Checks a file of this directory. `target` is the metadata of the file if it is already known.
    fn file(
        &mut self,
        name: Name,
        path: &Path,
        target: Option<Metadata>,
        follow: bool,
        seen: &mut SeenFiles,
    ) -> io::Result<Found> {
        let message = self.place == DirectoryKind::Messages || is_number(self.listing.bytes(name));
        let known = self.id.map(|(device, _)| (device, name.inode));
        let is_sure = self.unseen + SURELY_SMALL <= self.small && !self.makes_up;
        let is_unseen = message && !follow && known.is_some() && is_sure;
        let data = if is_unseen { None } else { Some(target.map_or_else(|| path.symlink_metadata(), Ok)?) };
        let size = data.as_ref().map_or(MESSAGE_SIZE, Metadata::len);
        // After a large file, the metadata of at least the next [`SURELY_SMALL`] files is read, because they may be
        // large, too.
        (self.small, self.unseen) = match size {
            _ if is_unseen => (self.small, self.unseen + 1),
            ..=SMALL_FILE => (self.small + 1, 0),
            _ => (0, 0),
        };
        let id = data.as_ref().map_or(known, id);
        self.makes_up |= id != known;
        if id.is_some_and(|id| !seen.is_first(id)) && (follow || has_other_names(path, data, id)?) {
            return Ok(Found::Skipped(SkipReason::Again));
        }
        Ok(Found::File { size, message })
    }
}

/// Whether `path` is another name of the visited file that has the inode number `seen`. `false` means that the
/// directory listing had a wrong inode number, or that this file reuses the inode number of a deleted file.
fn has_other_names(path: &Path, data: Option<Metadata>, seen: Option<Id>) -> io::Result<bool> {
    let data = data.map_or_else(|| path.symlink_metadata(), Ok)?;
    Ok(id(&data) == seen && names(&data) > 1)
}

/// Returns the kind of a directory, or the reason why it is skipped. `above` is the kind of the parent directory. If
/// `is_wanted` is true, a hidden directory is not skipped.
fn place(name: &[u8], path: &Path, above: DirectoryKind, is_wanted: bool) -> Result<DirectoryKind, SkipReason> {
    match above {
        DirectoryKind::Maildir if matches!(name, b"cur" | b"new") => Ok(DirectoryKind::Messages),
        DirectoryKind::Maildir if name == b"tmp" => match fs::read_dir(path).map(|mut files| files.next().is_none()) {
            Ok(true) => Ok(DirectoryKind::Plain),
            _ => Err(SkipReason::Undelivered),
        },
        DirectoryKind::Maildir if is_maildir(path) => Ok(DirectoryKind::Maildir),
        _ if name.starts_with(b".") && !(is_wanted || is_of_kmail(name, path)) => Err(SkipReason::Hidden),
        _ if is_maildir(path) => Ok(DirectoryKind::Maildir),
        _ => Ok(DirectoryKind::Plain),
    }
}

/// Whether `path` is the hidden directory in which KMail stores the subfolders of a folder: `.inbox.directory` has those
/// of `inbox`.
fn is_of_kmail(name: &[u8], path: &Path) -> bool {
    let folder = name.strip_prefix(b".").and_then(|name| name.strip_suffix(b".directory"));
    folder.is_some_and(|folder| !folder.is_empty() && path.with_file_name(&*shared::path(folder)).exists())
}

/// Whether `path` has the directories of a Maildir. Programs such as git do not copy an empty `new`. So the names of the
/// messages in `cur` decide then.
fn is_maildir(path: &Path) -> bool {
    let is_message = |file: fs::DirEntry| is_maildir_name(file.file_name().as_encoded_bytes());
    let has_messages = || fs::read_dir(path.join("cur")).is_ok_and(|files| files.flatten().any(is_message));
    path.join("cur").is_dir() && (path.join("new").is_dir() || has_messages())
}

/// Returns the numbers that identify a file under all its names.
#[cfg(unix)]
pub(crate) fn id(data: &Metadata) -> Option<Id> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(unix)]
fn names(data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

/// Returns `None`, because this system has no numbers that identify a file under all its names. A file with several
/// names is therefore read several times.
#[cfg(not(unix))]
pub(crate) fn id(_: &Metadata) -> Option<Id> {
    None
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[cfg(unix)]
    use super::{DirectoryKind, Found, Level, Listing, Rules};
    use super::{Entry, SeenFiles, Tree};
    use crate::source::Temp;

    /// The inode number of a file in a directory listing can differ from the inode number in its metadata. After the
    /// first such difference, the metadata of every file in the directory is checked.
    #[cfg(unix)]
    #[test]
    fn wrong_inode_numbers_in_a_listing_are_not_used() {
        let path = std::env::temp_dir().join(format!("urlspool-inodes-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        for number in 0..40 {
            fs::write(path.join(number.to_string()), b"x").expect("a file");
        }
        // Returns the number of files whose metadata `find` did not check. The function `inode` replaces each inode
        // number in the listing by another.
        let unchecked = |inode: fn(u64) -> u64| {
            let mut level = Level::new(path.clone(), DirectoryKind::Messages, &Listing::default());
            let (rules, mut seen, mut unchecked) = (Rules { follow: false, filter: None }, SeenFiles::default(), 0);
            while let Some(mut name) = level.listing.next() {
                name.inode = inode(name.inode);
                let file = level.listing.path(&level.path, name);
                let found = level.find(name, &file, &[], &rules, &mut seen).expect("a file");
                let Found::File { size, message: true } = found else { panic!("{} was skipped", file.display()) };
                unchecked += usize::from(size != 1);
            }
            unchecked
        };
        assert_eq!([unchecked(|inode| inode), unchecked(|inode| inode + 1), unchecked(|_| 7)], [26, 0, 0]);
        fs::remove_dir_all(&path).expect("the directory");
    }

    /// A path is skipped only if it is another name of a visited file. An equal inode number alone is not enough.
    #[cfg(unix)]
    #[test]
    fn a_visited_inode_number_alone_does_not_skip_a_file() {
        let path = std::env::temp_dir().join(format!("urlspool-visited-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("all")).expect("a directory");
        for number in 0..12 {
            fs::write(path.join(format!("all/{number}")), b"x").expect("a file");
        }
        let files = |is_visited: bool, wrong: Option<u64>| {
            let mut level = Level::new(path.join("all"), DirectoryKind::Messages, &Listing::default());
            let (rules, mut seen, mut files) = (Rules { follow: false, filter: None }, SeenFiles::default(), 0);
            let device = level.id.expect("a device").0;
            while let Some(mut name) = level.listing.next() {
                if is_visited {
                    seen.is_first((device, name.inode));
                }
                // The first few files of a directory are always checked, so only later files get a wrong inode number.
                name.inode = wrong.filter(|_| files >= 10).unwrap_or(name.inode);
                let file = level.listing.path(&level.path, name);
                let found = level.find(name, &file, &[], &rules, &mut seen).expect("a file");
                files += usize::from(matches!(found, Found::File { .. }));
            }
            files
        };
        // Each inode number is marked as visited before its file is checked. This situation occurs if new files reuse
        // the inode numbers of deleted files.
        assert_eq!(files(true, None), 12);
        let first = super::id(&fs::metadata(path.join("all/0")).expect("a file")).expect("a number").1;
        for number in 0..12 {
            fs::hard_link(path.join(format!("all/{number}")), path.join(format!("other-{number}"))).expect("a link");
        }
        // In the listing, the last two files have the inode number of the first file. Like all these files, they also
        // have a name outside the directory. But neither of them is another name of the first file.
        assert_eq!(files(false, Some(first)), 12);
        assert_eq!(files(true, None), 0);
        fs::remove_dir_all(&path).expect("the directory");
    }

    /// A mail program renames messages while the Maildir is walked.
    #[cfg(unix)]
    #[test]
    fn a_message_that_moves_within_a_maildir_is_found_once() {
        let temp = Temp::new("moving");
        let _ = ["cur/1.a:2,S", "cur/2.a:2,S", "new/3.a", "new/4.a"].map(|name| temp.write(name, b"text"));
        let mut tree = Tree::new(false);
        tree.enter(temp.0.clone());
        let mut next = || match tree.next() {
            Some(Entry::File(file)) => file.path.strip_prefix(&temp.0).expect("a message").display().to_string(),
            other => format!("{other:?}"),
        };
        let rename = |from: &str, to: &str| fs::rename(temp.0.join(from), temp.0.join(to)).expect("a message");
        assert_eq!(next(), "cur/1.a:2,S");
        rename("cur/1.a:2,S", "cur/1.a:2,FS");
        rename("cur/2.a:2,S", "cur/2.a:2,FS");
        rename("new/3.a", "cur/3.a:2,S");
        // The second and the third message are looked for when they are opened.
        assert_eq!([next(), next(), next(), next()], ["cur/2.a:2,S", "new/3.a", "new/4.a", "None"]);
    }

    #[test]
    fn each_file_is_new_only_once() {
        let mut seen = SeenFiles::default();
        for id in [(1, 0), (1, 63), (1, 64), (2, 0), (1, u64::MAX), (2, 64)] {
            assert_eq!((seen.is_first(id), seen.is_first(id)), (true, false), "{id:?}");
        }
    }

    /// Mail programs often rename or remove files. A file that is removed after its directory was listed is not an
    /// error.
    #[test]
    fn a_file_that_is_removed_during_the_walk_is_ignored() {
        let temp = Temp::new("removed");
        let [_, second, _] = ["a", "b", "c"].map(|name| temp.write(name, b"x"));
        let mut tree = Tree::new(false);
        tree.enter(temp.0.clone());
        let mut paths = Vec::new();
        while let Some(entry) = tree.next() {
            let Entry::File(file) = entry else { panic!("{entry:?}") };
            paths.push(file.path);
            let _ = fs::remove_file(&second);
        }
        assert_eq!(paths, ["a", "c"].map(|name| temp.0.join(name)));
    }
}
