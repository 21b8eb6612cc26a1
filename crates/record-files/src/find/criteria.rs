//! The criteria for records: which values count, how many, and with which share of the
//! text.

/// The values that count as records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// At least three JSON objects.
    Objects,
    /// The same; if there are none, the elements of any array that is not empty.
    Anything,
    /// The objects of the only array of objects in a text that is one object, whatever share
    /// they have; arrays inside of arrays do not count.
    OnlyArray,
}

/// The fewest records worth a file.
pub(super) const MIN_RECORDS: usize = 3;

/// The share of the bytes of a text that its records have at least.
pub(super) const MIN_SHARE: f64 = 0.6;

/// Returns the share of the bytes of `whole` that `part` has, from 0 to 1.
pub(super) fn share(part: &str, whole: &str) -> f64 {
    part.len() as f64 / whole.len().max(1) as f64
}
