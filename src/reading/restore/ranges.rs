//! Line numbers as runs: 2, 5, 6 and 7 are `2,5-7`.

use std::fmt::Write;
use std::ops::RangeInclusive;

/// Formats numbers as runs.
pub(crate) fn ranges(numbers: &[u64]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < numbers.len() {
        let start = at;
        while at + 1 < numbers.len() && numbers[at + 1] == numbers[at] + 1 {
            at += 1;
        }
        let sep = if out.is_empty() { "" } else { "," };
        let _ = match at - start {
            0 => write!(out, "{sep}{}", numbers[start]),
            _ => write!(out, "{sep}{}-{}", numbers[start], numbers[at]),
        };
        at += 1;
    }
    out
}

/// Parses `5-7` or `2`.
pub(crate) fn parse_range(part: &str) -> Option<RangeInclusive<u64>> {
    let (start, end) = part.split_once('-').unwrap_or((part, part));
    Some(start.parse().ok()?..=end.parse().ok()?)
}

/// Parses runs, and sorts them.
pub(crate) fn parse_ranges(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let mut ranges: Vec<RangeInclusive<u64>> =
        text.split(',').map(parse_range).collect::<Option<_>>()?;
    ranges.sort_by_key(|range| *range.start());
    Some(ranges)
}
