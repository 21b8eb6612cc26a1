//! The ceilings on one run of a filter.

use std::time::Duration;

/// The ceilings on one run of a filter; a run that meets one ends there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock from the start of the worker to its last word.
    pub deadline: Duration,
    /// Resident memory of the worker.
    pub memory_bytes: u64,
    /// Workers that run at a time; never more than there are cores, or two.
    pub workers: usize,
    /// Of all outputs together, as JSON, with two bytes for each.
    pub output_bytes: usize,
    /// The longest filter.
    pub filter_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(3),
            memory_bytes: 512 * 1024 * 1024,
            workers: usize::MAX,
            output_bytes: 1024 * 1024,
            filter_bytes: 16 * 1024,
        }
    }
}
