//! Moments as text: RFC 3339 in UTC, whole seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Length of a day.
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Returns the seconds since 1970; 0 for a moment before that.
pub(crate) fn unix(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns the days since 1970.
pub(crate) fn unix_day(moment: SystemTime) -> u64 {
    unix(moment) / DAY_SECONDS
}

/// Returns the moment `seconds` after 1970; `None` if the system cannot represent it.
pub(crate) fn from_unix(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// Formats seconds since 1970 as `2026-11-21T10:18:14Z`. A moment after the last one of the
/// calendar is formatted as that last one.
pub(crate) fn rfc3339_of(seconds: u64) -> String {
    let second = i64::try_from(seconds).ok().and_then(|s| Timestamp::from_second(s).ok());
    let second = second.unwrap_or(Timestamp::MAX);
    second.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Formats a moment as RFC 3339 in UTC, in whole seconds.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let moment = UNIX_EPOCH + Duration::from_millis(951_782_399_500);
/// assert_eq!(context_store::rfc3339(moment), "2000-02-28T23:59:59Z");
/// ```
pub fn rfc3339(moment: SystemTime) -> String {
    rfc3339_of(unix(moment))
}

#[cfg(test)]
mod tests {
    use super::rfc3339_of;

    #[test]
    fn known_days() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339_of(seconds), text);
        }
        let _ = rfc3339_of(u64::MAX);
    }
}
