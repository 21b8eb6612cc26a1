//! Lines that a change removed: earlier results that show them are outdated.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::call_record::CallRecord;

/// Minimum bytes of a line; shorter lines occur in many places.
const SHORTEST: usize = 12;

/// The lines that changes removed and no later change added again, with the message of the last
/// change that removed them.
pub(super) struct ReplacedLines(HashMap<u64, usize>);

impl ReplacedLines {
    /// Collects the lines from successful changes.
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

    /// Returns true if a change after message `index` removed the line.
    pub(super) fn holds(&self, line: &str, index: usize) -> bool {
        key(line).and_then(|line| self.0.get(&line)).is_some_and(|at| index < *at)
    }
}

/// Hashes a line without the marks that a tool puts between its number and its text.
fn key(line: &str) -> Option<u64> {
    let line = line.trim_start_matches([':', '|', '→']).trim();
    (line.len() >= SHORTEST).then(|| xxh3_64(line.as_bytes()))
}
