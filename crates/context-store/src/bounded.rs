//! A list of a report: all are counted, the first are listed.

use std::ops::Deref;

use serde::{Serialize, Serializer};

/// Most items of a report that are listed.
const LISTED: usize = 10_000;

/// A bounded list; it reads as the slice of what is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounded<T> {
    listed: Vec<T>,
    total: usize,
}

impl<T> Bounded<T> {
    pub(super) fn push(&mut self, item: T) {
        self.total += 1;
        if self.listed.len() < LISTED {
            self.listed.push(item);
        }
    }

    /// How many there are, listed or not.
    pub fn total(&self) -> usize {
        self.total
    }
}

impl<T: Ord> Bounded<T> {
    pub(super) fn sort(&mut self) {
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

/// As the list of what is listed.
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
