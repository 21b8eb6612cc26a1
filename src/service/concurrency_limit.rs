//! The concurrency limit: how many requests run at a time. Reads have permits of their own, so
//! that an agent gets its data while histories wait. Tenants share the permits fairly, and
//! nobody waits longer than the queue's limit.

use std::time::Duration;

use fair_share::{Holder, Place, Places};

use super::failure::Failure;

/// The permits that a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Histories and results, which take long.
    Work,
    /// Reads of stored data.
    Reads,
}

/// The permits of the process; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct ConcurrencyLimit {
    work: Places,
    reads: Places,
    max_wait: Duration,
}

/// A permit; dropping it releases it.
pub(crate) type Permit = Place;

impl ConcurrencyLimit {
    /// Creates `each` permits per lane, at least one, for `tenants`. A request waits at most
    /// `max_wait` for one.
    pub(crate) fn new(each: usize, tenants: usize, max_wait: Duration) -> ConcurrencyLimit {
        let places = || Places::new(each, tenants);
        ConcurrencyLimit { work: places(), reads: places(), max_wait }
    }

    /// Waits for a permit.
    pub(crate) async fn take(&self, lane: Lane, holder: Holder) -> Result<Permit, Failure> {
        let places = match lane {
            Lane::Work => &self.work,
            Lane::Reads => &self.reads,
        };
        let overloaded = Failure::Overloaded { seconds: self.max_wait.as_secs() };
        places.take(holder, self.max_wait).await.ok_or(overloaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reads_have_turns_of_their_own() {
        let limit = ConcurrencyLimit::new(1, 1, Duration::from_millis(20));
        let take = |lane| limit.take(lane, Holder::default());
        let work = take(Lane::Work).await.unwrap();
        let refused = take(Lane::Work).await;
        assert!(matches!(refused, Err(Failure::Overloaded { seconds: 0 })), "{refused:?}");
        let read = take(Lane::Reads).await.unwrap();
        drop(work);
        assert!(take(Lane::Work).await.is_ok());
        drop(read);
    }
}
