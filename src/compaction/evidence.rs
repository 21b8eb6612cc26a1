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
/// Maximum number of matching lines to examine.
const HITS: usize = 20_000;
/// Maximum number of kinds of evidence lines to collect.
const KINDS: usize = 256;
/// Tokens reserved for the label of an evidence line, such as `L341: `, and the gap after it.
const LABEL: u64 = 6;
/// Minimum score of a line that is truncated, not skipped, if it does not fit.
const SIGNIFICANT: u8 = 3;
/// Matches errors, exit codes, totals and warnings, in English and Chinese.
static EVIDENCE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "panicked|fatal|traceback|segmentation fault|exit(?:ed with)?[ _](?:code|status)|\
                 errors?|failed|failures?|failing|exception|denied|not found|\
                 refused|timed out|test result|total|passed|warnings?";
    // Case-sensitive, so that it does not match the package name `thiserror`.
    let kinds = r"(?-u:\w)(?:Error|Exception)(?-u:\b)(?:: )?";
    let pattern =
        format!(r"(?i-u:\b(?:error: |error\[|(?:{words})\b))|{kinds}|错误|失败|异常|总计|警告");
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});
#[derive(Clone)]
pub(super) struct EvidenceLine {
    /// The shown part of the line.
    pub(super) part: Range<usize>,
    /// True if the line begins before `part`.
    pub(super) is_cut: bool,
    /// The line number, from 1.
    pub(super) line: u64,
    score: u8,
}

/// Returns the best evidence lines inside `range` that fit into `room`, in text order. Truncates a
/// line with a high score to the remaining room rather than skip it for a line with a low score.
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
        // The mark of a truncated beginning costs one more token.
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

/// Orders lines by score, best first. Lines of equal score alternate between the first and the last
/// that remain: the first and the last error of a log are more informative than its first two.
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

/// Returns one line of each kind. Lines that differ only in digits are of one kind.
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
        // A line that crosses the edge of the head or the tail is partly shown there.
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
        // A match after a hyphen is part of a name, such as the licence `LLVM-exception`.
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
    // A part never begins inside a word: the end of a number would read as another number.
    if start > line.start && !text.as_bytes()[start - 1].is_ascii_whitespace() {
        let space = text[start..matched.start].find(char::is_whitespace);
        start = space.map_or(matched.start, |at| ceil(text, start + at + 1));
    }
    let end = floor(text, (start + EVIDENCE_BYTES).min(line.end));
    start..end.max(start)
}

/// Scores a match: an explicit error is above a status, a status above a heading.
fn score(word: &str) -> u8 {
    match word.to_ascii_lowercase().as_str() {
        word if word.ends_with([' ', '[']) => 5,
        "panicked" | "fatal" | "traceback" | "segmentation fault" => 5,
        "test result" => 4,
        word if word.starts_with("exit") => 4,
        "warning" | "warnings" | "警告" | "not found" => 1,
        "total" | "passed" | "总计" | "errors" | "failures" | "failing" => 2,
        // The end of an error type's name, as in an import.
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

    #[test]
    fn the_first_and_the_last_come_before_the_others() {
        let hit = |(line, score)| EvidenceLine { part: 0..0, is_cut: false, line, score };
        let hits = [(1, 2), (2, 3), (3, 3), (4, 3), (5, 3), (6, 2)].map(hit).to_vec();
        let lines: Vec<u64> = by_worth(hits).iter().map(|hit| hit.line).collect();
        assert_eq!(lines, [2, 5, 3, 4, 1, 6]);
    }
}
