//! The values of a field: the number of distinct ones, and the count of each short one.
//! Memory is bounded for each field and for all together.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// The most distinct values that are counted for a field.
const MAX_DISTINCT: usize = 10_000;
/// The most values of a field that can be shown.
const MAX_SHOWN: usize = 256;
/// The longest value that can be shown, in bytes of its spelling.
const MAX_SHOWN_BYTES: usize = 80;

/// The values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    counts: HashMap<u64, u64, BuildHasherDefault<IdentityHasher>>,
    shown: Vec<(u64, Box<str>)>,
    /// The count at which counting stopped, if there are too many.
    more_than: Option<u64>,
}

/// The number of distinct values that all fields may still store.
#[derive(Debug, Clone)]
pub(crate) struct ValueBudget(pub(crate) usize);

impl Default for ValueBudget {
    fn default() -> Self {
        Self(1_000_000)
    }
}

impl Values {
    /// Counts a scalar by its spelling.
    pub(crate) fn add(&mut self, spelled: &str, budget: &mut ValueBudget) {
        let shown = spelled.len() <= MAX_SHOWN_BYTES;
        if let Some(hash) =
            self.count(spelled, budget).filter(|_| shown && self.shown.len() < MAX_SHOWN)
        {
            self.shown.push((hash, spelled.into()));
        }
    }

    /// Counts a secret scalar, and never shows its spelling, even if it was added before.
    pub(crate) fn hide(&mut self, spelled: &str, budget: &mut ValueBudget) {
        if self.count(spelled, budget).is_none() {
            self.shown.retain(|(_, shown)| **shown != *spelled);
        }
    }

    /// Counts a value; returns its hash if it is new.
    fn count(&mut self, spelled: &str, budget: &mut ValueBudget) -> Option<u64> {
        if self.more_than.is_some() {
            return None;
        }
        let hash = xxh3_64(spelled.as_bytes());
        if let Some(count) = self.counts.get_mut(&hash) {
            *count += 1;
            return None;
        }
        if self.counts.len() >= MAX_DISTINCT || budget.0 == 0 {
            self.stop_counting(budget);
            return None;
        }
        budget.0 -= 1;
        self.counts.insert(hash, 1);
        Some(hash)
    }

    /// Stops counting, and drops the counts: incomplete ones would mislead.
    fn stop_counting(&mut self, budget: &mut ValueBudget) {
        budget.0 += self.counts.len();
        self.more_than = Some(self.counts.len() as u64);
        self.counts = HashMap::default();
        self.shown = Vec::new();
    }

    /// Returns the number of distinct values; a lower bound if [`Self::exact`] is false.
    pub(crate) fn distinct(&self) -> u64 {
        self.more_than.unwrap_or(self.counts.len() as u64)
    }

    /// Returns true if the count of distinct values is exact.
    pub(crate) fn exact(&self) -> bool {
        self.more_than.is_none()
    }

    /// Returns true if every value can be shown.
    pub(crate) fn complete(&self) -> bool {
        self.exact() && self.shown.len() == self.counts.len()
    }

    /// Returns the values that can be shown, in order of first appearance.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().map(|(_, spelled)| &**spelled)
    }

    /// Returns the `max` most frequent values that can be shown, with their counts; of equal
    /// counts, the earlier value first.
    pub(crate) fn top(&self, max: usize) -> Vec<(&str, u64)> {
        let count = |hash| self.counts.get(hash).copied().unwrap_or_default();
        let mut top: Vec<_> =
            self.shown.iter().map(|(hash, spelled)| (&**spelled, count(hash))).collect();
        top.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        top.truncate(max);
        top
    }
}

/// Passes keys through, which are hashes already.
#[derive(Debug, Clone, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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
        let (mut values, mut budget) = (Values::default(), ValueBudget::default());
        ["1", "2", "2", "3", "3"].iter().for_each(|value| values.add(value, &mut budget));
        assert_eq!(values.top(2), [("2", 2), ("3", 2)]);
        assert_eq!((values.distinct(), values.complete()), (3, true));
    }

    #[test]
    fn too_many_values_are_counted_as_at_least() {
        let (mut values, mut budget) = (Values::default(), ValueBudget::default());
        (0..MAX_DISTINCT + 5).for_each(|n| values.add(&n.to_string(), &mut budget));
        assert_eq!(values.distinct(), MAX_DISTINCT as u64);
        assert!(!values.exact() && values.top(5).is_empty());
        assert_eq!(budget.0, ValueBudget::default().0);
    }
}
