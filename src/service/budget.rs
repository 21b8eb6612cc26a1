//! Memory: what all requests under way may take together. A request is let in by
//! what it may grow to, before it grows: many at once then wait or are refused, and
//! the process is never killed for its memory with everybody's work in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fair_share::share;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What the budget is counted in, in bytes.
const UNIT: u64 = 1024;

/// What the process takes without a request, its caches apart, in bytes: the tables
/// of the tokenizers, the pools of threads.
const STANDING: u64 = 120 * 1024 * 1024;
/// What a thread that works on requests keeps between them, in bytes: the heap it
/// allocates from, the caches of its expressions.
const PER_TURN: u64 = 4 * 1024 * 1024;

/// Of the memory there is, what the kernel takes for the process: buffers of sockets,
/// pages that are not written yet, the tables of what is open.
const KERNEL: u64 = 8;

/// What is assumed where the system does not tell, in bytes.
const UNKNOWN: u64 = 1024 * 1024 * 1024;

/// What a byte of a body may cost: itself, its text, the answer, and what is being
/// written. Measured over hostile shapes of 64 MiB (`tests/hostile`).
const PER_BYTE: u64 = 4;
/// What an object may cost: the view of a message or of a part.
const PER_OBJECT: u64 = 640;
/// What an element or a member may cost: a slice in a list that doubles.
const PER_ELEMENT: u64 = 80;

/// Of the whole, what only small requests may take: who brings a page back gets it
/// while others' histories fill the rest.
const SPARE: u64 = 16;
/// Of the spare part, the most that a small request takes.
const SMALL: u64 = 16;

/// The memory of all requests; clones share it.
#[derive(Debug, Clone)]
pub struct Budget {
    left: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    total: u64,
    /// The most that one tenant takes of it, where there are several.
    own: Option<Own>,
}

/// One tenant's share.
#[derive(Debug, Clone)]
struct Own {
    left: Arc<Semaphore>,
    total: u64,
}

/// Memory that is taken until this is dropped.
#[derive(Debug, Default)]
pub struct Reserved {
    common: Option<OwnedSemaphorePermit>,
    spare: Option<OwnedSemaphorePermit>,
    own: Option<OwnedSemaphorePermit>,
    /// It will not stay small, however little it has taken so far.
    large: bool,
}

impl Reserved {
    fn units(&self) -> u64 {
        let permits = [&self.common, &self.spare].into_iter().flatten();
        permits.map(|permit| permit.num_permits() as u64).sum()
    }
}

/// Memory that one operation takes bit by bit, from any of its threads, until this is
/// dropped.
#[derive(Debug)]
pub struct Held<'a> {
    budget: &'a Budget,
    held: Mutex<(Reserved, u64)>,
    is_short: AtomicBool,
}

impl<'a> Held<'a> {
    /// Nothing yet.
    pub fn new(budget: &'a Budget) -> Held<'a> {
        Held { budget, held: Mutex::default(), is_short: AtomicBool::new(false) }
    }

    /// Takes so many more bytes; false where there is no room for them now.
    pub fn take(&self, bytes: u64) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (reserved, sum) = &mut *held;
        *sum = sum.saturating_add(bytes);
        let taken = self.budget.grow(reserved, *sum).is_ok();
        if !taken {
            self.is_short.store(true, Ordering::Relaxed);
        }
        taken
    }

    /// True where some of the bytes could not be had.
    pub fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Why the last bytes could not be had.
    pub fn refused(&self) -> Full {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.budget.full(held.1)
    }
}

/// There is not so much left now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("requests under way hold {held} of {total} bytes of memory, and {wanted} more are needed")]
pub struct Full {
    /// What was asked for, in bytes.
    pub wanted: u64,
    /// What others hold, in bytes.
    pub held: u64,
    /// What there is, in bytes.
    pub total: u64,
}

/// There is not so much at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the body may take {wanted} bytes of memory once it is read; accepted is up to {total} \
     (server.memory_bytes)"
)]
pub struct TooHeavy {
    /// What was asked for, in bytes.
    pub wanted: u64,
    /// What there is, in bytes.
    pub total: u64,
}

/// Why a body cannot be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unheld {
    /// Never.
    TooHeavy(TooHeavy),
    /// Not now.
    Full(Full),
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes: u64) -> Budget {
        let most = (Semaphore::MAX_PERMITS as u64).min(u64::from(u32::MAX));
        let units = (bytes / UNIT).clamp(1, most);
        // No more than a u32, which every pointer size here holds.
        let spare = units / SPARE;
        Budget { left: room(units - spare), spare: room(spare), total: units * UNIT, own: None }
    }

    /// The same memory for one of so many tenants, who has at most its share of it.
    pub fn of_one_among(&self, tenants: usize) -> Budget {
        let all = usize::try_from(self.total / UNIT).unwrap_or(usize::MAX);
        let most = share(all, tenants);
        let own = Own { left: Arc::new(Semaphore::new(most)), total: most as u64 * UNIT };
        Budget { own: (most < all).then_some(own), ..self.clone() }
    }

    /// What requests may use beside the process itself with so many `turns`, `caches`
    /// bytes of caches and the workers of jq, which have a quarter of what is left: of
    /// the container's limit, or of half the machine where there is none; at least a
    /// quarter of that.
    pub fn of_this_machine(caches: u64, turns: u64) -> Budget {
        let memory = memory();
        let standing = STANDING + turns.saturating_mul(PER_TURN);
        let left = (memory - memory / KERNEL).saturating_sub(standing).saturating_sub(caches);
        Budget::new((left / 4 * 3).max(memory / 4))
    }

    /// The whole, in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the most that one request can have, in bytes: all but the spare part, or
    /// its tenant's share.
    fn most(&self) -> u64 {
        let most = self.total - self.total / UNIT / SPARE * UNIT;
        self.own.as_ref().map_or(most, |own| own.total.min(most))
    }

    /// What a small request may take, in bytes.
    fn small(&self) -> u64 {
        self.total / SPARE / SMALL
    }

    /// Takes `bytes`, at once or not at all. More than one request can have is taken
    /// as that: alone, every request that fits the other limits may run.
    pub fn take(&self, bytes: u64) -> Result<Reserved, Full> {
        let mut reserved = Reserved::default();
        self.grow(&mut reserved, bytes)?;
        Ok(reserved)
    }

    /// Makes `reserved` hold `bytes`; what it holds already stays where there is no more.
    pub fn grow(&self, reserved: &mut Reserved, bytes: u64) -> Result<(), Full> {
        let wanted = bytes.min(self.most()).div_ceil(UNIT).saturating_sub(reserved.units());
        let Ok(units) = u32::try_from(wanted) else { return Err(self.full(bytes)) };
        let take = |from: &Arc<Semaphore>| Arc::clone(from).try_acquire_many_owned(units).ok();
        let of_own = |own: &Own| take(&own.left).ok_or_else(|| own.full(bytes));
        let own = self.own.as_ref().map(of_own).transpose()?;
        let (held, more) = match take(&self.left) {
            Some(more) => (&mut reserved.common, more),
            None if !reserved.large && bytes <= self.small() => {
                (&mut reserved.spare, take(&self.spare).ok_or_else(|| self.full(bytes))?)
            }
            None => return Err(self.full(bytes)),
        };
        merge(held, more);
        if let Some(own) = own {
            merge(&mut reserved.own, own);
        }
        Ok(())
    }

    /// The same for a body, which nobody has to send: more than one request can have is
    /// refused.
    pub fn hold(&self, reserved: &mut Reserved, bytes: u64) -> Result<(), Unheld> {
        if bytes > self.most() {
            return Err(Unheld::TooHeavy(TooHeavy { wanted: bytes, total: self.most() }));
        }
        self.grow(reserved, bytes).map_err(Unheld::Full)
    }

    /// Nothing yet, for what will want `bytes`: refused where there is no room for them
    /// now. Who announces much and sends little keeps nobody out, and the beginning of
    /// a history is no small request; nor is what does not say how much it will want.
    pub fn expect(&self, bytes: Option<u64>) -> Result<Reserved, Unheld> {
        let large = bytes.is_none_or(|bytes| bytes > self.small());
        let mut room = Reserved { large, ..Reserved::default() };
        self.hold(&mut room, bytes.unwrap_or(0))?;
        Ok(Reserved { large, ..Reserved::default() })
    }

    /// Why `wanted` more bytes cannot be had.
    pub fn full(&self, wanted: u64) -> Full {
        let left = (self.left.available_permits() + self.spare.available_permits()) as u64 * UNIT;
        Full { wanted, held: self.total.saturating_sub(left), total: self.total }
    }
}

impl Own {
    /// Why `wanted` more bytes cannot be had.
    fn full(&self, wanted: u64) -> Full {
        let left = self.left.available_permits() as u64 * UNIT;
        Full { wanted, held: self.total.saturating_sub(left), total: self.total }
    }
}

fn room(units: u64) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(usize::MAX)))
}

fn merge(held: &mut Option<OwnedSemaphorePermit>, more: OwnedSemaphorePermit) {
    match held {
        Some(permit) => permit.merge(more),
        none => *none = Some(more),
    }
}

/// What a body may grow to before anything of it is understood, in bytes.
pub fn announced(bytes: u64) -> u64 {
    bytes.saturating_mul(PER_BYTE)
}

/// What a body may grow to, by what is in it, in bytes. Signs within strings count
/// as well: an array of records that stands in a text is taken apart, too.
pub fn weight(body: &[u8]) -> u64 {
    let objects = memchr::memchr_iter(b'{', body).count() as u64;
    let elements = memchr::memchr_iter(b',', body).count() as u64;
    announced(body.len() as u64)
        .saturating_add(objects.saturating_mul(PER_OBJECT))
        .saturating_add(elements.saturating_mul(PER_ELEMENT))
}

/// The limit on this process's group, as a container or a unit sets it, or half of the
/// machine's memory; in bytes.
fn memory() -> u64 {
    let Ok(mut system) = System::new() else { return UNKNOWN };
    system.refresh_memory();
    let machine = system.total_memory();
    usable(machine, own_limit(&mut system))
}

/// Of a machine's memory and a limit, what the process may take; all in bytes. A machine
/// of none is one that did not tell: without /proc, that is no error.
fn usable(machine: u64, limit: Option<u64>) -> u64 {
    match machine {
        0 => UNKNOWN,
        _ => limit.filter(|limit| (1..machine).contains(limit)).unwrap_or(machine / 2),
    }
}

fn own_limit(system: &mut System) -> Option<u64> {
    let own = sysinfo::get_current_pid().ok()?;
    let only = ProcessesToUpdate::Some(&[own]);
    system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
    Some(system.process(own)?.cgroup_limits()?.total_memory)
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
        let [one, other] = [0, 1].map(|_| all.of_one_among(2));
        assert!(matches!(
            one.hold(&mut Reserved::default(), 600 << 10),
            Err(Unheld::TooHeavy(TooHeavy { total: 524_288, .. }))
        ));
        let mut held = one.take(500 << 10).unwrap();
        let full = one.grow(&mut held, 510 << 10).and_then(|()| one.take(10 << 10).map(drop));
        assert_eq!(full.unwrap_err(), Full { wanted: 10 << 10, held: 510 << 10, total: 512 << 10 });
        assert!(other.take(400 << 10).is_ok());
        drop(held);
        assert_eq!((all.full(0).held, one.own.unwrap().full(0).held), (0, 0));
        assert!(all.of_one_among(1).take(900 << 10).is_ok());
    }

    #[test]
    fn the_beginning_of_a_large_request_is_not_a_small_one() {
        let budget = Budget::new(1 << 20);
        let [mut large, mut untold] =
            [Some(8 << 10), None].map(|bytes| budget.expect(bytes).unwrap());
        let mut small = budget.expect(Some(4 << 10)).unwrap();
        let _all = budget.take(u64::MAX).unwrap();
        assert!(budget.expect(Some(8 << 10)).is_err());
        assert!(budget.grow(&mut large, 1 << 10).is_err());
        assert!(budget.grow(&mut untold, 1 << 10).is_err());
        budget.grow(&mut small, 1 << 10).unwrap();
    }

    #[test]
    fn a_machine_that_tells_nothing_is_not_one_without_memory() {
        assert_eq!(usable(0, None), UNKNOWN);
        assert_eq!(usable(0, Some(0)), UNKNOWN);
        assert_eq!(usable(100, None), 50);
        assert_eq!(
            [usable(100, Some(30)), usable(100, Some(0)), usable(100, Some(200))],
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
