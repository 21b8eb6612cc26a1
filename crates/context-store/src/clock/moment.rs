//! Moments by two clocks: the wall clock, which can be set, and the steady clock.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// A moment by the wall clock and by the steady clock.
///
/// ```
/// use context_store::Moment;
///
/// assert!(Moment::now().wall > std::time::UNIX_EPOCH);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The time by the wall clock.
    pub wall: SystemTime,
    /// The time since the boot, by a clock that cannot be set and that runs during suspension.
    pub(crate) up: Duration,
    /// The id of the boot.
    pub(crate) boot: String,
}

impl Moment {
    /// Returns the present moment.
    pub fn now() -> Moment {
        let up = clock_gettime(ClockId::Boottime);
        let nanos = u32::try_from(up.tv_nsec).unwrap_or(0);
        let up = Duration::new(u64::try_from(up.tv_sec).unwrap_or(0), nanos);
        Moment { wall: SystemTime::now(), up, boot: BOOT.clone() }
    }

    /// Returns the milliseconds since 1970.
    pub(super) fn wall_ms(&self) -> i64 {
        millis(self.wall)
    }

    /// Returns the milliseconds since the boot.
    pub(super) fn up_ms(&self) -> i64 {
        i64::try_from(self.up.as_millis()).unwrap_or(i64::MAX)
    }
}

/// The id of this boot; if the system does not report one, an id of this process only.
static BOOT: LazyLock<String> = LazyLock::new(|| {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let id = id.trim();
    let plain = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { id.to_owned() } else { ulid::Ulid::generate().to_string() }
});

/// Returns the milliseconds since 1970; negative before that.
pub(super) fn millis(at: SystemTime) -> i64 {
    match at.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}
