//! Selects files by globs, with the rules of ripgrep.

use std::env;
use std::path::{Path, PathBuf};

use crate::escaped::Escaped;

/// The globs in the order of the command line. If several match a path, the last one decides.
pub(crate) struct Globs {
    globs: Vec<Glob>,
    /// The current directory, or an empty path if it is unknown.
    root: PathBuf,
}

struct Glob {
    pattern: String,
    is_exclusion: bool,
    is_for_directories: bool,
}

impl Globs {
    pub(crate) fn new(globs: &[String]) -> Result<Globs, String> {
        let mut all = Globs { globs: Vec::new(), root: env::current_dir().unwrap_or_default() };
        globs.iter().try_for_each(|glob| all.add(glob)).map(|()| all).map_err(|why| format!("--glob: {why}"))
    }

    /// Adds a glob as in a `.gitignore` file, but `!` begins an exclusion. An empty glob and a comment match nothing.
    fn add(&mut self, glob: &str) -> Result<(), String> {
        let line = if glob.ends_with("\\ ") { glob } else { glob.trim_end() };
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let (is_exclusion, rest) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (is_at_root, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let directories = rest.strip_suffix('/').map(|rest| rest.strip_suffix('\\').unwrap_or(rest));
        let rest = directories.unwrap_or(rest);
        // A glob without a slash matches at any depth. In fast-glob, `!` at the beginning negates a glob.
        let is_anywhere = !is_at_root && !rest.contains('/') && rest != "**";
        let start = if is_anywhere {
            "**/"
        } else if rest.starts_with('!') {
            "\\"
        } else {
            ""
        };
        // `a/**` matches what is in the directory, and not the directory itself.
        let end = if rest.ends_with("/**") { "/*" } else { "" };
        // `start` and `end` are valid, and the offset in the error must count in what the user wrote.
        fast_glob::validate(rest).map_err(|why| format!("error parsing glob '{}': {why}", Escaped(rest.as_bytes())))?;
        let pattern = format!("{start}{rest}{end}");
        self.globs.push(Glob { pattern, is_exclusion, is_for_directories: directories.is_some() });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// Returns whether a path is selected. `None` for a directory that no glob matches, and for such a file if all
    /// globs are exclusions.
    pub(crate) fn select(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let path = path.strip_prefix(".").unwrap_or(path);
        let path = path.strip_prefix(&self.root).unwrap_or(path).as_os_str().as_encoded_bytes();
        let is_match =
            |glob: &&Glob| (is_directory || !glob.is_for_directories) && fast_glob::glob_match(&glob.pattern, path);
        let last = self.globs.iter().rev().find(is_match).map(|glob| !glob.is_exclusion);
        last.or_else(|| (!is_directory && self.globs.iter().any(|glob| !glob.is_exclusion)).then_some(false))
    }
}
