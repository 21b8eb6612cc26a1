//! The limits of one statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of one statement.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time for everything.
    pub time: Duration,
    /// The memory of SQLite in bytes. SQLite has one such limit for a process, and the smallest
    /// one counts.
    pub memory_bytes: u64,
    /// The bytes of all rows that are returned and of the columns' names as JSON, with two more
    /// for each.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(3),
            memory_bytes: 256 * 1024 * 1024,
            output_bytes: 1024 * 1024,
        }
    }
}

/// The end of a run, which may be brought forward. Its clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    start: Instant,
    /// Milliseconds after the start.
    end: Arc<AtomicU64>,
}

impl Clock {
    pub(crate) fn new(time: Duration) -> Self {
        Self { start: Instant::now(), end: Arc::new(AtomicU64::new(ms(time))) }
    }

    pub(crate) fn is_over(&self) -> bool {
        ms(self.start.elapsed()) >= self.end.load(Ordering::Relaxed)
    }

    /// Ends after `time` from the start of this call, if the end is not earlier.
    pub(crate) fn end_within(&self, time: Duration) {
        self.end.fetch_min(ms(self.start.elapsed() + time), Ordering::Relaxed);
    }

    /// Sets the end to `time` after this call.
    pub(crate) fn grant(&self, time: Duration) {
        self.end.store(ms(self.start.elapsed() + time), Ordering::Relaxed);
    }
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
