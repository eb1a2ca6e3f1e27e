//! Helpers for tests of whole messages and archives.

pub(crate) mod hits;
pub(crate) mod placeless;
pub(crate) mod record;
pub(crate) mod short;
pub(crate) mod store;
pub(crate) mod undo;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the repository. This function also works in the tests of the other packages of the workspace.
pub(crate) fn root() -> &'static Path {
    let mut directories = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    directories.find(|directory| directory.join("corpus").is_dir()).expect("the repository has a corpus")
}

/// Returns the path of the file or directory `name` of the corpus.
pub(crate) fn corpus(name: &str) -> PathBuf {
    root().join("corpus").join(name)
}

/// Returns the name and the bytes of each message in `corpus/mail`.
pub(crate) fn messages() -> Vec<(String, Vec<u8>)> {
    let mut messages = Vec::new();
    for entry in fs::read_dir(corpus("mail")).expect("corpus/mail") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            messages.push((name, fs::read(path).expect("a message")));
        }
    }
    messages.sort();
    assert!(messages.len() >= 40, "corpus/mail has lost its messages");
    messages
}

/// A temporary directory. Dropping this value removes the directory.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("urlspool-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }

    /// Writes `bytes` to the file `name` in the directory, and returns the file's path. Makes missing directories.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, bytes).expect("a file");
        path
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A generator of pseudo-random numbers, which are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Returns `text` with every CRLF replaced by LF.
pub(crate) fn with_lf(text: &[u8]) -> Vec<u8> {
    let crlf = |&(i, &byte): &(usize, &u8)| !(byte == b'\r' && text.get(i + 1) == Some(&b'\n'));
    text.iter().enumerate().filter(crlf).map(|(_, &byte)| byte).collect()
}

/// Returns `text` with every line end (LF or CRLF) replaced by CRLF.
pub(crate) fn with_crlf(text: &[u8]) -> Vec<u8> {
    with_lf(text).iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect()
}
