//! Turns: how many requests are worked on at a time. Reading back has turns of its
//! own, so that an agent gets its data while others' histories wait; tenants share them
//! fairly; and nobody waits for a turn longer than the queue's limit.

use std::time::Duration;

use fair_share::{Holder, Place, Places};

/// Which turns a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Histories and results: long work.
    Work,
    /// What brings data back.
    Reads,
}

/// The turns of a process; clones share them.
#[derive(Debug, Clone)]
pub struct Turns {
    work: Places,
    reads: Places,
    longest: Duration,
}

/// A turn, until it is dropped.
pub type Turn = Place;

/// No turn came in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are under way; none ended within {seconds} seconds")]
pub struct Crowded {
    /// How long it was waited, in seconds.
    pub seconds: u64,
}

impl Turns {
    /// So many of each share, at least one, for so many tenants; whoever waits longer is
    /// sent away.
    pub fn new(each: usize, tenants: usize, longest: Duration) -> Turns {
        let turns = || Places::new(each, tenants);
        Turns { work: turns(), reads: turns(), longest }
    }

    /// Waits for a turn.
    pub async fn take(&self, share: Share, holder: Holder) -> Result<Turn, Crowded> {
        let turns = match share {
            Share::Work => &self.work,
            Share::Reads => &self.reads,
        };
        let crowded = Crowded { seconds: self.longest.as_secs() };
        turns.take(holder, self.longest).await.ok_or(crowded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reads_have_turns_of_their_own() {
        let turns = Turns::new(1, 1, Duration::from_millis(20));
        let take = |share| turns.take(share, Holder::default());
        let work = take(Share::Work).await.unwrap();
        assert_eq!(take(Share::Work).await.unwrap_err(), Crowded { seconds: 0 });
        let read = take(Share::Reads).await.unwrap();
        drop(work);
        assert!(take(Share::Work).await.is_ok());
        drop(read);
    }
}
