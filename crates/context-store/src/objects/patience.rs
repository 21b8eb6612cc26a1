//! Patience: the time that one operation waits for the object store, for all its requests together.
//! Parallel requests count once, and the time between requests does not count, because a model may
//! think for a minute.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The remaining time that an operation may wait.
#[derive(Debug)]
pub(crate) struct Patience {
    /// The time for all requests together; `None` if each request has its own.
    limit: Option<Duration>,
    waited: Mutex<Waited>,
}

#[derive(Debug, Default)]
struct Waited {
    before: Duration,
    /// The requests in flight, and the start of the first of them.
    waiting: usize,
    since: Option<Instant>,
}

/// A request in flight.
pub(crate) struct Waiting<'a>(&'a Patience);

impl Patience {
    /// Returns the patience of an operation that waits `limit`.
    pub(crate) fn of(limit: Duration) -> Patience {
        Patience { limit: Some(limit), waited: Mutex::default() }
    }

    /// Returns the patience of background work, without a limit.
    pub(crate) fn unlimited() -> Patience {
        Patience { limit: None, waited: Mutex::default() }
    }

    /// Begins a request; returns it with the time that it may take: the remaining time, or `each`
    /// if there is no limit. Returns `None` if no time remains.
    pub(crate) fn begin(&self, each: Duration) -> Option<(Waiting<'_>, Duration)> {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let since = *waited.since.get_or_insert_with(Instant::now);
        let left = match self.limit {
            Some(limit) => limit.checked_sub(waited.before + since.elapsed()).unwrap_or_default(),
            None => each,
        };
        if left.is_zero() {
            if waited.waiting == 0 {
                waited.since = None;
            }
            return None;
        }
        waited.waiting += 1;
        Some((Waiting(self), left))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.waited.lock().unwrap_or_else(PoisonError::into_inner);
        waited.waiting -= 1;
        if waited.waiting == 0 {
            let since = waited.since.take();
            waited.before += since.map_or(Duration::ZERO, |since| since.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH: Duration = Duration::from_secs(60);

    #[test]
    fn only_waiting_takes_patience_and_parallel_waits_count_once() {
        let patience = Patience::of(Duration::from_millis(300));
        std::thread::sleep(Duration::from_millis(320));
        {
            let (_one, left) = patience.begin(EACH).unwrap();
            let (_two, _) = patience.begin(EACH).unwrap();
            assert!(left > Duration::from_millis(250), "nobody waited before");
            std::thread::sleep(Duration::from_millis(100));
        }
        let (_three, left) = patience.begin(EACH).unwrap();
        assert!(
            left > Duration::from_millis(120) && left <= Duration::from_millis(200),
            "{left:?}"
        );
        std::thread::sleep(Duration::from_millis(250));
        assert!(patience.begin(EACH).is_none());
        assert_eq!(Patience::unlimited().begin(EACH).unwrap().1, EACH);
    }
}
