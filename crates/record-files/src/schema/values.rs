//! The values of a field: how many different ones, and how often each of the
//! short ones occurs. Memory is bounded for a field and for all of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// Different values counted exactly for a field.
const DISTINCT: usize = 10_000;
/// Values of a field that are kept to be shown.
const KEPT: usize = 256;
/// The longest value that is kept, in bytes of its spelling.
const KEPT_BYTES: usize = 80;

/// The values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    counts: HashMap<u64, u64, BuildHasherDefault<Hashed>>,
    kept: Vec<(u64, Box<str>)>,
    /// Set when there are more than can be counted.
    more_than: Option<u64>,
}

/// How many different values may still be remembered, over all fields.
#[derive(Debug, Clone)]
pub(crate) struct Room(pub(crate) usize);

impl Default for Room {
    fn default() -> Self {
        Self(1_000_000)
    }
}

impl Values {
    /// Counts a scalar, given as it is spelled.
    pub(crate) fn add(&mut self, spelled: &str, room: &mut Room) {
        let kept = spelled.len() <= KEPT_BYTES;
        if let Some(hash) = self.count(spelled, room).filter(|_| kept && self.kept.len() < KEPT) {
            self.kept.push((hash, spelled.into()));
        }
    }

    /// Counts one that is not to be kept; where it was, as another stood beside no
    /// secret, it is no longer.
    pub(crate) fn hide(&mut self, spelled: &str, room: &mut Room) {
        if self.count(spelled, room).is_none() {
            self.kept.retain(|(_, kept)| **kept != *spelled);
        }
    }

    /// Counts; the hash of a value that is new.
    fn count(&mut self, spelled: &str, room: &mut Room) -> Option<u64> {
        if self.more_than.is_some() {
            return None;
        }
        let hash = xxh3_64(spelled.as_bytes());
        if let Some(count) = self.counts.get_mut(&hash) {
            *count += 1;
            return None;
        }
        if self.counts.len() >= DISTINCT || room.0 == 0 {
            self.give_up(room);
            return None;
        }
        room.0 -= 1;
        self.counts.insert(hash, 1);
        Some(hash)
    }

    /// A count that stopped halfway would mislead, so none is kept.
    fn give_up(&mut self, room: &mut Room) {
        room.0 += self.counts.len();
        self.more_than = Some(self.counts.len() as u64);
        self.counts = HashMap::default();
        self.kept = Vec::new();
    }

    /// How many different values there are: at least so many where
    /// [`Self::exact`] is false.
    pub(crate) fn distinct(&self) -> u64 {
        self.more_than.unwrap_or(self.counts.len() as u64)
    }

    /// True where the count of different values is exact.
    pub(crate) fn exact(&self) -> bool {
        self.more_than.is_none()
    }

    /// True where every value is kept.
    pub(crate) fn complete(&self) -> bool {
        self.exact() && self.kept.len() == self.counts.len()
    }

    /// The kept values in order of first appearance.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|(_, spelled)| &**spelled)
    }

    /// The most frequent kept values with their counts, the earlier first among
    /// equals.
    pub(crate) fn top(&self, most: usize) -> Vec<(&str, u64)> {
        let count = |hash| self.counts.get(hash).copied().unwrap_or_default();
        let mut top: Vec<_> =
            self.kept.iter().map(|(hash, spelled)| (&**spelled, count(hash))).collect();
        top.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        top.truncate(most);
        top
    }
}

/// The keys are hashes already.
#[derive(Debug, Clone, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_come_first() {
        let (mut values, mut room) = (Values::default(), Room::default());
        ["1", "2", "2", "3", "3"].iter().for_each(|value| values.add(value, &mut room));
        assert_eq!(values.top(2), [("2", 2), ("3", 2)]);
        assert_eq!((values.distinct(), values.complete()), (3, true));
    }

    #[test]
    fn too_many_values_are_counted_as_at_least() {
        let (mut values, mut room) = (Values::default(), Room::default());
        (0..DISTINCT + 5).for_each(|n| values.add(&n.to_string(), &mut room));
        assert_eq!(values.distinct(), DISTINCT as u64);
        assert!(!values.exact() && values.top(5).is_empty());
        assert_eq!(room.0, Room::default().0);
    }
}
