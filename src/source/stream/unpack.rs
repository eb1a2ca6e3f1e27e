//! The compressions and archives around the current input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::diagnostic::DiagnosticKind;
use crate::error::Error;
use crate::magic::{Codec, Kind};
use crate::shared::cut_field;
use crate::source::Input;
use crate::source::member::Unread;
use crate::source::unpack::Layer;

/// Maximum nesting depth of archives and compressions. A compression counts as 1. An archive counts as 2, because the
/// archive itself can be compressed: its own compression does not count for its members.
pub(super) const LAYERS_MAX: usize = 6;

pub(super) struct Unpack<R: Read> {
    pub(super) layer: Layer<R>,
    /// The open archives, from the outermost to the innermost.
    archives: Vec<Archive>,
    /// The compression of the current file or member.
    pub(super) codec: Option<Codec>,
    /// Number of bytes decoded by layers that are no longer in use. These bytes count towards the limit on decoded
    /// bytes.
    decoded: u64,
    /// Whether the current input is the data before the first member of a zip archive, such as the program of a
    /// self-extracting archive. The archive is not in `archives` yet.
    pub(super) has_sfx_prefix: bool,
    /// The unreadable members of the open archives. The unreadable members of an archive are reported when the archive
    /// ends.
    unread: Unread,
    /// The only member to read, if the user named one.
    only: Option<Only>,
    /// Whether a truncated archive was reported, and no member followed.
    is_cut: bool,
    /// Whether the lowest layer reads the objects of a git repository.
    pub(super) is_git: bool,
}

/// An archive whose members are being read.
struct Archive {
    /// The compression of the archive, such as gzip for `mail.tar.gz`.
    codec: Option<Codec>,
    /// The name of the current member.
    member: Vec<u8>,
}

/// The only member of an archive that is read.
struct Only {
    name: Vec<u8>,
    is_met: bool,
}

impl<R: Read> Unpack<R> {
    pub(super) fn new(layer: Layer<R>) -> Unpack<R> {
        let is_git = matches!(layer, Layer::Git(_));
        let (archives, unread) = (Vec::new(), Unread::default());
        Unpack {
            layer,
            archives,
            codec: None,
            decoded: 0,
            has_sfx_prefix: false,
            unread,
            only: None,
            is_cut: false,
            is_git,
        }
    }

    /// Sets the only member to read.
    pub(super) fn restrict(&mut self, member: Option<Vec<u8>>) {
        self.only = member.map(|name| Only { name: cut_field(&name).to_vec(), is_met: false });
    }

    /// Whether the current input is decoded, or comes from an archive.
    pub(super) fn is_packed(&self) -> bool {
        self.codec.is_some() || self.is_member() || self.has_sfx_prefix
    }

    /// Whether the current input is a member of an archive.
    pub(super) fn is_member(&self) -> bool {
        !self.archives.is_empty()
    }

    /// Whether the current input is too deeply nested for one more layer. `layers` is the number of compressions of the
    /// input.
    pub(super) fn is_too_deep(&self, layers: usize) -> bool {
        layers + 2 * self.archives.len() >= LAYERS_MAX
    }

    /// Returns the name of the current member, including the archives around it. A long name is cut.
    pub(super) fn member(&self) -> Option<Box<[u8]>> {
        let names: Vec<_> = self.archives.iter().map(|archive| archive.member.as_slice()).collect();
        let name = names.join(&b'!');
        self.is_member().then(|| cut_field(&name).into())
    }

    /// Returns the length of the names of the archives around the current archive, with a `!` after each.
    pub(super) fn outer_length(&self) -> usize {
        let outer = self.archives.split_last().map_or(&[][..], |(_, outer)| outer);
        outer.iter().map(|archive| archive.member.len() + 1).sum()
    }

    /// Adds a layer that decodes `kind`. `head` has the bytes that were already read from the current top layer.
    pub(super) fn put(&mut self, kind: Kind, head: Vec<u8>) {
        self.layer.put(kind, head, self.decoded);
    }

    /// Removes the top layer, unless it is the lowest. Returns whether a layer was removed.
    pub(super) fn take_off(&mut self) -> bool {
        self.layer.take_off(&mut self.decoded)
    }

    /// Returns the problem of the top layer. Returns a truncated archive only once, also if it is the last member of a
    /// truncated archive: whether the outer archive notices it depends on the number of bytes that were read ahead.
    pub(super) fn note(&mut self) -> Option<DiagnosticKind> {
        let kind = self.layer.carrier().note()?;
        let is_cut = kind == DiagnosticKind::TruncatedArchive;
        (!is_cut || !std::mem::replace(&mut self.is_cut, true)).then_some(kind)
    }

    /// Begins to read the members of the archive whose layer was added last.
    pub(super) fn enter(&mut self) {
        self.archives.push(Archive { codec: self.codec.take(), member: Vec::new() });
    }

    /// Leaves the innermost archive, which is then the current input again.
    pub(super) fn leave(&mut self) {
        self.codec = self.archives.pop().and_then(|archive| archive.codec);
    }

    /// Leaves all archives, because reading has failed.
    pub(super) fn leave_all(&mut self) {
        self.archives.clear();
    }

    /// Moves to the member `name` of the innermost archive. `codec` is the compression of the member.
    pub(super) fn begin_member(&mut self, mut name: Vec<u8>, codec: Option<Codec>) {
        self.codec = codec;
        self.is_cut = false;
        name.truncate(cut_field(&name).len());
        if let Some(archive) = self.archives.last_mut() {
            archive.member = name;
        }
    }

    /// Adds the current member to the unreadable members of its archive.
    pub(super) fn add_unread(&mut self, why: String, path: &Path) {
        self.unread.add(self.archives.len(), why, self.place(path));
    }

    /// Returns the next error about the unreadable members of an archive that has ended.
    pub(super) fn next_unread(&mut self) -> Option<Error> {
        self.unread.next(self.archives.len())
    }

    /// Returns the name for error messages: `path`, and the name of the member if there is one.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        self.member().map_or_else(|| path.to_path_buf(), |member| Input::join(path, &member))
    }

    /// Whether the current member can be skipped. Returns `false` for the wanted member, for a member inside the wanted
    /// member, and for an archive that may contain the wanted member.
    pub(super) fn is_other(&mut self) -> bool {
        let name = self.member().unwrap_or_default();
        let Some(only) = &mut self.only else { return false };
        let is_in = |inner: &[u8], outer: &[u8]| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(b"!"));
        let is_meant = *name == *only.name || is_in(&name, &only.name);
        only.is_met |= is_meant;
        !is_meant && !is_in(&only.name, &name)
    }

    /// Skips the bytes of the current file or member if they cannot contain the wanted member. For example, the member
    /// `a` can contain the wanted member `a!b` only if `a` is an archive. The data before the first member of an
    /// archive contains no member. Returns `false` if the bytes must be read.
    pub(super) fn skips_to_member(&mut self, path: &Path) -> Result<bool, Error> {
        let Some(only) = &self.only else { return Ok(false) };
        match self.member() {
            Some(name) if name.len() >= only.name.len() => return Ok(false),
            None if !self.has_sfx_prefix => {
                let error = no_member(path, &only.name, "the file before the `!` is not an archive");
                self.only = None;
                return Err(error);
            }
            _ => {}
        }
        io::copy(&mut self.layer, &mut io::sink()).map_err(|e| Error::read(path, e))?;
        Ok(true)
    }

    /// Returns an error if the user named a member, and all members were read without finding it.
    pub(super) fn check_met(&mut self, path: &Path) -> Result<(), Error> {
        match self.only.take_if(|only| !only.is_met) {
            Some(only) => Err(no_member(path, &only.name, "the archive has no member of that name")),
            None => Ok(()),
        }
    }
}

fn no_member(path: &Path, name: &[u8], why: &str) -> Error {
    Error::open(&Input::join(path, name), io::Error::new(io::ErrorKind::NotFound, why))
}
