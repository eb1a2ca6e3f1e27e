//! Reads compressed files and archives through layers. A layer decodes one compression or one archive, and reads its
//! input from the layer below it. For example, a compressed file in a zip archive needs two layers.
//!
//! Nothing is unpacked to disk. Memory holds only the state of the decoders, such as their dictionaries. A layer that
//! decodes a member never reads beyond the end of this member. So the archive layer below can continue with the next
//! member.

#[cfg(feature = "compression")]
mod base;
#[cfg(feature = "compression")]
mod codec_layer;
#[cfg(feature = "compression")]
mod decoder;
#[cfg(feature = "compression")]
mod gzip;
#[cfg(feature = "compression")]
mod lzw;
#[cfg(feature = "compression")]
mod peek_reader;
#[cfg(feature = "compression")]
mod tar;
#[cfg(feature = "compression")]
mod xz;
#[cfg(feature = "compression")]
mod zip;
#[cfg(feature = "compression")]
mod zstd;

use std::io::{self, Read};
#[cfg(feature = "tasks")]
use std::ops::Range;

#[cfg(feature = "compression")]
use self::{base::Base, codec_layer::CodecLayer, tar::Tar, zip::Zip};
#[cfg(feature = "tasks")]
pub(super) use self::{
    tar::{pax_size, stated_size},
    zip::record::{LISTED, LOCAL, number, zip64},
};
#[cfg(feature = "outlook")]
use super::folders::Folders;
use super::inbox::Inbox;
use super::member::Carrier;
use crate::magic::Kind;

/// Size of the buffer of a layer.
#[cfg(feature = "compression")]
const BUFFER: usize = 64 << 10;

pub(super) enum Layer<R: Read> {
    Bottom(Bottom<R>),
    Git(Box<Inbox>),
    #[cfg(feature = "compression")]
    Codec(Box<CodecLayer<R>>),
    #[cfg(feature = "compression")]
    Tar(Box<Tar<R>>),
    #[cfg(feature = "compression")]
    Zip(Box<Zip<R>>),
    /// Outlook folders, and the layer below them. The folders are read from the file itself, so the bytes of the layer
    /// below are not used.
    #[cfg(feature = "outlook")]
    Outlook(Box<Folders>, Box<Layer<R>>),
    /// A placeholder while the layer is replaced.
    #[cfg(feature = "compression")]
    Gone,
}

/// The lowest layer, which reads the input.
pub(super) struct Bottom<R> {
    reader: R,
    /// Number of bytes read from the input.
    pub(super) count: u64,
    pub(super) failed: bool,
}

impl<R: Read> Layer<R> {
    pub(super) fn new(reader: R) -> Layer<R> {
        Layer::Bottom(Bottom { reader, count: 0, failed: false })
    }

    /// Returns what the layer reads.
    pub(super) fn carrier(&mut self) -> &mut dyn Carrier {
        match self {
            Layer::Bottom(bottom) => bottom,
            Layer::Git(inbox) => inbox.as_mut(),
            #[cfg(feature = "compression")]
            Layer::Codec(codec) => codec.as_mut(),
            #[cfg(feature = "compression")]
            Layer::Tar(tar) => tar.as_mut(),
            #[cfg(feature = "compression")]
            Layer::Zip(zip) => zip.as_mut(),
            #[cfg(feature = "outlook")]
            Layer::Outlook(folders, _) => folders.as_mut(),
            #[cfg(feature = "compression")]
            Layer::Gone => unreachable!("this value exists only while the layer is replaced"),
        }
    }

    /// Whether the inputs of this layer are the members of an archive, or the folders of an Outlook mailbox.
    pub(super) fn is_archive(&self) -> bool {
        match self {
            #[cfg(feature = "compression")]
            Layer::Tar(_) | Layer::Zip(_) => true,
            #[cfg(feature = "outlook")]
            Layer::Outlook(..) => true,
            _ => false,
        }
    }
}

#[cfg(feature = "compression")]
impl<R: Read> Layer<R> {
    /// Adds a layer on top that decodes `kind`. `head` has the bytes that the caller already read from the current top
    /// layer. `decoded` is the number of bytes decoded by the layers that were removed earlier.
    pub(super) fn put(&mut self, kind: Kind, head: Vec<u8>, decoded: u64) {
        let base = Base::new(head, std::mem::replace(self, Layer::Gone), decoded);
        *self = match kind {
            Kind::Packed(codec) => Layer::Codec(Box::new(CodecLayer::new(codec, base))),
            Kind::Tar => Layer::Tar(Box::new(Tar::new(base))),
            Kind::Zip(stub) => Layer::Zip(Box::new(Zip::new(base, stub as u64))),
        };
    }

    /// Makes the top layer read only the members that begin in the range `members` of the archive. The first byte that
    /// the layer below returns must be the first byte of this range.
    #[cfg(feature = "tasks")]
    pub(super) fn limit(&mut self, members: Range<u64>) {
        if let Some(base) = self.base() {
            base.limit(members);
        }
    }

    #[cfg(feature = "outlook")]
    pub(super) fn put_folders(&mut self, folders: Folders) {
        let below = std::mem::replace(self, Layer::Gone);
        *self = Layer::Outlook(Box::new(folders), Box::new(below));
    }

    /// Removes the top layer, unless it is the lowest. Returns whether a layer was removed. Sets `decoded` to the
    /// number of bytes decoded by all layers that were removed so far.
    pub(super) fn take_off(&mut self, decoded: &mut u64) -> bool {
        let base = match std::mem::replace(self, Layer::Gone) {
            Layer::Codec(codec) => codec.base,
            // A tar layer decodes nothing, so `decoded` is left unchanged.
            Layer::Tar(tar) => {
                *self = tar.base.into_below();
                return true;
            }
            Layer::Zip(zip) => zip.base,
            #[cfg(feature = "outlook")]
            Layer::Outlook(_, below) => {
                *self = *below;
                return true;
            }
            lowest => {
                *self = lowest;
                return false;
            }
        };
        *decoded = base.decoded;
        *self = base.into_below();
        true
    }

    /// If this layer decodes a compression, removes its note, and the notes of the compressions directly below it.
    /// Called when the layer above has failed. The compressions below were then not read to their ends, so their notes
    /// depend on how many bytes were read ahead. An archive keeps its note, because reading continues with its next
    /// member.
    pub(super) fn drop_notes(&mut self) {
        if let Layer::Codec(codec) = self {
            codec.base.drop_notes();
        }
    }

    fn base(&mut self) -> Option<&mut Base<R>> {
        match self {
            Layer::Codec(codec) => Some(&mut codec.base),
            Layer::Tar(tar) => Some(&mut tar.base),
            Layer::Zip(zip) => Some(&mut zip.base),
            _ => None,
        }
    }

    pub(super) fn bottom(&mut self) -> Option<&Bottom<R>> {
        match self {
            Layer::Bottom(bottom) => Some(bottom),
            upper => upper.base()?.below().bottom(),
        }
    }
}

/// A build without decompression returns an error for compressed files and for archives, and adds no layers.
#[cfg(not(feature = "compression"))]
impl<R: Read> Layer<R> {
    pub(super) fn put(&mut self, kind: Kind, _: Vec<u8>, _: u64) {
        unreachable!("{kind:?} is not unpacked");
    }

    pub(super) fn take_off(&mut self, _: &mut u64) -> bool {
        false
    }

    pub(super) fn drop_notes(&mut self) {}
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.carrier().read(buf)
    }
}

impl<R: Read> Carrier for Bottom<R> {}

impl<R: Read> Read for Bottom<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buf) {
                Ok(n) => {
                    self.count += n as u64;
                    return Ok(n);
                }
                // Some decoders do not repeat an interrupted read, so the read is repeated here.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failed = true;
                    return Err(e);
                }
            }
        }
    }
}

#[cfg(all(test, feature = "compression"))]
pub(super) mod tests;
