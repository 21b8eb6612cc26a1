//! The parts that the reports of sweeps, deletions and verifications share.

use std::ops::Deref;

use serde::{Serialize, Serializer};

/// Maximum number of listed items of a report.
const LISTED: usize = 10_000;

/// Whether an operation changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// The operation is executed.
    Real,
    /// The operation is only reported; nothing is written or deleted.
    Dry,
}

/// A file or folder that could not be read, written or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathError {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The reason, usually the system's.
    #[serde(rename = "why")]
    pub reason: String,
}

/// A list that counts every item but keeps only the first 10,000; it derefs to those.
///
/// ```
/// let listed = context_store::Bounded::<String>::default();
/// assert_eq!((listed.len(), listed.total()), (0, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounded<T> {
    listed: Vec<T>,
    total: usize,
}

impl<T> Bounded<T> {
    pub(crate) fn push(&mut self, item: T) {
        self.total += 1;
        if self.listed.len() < LISTED {
            self.listed.push(item);
        }
    }

    /// Returns the number of items, listed or not.
    pub fn total(&self) -> usize {
        self.total
    }
}

impl<T: Ord> Bounded<T> {
    pub(crate) fn sort(&mut self) {
        self.listed.sort_unstable();
    }
}

impl<T> Default for Bounded<T> {
    fn default() -> Bounded<T> {
        Bounded { listed: Vec::new(), total: 0 }
    }
}

impl<T> Deref for Bounded<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.listed
    }
}

/// Serialises only the listed items.
impl<T: Serialize> Serialize for Bounded<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.listed.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_first_are_listed() {
        let mut list = Bounded::default();
        (0..LISTED + 5).for_each(|n| list.push(n));
        assert_eq!(
            (list.len(), list.total(), list.last()),
            (LISTED, LISTED + 5, Some(&(LISTED - 1)))
        );
    }
}
