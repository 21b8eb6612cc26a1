//! Memory budget of all requests in flight. A request is admitted by the maximum it may grow to,
//! before it grows, so that the process is not killed for its memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fair_share::share;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Unit of the budget, in bytes.
const UNIT: u64 = 1024;

/// Memory of the process without requests, in bytes: the program, threads and their caches.
const PROCESS_BYTES: u64 = 64 * 1024 * 1024;
/// Memory that a worker thread keeps between requests, in bytes: its heap and its regex caches.
const PER_THREAD_BYTES: u64 = 4 * 1024 * 1024;

/// One part in this many of the memory is left to the kernel: socket buffers, unwritten pages.
const KERNEL_SHARE: u64 = 8;

/// Memory assumed if the system reports none, in bytes.
const DEFAULT_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;

/// Memory per byte of a body: the byte, its text, the answer, and the data being written. Measured
/// over hostile bodies of 64 MiB (`tests/hostile`).
const COST_PER_BYTE: u64 = 4;
/// Cost of an object, in bytes: the view of a message or of a part.
const COST_PER_OBJECT: u64 = 640;
/// Cost of an element or a member, in bytes: a slice in a list that doubles.
const COST_PER_ELEMENT: u64 = 80;

/// One part in this many is spare: only small requests may take it, so that reads succeed while
/// histories fill the rest.
const SPARE_SHARE: u64 = 16;
/// One part in this many of the spare memory is the most that a small request takes.
const SMALL_SHARE: u64 = 16;

/// The memory budget; clones share it.
#[derive(Debug, Clone)]
pub struct Budget {
    left: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    total: u64,
    /// The tenant's share, if there are several tenants.
    tenant: Option<TenantShare>,
}

/// The share of one tenant.
#[derive(Debug, Clone)]
struct TenantShare {
    left: Arc<Semaphore>,
    total: u64,
}

/// A memory reservation; dropping it frees the memory.
#[derive(Debug, Default)]
pub struct Reserved {
    common: Option<OwnedSemaphorePermit>,
    spare: Option<OwnedSemaphorePermit>,
    tenant: Option<OwnedSemaphorePermit>,
    /// True if the request will not stay small, whatever it has reserved so far.
    large: bool,
}

impl Reserved {
    fn units(&self) -> u64 {
        let permits = [&self.common, &self.spare].into_iter().flatten();
        permits.map(|permit| permit.num_permits() as u64).sum()
    }
}

/// A reservation that an operation grows step by step, from any of its threads.
#[derive(Debug)]
pub(crate) struct GrowingReservation<'a> {
    budget: &'a Budget,
    held: Mutex<(Reserved, u64)>,
    is_exhausted: AtomicBool,
}

impl<'a> GrowingReservation<'a> {
    /// Creates an empty reservation.
    pub(crate) fn new(budget: &'a Budget) -> GrowingReservation<'a> {
        GrowingReservation { budget, held: Mutex::default(), is_exhausted: AtomicBool::new(false) }
    }

    /// Reserves more bytes. Returns false if they are not available now.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (reserved, sum) = &mut *held;
        *sum = sum.saturating_add(bytes);
        let taken = self.budget.grow(reserved, *sum).is_ok();
        if !taken {
            self.is_exhausted.store(true, Ordering::Relaxed);
        }
        taken
    }

    /// Returns true if a reservation failed.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    /// Returns the error for the bytes that were not available.
    pub(crate) fn error(&self) -> Full {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.budget.full(held.1)
    }
}

/// Too little memory is free now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("requests in flight hold {held} of {total} bytes of memory, and {wanted} more are needed")]
pub struct Full {
    /// The bytes requested.
    pub wanted: u64,
    /// The bytes that requests in flight hold.
    pub held: u64,
    /// The budget in bytes.
    pub total: u64,
}

/// The request exceeds the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the body may take {wanted} bytes of memory once it is read; accepted is up to {total} \
     (server.memory_bytes)"
)]
pub struct TooHeavy {
    /// The bytes requested.
    pub wanted: u64,
    /// The budget in bytes.
    pub total: u64,
}

/// Errors of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BudgetError {
    /// The request exceeds the budget.
    TooHeavy(TooHeavy),
    /// Too little memory is free now.
    Full(Full),
}

impl Budget {
    /// Creates a budget of `bytes`.
    pub(crate) fn new(bytes: u64) -> Budget {
        let most = (Semaphore::MAX_PERMITS as u64).min(u64::from(u32::MAX));
        let units = (bytes / UNIT).clamp(1, most);
        // At most a u32, which fits every pointer size.
        let spare = units / SPARE_SHARE;
        Budget {
            left: semaphore(units - spare),
            spare: semaphore(spare),
            total: units * UNIT,
            tenant: None,
        }
    }

    /// Returns a view of the budget for one of `tenants`, limited to its share.
    pub(crate) fn for_one_of(&self, tenants: usize) -> Budget {
        let all = usize::try_from(self.total / UNIT).unwrap_or(usize::MAX);
        let most = share(all, tenants);
        let tenant =
            TenantShare { left: Arc::new(Semaphore::new(most)), total: most as u64 * UNIT };
        Budget { tenant: (most < all).then_some(tenant), ..self.clone() }
    }

    /// Returns the budget of this machine: the container's limit, or half the machine's memory,
    /// less the process with `turns` worker threads, `caches` bytes of caches, and a quarter of
    /// the rest for query workers; at least a quarter of the memory.
    pub(crate) fn of_this_machine(caches: u64, turns: u64) -> Budget {
        let memory = available_memory();
        let standing = PROCESS_BYTES + turns.saturating_mul(PER_THREAD_BYTES);
        let left = (memory - memory / KERNEL_SHARE).saturating_sub(standing).saturating_sub(caches);
        Budget::new((left / 4 * 3).max(memory / 4))
    }

    /// Returns the whole budget, in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the most that one request can reserve, in bytes: all but the spare part, or its
    /// tenant's share.
    fn max_request(&self) -> u64 {
        let most = self.total - self.total / UNIT / SPARE_SHARE * UNIT;
        self.tenant.as_ref().map_or(most, |tenant| tenant.total.min(most))
    }

    /// Returns the most that a small request may reserve, in bytes.
    fn small_request(&self) -> u64 {
        self.total / SPARE_SHARE / SMALL_SHARE
    }

    /// Reserves `bytes`, or fails at once. A request above the maximum reserves the maximum, so
    /// that every request within the other limits may run alone.
    pub fn take(&self, bytes: u64) -> Result<Reserved, Full> {
        let mut reserved = Reserved::default();
        self.grow(&mut reserved, bytes)?;
        Ok(reserved)
    }

    /// Grows `reserved` to `bytes`. If that fails, it keeps what it has.
    pub(crate) fn grow(&self, reserved: &mut Reserved, bytes: u64) -> Result<(), Full> {
        let wanted = bytes.min(self.max_request()).div_ceil(UNIT).saturating_sub(reserved.units());
        let Ok(units) = u32::try_from(wanted) else { return Err(self.full(bytes)) };
        let take = |from: &Arc<Semaphore>| Arc::clone(from).try_acquire_many_owned(units).ok();
        let of_tenant = |tenant: &TenantShare| take(&tenant.left).ok_or_else(|| tenant.full(bytes));
        let tenant = self.tenant.as_ref().map(of_tenant).transpose()?;
        let (held, more) = match take(&self.left) {
            Some(more) => (&mut reserved.common, more),
            None if !reserved.large && bytes <= self.small_request() => {
                (&mut reserved.spare, take(&self.spare).ok_or_else(|| self.full(bytes))?)
            }
            None => return Err(self.full(bytes)),
        };
        merge(held, more);
        if let Some(tenant) = tenant {
            merge(&mut reserved.tenant, tenant);
        }
        Ok(())
    }

    /// Grows `reserved` to `bytes` like [`Budget::grow`], but rejects a request above the maximum.
    pub(crate) fn hold(&self, reserved: &mut Reserved, bytes: u64) -> Result<(), BudgetError> {
        if bytes > self.max_request() {
            return Err(BudgetError::TooHeavy(TooHeavy {
                wanted: bytes,
                total: self.max_request(),
            }));
        }
        self.grow(reserved, bytes).map_err(BudgetError::Full)
    }

    /// Checks that `bytes` are available now and returns an empty reservation, so that a client
    /// that announces much and sends little blocks nobody. The beginning of a history, or a body of
    /// unknown length, does not count as small.
    pub(crate) fn admit(&self, bytes: Option<u64>) -> Result<Reserved, BudgetError> {
        let large = bytes.is_none_or(|bytes| bytes > self.small_request());
        let mut room = Reserved { large, ..Reserved::default() };
        self.hold(&mut room, bytes.unwrap_or(0))?;
        Ok(Reserved { large, ..Reserved::default() })
    }

    /// Returns the error for `wanted` bytes.
    pub(crate) fn full(&self, wanted: u64) -> Full {
        let left = (self.left.available_permits() + self.spare.available_permits()) as u64 * UNIT;
        Full { wanted, held: self.total.saturating_sub(left), total: self.total }
    }
}

impl TenantShare {
    /// Returns the error for `wanted` bytes.
    fn full(&self, wanted: u64) -> Full {
        let left = self.left.available_permits() as u64 * UNIT;
        Full { wanted, held: self.total.saturating_sub(left), total: self.total }
    }
}

fn semaphore(units: u64) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(usize::MAX)))
}

fn merge(held: &mut Option<OwnedSemaphorePermit>, more: OwnedSemaphorePermit) {
    match held {
        Some(permit) => permit.merge(more),
        none => *none = Some(more),
    }
}

/// Returns the memory that a body of `bytes` may grow to, before its content is known, in
/// bytes.
pub(crate) fn announced(bytes: u64) -> u64 {
    bytes.saturating_mul(COST_PER_BYTE)
}

/// Returns the memory that a body may grow to, by its content, in bytes. Characters within
/// strings count as well: an array of records inside a text is parsed, too.
pub(crate) fn weight(body: &[u8]) -> u64 {
    let objects = memchr::memchr_iter(b'{', body).count() as u64;
    let elements = memchr::memchr_iter(b',', body).count() as u64;
    announced(body.len() as u64)
        .saturating_add(objects.saturating_mul(COST_PER_OBJECT))
        .saturating_add(elements.saturating_mul(COST_PER_ELEMENT))
}

/// Returns the limit of this process's cgroup, or half of the machine's memory; in bytes.
fn available_memory() -> u64 {
    let Ok(mut system) = System::new() else { return DEFAULT_MEMORY_BYTES };
    system.refresh_memory();
    let machine = system.total_memory();
    usable_memory(machine, cgroup_limit(&mut system))
}

/// Returns the memory that the process may take, given the machine's memory and a limit; all in
/// bytes. A machine of 0 bytes reported none, as without /proc.
fn usable_memory(machine: u64, limit: Option<u64>) -> u64 {
    match machine {
        0 => DEFAULT_MEMORY_BYTES,
        _ => limit.filter(|limit| (1..machine).contains(limit)).unwrap_or(machine / 2),
    }
}

fn cgroup_limit(system: &mut System) -> Option<u64> {
    let pid = sysinfo::get_current_pid().ok()?;
    let only = ProcessesToUpdate::Some(&[pid]);
    system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
    Some(system.process(pid)?.cgroup_limits()?.total_memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let budget = Budget::new(10 * UNIT);
        let mut first = budget.take(4 * UNIT).unwrap();
        budget.grow(&mut first, 6 * UNIT).unwrap();
        budget.grow(&mut first, 5 * UNIT).unwrap();
        let full = budget.take(5 * UNIT).unwrap_err();
        let facts = Full { wanted: 5 * UNIT, held: 6 * UNIT, total: 10 * UNIT };
        assert_eq!(full, facts);
        let second = budget.take(4 * UNIT).unwrap();
        drop(first);
        assert_eq!(budget.left.available_permits(), 6);
        drop(second);
        assert!(budget.take(u64::MAX).is_ok(), "alone, the largest may run");
        assert_eq!(budget.left.available_permits(), 10);
    }

    #[test]
    fn small_requests_find_room_when_large_ones_have_the_rest() {
        let budget = Budget::new(1 << 20);
        let all = budget.take(u64::MAX).unwrap();
        assert!(budget.take(8 << 10).is_err(), "not small");
        let mut small: Vec<Reserved> = (0..16).map(|_| budget.take(4 << 10).unwrap()).collect();
        assert!(budget.take(1 << 10).is_err());
        small.pop();
        let mut grown = budget.take(1 << 10).unwrap();
        budget.grow(&mut grown, 4 << 10).unwrap();
        drop((all, small, grown));
        assert_eq!(budget.full(0).held, 0);
    }

    #[test]
    fn one_tenant_of_several_has_at_most_half() {
        let all = Budget::new(1 << 20);
        let [one, other] = [0, 1].map(|_| all.for_one_of(2));
        assert!(matches!(
            one.hold(&mut Reserved::default(), 600 << 10),
            Err(BudgetError::TooHeavy(TooHeavy { total: 524_288, .. }))
        ));
        let mut held = one.take(500 << 10).unwrap();
        let full = one.grow(&mut held, 510 << 10).and_then(|()| one.take(10 << 10).map(drop));
        assert_eq!(full.unwrap_err(), Full { wanted: 10 << 10, held: 510 << 10, total: 512 << 10 });
        assert!(other.take(400 << 10).is_ok());
        drop(held);
        assert_eq!((all.full(0).held, one.tenant.unwrap().full(0).held), (0, 0));
        assert!(all.for_one_of(1).take(900 << 10).is_ok());
    }

    #[test]
    fn the_beginning_of_a_large_request_is_not_a_small_one() {
        let budget = Budget::new(1 << 20);
        let [mut large, mut untold] =
            [Some(8 << 10), None].map(|bytes| budget.admit(bytes).unwrap());
        let mut small = budget.admit(Some(4 << 10)).unwrap();
        let _all = budget.take(u64::MAX).unwrap();
        assert!(budget.admit(Some(8 << 10)).is_err());
        assert!(budget.grow(&mut large, 1 << 10).is_err());
        assert!(budget.grow(&mut untold, 1 << 10).is_err());
        budget.grow(&mut small, 1 << 10).unwrap();
    }

    #[test]
    fn a_machine_that_tells_nothing_is_not_one_without_memory() {
        assert_eq!(usable_memory(0, None), DEFAULT_MEMORY_BYTES);
        assert_eq!(usable_memory(0, Some(0)), DEFAULT_MEMORY_BYTES);
        assert_eq!(usable_memory(100, None), 50);
        assert_eq!(
            [
                usable_memory(100, Some(30)),
                usable_memory(100, Some(0)),
                usable_memory(100, Some(200))
            ],
            [30, 50, 50]
        );
    }

    #[test]
    fn small_things_weigh_more_than_their_bytes() {
        let plain = weight(&vec![b'x'; 1 << 20]);
        assert_eq!(plain, 4 << 20);
        let tiny = weight("{\"a\":1},".repeat(1 << 17).as_bytes());
        assert!(tiny > 10 * plain, "{tiny} against {plain}");
    }
}
