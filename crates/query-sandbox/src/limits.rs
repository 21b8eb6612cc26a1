//! The limits of one run.

use std::time::Duration;

use crate::worker_error::WorkerError;

/// The limits of one run of a query; a run ends when it reaches one.
///
/// ```
/// use std::time::Duration;
///
/// use query_sandbox::Limits;
///
/// let limits = Limits { deadline: Duration::from_millis(500), ..Limits::default() };
/// assert_eq!(limits.memory_bytes, 512 * 1024 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The wall time of a run, including the wait for a worker. Default: 3 seconds.
    pub deadline: Duration,
    /// The resident memory of the worker. Default: 512 MiB.
    pub memory_bytes: u64,
    /// The most workers that run at a time. They are never more than the cores, or two.
    pub workers: usize,
    /// The bytes of all outputs as JSON, with two more for each. Default: 1 MiB.
    pub output_bytes: usize,
    /// The longest filter or statement in bytes. Default: 16 KiB.
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

impl Limits {
    /// Returns the error of a run that exceeded its deadline.
    pub(crate) fn deadline_error(&self) -> WorkerError {
        WorkerError::Deadline { ms: ms(self.deadline) }
    }
}

/// Returns a time in whole milliseconds.
pub(crate) fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
