//! Eras: the periods between steps of the wall clock, and the ages of files by them.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::moment::{Moment, millis};

/// Maximum number of boots to remember.
const BOOTS: usize = 16;
/// Maximum number of eras to remember.
const ERAS: usize = 32;
/// Maximum difference, in milliseconds, that does not count as a step, because the clocks are read
/// one after another.
pub(super) const STEP_MS: i64 = 2_000;

/// A reading of both clocks in a boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Boot {
    id: String,
    wall_ms: i64,
    up_ms: i64,
}

/// A period in which the wall clock was not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Era {
    /// The latest modification time of a file of this era.
    until_ms: i64,
    /// How far the wall clock was ahead of its state in the folder's first era.
    ahead_ms: i64,
}

/// The clock of a folder as it was last observed. It tells how old a file is, whatever happened to
/// the wall clock. Files expire on time or late, never early.
///
/// A file's time is that of the wall clock when it was written or renewed. For each boot of each
/// machine that sweeps the folder, the clock keeps a reading of the wall clock and of the steady
/// clock. If the wall clock advanced by more than the steady one, an era ends: the difference does
/// not count towards the age of files of that era. The time between the last observation and one of
/// an unknown boot is unknown, and counts for no file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clock {
    last_ms: i64,
    ahead_ms: i64,
    boots: Vec<Boot>,
    eras: Vec<Era>,
}

impl Clock {
    /// Returns a clock that was last observed at `last` by an unknown machine.
    pub(super) fn of(last: SystemTime) -> Clock {
        Clock { last_ms: millis(last), ..Clock::default() }
    }

    /// Records an observation.
    pub(super) fn observe(&mut self, now: &Moment) {
        let (wall, up) = (now.wall_ms(), now.up_ms());
        let known = self.boots.iter().position(|boot| boot.id == now.boot);
        let boot = match known.map(|at| self.boots.remove(at)) {
            Some(boot) => {
                // The moment may precede the last observation, which another process may have made.
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

    /// Ends an era: the wall clock was set by `by_ms`.
    fn step(&mut self, until_ms: i64, by_ms: i64) {
        self.eras.push(Era { until_ms, ahead_ms: self.ahead_ms });
        self.ahead_ms = self.ahead_ms.saturating_add(by_ms);
        if self.eras.len() > ERAS {
            // The merged era is the one in which files live longer.
            let first = self.eras.remove(0);
            let second = &mut self.eras[0];
            second.until_ms = second.until_ms.max(first.until_ms);
            second.ahead_ms = second.ahead_ms.min(first.ahead_ms);
        }
    }

    /// Returns when a file with that modification time was written or renewed, by the present wall
    /// clock; late rather than early. The file may be of any era that did not end before its time.
    pub(crate) fn since(&self, modified: SystemTime) -> SystemTime {
        let at = millis(modified);
        let eras = self.eras.iter().filter(|era| era.until_ms >= at);
        let ahead = eras.map(|era| self.ahead_ms.saturating_sub(era.ahead_ms)).max();
        let ahead = u64::try_from(ahead.unwrap_or(0)).unwrap_or(0);
        modified.checked_add(Duration::from_millis(ahead)).unwrap_or(modified)
    }

    /// Parses the form of [`Clock::render`].
    pub(super) fn parse(bytes: &[u8]) -> Option<Clock> {
        serde_json::from_slice(bytes).ok()
    }

    /// Formats the clock as JSON.
    pub(super) fn render(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("strings and numbers always serialize")
    }
}

#[cfg(test)]
#[path = "eras_tests.rs"]
mod tests;
