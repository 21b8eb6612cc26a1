//! Turns: how many requests are worked on at a time. Reading back has turns of its
//! own, so that an agent gets its data while others' histories wait; and nobody
//! waits for a turn longer than the queue's limit.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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
    work: Arc<Semaphore>,
    reads: Arc<Semaphore>,
    longest: Duration,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

/// No turn came in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are under way; none ended within {seconds} seconds")]
pub struct Crowded {
    /// How long it was waited, in seconds.
    pub seconds: u64,
}

impl Turns {
    /// So many of each share, at least one; whoever waits longer is sent away.
    pub fn new(each: usize, longest: Duration) -> Turns {
        let turns = || Arc::new(Semaphore::new(each.max(1)));
        Turns { work: turns(), reads: turns(), longest }
    }

    /// Waits for a turn.
    pub async fn take(&self, share: Share) -> Result<Turn, Crowded> {
        let turns = match share {
            Share::Work => &self.work,
            Share::Reads => &self.reads,
        };
        let wait = tokio::time::timeout(self.longest, Arc::clone(turns).acquire_owned());
        match wait.await {
            // They are never closed; were they, work would not be refused for it.
            Ok(permit) => Ok(Turn { _permit: permit.ok() }),
            Err(_) => Err(Crowded { seconds: self.longest.as_secs() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn reads_have_turns_of_their_own() {
        let turns = Turns::new(1, Duration::from_millis(20));
        let work = turns.take(Share::Work).await.unwrap();
        assert_eq!(turns.take(Share::Work).await.unwrap_err(), Crowded { seconds: 0 });
        let read = turns.take(Share::Reads).await.unwrap();
        drop(work);
        assert!(turns.take(Share::Work).await.is_ok());
        drop(read);
    }
}
