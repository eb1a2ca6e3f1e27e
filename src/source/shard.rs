//! Divides files among several machines that process an archive without communicating.

use std::fmt;
use std::path::Path;

use crate::shared::{self, FNV_BASIS, fnv1a};

/// A share of the files, for example the share that one machine searches. A hash of the path of a file decides to which
/// share the file belongs. The shares have about the same number of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Returns the share `number` of `count` shares. Numbers start at 1. Returns `None` if `number` is 0 or greater
    /// than `count`.
    #[must_use]
    pub(crate) fn new(number: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&number).then(|| Shard { index: number - 1, count })
    }

    /// Returns whether the file at `path` belongs to this share. For a given number of shares, each path belongs to
    /// exactly one share. That share is the same in every run, on every machine, and in every version of this library.
    #[must_use]
    pub(crate) fn contains(self, path: &Path) -> bool {
        // The hash is FNV-1a with a final mix. Without the mix, the lower bits of the hash are unevenly distributed for
        // names with the same ending.
        let mut hash = shared::bytes(path).iter().fold(FNV_BASIS, |hash, &byte| fnv1a(hash, byte));
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        hash ^= hash >> 33;
        hash % u64::from(self.count) == u64::from(self.index)
    }
}

/// Prints the share as `1/4`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Shard;

    #[test]
    fn each_path_is_in_one_shard_and_shards_are_even() {
        let paths: Vec<PathBuf> = (0..4000).map(|n| format!("news/alt/archive/{n}").into()).collect();
        for count in [1, 2, 3, 7, 16] {
            let shards: Vec<_> = (1..=count).map(|n| Shard::new(n, count).unwrap()).collect();
            let mut shares = vec![0; shards.len()];
            for path in &paths {
                let of: Vec<usize> = (0..shards.len()).filter(|&n| shards[n].contains(path)).collect();
                assert_eq!(of.len(), 1);
                shares[of[0]] += 1;
            }
            let fair = 4000 / count;
            assert!(shares.iter().all(|share| (fair * 3 / 4..=fair * 5 / 4).contains(share)), "{shares:?}");
        }
        assert_eq!((Shard::new(0, 3), Shard::new(4, 3), Shard::new(1, 0)), (None, None, None));
    }

    #[test]
    fn the_shard_of_a_path_never_changes() {
        let of = |path: &str| (1..=8).find(|&n| Shard::new(n, 8).unwrap().contains(path.as_ref())).unwrap();
        assert_eq!(["a", "b", "lists/1995.mbox", "news/alt/test/1"].map(of), [6, 5, 3, 8]);
    }
}
