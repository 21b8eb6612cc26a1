//! All clients' lines: as many as open files allow. Where there is no room for one more,
//! the line that has rested longest is closed: silence keeps nobody out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Open files that are not connections: stored ones, workers, the log.
const FILES: u64 = 512;
/// Most connections where open files have no limit.
const CONNECTIONS: u64 = 16 * 1024;

/// The lines; clones share them.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

struct Shared {
    slots: Arc<Semaphore>,
    resting: Mutex<Resting>,
    one_rests: Notify,
}

/// Lines without a request, by the order in which they came to rest.
#[derive(Default)]
struct Resting {
    next: u64,
    lines: BTreeMap<u64, Arc<Notify>>,
}

/// The slot of one line, until this is dropped.
pub(super) struct Slot {
    lines: Lines,
    close: Arc<Notify>,
    /// Its number among those that rest.
    number: Mutex<Option<u64>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Lines {
    /// Room for so many.
    pub(super) fn new(most: usize) -> Lines {
        Lines(Arc::new(Shared {
            slots: Arc::new(Semaphore::new(most)),
            resting: Mutex::default(),
            one_rests: Notify::new(),
        }))
    }

    /// Waits for room for one more line, and makes some where a line rests.
    pub(super) async fn room(&self) -> Slot {
        let permit = loop {
            let one_rests = self.0.one_rests.notified();
            if let Ok(permit) = Arc::clone(&self.0.slots).try_acquire_owned() {
                break Some(permit);
            }
            let oldest = self.resting(|resting| resting.lines.pop_first());
            if let Some((_, close)) = oldest {
                close.notify_one();
            }
            tokio::select! {
                // Never closed; were it, clients would be let in without a count.
                permit = Arc::clone(&self.0.slots).acquire_owned() => break permit.ok(),
                () = one_rests => {}
            }
        };
        let (close, number) = (Arc::default(), Mutex::default());
        Slot { lines: self.clone(), close, number, _permit: permit }
    }

    fn resting<T>(&self, what: impl FnOnce(&mut Resting) -> T) -> T {
        what(&mut lock(&self.0.resting))
    }
}

impl Slot {
    /// The line waits for a request.
    pub(super) fn rests(&self) {
        let mut number = lock(&self.number);
        if number.is_none() {
            let own = self.lines.resting(|resting| {
                resting.next += 1;
                resting.lines.insert(resting.next, Arc::clone(&self.close));
                resting.next
            });
            *number = Some(own);
            self.lines.0.one_rests.notify_waiters();
        }
    }

    /// The line has something to do.
    pub(super) fn works(&self) {
        if let Some(number) = lock(&self.number).take() {
            self.lines.resting(|resting| resting.lines.remove(&number));
        }
    }

    /// Waits until the line is to make room for another.
    pub(super) async fn closes(&self) {
        self.close.notified().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.works();
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Whole after every call: a panic elsewhere changes nothing.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As many connections as open files allow; the limit on those is raised first.
pub(super) fn most() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(CONNECTIONS + FILES, |most| most.min(CONNECTIONS + FILES));
    let more = current.is_some_and(|current| current < wanted);
    let raised =
        more && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    let files = if raised { wanted } else { current.unwrap_or(wanted) };
    let connections = files.saturating_sub(FILES).clamp(64, CONNECTIONS);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_line_that_rested_longest_makes_room() {
        let lines = Lines::new(3);
        let [first, second, busy] = [lines.room().await, lines.room().await, lines.room().await];
        first.rests();
        second.rests();
        busy.rests();
        busy.works();
        first.works();
        first.rests();
        let close = async {
            second.closes().await;
            drop(second);
        };
        let (fourth, ()) = tokio::join!(lines.room(), close);
        fourth.rests();
        drop(first);
        assert!(timeout(Duration::from_secs(9), lines.room()).await.is_ok(), "room without harm");
        assert!(timeout(Duration::from_secs(9), busy.closes()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_that_comes_to_rest_makes_room_for_who_waits() {
        let lines = Lines::new(1);
        let line = lines.room().await;
        assert!(timeout(Duration::from_secs(9), lines.room()).await.is_err(), "it works");
        let rest = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            line.rests();
            line.closes().await;
            drop(line);
        };
        let (next, ()) = tokio::join!(timeout(Duration::from_secs(9), lines.room()), rest);
        assert!(next.is_ok());
    }
}
