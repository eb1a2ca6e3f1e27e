//! Which files have been met.

use std::collections::HashMap;

/// Files by device and inode: one bit for each, in words of 64 neighbours, for a tree's files are mostly that.
///
/// A million files take some hundred kilobytes where their inodes are close together, and 40 MB if no two were.
#[derive(Debug, Default)]
pub(super) struct Met(HashMap<(u64, u64), u64>);

impl Met {
    /// Whether the file is met for the first time.
    pub(super) fn is_first(&mut self, (device, inode): (u64, u64)) -> bool {
        let word = self.0.entry((device, inode / 64)).or_default();
        let bit = 1 << (inode % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::Met;

    #[test]
    fn each_is_met_for_the_first_time_once() {
        let mut met = Met::default();
        for id in [(1, 0), (1, 63), (1, 64), (2, 0), (1, u64::MAX), (2, 64)] {
            assert_eq!((met.is_first(id), met.is_first(id)), (true, false), "{id:?}");
        }
    }
}
