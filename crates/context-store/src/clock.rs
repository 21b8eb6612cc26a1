//! The clock of a folder: what tells how old a file is whatever the wall clock did.
//! Expiry is right or late, never early. It is observed by each sweep, and before files
//! are dated by a clock that was set.
//!
//! A file's time is that of the wall clock when it was written or renewed. The folder
//! remembers, for each boot of each machine that sweeps it, how the wall clock stood to
//! the steady one. Where the wall clock went ahead by more than the steady one, an era
//! ends: to files of that era the difference is no age. What passed between the last
//! observation and one of an unknown boot is unknown, and counts for no file.

use std::io;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::Dir;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::lease::modified;
use super::own_file::{self, Synced};
use super::{FileName, Run, Store};

/// The clock's file in the private folder.
const CLOCK: &str = "clock";
/// Largest clock that is read, in bytes; this service's are smaller.
const CLOCK_BYTES: usize = 16 * 1_024;
/// Most boots and eras that are remembered.
const BOOTS: usize = 16;
const ERAS: usize = 32;
/// A smaller difference is no step, in milliseconds: clocks are read one after another.
const STEP_MS: i64 = 2_000;

/// A moment by both clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// By the wall clock.
    pub wall: SystemTime,
    /// By the clock that nobody sets and that runs on in suspension.
    pub(super) up: Duration,
    /// The boot that it counts from.
    pub(super) boot: String,
}

impl Moment {
    /// This moment.
    pub fn now() -> Moment {
        let up = clock_gettime(ClockId::Boottime);
        let nanos = u32::try_from(up.tv_nsec).unwrap_or(0);
        let up = Duration::new(u64::try_from(up.tv_sec).unwrap_or(0), nanos);
        Moment { wall: SystemTime::now(), up, boot: BOOT.clone() }
    }

    fn wall_ms(&self) -> i64 {
        millis(self.wall)
    }

    fn up_ms(&self) -> i64 {
        i64::try_from(self.up.as_millis()).unwrap_or(i64::MAX)
    }
}

/// The id of this boot; where the system does not tell it, one that no other process has.
static BOOT: LazyLock<String> = LazyLock::new(|| {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let id = id.trim();
    let plain = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { id.to_owned() } else { ulid::Ulid::generate().to_string() }
});

/// How the wall clock stood to the steady one at a moment of a boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Boot {
    id: String,
    wall_ms: i64,
    up_ms: i64,
}

/// A time in which the wall clock was not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Era {
    /// The latest time that a file of this era can have.
    until_ms: i64,
    /// By how much the wall clock was ahead of the folder's first era.
    ahead_ms: i64,
}

/// The clock of a folder as it was last observed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Clock {
    last_ms: i64,
    ahead_ms: i64,
    boots: Vec<Boot>,
    eras: Vec<Era>,
}

impl Clock {
    /// A clock that was last observed at `last`, nobody knows by which machine.
    fn of(last: SystemTime) -> Clock {
        Clock { last_ms: millis(last), ..Clock::default() }
    }

    /// Takes an observation.
    fn observe(&mut self, now: &Moment) {
        let (wall, up) = (now.wall_ms(), now.up_ms());
        let known = self.boots.iter().position(|boot| boot.id == now.boot);
        let boot = match known.map(|at| self.boots.remove(at)) {
            Some(boot) => {
                // A moment from before the last observation of another process counts, too.
                let expected = boot.wall_ms.saturating_add(up - boot.up_ms);
                let by = wall.saturating_sub(expected);
                if by.abs() <= STEP_MS {
                    boot
                } else {
                    self.step(expected, by);
                    Boot { wall_ms: wall, up_ms: up, ..boot }
                }
            }
            None => {
                let unknown = wall.saturating_sub(self.last_ms);
                self.step(wall.max(self.last_ms), unknown);
                Boot { id: now.boot.clone(), wall_ms: wall, up_ms: up }
            }
        };
        self.boots.push(boot);
        if self.boots.len() > BOOTS {
            self.boots.remove(0);
        }
        self.last_ms = wall;
    }

    /// Ends an era: the wall clock was set by so much.
    fn step(&mut self, until_ms: i64, by_ms: i64) {
        self.eras.push(Era { until_ms, ahead_ms: self.ahead_ms });
        self.ahead_ms = self.ahead_ms.saturating_add(by_ms);
        if self.eras.len() > ERAS {
            // Of two eras the one is kept by which files live longer.
            let first = self.eras.remove(0);
            let second = &mut self.eras[0];
            second.until_ms = second.until_ms.max(first.until_ms);
            second.ahead_ms = second.ahead_ms.min(first.ahead_ms);
        }
    }

    /// When a file of that time was written or renewed, by the wall clock as it stands
    /// now, or later. A file may be of each era that did not end before its time.
    pub(super) fn since(&self, modified: SystemTime) -> SystemTime {
        let at = millis(modified);
        let eras = self.eras.iter().filter(|era| era.until_ms >= at);
        let ahead = eras.map(|era| self.ahead_ms.saturating_sub(era.ahead_ms)).max();
        let ahead = u64::try_from(ahead.unwrap_or(0)).unwrap_or(0);
        modified.checked_add(Duration::from_millis(ahead)).unwrap_or(modified)
    }

    fn read(private: &Dir) -> Option<Clock> {
        let bytes = own_file::read(private, CLOCK, CLOCK_BYTES).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn render(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers always serialize")
    }
}

/// Observes the clock of a new private folder.
pub(super) fn begin(private: &Dir) -> io::Result<()> {
    let now = Moment::now();
    let mut clock = Clock::of(now.wall);
    clock.observe(&now);
    own_file::create(private, CLOCK, &clock.render(), Synced::No).map(drop)
}

/// Observes the clock of a folder. Where nobody has observed it before, the time of its
/// newest file is the last that is known. What cannot be noted is no error: then what
/// passes until the next observation counts for no file.
pub(super) fn observe(folder: &Dir, private: &Dir, now: &Moment, run: Run) -> Clock {
    let known = Clock::read(private);
    let newest = || newest(folder);
    let before =
        known.unwrap_or_else(|| Clock::of(newest().map_or(now.wall, |at| at.min(now.wall))));
    let mut clock = before;
    clock.observe(now);
    if run == Run::Real {
        let noted = own_file::replace(private, CLOCK, &clock.render(), Synced::No);
        if let Err(error) = noted {
            tracing::warn!(%error, "the clock of a folder could not be noted");
        }
    }
    clock
}

/// The time of the newest file.
fn newest(folder: &Dir) -> Option<SystemTime> {
    let entries = folder.entries().ok()?.flatten();
    let ours =
        entries.filter(|entry| entry.file_name().to_str().and_then(FileName::of_minted).is_some());
    ours.filter_map(|entry| modified(&entry.metadata().ok()?).ok()).max()
}

impl Store {
    /// Observes the clock of this folder before a file is dated by it: at the first time,
    /// and whenever this process saw that the wall clock was set.
    pub(super) fn observe_clock(&self, folder: &Dir, private: &Dir) {
        let (now, key) = (Moment::now(), self.folder().key());
        let steps = steps(&now);
        if self.ledger.observed(&key) != Some(steps) {
            observe(folder, private, &now, Run::Real);
            self.ledger.note_observed(key, steps);
        }
    }
}

/// How often this process saw that the wall clock was set.
fn steps(now: &Moment) -> u64 {
    static SEEN: Mutex<Option<(Moment, u64)>> = Mutex::new(None);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (base, steps) = seen.get_or_insert_with(|| (now.clone(), 0));
    let expected = base.wall_ms().saturating_add(now.up_ms() - base.up_ms());
    if now.wall_ms().saturating_sub(expected).abs() > STEP_MS {
        *steps += 1;
        *base = now.clone();
    }
    *steps
}

fn millis(at: SystemTime) -> i64 {
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
