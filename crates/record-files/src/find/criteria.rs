//! The criteria for records: which values count, how many, and with which share of the
//! text.

/// The values that count as records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// At least three JSON objects.
    Objects,
    /// At least three JSON objects; if there are none, the elements of any array that is not empty.
    Anything,
    /// The objects of the only array of objects in a text that is a single object, whatever their
    /// share of the text. Arrays inside of arrays do not count.
    OnlyArray,
}

/// Minimum number of records worth a file.
pub(super) const MIN_RECORDS: usize = 3;

/// Minimum share of a text's bytes that its records must have.
pub(super) const MIN_SHARE: f64 = 0.6;

/// Returns the share of the bytes of `whole` that are in `part`, from 0 to 1.
pub(super) fn share(part: &str, whole: &str) -> f64 {
    part.len() as f64 / whole.len().max(1) as f64
}
