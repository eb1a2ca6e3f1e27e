//! Writes messages in Outlook's formats. The code follows the specifications ([MS-OXMSG], [MS-OXTNEF], [MS-PST]). It
//! does not use the library, so that the code and the library cannot have the same mistake.

use std::io::{Cursor, Write};

use cfb::CompoundFile;
use flate2::Compression;
use flate2::write::ZlibEncoder;

#[derive(Clone, Default)]
pub(crate) struct Mail {
    pub(crate) subject: &'static str,
    pub(crate) text: String,
    pub(crate) html: String,
    pub(crate) rtf: String,
    pub(crate) attachments: Vec<Attached>,
}

#[derive(Clone)]
pub(crate) enum Attached {
    Mail(Mail),
    File(&'static str, Vec<u8>),
}

/// The number, type and value of a property.
type Property = (u16, u16, Vec<u8>);

const TIME: u16 = 0x0040;
const WIDE: u16 = 0x001F;
const BINARY: u16 = 0x0102;
const OBJECT: u16 = 0x000D;

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn properties(mail: &Mail) -> Vec<Property> {
    let mut all = vec![
        (0x0037, WIDE, wide(mail.subject)),
        // 2004-03-01 10:00:00 UTC.
        (0x0039, TIME, 127_226_088_000_000_000_u64.to_le_bytes().to_vec()),
        (0x0C1A, WIDE, wide("An Archivist")),
        (0x0C1F, WIDE, wide("archivist@example.org")),
        (0x1035, WIDE, wide(&format!("<{}@example.org>", mail.subject))),
    ];
    if !mail.text.is_empty() {
        all.push((0x1000, WIDE, wide(&mail.text)));
    }
    if !mail.rtf.is_empty() {
        all.push((0x1009, BINARY, compressed_rtf::compress_rtf(&mail.rtf).expect("ASCII")));
    }
    if !mail.html.is_empty() {
        all.push((0x1013, BINARY, mail.html.as_bytes().to_vec()));
    }
    all.sort_by_key(|property| property.0);
    all
}

fn file_properties(name: &str, bytes: &[u8]) -> Vec<Property> {
    vec![(0x3701, BINARY, bytes.to_vec()), (0x3707, WIDE, wide(name))]
}

/// Returns a `.msg` file with this message.
pub(crate) fn msg(mail: &Mail) -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).expect("memory");
    storage(&mut file, "", 32, mail);
    file.into_inner().into_inner()
}

fn storage(file: &mut CompoundFile<Cursor<Vec<u8>>>, at: &str, header: usize, mail: &Mail) {
    streams(file, at, header, &properties(mail));
    for (i, attached) in mail.attachments.iter().enumerate() {
        let at = format!("{at}/__attach_version1.0_#{i:08X}");
        file.create_storage(&at).expect("new");
        match attached {
            Attached::Mail(mail) => {
                streams(file, &at, 8, &[]);
                let inner = format!("{at}/__substg1.0_3701000D");
                file.create_storage(&inner).expect("new");
                storage(file, &inner, 24, mail);
            }
            Attached::File(name, bytes) => streams(file, &at, 8, &file_properties(name, bytes)),
        }
    }
}

fn streams(file: &mut CompoundFile<Cursor<Vec<u8>>>, at: &str, header: usize, properties: &[Property]) {
    let mut fixed = vec![0; header];
    for (tag, kind, value) in properties {
        fixed.extend([kind.to_le_bytes(), tag.to_le_bytes(), [6, 0], [0, 0]].concat());
        if *kind == TIME {
            fixed.extend(value);
        } else {
            fixed.extend((value.len() as u64).to_le_bytes());
            let name = format!("{at}/__substg1.0_{tag:04X}{kind:04X}");
            file.create_stream(name).expect("new").write_all(value).expect("memory");
        }
    }
    let name = format!("{at}/__properties_version1.0");
    file.create_stream(name).expect("new").write_all(&fixed).expect("memory");
}

/// Returns a `winmail.dat` with this message.
pub(crate) fn tnef(mail: &Mail) -> Vec<u8> {
    let mut out = [&0x223E_9F78_u32.to_le_bytes()[..], &[1, 0]].concat();
    let mut attribute = |level: u8, name: u32, value: &[u8]| {
        let sum = value.iter().fold(0_u16, |sum, &byte| sum.wrapping_add(u16::from(byte)));
        out.push(level);
        out.extend([name.to_le_bytes(), (value.len() as u32).to_le_bytes()].concat());
        out.extend(value);
        out.extend(sum.to_le_bytes());
    };
    attribute(1, 0x0006_9003, &list(&properties(mail)));
    for attached in &mail.attachments {
        attribute(2, 0x0006_9002, &[0; 14]);
        let properties = match attached {
            Attached::Mail(mail) => vec![(0x3701, OBJECT, [vec![0; 16], tnef(mail)].concat())],
            Attached::File(name, bytes) => file_properties(name, bytes),
        };
        attribute(2, 0x0006_9005, &list(&properties));
    }
    out
}

fn list(properties: &[Property]) -> Vec<u8> {
    let mut out = (properties.len() as u32).to_le_bytes().to_vec();
    for (tag, kind, value) in properties {
        out.extend([kind.to_le_bytes(), tag.to_le_bytes()].concat());
        if *kind != TIME {
            out.extend([1_u32.to_le_bytes(), (value.len() as u32).to_le_bytes()].concat());
        }
        out.extend(value);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

/// The versions of `.pst` and `.ost` files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Folders {
    /// The format of Outlook 97.
    Ansi,
    /// The format of Outlook 2003.
    Unicode,
    /// The format of Outlook 2013, with compressed blocks.
    Large,
}

/// Returns a `.pst` or `.ost` file with these messages in the folder `Archive/Inbox`.
pub(crate) fn pst(kind: Folders, messages: &[Mail]) -> Vec<u8> {
    let mut file = Pst { kind, out: vec![0; 0x4600], blocks: Vec::new(), nodes: Vec::new(), next: 1 };
    for (id, parent, name) in [(0x122, 0x122, ""), (0x8022, 0x122, "Archive"), (0x8042, 0x8022, "Inbox")] {
        let (data, sub) = file.heap(vec![(0x3001, WIDE, wide(name))], Vec::new());
        file.nodes.push([id, data, sub, parent]);
    }
    for (i, mail) in messages.iter().enumerate() {
        let (data, sub) = file.mail(mail);
        file.nodes.push([0x20_0004 + 32 * i as u64, data, sub, 0x8042]);
    }
    file.finish()
}

/// A writer of `.pst` and `.ost` files. Such a file is a tree of nodes: folders and messages. Each node has a number, a
/// data block, a block that lists its subnodes, and a parent.
struct Pst {
    kind: Folders,
    out: Vec<u8>,
    blocks: Vec<[u64; 4]>,
    nodes: Vec<[u64; 4]>,
    next: u64,
}

impl Pst {
    fn number(&self, number: u64) -> Vec<u8> {
        let width = if self.kind == Folders::Ansi { 4 } else { 8 };
        number.to_le_bytes()[..width].to_vec()
    }

    /// Writes a block, and returns its id.
    fn block(&mut self, bytes: &[u8], is_internal: bool) -> u64 {
        let id = 4 * self.next + 2 * u64::from(is_internal);
        self.next += 1;
        let mut stored = bytes.to_vec();
        if self.kind == Folders::Large && !is_internal {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).expect("memory");
            // If the stored size of a block equals its original size, readers take the block as uncompressed. So a
            // block is compressed only if it becomes smaller.
            stored =
                Some(encoder.finish().expect("memory")).filter(|packed| packed.len() < bytes.len()).unwrap_or(stored);
        }
        self.out.resize(self.out.len().next_multiple_of(64), 0);
        self.blocks.push([id, self.out.len() as u64, stored.len() as u64, bytes.len() as u64]);
        self.out.extend(stored);
        id
    }

    /// Writes the blocks of a long value, and a block that lists their ids. Returns the id of the block with the list.
    fn tree(&mut self, value: &[u8]) -> u64 {
        let ids: Vec<u64> = value.chunks(8000).map(|chunk| self.block(chunk, false)).collect();
        let mut list = vec![1, 1];
        list.extend((ids.len() as u16).to_le_bytes());
        list.extend((value.len() as u32).to_le_bytes());
        ids.iter().for_each(|&id| list.extend(self.number(id)));
        self.block(&list, true)
    }

    /// Writes a block that lists the subnodes of a node, and returns the id of the block. Returns 0 if there are no
    /// subnodes.
    fn below(&mut self, nodes: &[[u64; 3]]) -> u64 {
        if nodes.is_empty() {
            return 0;
        }
        let mut list = vec![2, 0];
        list.extend((nodes.len() as u16).to_le_bytes());
        list.resize(if self.kind == Folders::Ansi { 4 } else { 8 }, 0);
        nodes.iter().flatten().for_each(|&number| list.extend(self.number(number)));
        self.block(&list, true)
    }

    /// Writes the two blocks of a node, and returns their ids. The first block is a heap with these properties. The
    /// second block lists the subnodes of the node: those in `below`, and one for each value of more than 2,000 bytes.
    fn heap(&mut self, properties: Vec<Property>, mut below: Vec<[u64; 3]>) -> (u64, u64) {
        let (mut values, mut records) = (Vec::new(), Vec::new());
        for (tag, kind, value) in properties {
            let id = if value.len() > 2000 {
                let id = 0x1F + 32 * (100 + below.len() as u64);
                below.push([id, self.tree(&value), 0]);
                id as u32
            } else {
                values.push(value);
                32 * (values.len() as u32 + 2)
            };
            records.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
            records.extend(id.to_le_bytes());
        }
        let head = [0xB5, 2, 6, 0, 64, 0, 0, 0].to_vec();
        let (mut bytes, mut map) = (vec![0, 0, 0xEC, 0xBC, 32, 0, 0, 0, 0, 0, 0, 0], Vec::new());
        for value in [head, records].iter().chain(&values) {
            map.extend((bytes.len() as u16).to_le_bytes());
            bytes.extend(value);
        }
        map.extend((bytes.len() as u16).to_le_bytes());
        let at = (bytes.len() as u16).to_le_bytes();
        bytes[..2].copy_from_slice(&at);
        bytes.extend((values.len() as u16 + 2).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(map);
        let data = self.block(&bytes, false);
        (data, self.below(&below))
    }

    fn mail(&mut self, mail: &Mail) -> (u64, u64) {
        let mut below = Vec::new();
        for (i, attached) in mail.attachments.iter().enumerate() {
            let id = 0x8005 + 32 * i as u64;
            let (data, sub) = match attached {
                Attached::File(name, bytes) => self.heap(file_properties(name, bytes), Vec::new()),
                Attached::Mail(mail) => {
                    let (data, sub) = self.mail(mail);
                    let object = [0x1_0004_u32.to_le_bytes(), [0; 4]].concat();
                    self.heap(vec![(0x3701, OBJECT, object)], vec![[0x1_0004, data, sub]])
                }
            };
            below.push([id, data, sub]);
        }
        self.heap(properties(mail), below)
    }

    /// Writes the pages of a B-tree, and returns the offset of its root. Each entry is a key and its data.
    fn pages(&mut self, entries: &[(u64, Vec<u8>)], level: u8, kind: u8) -> u64 {
        let (length, meta, trailer) = match self.kind {
            Folders::Ansi => (512, 496, 500),
            Folders::Unicode => (512, 488, 496),
            Folders::Large => (4096, 4056, 4072),
        };
        let mut above = Vec::new();
        for chunk in entries.chunks(5) {
            let size = chunk[0].1.len();
            let mut page = chunk.iter().flat_map(|(_, entry)| entry.clone()).collect::<Vec<_>>();
            page.resize(length, 0);
            let count = chunk.len() as u8;
            match self.kind {
                Folders::Large => page[meta..meta + 6].copy_from_slice(&[count, 0, 99, 0, size as u8, level]),
                _ => page[meta..meta + 4].copy_from_slice(&[count, 9, size as u8, level]),
            }
            page[trailer..trailer + 2].fill(kind);
            self.out.resize(self.out.len().next_multiple_of(length), 0);
            let at = self.out.len() as u64;
            self.out.extend(page);
            above.push((chunk[0].0, [self.number(chunk[0].0), self.number(1), self.number(at)].concat()));
        }
        match above.len() {
            1 => self.out.len() as u64 - length as u64,
            _ => self.pages(&above, level + 1, kind),
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let nodes = self.nodes.iter().map(|&[id, data, sub, parent]| {
            let parent = (parent as u32).to_le_bytes().to_vec();
            let entry = [self.number(id), self.number(data), self.number(sub), parent].concat();
            (id, if self.kind == Folders::Ansi { entry } else { [entry, vec![0; 4]].concat() })
        });
        let nodes: Vec<_> = nodes.collect();
        let blocks = self.blocks.iter().map(|&[id, at, stored, length]| {
            let second = if self.kind == Folders::Large { length } else { 2 };
            let sizes = [(stored as u16).to_le_bytes(), (second as u16).to_le_bytes()].concat();
            let entry = [self.number(id), self.number(at), sizes].concat();
            (id, if self.kind == Folders::Ansi { entry } else { [entry, vec![0; 4]].concat() })
        });
        let blocks: Vec<_> = blocks.collect();
        let (nodes, blocks) = (self.pages(&nodes, 0, 0x81), self.pages(&blocks, 0, 0x80));
        let (version, at) = match self.kind {
            Folders::Ansi => (14_u16, [188, 196]),
            Folders::Unicode => (23, [224, 240]),
            Folders::Large => (36, [224, 240]),
        };
        self.out[..4].copy_from_slice(b"!BDN");
        self.out[8..10].copy_from_slice(b"SM");
        self.out[10..12].copy_from_slice(&version.to_le_bytes());
        for (at, page) in at.into_iter().zip([nodes, blocks]) {
            let page = self.number(page);
            self.out[at..at + page.len()].copy_from_slice(&page);
        }
        self.out
    }
}
