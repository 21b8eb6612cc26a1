//! Lines that a change took away: what an earlier result showed of them is not so any more.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::call_record::CallRecord;

/// A shorter line stands in many places, in bytes.
const SHORTEST: usize = 12;

/// The lines that changes took away and no later one wrote again, with the message of the last
/// change that did.
pub(super) struct ReplacedLines(HashMap<u64, usize>);

impl ReplacedLines {
    /// Collects them from the changes that succeeded.
    pub(super) fn of(calls: &[CallRecord<'_>]) -> ReplacedLines {
        let mut lines = HashMap::new();
        for call in calls.iter().filter(|call| !call.failed) {
            let (added, removed) = call.change();
            for line in removed.iter().flat_map(|text| text.lines()).filter_map(key) {
                lines.insert(line, call.index);
            }
            for line in added.iter().flat_map(|text| text.lines()).filter_map(key) {
                lines.remove(&line);
            }
        }
        ReplacedLines(lines)
    }

    /// Returns true if a change after message `index` took the line away.
    pub(super) fn holds(&self, line: &str, index: usize) -> bool {
        key(line).and_then(|line| self.0.get(&line)).is_some_and(|at| index < *at)
    }
}

/// A line without the marks that a tool sets between a number and the line.
fn key(line: &str) -> Option<u64> {
    let line = line.trim_start_matches([':', '|', '→']).trim();
    (line.len() >= SHORTEST).then(|| xxh3_64(line.as_bytes()))
}
