//! Thread pools for parallel work. Each active tenant has its own pool, so that the operating
//! system's scheduler shares the cores, and no request waits for a long one of another tenant. A
//! pool that becomes free keeps its caches and serves the next tenant.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Holder;

/// The pools in addition to rayon's global one, which serves the first tenant.
static POOLS: Mutex<Pools> = Mutex::new(Pools { free: Vec::new(), lent: Vec::new() });

thread_local! {
    static OWN: RefCell<Option<Arc<ThreadPool>>> = const { RefCell::new(None) };
}

struct Pools {
    free: Vec<Arc<ThreadPool>>,
    /// Each holder with its pool, and the number of its requests that use the pool.
    lent: Vec<(Holder, Arc<ThreadPool>, usize)>,
}

/// While this exists, the thread works for a tenant.
#[must_use]
pub struct Entered(Option<Holder>);

/// Makes this thread work for a tenant: [`on`] runs its work on the tenant's pool.
pub fn enter(holder: Holder) -> Entered {
    let pool = if holder == Holder::default() { None } else { pools(|pools| pools.lend(holder)) };
    let is_lent = pool.is_some();
    OWN.set(pool);
    Entered(is_lent.then_some(holder))
}

/// Runs `work`; its parallel parts run on the pool of the tenant that this thread has
/// entered, or on rayon's global pool.
///
/// ```
/// use rayon::prelude::*;
///
/// let sum: u32 = fair_share::on(|| (1..=100u32).into_par_iter().sum());
/// assert_eq!(sum, 5050);
/// ```
pub fn on<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match OWN.with_borrow(Clone::clone) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        OWN.set(None);
        if let Some(holder) = self.0 {
            pools(|pools| pools.take_back(holder));
        }
    }
}

impl Pools {
    /// Returns the holder's pool; `None` if the system provides no threads, so that the global pool
    /// is used.
    fn lend(&mut self, holder: Holder) -> Option<Arc<ThreadPool>> {
        if let Some((_, pool, users)) = self.lent.iter_mut().find(|(own, ..)| *own == holder) {
            *users += 1;
            return Some(Arc::clone(pool));
        }
        let pool = self.free.pop().or_else(build)?;
        self.lent.push((holder, Arc::clone(&pool), 1));
        Some(pool)
    }

    fn take_back(&mut self, holder: Holder) {
        let Some(at) = self.lent.iter().position(|(own, ..)| *own == holder) else { return };
        let (_, pool, users) = &mut self.lent[at];
        *users -= 1;
        if *users == 0 {
            self.free.push(Arc::clone(pool));
            self.lent.swap_remove(at);
        }
    }
}

fn build() -> Option<Arc<ThreadPool>> {
    // As many threads as in the global pool.
    let built = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
    built
        .inspect_err(|error| tracing::warn!(%error, "tenants share a pool of threads: no other could be made"))
        .ok()
        .map(Arc::new)
}

fn pools<T>(change: impl FnOnce(&mut Pools) -> T) -> T {
    // The pools are consistent after every call, so a panic elsewhere does not matter.
    change(&mut POOLS.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current, scope};

    use super::*;

    /// Returns the id of the thread that works for a tenant, and the guard that keeps the tenant
    /// active.
    fn worker(holder: usize) -> (ThreadId, Entered) {
        let entered = enter(Holder(holder));
        (on(|| current().id()), entered)
    }

    #[test]
    fn tenants_at_work_have_threads_of_their_own() {
        let own = current().id();
        assert_eq!(worker(0).0, own, "the first does its work where it is called");
        let (one, first) = worker(1);
        let other = scope(|scope| scope.spawn(|| worker(2)).join().unwrap().0);
        assert!(one != own && other != own && one != other);
        let held = pools(|pools| pools.lent.iter().any(|(own, ..)| *own == Holder(2)));
        assert!(!held, "the other's came back");
        drop(first);
        let (again, _entered) = worker(3);
        assert!([one, other].contains(&again) || again != own);
    }

    /// A pool stays in use while another thread works for its tenant.
    #[test]
    fn a_pool_is_free_when_its_last_user_leaves() {
        let held = || pools(|pools| pools.lent.iter().any(|(own, ..)| *own == Holder(7)));
        let first = enter(Holder(7));
        scope(|scope| scope.spawn(|| drop(worker(7))).join().unwrap());
        assert!(held(), "the other's leaving took it");
        drop(first);
        assert!(!held());
    }
}
