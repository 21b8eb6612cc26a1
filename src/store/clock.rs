//! The sweep's clock: the wall clock as it stood at the start, carried on by the
//! steady one. A wall clock that is set ahead while the service runs deletes
//! nothing early; it is believed again at the next start.

use std::time::{Instant, SystemTime};

/// A clock that only ever runs at its own pace.
#[derive(Debug, Clone, Copy)]
pub struct SweepClock {
    wall: SystemTime,
    steady: Instant,
}

impl SweepClock {
    /// A clock that is right now.
    pub fn start() -> SweepClock {
        SweepClock { wall: SystemTime::now(), steady: Instant::now() }
    }

    /// The moment by this clock.
    pub fn now(&self) -> SystemTime {
        self.wall.checked_add(self.steady.elapsed()).unwrap_or(self.wall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn it_runs_on_from_its_start() {
        let clock = SweepClock::start();
        let first = clock.now();
        std::thread::sleep(Duration::from_millis(5));
        let passed = clock.now().duration_since(first).unwrap();
        assert!(passed >= Duration::from_millis(5) && passed < Duration::from_secs(5));
    }
}
