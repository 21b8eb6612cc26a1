//! Open connections, as many as the limit on open files allows. If no slot is free, the
//! connection that has been idle longest is evicted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::interfaces::lock::lock;

/// Open files reserved for other uses: stored files, workers, the log.
const RESERVED_FILES: u64 = 512;
/// Maximum number of connections if open files are not limited.
const MAX_CONNECTIONS: u64 = 16 * 1024;

/// The connections of the process; clones share them.
#[derive(Clone)]
pub(super) struct Connections(Arc<Shared>);

struct Shared {
    slots: Arc<Semaphore>,
    idle: Mutex<IdleConnections>,
    idle_added: Notify,
}

/// Idle connections, in the order in which they became idle.
#[derive(Default)]
struct IdleConnections {
    next: u64,
    slots: BTreeMap<u64, Arc<Notify>>,
}

/// The slot of a connection; dropping it frees the slot.
pub(super) struct ConnectionSlot {
    connections: Connections,
    close: Arc<Notify>,
    /// Its key among the idle connections; `None` while busy.
    number: Mutex<Option<u64>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Connections {
    /// Creates `most` slots.
    pub(super) fn new(most: usize) -> Connections {
        Connections(Arc::new(Shared {
            slots: Arc::new(Semaphore::new(most)),
            idle: Mutex::default(),
            idle_added: Notify::new(),
        }))
    }

    /// Waits for a free slot, and evicts an idle connection if there is none.
    pub(super) async fn acquire(&self) -> ConnectionSlot {
        let permit = loop {
            let idle_added = self.0.idle_added.notified();
            if let Ok(permit) = Arc::clone(&self.0.slots).try_acquire_owned() {
                break Some(permit);
            }
            let oldest = self.idle(|idle| idle.slots.pop_first());
            if let Some((_, close)) = oldest {
                close.notify_one();
            }
            tokio::select! {
                // The semaphore is never closed; if it were, clients would be accepted without
                // a count.
                permit = Arc::clone(&self.0.slots).acquire_owned() => break permit.ok(),
                () = idle_added => {}
            }
        };
        let (close, number) = (Arc::default(), Mutex::default());
        ConnectionSlot { connections: self.clone(), close, number, _permit: permit }
    }

    fn idle<T>(&self, what: impl FnOnce(&mut IdleConnections) -> T) -> T {
        what(&mut lock(&self.0.idle))
    }
}

impl ConnectionSlot {
    /// Marks the connection as idle: it may be evicted.
    pub(super) fn mark_idle(&self) {
        let mut number = lock(&self.number);
        if number.is_none() {
            let own = self.connections.idle(|idle| {
                idle.next += 1;
                idle.slots.insert(idle.next, Arc::clone(&self.close));
                idle.next
            });
            *number = Some(own);
            self.connections.0.idle_added.notify_waiters();
        }
    }

    /// Marks the connection as busy.
    pub(super) fn mark_busy(&self) {
        if let Some(number) = lock(&self.number).take() {
            self.connections.idle(|idle| idle.slots.remove(&number));
        }
    }

    /// Waits until the connection is evicted.
    pub(super) async fn evicted(&self) {
        self.close.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.mark_busy();
    }
}

/// Returns the number of connections that the limit on open files allows; raises that limit
/// first if possible.
pub(super) fn max_connections() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MAX_CONNECTIONS + RESERVED_FILES, |most| {
        most.min(MAX_CONNECTIONS + RESERVED_FILES)
    });
    let more = current.is_some_and(|current| current < wanted);
    let raised =
        more && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    let files = if raised { wanted } else { current.unwrap_or(wanted) };
    let connections = files.saturating_sub(RESERVED_FILES).clamp(64, MAX_CONNECTIONS);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_line_that_rested_longest_makes_room() {
        let connections = Connections::new(3);
        let [first, second, busy] =
            [connections.acquire().await, connections.acquire().await, connections.acquire().await];
        first.mark_idle();
        second.mark_idle();
        busy.mark_idle();
        busy.mark_busy();
        first.mark_busy();
        first.mark_idle();
        let close = async {
            second.evicted().await;
            drop(second);
        };
        let (fourth, ()) = tokio::join!(connections.acquire(), close);
        fourth.mark_idle();
        drop(first);
        assert!(
            timeout(Duration::from_secs(9), connections.acquire()).await.is_ok(),
            "room without harm"
        );
        assert!(timeout(Duration::from_secs(9), busy.evicted()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_that_comes_to_rest_makes_room_for_who_waits() {
        let connections = Connections::new(1);
        let line = connections.acquire().await;
        assert!(timeout(Duration::from_secs(9), connections.acquire()).await.is_err(), "it works");
        let rest = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            line.mark_idle();
            line.evicted().await;
            drop(line);
        };
        let (next, ()) = tokio::join!(timeout(Duration::from_secs(9), connections.acquire()), rest);
        assert!(next.is_ok());
    }
}
