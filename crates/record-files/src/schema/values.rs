//! The values of a field: the number of distinct ones, and the count of each short one.
//! Memory is bounded for each field and for all together.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of distinct values that are counted for a field.
const MAX_DISTINCT: usize = 10_000;
/// Maximum number of values of a field that can be shown.
const MAX_SHOWN: usize = 256;
/// Maximum length of a value that is shown in full, in bytes of its spelling.
const MAX_SHOWN_BYTES: usize = 80;
/// Number of characters of a longer value that are shown.
const MAX_CUT_CHARS: usize = 60;

/// A value of a field, with the number of its occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequent {
    /// The value as a JSON literal; for a long one only the start, with `…` at its end.
    pub literal: String,
    /// The number of occurrences.
    pub count: u64,
    /// True if the literal is the value itself.
    pub whole: bool,
}

/// The values of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    counts: HashMap<u64, u64, BuildHasherDefault<IdentityHasher>>,
    shown: Vec<Shown>,
    /// The number of distinct values at which counting stopped.
    more_than: Option<u64>,
}

/// A value that can be shown.
#[derive(Debug, Clone)]
struct Shown {
    hash: u64,
    literal: Box<str>,
    whole: bool,
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
        let Some(hash) = self.count(spelled, budget) else { return };
        if self.shown.len() < MAX_SHOWN {
            let whole = spelled.len() <= MAX_SHOWN_BYTES;
            let literal = if whole { spelled.into() } else { start_of(spelled).into() };
            self.shown.push(Shown { hash, literal, whole });
        }
    }

    /// Counts a secret scalar and never shows its spelling, even if it was added before.
    pub(crate) fn hide(&mut self, spelled: &str, budget: &mut ValueBudget) {
        if self.count(spelled, budget).is_none() {
            let hash = xxh3_64(spelled.as_bytes());
            self.shown.retain(|shown| shown.hash != hash);
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

    /// Stops counting, and drops the counts, because incomplete ones would mislead.
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

    /// Returns true if every value can be shown whole.
    pub(crate) fn complete(&self) -> bool {
        self.exact() && self.shown().count() == self.counts.len()
    }

    /// Returns the values that can be shown whole, in order of first appearance.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().filter(|shown| shown.whole).map(|shown| &*shown.literal)
    }

    /// Returns the most frequent value that can be shown whole; if counts are equal, the earlier
    /// one.
    pub(crate) fn first(&self) -> Option<&str> {
        let whole = self.shown.iter().filter(|shown| shown.whole);
        // If keys are equal, `max_by_key` takes the last.
        let first = whole.rev().max_by_key(|shown| self.times(shown))?;
        Some(&first.literal)
    }

    /// Returns the `max` most frequent values; if counts are equal, the earlier one first. Returns
    /// fewer if one that cannot be shown is more frequent.
    pub(crate) fn top(&self, max: usize) -> Vec<Frequent> {
        let known: HashSet<u64> = self.shown.iter().map(|shown| shown.hash).collect();
        let others = self.counts.iter().filter(|(hash, _)| !known.contains(hash));
        let least = others.map(|(_, count)| *count).max().unwrap_or_default();
        let mut top: Vec<&Shown> =
            self.shown.iter().filter(|shown| self.times(shown) >= least).collect();
        top.sort_by_key(|shown| std::cmp::Reverse(self.times(shown)));
        top.truncate(max);
        let frequent = |shown: &Shown| Frequent {
            literal: shown.literal.to_string(),
            count: self.times(shown),
            whole: shown.whole,
        };
        top.into_iter().map(frequent).collect()
    }

    fn times(&self, shown: &Shown) -> u64 {
        self.counts.get(&shown.hash).copied().unwrap_or_default()
    }
}

/// Returns the start of a long value as a string literal.
fn start_of(literal: &str) -> String {
    // A surrogate pair has twelve bytes for one character, so the cut leaves enough whole
    // characters.
    let most = literal.floor_char_boundary(12 * (MAX_CUT_CHARS + 2));
    let text = raw_json::unescape(&literal[..most]).text;
    let text = text.strip_prefix('"').unwrap_or(&text);
    match text.char_indices().nth(MAX_CUT_CHARS) {
        Some((end, _)) => raw_json::quote(&format!("{}…", &text[..end])),
        None => raw_json::quote(text),
    }
}

/// Passes keys through, because they are already hashes.
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
        let top: Vec<_> = values.top(2).into_iter().map(|top| (top.literal, top.count)).collect();
        assert_eq!(top, [("2".to_owned(), 2), ("3".to_owned(), 2)]);
        assert_eq!((values.first(), values.distinct(), values.complete()), (Some("2"), 3, true));
    }

    #[test]
    fn a_long_value_is_shown_by_its_start() {
        let (mut values, mut budget) = (Values::default(), ValueBudget::default());
        let emoji = format!("\"{}\"", r"\ud83d\ude00".repeat(200));
        let escaped = format!("\"{}\"", r"\u00e9".repeat(20));
        let words = format!("\"{}\"", "word ".repeat(40));
        for value in [&words, &words, &words, &emoji, &emoji, &escaped, &"\"x\"".to_owned()] {
            values.add(value, &mut budget);
        }
        let top: Vec<_> = values.top(9).into_iter().map(|top| (top.literal, top.whole)).collect();
        assert_eq!(top[0], (format!("\"{}…\"", "word ".repeat(12)), false));
        assert_eq!(top[1], (format!("\"{}…\"", "😀".repeat(60)), false));
        assert_eq!(top[2], (format!("\"{}\"", "é".repeat(20)), false));
        assert_eq!((values.first(), values.complete()), (Some("\"x\""), false));
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
