//! Dates that SQLite reads.

use crate::records::profile::is_date;

/// Returns true for `2025-05-14`, perhaps with a time and a zone: SQLite reads it.
pub(crate) fn is_read(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((date, rest)) = bytes.split_at_checked(10) else { return false };
    if !is_date(date) || !has_day(text) {
        return false;
    }
    let Some(separator) = rest.first() else { return true };
    let within = |from: usize, most: u8| {
        let [tens, ones] = [bytes[from], bytes[from + 1]].map(|digit| digit.wrapping_sub(b'0'));
        tens < 10 && ones < 10 && tens * 10 + ones <= most
    };
    let colon = |at: usize| bytes.get(at) == Some(&b':') && bytes.len() > at + 2;
    if !matches!(separator, b'T' | b' ') || !colon(13) || !within(11, 23) || !within(14, 59) {
        return false;
    }
    let mut end = 16;
    if colon(16) {
        if !within(17, 59) {
            return false;
        }
        end = 19;
        if bytes.get(end) == Some(&b'.') {
            let digits = bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit());
            end += 1 + digits.count();
        }
    }
    let zone = &bytes[end..];
    let is_offset = zone.len() == 6
        && matches!(zone[0], b'+' | b'-')
        && zone.iter().enumerate().skip(1).all(|(at, byte)| match at {
            3 => *byte == b':',
            _ => byte.is_ascii_digit(),
        });
    zone.is_empty() || zone == b"Z" || is_offset
}

/// Returns false for a text that begins with a date whose day its month does not have, which SQLite
/// reads as one of the next month: `2026-02-30`.
pub(crate) fn has_day(text: &str) -> bool {
    let day = text.get(..10).filter(|day| is_date(day.as_bytes()));
    day.is_none_or(|day| date_text::span(day).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_sqlite_reads() {
        for text in [
            "2025-05-14",
            "2025-05-14 10:00",
            "2025-05-14T10:00:00.123456Z",
            "2025-05-14T10:00:00-07:00",
        ] {
            assert!(is_read(text), "{text}");
        }
        for text in [
            "",
            "2025-13-14",
            "2025-02-29",
            "2025-05-14 10:00:00 UTC",
            "2025-05-14T10:00:00+0200",
            "2025-05-14T24:00:00Z",
            "2025-05-14 10:00 PM",
            "2025-05-14T10:00:0",
            "2025/05/14",
            "2025-05-1é",
        ] {
            assert!(!is_read(text), "{text}");
        }
    }
}
