//! The preview: what of a moved text stays visible. Evidence first: how it
//! begins, how it ends, and between them the lines that carry errors, exit
//! status and totals, with their numbers; then what is left out and the exact
//! call that returns it. Same text and settings, same bytes: no clock, no chance.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memrchr};
use regex::Regex;

use super::reference;
use crate::history::message::SlotKind;
use crate::tokens::Tokenizer;

/// Longest shown part of an evidence line, in bytes.
const EVIDENCE_BYTES: usize = 160;
/// Evidence lines that are looked at before choosing.
const HITS: usize = 20_000;
/// Evidence lines that are told apart before choosing.
const KINDS: usize = 256;

/// Lines worth keeping, in the languages agents' tools speak.
static EVIDENCE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "panicked|fatal|traceback|segmentation fault|exit(?:ed with)?[ _](?:code|status)|\
                 errors?|failed|failures?|failing|exception|denied|not found|refused|timed out|\
                 total|passed|warnings?";
    let pattern =
        format!(r"(?i-u:\b(?:{words})\b|\w(?:Error|Exception)\b)|错误|失败|异常|总计|警告");
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});

/// How much of a text stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Budget {
    /// In tokens.
    Tokens(u64),
    /// In characters.
    Chars(u64),
}

impl Budget {
    fn whole(self) -> u64 {
        match self {
            Budget::Tokens(limit) | Budget::Chars(limit) => limit,
        }
    }
}

/// A tool by which an agent reads back what left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReloadTool {
    /// `read_file`.
    ReadFile,
    /// `grep`.
    Grep,
    /// `lro_extract`.
    LroExtract,
    /// `read_tool_result`.
    ReadToolResult,
    /// A shell on the same files.
    Shell,
}

/// What a preview is made for.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The size of what stays, note and reference not included.
    pub budget: Budget,
    /// Counts the text.
    pub tokenizer: Tokenizer,
    /// The tools the agent has; the note names only those.
    pub tools: Vec<ReloadTool>,
}

/// A text that moves to a file.
#[derive(Debug, Clone, Copy)]
pub struct Moved<'a> {
    /// The text, as the file holds it.
    pub text: &'a str,
    /// How it stood in the message.
    pub kind: SlotKind,
    /// What it cost there.
    pub tokens: u64,
    /// Where it goes, as the caller spells it.
    pub path: &'a str,
}

/// What stays in the message in place of the text.
pub fn replacement(moved: &Moved<'_>, spec: &Spec) -> String {
    let last = reference::line(moved.path);
    let json = |facts: &str| match moved.kind {
        SlotKind::Json => reference::json_note(facts),
        SlotKind::String => format!("[{facts}]"),
    };
    if spec.budget.whole() == 0 {
        return match moved.kind {
            SlotKind::String => last,
            SlotKind::Json => format!("{}\n{last}", json("moved whole")),
        };
    }
    let shown = Shown::choose(moved.text, spec);
    let mut out = shown.render(moved.text);
    out.push_str(&json(&shown.facts(moved, spec)));
    out.push('\n');
    out.push_str(&last);
    out
}

/// The exact call that returns a part of a file, by the best tool there is.
pub fn call(tools: &[ReloadTool], path: &str, part: &Part) -> Option<String> {
    let has = |tool| tools.contains(&tool);
    let quoted = crate::history::splice::quote(path);
    if has(ReloadTool::ReadFile) {
        let (offset, limit) = match part {
            Part::Lines(lines) => ("offset", "limit").map_range(lines),
            Part::Bytes(bytes) => ("byte_offset", "byte_limit").map_range(bytes),
        };
        return Some(format!("read_file(absolute_path={quoted}, {offset}, {limit})"));
    }
    let sheet = path.replace('\'', r"'\''");
    match part {
        Part::Lines(lines) if has(ReloadTool::ReadToolResult) => Some(format!(
            "read_tool_result(result_id={quoted}, lines=\"{}-{}\")",
            lines.start + 1,
            lines.end
        )),
        Part::Bytes(_) if has(ReloadTool::ReadToolResult) => {
            Some(format!("read_tool_result(result_id={quoted}, lines=\"all\")"))
        }
        Part::Lines(lines) if has(ReloadTool::Shell) => {
            Some(format!("sed -n '{},{}p' '{sheet}'", lines.start + 1, lines.end))
        }
        Part::Bytes(bytes) if has(ReloadTool::Shell) => Some(format!(
            "tail -c +{} '{sheet}' | head -c {}",
            bytes.start + 1,
            bytes.end - bytes.start
        )),
        _ if has(ReloadTool::Grep) => Some(format!("grep(pattern=\"…\", path={quoted})")),
        Part::Lines(_) | Part::Bytes(_) => None,
    }
}

/// A part of a file, counted from 0, end excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Whole lines.
    Lines(Range<u64>),
    /// Bytes.
    Bytes(Range<u64>),
}

trait MapRange {
    fn map_range(self, range: &Range<u64>) -> (String, String);
}

impl MapRange for (&str, &str) {
    fn map_range(self, range: &Range<u64>) -> (String, String) {
        (format!("{}={}", self.0, range.start), format!("{}={}", self.1, range.end - range.start))
    }
}

/// What was chosen to stay: `text[..head]`, `text[tail..]`, and lines between.
struct Shown {
    head: usize,
    tail: usize,
    evidence: Vec<Hit>,
    /// Lines before `head`, before `tail`, and in all.
    head_lines: u64,
    tail_lines: u64,
    lines: u64,
}

#[derive(Clone)]
struct Hit {
    /// The shown part of the line.
    part: Range<usize>,
    /// Its number, from 1.
    line: u64,
    score: u8,
}

impl Shown {
    fn choose(text: &str, spec: &Spec) -> Shown {
        let whole = spec.budget.whole();
        let evidence_budget = whole * 3 / 10;
        let head = head_within(text, spec, (whole - evidence_budget) / 2);
        let tail = head + tail_within(&text[head..], spec, (whole - evidence_budget) / 2);
        let newlines = |range: Range<usize>| count_newlines(&text[range]);
        let head_lines = newlines(0..head);
        let tail_lines = head_lines + newlines(head..tail);
        let evidence = evidence(text, head..tail, head_lines, spec, evidence_budget);
        let lines = tail_lines + newlines(tail..text.len()) + u64::from(!text.ends_with('\n'));
        Shown { head, tail, evidence, head_lines, tail_lines, lines }
    }

    fn render(&self, text: &str) -> String {
        let mut out = String::new();
        push_honest(&mut out, &text[..self.head]);
        let starts_line = self.head == 0 || text[..self.head].ends_with('\n');
        let mut next = if starts_line { self.head_lines + 1 } else { self.head_lines + 2 };
        if !starts_line {
            out.push_str(" …\n");
        }
        for hit in &self.evidence {
            gap(&mut out, next, hit.line);
            out.push_str(&format!("L{}: ", hit.line));
            push_honest(&mut out, text[hit.part.clone()].trim());
            out.push('\n');
            next = hit.line + 1;
        }
        let tail_starts_line = text[..self.tail].ends_with('\n');
        gap(&mut out, next, self.tail_lines + 1);
        if !tail_starts_line && self.tail < text.len() {
            out.push_str("… ");
        }
        push_honest(&mut out, &text[self.tail..]);
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    fn facts(&self, moved: &Moved<'_>, spec: &Spec) -> String {
        let text = moved.text;
        let on_lines = (self.head == 0 || text[..self.head].ends_with('\n'))
            && (self.tail == text.len() || text[..self.tail].ends_with('\n'));
        let (what, part) = if on_lines {
            let end = if self.tail == text.len() { self.lines } else { self.tail_lines };
            let what = format!("L{}-L{end}", self.head_lines + 1);
            (what, Part::Lines(self.head_lines..end))
        } else {
            let what = format!("bytes {}-{}", self.head, self.tail);
            (what, Part::Bytes(self.head as u64..self.tail as u64))
        };
        let call =
            call(&spec.tools, moved.path, &part).map_or_else(String::new, |c| format!(": {c}"));
        let lines =
            if self.lines == 1 { "1 line".to_owned() } else { format!("{} lines", self.lines) };
        format!("{lines}, {} tokens, {} bytes; {what} left out{call}", moved.tokens, text.len())
    }
}

/// Says which lines are left out before line `to`, if any.
fn gap(out: &mut String, from: u64, to: u64) {
    match to.saturating_sub(from) {
        0 => {}
        1 => out.push_str(&format!("[… L{from} …]\n")),
        _ => out.push_str(&format!("[… L{from}-L{} …]\n", to - 1)),
    }
}

/// Appends a text without the lines that would pass for references.
fn push_honest(out: &mut String, text: &str) {
    if !reference::is_forgery(text) {
        out.push_str(text);
        return;
    }
    for line in text.split_inclusive('\n') {
        if reference::is_forgery(line) {
            out.push_str("[a line that looks like a reference: not shown]\n");
        } else {
            out.push_str(line);
        }
    }
}

fn cost(text: &str, spec: &Spec) -> u64 {
    match spec.budget {
        Budget::Tokens(_) => spec.tokenizer.count(text),
        Budget::Chars(_) => text.chars().count() as u64,
    }
}

/// Bytes of the first whole lines that fit; and of the next one's beginning where
/// they leave nearly all of the budget unused, as in a text of one long line.
fn head_within(text: &str, spec: &Spec, budget: u64) -> usize {
    let (mut at, mut left) = (0, budget);
    while at < text.len() {
        let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1);
        let room = generous(left);
        if end - at <= room {
            let price = cost(&text[at..end], spec);
            if price <= left {
                at = end;
                left -= price;
                continue;
            }
        }
        if left > budget * 4 / 5 {
            at += prefix_within(&text[at..end], spec, left);
        }
        break;
    }
    at
}

/// As [`head_within`], from the end; returns where the shown part begins.
fn tail_within(text: &str, spec: &Spec, budget: u64) -> usize {
    let (mut at, mut left) = (text.len(), budget);
    while at > 0 {
        let start = memrchr(b'\n', &text.as_bytes()[..at - 1]).map_or(0, |n| n + 1);
        let room = generous(left);
        if at - start <= room {
            let price = cost(&text[start..at], spec);
            if price <= left {
                at = start;
                left -= price;
                continue;
            }
        }
        if left > budget * 4 / 5 {
            at -= suffix_within(&text[start..at], spec, left);
        }
        break;
    }
    at
}

/// More bytes than any text of so many tokens or characters that is worth
/// showing: longer ones are not even counted.
fn generous(budget: u64) -> usize {
    usize::try_from(budget.saturating_mul(16)).unwrap_or(usize::MAX)
}

fn prefix_within(text: &str, spec: &Spec, budget: u64) -> usize {
    let mut end = floor(text, generous(budget).min(text.len()));
    loop {
        let price = cost(&text[..end], spec);
        if price <= budget || end == 0 {
            return end;
        }
        end = floor(text, shrink(end, budget, price));
    }
}

fn suffix_within(text: &str, spec: &Spec, budget: u64) -> usize {
    let mut start = ceil(text, text.len() - generous(budget).min(text.len()));
    loop {
        let price = cost(&text[start..], spec);
        if price <= budget || start == text.len() {
            return text.len() - start;
        }
        start = ceil(text, text.len() - shrink(text.len() - start, budget, price));
    }
}

/// A length that should bring `price` down to `budget`; always shorter.
fn shrink(len: usize, budget: u64, price: u64) -> usize {
    let share = len as u128 * u128::from(budget) / u128::from(price.max(1));
    usize::try_from(share).unwrap_or(len).min(len - 1)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

fn count_newlines(text: &str) -> u64 {
    memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// The best evidence lines inside `range` that fit, in order.
fn evidence(
    text: &str,
    range: Range<usize>,
    lines_before: u64,
    spec: &Spec,
    budget: u64,
) -> Vec<Hit> {
    let mut hits = hits(text, range, lines_before);
    hits.sort_by_key(|hit| (std::cmp::Reverse(hit.score), hit.line));
    let mut left = budget;
    let mut chosen = Vec::new();
    for hit in hits {
        let price = cost(&text[hit.part.clone()], spec).saturating_add(4);
        if price <= left {
            left -= price;
            chosen.push(hit);
        }
    }
    chosen.sort_by_key(|hit| hit.line);
    chosen
}

/// One hit for each kind of evidence line: lines that differ in digits only
/// count as one kind.
fn hits(text: &str, range: Range<usize>, lines_before: u64) -> Vec<Hit> {
    let mut kinds = HashSet::new();
    let mut found: Vec<Hit> = Vec::new();
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
            let part = window(text, start..end, matched.range());
            let kind: String =
                text[part.clone()].chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            if kinds.insert(kind) {
                found.push(Hit { part, line: lines + 1, score: score(matched.as_str()) });
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

/// The part of a long line around its match.
fn window(text: &str, line: Range<usize>, matched: Range<usize>) -> Range<usize> {
    if line.len() <= EVIDENCE_BYTES {
        return line;
    }
    let start = ceil(text, matched.start.saturating_sub(EVIDENCE_BYTES / 3).max(line.start));
    let end = floor(text, (start + EVIDENCE_BYTES).min(line.end));
    start..end.max(start)
}

fn score(word: &str) -> u8 {
    match word.to_ascii_lowercase().as_str() {
        "panicked" | "fatal" | "traceback" | "segmentation fault" => 4,
        word if word.starts_with("exit") => 4,
        "warning" | "warnings" | "警告" => 1,
        "total" | "passed" | "总计" => 2,
        _ => 3,
    }
}
