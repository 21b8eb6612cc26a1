//! Private keys in PEM format: the text between the first and the last line, and the rest of a key
//! whose first or last line was cut off. The lines between may be real lines, or separated by `\n`
//! in a JSON string, quoted, numbered or indented.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The name of the rule.
pub(super) const RULE: &str = "private-key";
/// Maximum length of a key, from its first line to its last, in bytes.
const LONGEST: usize = 32 * 1024;
/// Minimum length of a run of Base64 characters that is part of a key.
const RUN: usize = 16;
/// A whole key has a run of at least this length within `SOON` bytes after its first line; a
/// program that only mentions the two lines has none.
const SURE: usize = 32;
const SOON: usize = 2 * 1024;

/// Matches the first and last lines of keys in one pass; only a first line has the group `open`.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    let key = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
    let header = r"(?:\s|\\+[nr])*(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,120}";
    let pattern = format!("-----(?:(?<open>BEGIN {key}(?:{header})*)|END {key})");
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});

/// Returns the keys in a text. Keys may be nested: if two writers share a log, a key can be between
/// the lines of another one.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut keys: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut hidden = 0;
    for mark in MARK.captures_iter(text) {
        let Some(whole) = mark.get(0) else { continue };
        let here = whole.start()..whole.end();
        if mark.name("open").is_some() {
            if let Some(Open { until, .. }) = open.last_mut() {
                until.get_or_insert(here.start);
            }
            open.push(Open { first: here, until: None });
            continue;
        }
        match open.pop() {
            Some(Open { first, .. }) if here.end - first.start <= LONGEST => {
                let body = &text.as_bytes()[first.end..here.start];
                if has_run(&body[..body.len().min(SOON)]) {
                    keys.push(first.start..here.end);
                }
            }
            unpaired => {
                let left = unpaired.and_then(|open| open.left(text));
                hidden = left.as_ref().map_or(hidden, |key| key.end.max(hidden));
                keys.extend(left);
                keys.extend(ending(text, hidden, here));
            }
        }
        hidden = keys.last().map_or(hidden, |key| key.end.max(hidden));
    }
    keys.extend(open.into_iter().filter_map(|open| open.left(text)));
    keys
}

/// A key whose last line was not found yet.
struct Open {
    /// Its first line.
    first: Range<usize>,
    /// The start of the next key, if it begins before the end of this one.
    until: Option<usize>,
}

impl Open {
    /// Returns the part of the key that is present if its last line is missing.
    fn left(self, text: &str) -> Option<Range<usize>> {
        let broken = self.until.and_then(|until| broken_up(text, self.first.clone(), until));
        broken.or_else(|| beginning(text, self.first))
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

fn has_run(body: &[u8]) -> bool {
    body.split(|byte| !is_base64(*byte)).any(|run| run.len() >= SURE)
}

/// Returns true for characters between the lines of a key: white space, quotes, listing marks.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\\\"'`,:>|#*;-".contains(&byte)
}

/// Returns true for a run that is not part of a key but does not end it: a line number, the letter
/// of an escape, a plus sign that joins strings.
fn is_passed(run: &[u8]) -> bool {
    let run = run.strip_prefix(b"L").unwrap_or(run);
    matches!(run, b"n" | b"r" | b"rn" | b"t" | b"+")
        || (run.len() <= 6 && run.iter().all(u8::is_ascii_digit))
}

/// Returns a key that another key interrupts: everything before `until`, including other text
/// between its lines.
fn broken_up(text: &str, first: Range<usize>, until: usize) -> Option<Range<usize>> {
    let body = &text.as_bytes()[first.end..until];
    if until - first.start > LONGEST || !has_run(&body[..body.len().min(SOON)]) {
        return None;
    }
    let (mut at, mut end) = (first.end, first.end);
    for run in body.split(|byte| !is_base64(*byte)) {
        end = if run.len() >= SURE { at + run.len() } else { end };
        at += run.len() + 1;
    }
    Some(first.start..end)
}

/// Returns a key without its last line: the first line and the runs after it.
fn beginning(text: &str, first: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(first.start + LONGEST);
    let (mut at, mut end) = (first.end, first.end);
    while at < limit {
        let run = at + bytes[at..limit].iter().take_while(|byte| is_base64(**byte)).count();
        if run - at >= RUN {
            end = run;
        } else if run > at && !is_passed(&bytes[at..run]) {
            break;
        }
        at = run;
        at += bytes[at..limit].iter().take_while(|byte| is_between(**byte)).count();
        if at == run {
            break;
        }
    }
    (end > first.end).then_some(first.start..end)
}

/// Returns a key without its first line: the last line and the runs before it, not before `from`.
fn ending(text: &str, from: usize, last: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let limit = from.max(last.start.saturating_sub(LONGEST));
    let (mut at, mut start) = (last.start, last.start);
    let (mut short, mut sure) = (true, false);
    while at > limit {
        let skipped = bytes[limit..at].iter().rev().take_while(|byte| is_between(**byte)).count();
        at -= skipped;
        let run = bytes[limit..at].iter().rev().take_while(|byte| is_base64(**byte)).count();
        let held = &bytes[at - run..at];
        // The last line of data of a key may be short.
        if run >= RUN || (short && run > 0 && !is_passed(held)) {
            (start, short) = (at - run, false);
            sure |= run >= RUN;
        } else if run == 0 || !is_passed(held) {
            break;
        }
        at -= run;
    }
    sure.then_some(start..last.end)
}
