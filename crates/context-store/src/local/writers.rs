//! The threads that write: one pool for the process, so that many parallel requests use as few
//! threads as one to wait for the disk.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::{ScopeFifo, ThreadPool, ThreadPoolBuilder};

use super::publish::Durability;

/// Number of files that are written at a time. The disk merges syncs, so many wait together;
/// without syncs, the folder's own lock is the limit. Each thread has its own heap: a pool for each
/// request would cost more memory than the files.
const SYNCING: usize = 32;
const RELAXED: usize = 2;
/// Maximum number of files of one request in the queue at a time.
const QUEUED: usize = 16;

/// Runs `work` for every number below `count` and returns the results in order, or one of the
/// errors, after which no further work is started.
pub(crate) fn each<T: Send + Sync, E: Send + Sync>(
    durability: Durability,
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let pool = pool(durability).as_ref().filter(|_| count > 1);
    let Some(pool) = pool else { return (0..count).map(work).collect() };
    let outcomes: Vec<OnceLock<Result<T, E>>> = (0..count).map(|_| OnceLock::new()).collect();
    let queue = Queue { index: AtomicUsize::new(0), failed: AtomicBool::new(false) };
    // First in, first out over all requests. Because each has a limited number in the queue, none
    // waits for all files of another.
    pool.in_place_scope_fifo(|scope| {
        for _ in 0..count.min(QUEUED) {
            scope.spawn_fifo(|scope| queue.next(scope, &outcomes, &work));
        }
    });
    // A result is missing only if another failed.
    outcomes.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Runs `work` for every number below `count` on the threads that wait for an object store,
/// and returns all results in order.
pub(crate) fn all<T: Send + Sync>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done = each(Durability::Sync, count, |at| Ok::<_, std::convert::Infallible>(work(at)));
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

/// The files of a request that no thread has started.
struct Queue {
    index: AtomicUsize,
    failed: AtomicBool,
}

impl Queue {
    /// Writes the next file, then queues for another.
    fn next<'s, T: Send + Sync, E: Send + Sync>(
        &'s self,
        scope: &ScopeFifo<'s>,
        outcomes: &'s [OnceLock<Result<T, E>>],
        work: &'s (impl Fn(usize) -> Result<T, E> + Sync),
    ) {
        let index = self.index.fetch_add(1, Ordering::Relaxed);
        let Some(outcome) = outcomes.get(index).filter(|_| !self.failed.load(Ordering::Relaxed))
        else {
            return;
        };
        if outcome.get_or_init(|| work(index)).is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        scope.spawn_fifo(move |scope| self.next(scope, outcomes, work));
    }
}

/// Returns the pool, created on first use; `None` if the system provides no threads.
fn pool(durability: Durability) -> &'static Option<ThreadPool> {
    static POOLS: [OnceLock<Option<ThreadPool>>; 2] = [OnceLock::new(), OnceLock::new()];
    let (pool, threads) = match durability {
        Durability::Sync => (&POOLS[0], SYNCING),
        Durability::Relaxed => (&POOLS[1], RELAXED),
    };
    let build = || {
        let named = |index| format!("writer-{index}");
        ThreadPoolBuilder::new().num_threads(threads).thread_name(named).build()
    };
    pool.get_or_init(|| {
        build()
            .inspect_err(|error| tracing::warn!(%error, "files are written one after the other"))
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_back_in_order() {
        for durability in [Durability::Sync, Durability::Relaxed] {
            let done = each(durability, 200, |n| Ok::<_, ()>(n * 2)).unwrap();
            assert_eq!(done, (0..200).map(|n| n * 2).collect::<Vec<_>>());
        }
        assert_eq!(each(Durability::Sync, 0, |_| Err::<(), _>("never asked")), Ok(vec![]));
    }

    #[test]
    fn an_error_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let fails = |n| {
            begun.fetch_add(1, Ordering::Relaxed);
            if n == 1 { Err("full") } else { Ok(()) }
        };
        assert_eq!(each(Durability::Relaxed, 10_000, fails), Err("full"));
        assert!(begun.load(Ordering::Relaxed) < 10_000);
    }
}
