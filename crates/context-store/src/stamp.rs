//! Moments as text: RFC 3339 in UTC, whole seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Seconds since 1970; a moment before that counts as 0.
pub(super) fn unix(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The moment `seconds` after 1970; None beyond what the system can name.
pub(super) fn moment(seconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// `2026-11-21T10:18:14Z` for seconds since 1970; a moment beyond what the calendar
/// names counts as its last.
pub(super) fn rfc3339_of(seconds: u64) -> String {
    let second = i64::try_from(seconds).ok().and_then(|s| Timestamp::from_second(s).ok());
    let second = second.unwrap_or(Timestamp::MAX);
    second.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The same for a moment, in whole seconds.
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
