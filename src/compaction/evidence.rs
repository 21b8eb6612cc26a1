//! Evidence: the lines of a text with errors, exit codes and totals, the best first.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memrchr};
use regex::Regex;

use super::fit::{ceil, cost_up_to, count_newlines, floor, prefix_within};
use super::preview_settings::PreviewSettings;

/// Longest shown part of an evidence line, in bytes.
const EVIDENCE_BYTES: usize = 160;
/// Evidence lines that are looked at before choosing.
const HITS: usize = 20_000;
/// Evidence lines that are told apart before choosing.
const KINDS: usize = 256;
/// Tokens of the number before an evidence line and of the gap after it.
const LABEL: u64 = 6;
/// From this score on a line is worth cutting to the room there is.
const SIGNIFICANT: u8 = 3;
/// Lines worth keeping, in the languages of agents' tools.
static EVIDENCE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "panicked|fatal|traceback|segmentation fault|exit(?:ed with)?[ _](?:code|status)|\
                 errors?|failed|failures?|failing|exception|denied|not found|\
                 refused|timed out|test result|total|passed|warnings?";
    // Only capitalised as in code: `thiserror` is the name of a package.
    let kinds = r"(?-u:\w)(?:Error|Exception)(?-u:\b)(?:: )?";
    let pattern =
        format!(r"(?i-u:\b(?:error: |error\[|(?:{words})\b))|{kinds}|错误|失败|异常|总计|警告");
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});
#[derive(Clone)]
pub(super) struct EvidenceLine {
    /// The shown part of the line.
    pub(super) part: Range<usize>,
    /// The line begins before the part.
    pub(super) is_cut: bool,
    /// Its number, from 1.
    pub(super) line: u64,
    score: u8,
}

/// The best evidence lines inside `range` that fit, in order. A line that says
/// much is cut to the room there is rather than passed over for one that says less.
pub(super) fn evidence(
    text: &str,
    range: Range<usize>,
    before: u64,
    spec: &PreviewSettings,
    room: u64,
) -> Vec<EvidenceLine> {
    let mut left = room;
    let mut chosen = Vec::new();
    for mut hit in by_worth(hits(text, range, before)) {
        // A mark says that the line began before.
        let label = LABEL + u64::from(hit.is_cut);
        let room = left.saturating_sub(label);
        let price = cost_up_to(&text[hit.part.clone()], spec, room);
        if price.is_none() {
            if hit.score < SIGNIFICANT || room < LABEL * 2 {
                continue;
            }
            hit.part.end = hit.part.start + prefix_within(&text[hit.part.clone()], spec, room);
        }
        left -= price.unwrap_or(room) + label;
        chosen.push(hit);
    }
    chosen.sort_by_key(|hit| hit.line);
    chosen
}

/// Best score first; among equals the first, the last, the second and so on: a
/// log's first error and its last one say more than its first two.
fn by_worth(mut hits: Vec<EvidenceLine>) -> Vec<EvidenceLine> {
    hits.sort_by_key(|hit| (std::cmp::Reverse(hit.score), hit.line));
    let mut ordered = Vec::with_capacity(hits.len());
    for group in hits.chunk_by(|a, b| a.score == b.score) {
        let (mut first, mut last) = (0, group.len());
        while first < last {
            ordered.push(group[first].clone());
            first += 1;
            if first < last {
                last -= 1;
                ordered.push(group[last].clone());
            }
        }
    }
    ordered
}

/// One hit for each kind of evidence line: lines that differ in digits only
/// count as one kind.
fn hits(text: &str, range: Range<usize>, lines_before: u64) -> Vec<EvidenceLine> {
    let mut kinds = HashSet::new();
    let mut found: Vec<EvidenceLine> = Vec::new();
    let (mut at, mut lines) = (range.start, lines_before);
    for _ in 0..HITS {
        let Some(matched) = EVIDENCE.find_at(text, at).filter(|m| m.end() <= range.end) else {
            break;
        };
        let bytes = text.as_bytes();
        let start = memrchr(b'\n', &bytes[..matched.start()]).map_or(0, |n| n + 1);
        let end = memchr(b'\n', &bytes[matched.end()..]).map_or(text.len(), |n| matched.end() + n);
        lines += count_newlines(&text[at..start.max(at)]);
        // A line cut by the head's or the tail's edge is shown there already.
        if start >= range.start && end <= range.end {
            let (best, score) = best_of(text, start..end);
            let part = window(text, start..end, best);
            let kind: String =
                text[part.clone()].chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            if score > 0 && kinds.insert(kind) {
                let is_cut = part.start > start;
                found.push(EvidenceLine { part, is_cut, line: lines + 1, score });
            }
        }
        if kinds.len() >= KINDS || end >= range.end {
            break;
        }
        lines += 1;
        at = end + 1;
    }
    found
}

/// Returns the best match of a line, and its score.
fn best_of(text: &str, line: Range<usize>) -> (Range<usize>, u8) {
    let mut best = (line.start..line.start, 0);
    for found in EVIDENCE.find_iter(&text[line.clone()]).take(16) {
        let at = line.start + found.start()..line.start + found.end();
        // `LLVM-exception` is the name of a licence.
        let in_a_name = text.as_bytes().get(at.start.wrapping_sub(1)) == Some(&b'-');
        let worth = if in_a_name { 0 } else { score(found.as_str()) };
        if worth > best.1 {
            best = (at, worth);
        }
    }
    best
}

/// The part of a long line around its match.
fn window(text: &str, line: Range<usize>, matched: Range<usize>) -> Range<usize> {
    if line.len() <= EVIDENCE_BYTES {
        return line;
    }
    let mut start = ceil(text, matched.start.saturating_sub(EVIDENCE_BYTES / 3).max(line.start));
    // No part begins inside a word: the end of a number is another number.
    if start > line.start && !text.as_bytes()[start - 1].is_ascii_whitespace() {
        let space = text[start..matched.start].find(char::is_whitespace);
        start = space.map_or(matched.start, |at| ceil(text, start + at + 1));
    }
    let end = floor(text, (start + EVIDENCE_BYTES).min(line.end));
    start..end.max(start)
}

/// Scores a match: a stated error before a status, before a heading.
fn score(word: &str) -> u8 {
    match word.to_ascii_lowercase().as_str() {
        word if word.ends_with([' ', '[']) => 5,
        "panicked" | "fatal" | "traceback" | "segmentation fault" => 5,
        "test result" => 4,
        word if word.starts_with("exit") => 4,
        "warning" | "warnings" | "警告" | "not found" => 1,
        "total" | "passed" | "总计" | "errors" | "failures" | "failing" => 2,
        // The name of an error's type, as in an import.
        _ if word.starts_with(|c: char| !c.is_ascii_alphabetic() || c.is_lowercase())
            && (word.ends_with("Error") || word.ends_with("Exception")) =>
        {
            1
        }
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of equal worth the first and the last are told before what is between them.
    #[test]
    fn the_first_and_the_last_come_before_the_others() {
        let hit = |(line, score)| EvidenceLine { part: 0..0, is_cut: false, line, score };
        let hits = [(1, 2), (2, 3), (3, 3), (4, 3), (5, 3), (6, 2)].map(hit).to_vec();
        let lines: Vec<u64> = by_worth(hits).iter().map(|hit| hit.line).collect();
        assert_eq!(lines, [2, 5, 3, 4, 1, 6]);
    }
}
