//! Recognises an answer of `grep` in a history if the stored files that it names still hold every
//! line of it, and rebuilds it from them. It holds nothing that the store does not, so it needs no
//! file of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::ops::{Range, RangeInclusive};

use super::grep_files::{file_of, files, searched};
use super::proof::Prover;
use super::ranges::{parse_ranges, ranges};
use super::read_back::ReadBack;
use super::unresolved::TOO_LARGE;
use crate::compaction::reference::{ReferenceForm, is_forgery};
use crate::compaction::wrapper::Wrapper;
use crate::reading::grep::{BEHIND_HEADER, Excerpt, Limits};
use crate::reading::tool_result::{ResultText, text_of};
use context_store::{Location, regular_len};

/// Maximum number of lines of an answer to examine.
const LINES: usize = 20_000;
/// Maximum length of the text before or after an answer, in bytes.
pub(super) const AROUND: usize = 1_000;
/// The start of an answer.
pub(super) const BEGIN: &str = "Found ";
/// Separates the matching lines from their context lines, in a note.
const BESIDE: &str = " beside ";
/// The end of an answer.
const END: &str = "\n---";

/// Recognises `text` as an answer of `grep` over `folder`, or over a file in it.
pub(crate) fn recognise(text: &str, prover: &Prover<'_>, folder: &Location) -> Option<ReadBack> {
    let answer = answer_in(text)?;
    let (before, after) = (&text[..answer.start], &text[answer.end..]);
    if is_forgery(before) || is_forgery(after) {
        return None;
    }
    let wrapper = Wrapper { head: before.to_owned(), tail: after.to_owned(), ..Wrapper::default() };
    let text = &text[answer];
    let (head, blocks) = text.split_once(":\n---\n")?;
    if head.contains('\n') {
        return None;
    }
    let searched = searched(head, prover.roots)?;
    let mut lines = String::new();
    let mut first = None;
    for block in blocks.strip_suffix(END)?.split("\n---\n") {
        let (name, hits) = block.strip_prefix("File: ")?.split_once('\n')?;
        let file = file_of(&searched, name)?;
        folder.name_of(&file)?;
        let shown: Option<Vec<Shown<'_>>> = hits.split('\n').take(LINES).map(Shown::read).collect();
        let (hits, beside): (Vec<_>, Vec<_>) = shown?.into_iter().partition(|line| line.is_hit);
        let sep = if lines.is_empty() { "" } else { "; " };
        write!(lines, "{sep}{name} {}", hit_lines(&hits, head, &file, prover)?).ok()?;
        if !beside.is_empty() {
            let numbers: Vec<u64> = beside.iter().map(|line| line.number).collect();
            write!(lines, "{BESIDE}{}", ranges(&numbers)).ok()?;
        }
        first.get_or_insert(file);
    }
    let first = first?;
    let bytes = regular_len(&first).ok()?;
    let head = format!("{head}:");
    // The proof: the files give the same text.
    let limit = text.len() as u64;
    (rebuild(&head, &lines, prover, limit).ok()?.as_str() == text).then_some(())?;
    let path = folder.child(&folder.name_of(&first)?).spelled().to_owned();
    let form = ReferenceForm::GrepAnswer { head, lines, wrapper };
    let content = prover.content(&form, &first).ok()?;
    Some(ReadBack { path, bytes, content, form })
}

/// Finds the answer in a text that its host may have wrapped.
fn answer_in(text: &str) -> Option<Range<usize>> {
    let head = &text[..text.floor_char_boundary(AROUND)];
    let start = if text.starts_with(BEGIN) { 0 } else { head.find(&format!("\n{BEGIN}"))? + 1 };
    let end = text.rfind(END)? + END.len();
    (start < end && text.len() - end <= AROUND).then_some(start..end)
}

/// Rebuilds the text from its first line and the lines of each file. Fails if it exceeds `limit`
/// bytes.
pub(crate) fn rebuild(
    head: &str,
    lines: &str,
    prover: &Prover<'_>,
    limit: u64,
) -> Result<String, String> {
    let broken = || "its note cannot be read".to_owned();
    let files = files(head, lines, prover.roots).ok_or_else(broken)?;
    let mut out = format!("{head}\n---");
    for (part, file) in lines.split("; ").zip(files) {
        let (name, numbers) = part.split_once(' ').ok_or_else(broken)?;
        let content = prover.reader.text(&file).map_err(|error| error.to_string())?;
        prover.reader.search(content.text.len()).map_err(|error| error.to_string())?;
        let (hits, beside) = numbers.split_once(BESIDE).unwrap_or((numbers, ""));
        let (hits, focuses) = parse_hits(hits).ok_or_else(broken)?;
        let beside = match beside {
            "" => Vec::new(),
            beside => parse_ranges(beside).ok_or_else(broken)?,
        };
        let last = hits.last().into_iter().chain(beside.last()).map(|range| *range.end());
        let last = last.max().unwrap_or(0);
        let _ = write!(out, "\nFile: {name}");
        let searched = searched_text(head, &content.text);
        for (start, line, number) in lines_of(&searched).take_while(|line| line.2 <= last) {
            let has = |ranges: &[RangeInclusive<u64>]| {
                let at = ranges.partition_point(|range| *range.start() <= number);
                at > 0 && ranges[at - 1].contains(&number)
            };
            let mark = match (has(&hits), has(&beside)) {
                (true, _) => ':',
                (false, true) => '-',
                (false, false) => continue,
            };
            let focus = focuses.get(&number).copied().unwrap_or(0);
            let shown = Excerpt::of(line.as_bytes(), focus, Limits::default().line_chars);
            let _ = write!(out, "\nL{number}{mark} {}", shown.shown(start));
        }
        out.push_str(END);
        if out.len() as u64 > limit {
            return Err(TOO_LARGE.to_owned());
        }
    }
    Ok(out)
}

/// A line of an answer.
struct Shown<'a> {
    number: u64,
    /// True for a match, false for a line of context.
    is_hit: bool,
    text: &'a str,
}

impl Shown<'_> {
    fn read(line: &str) -> Option<Shown<'_>> {
        let rest = line.strip_prefix('L')?;
        let (number, text) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let is_hit = text.starts_with(": ");
        let text = text.strip_prefix(": ").or_else(|| text.strip_prefix("- "))?;
        Some(Shown { number: number.parse().ok()?, is_hit, text })
    }
}

/// Returns the numbers of matching lines as runs, `2,5-7`, then those of long lines that are not
/// shown around their first byte, each with the byte at their focus: `9@1234`.
fn hit_lines(
    hits: &[Shown<'_>],
    head: &str,
    file: &Location,
    prover: &Prover<'_>,
) -> Option<String> {
    let chars = Limits::default().line_chars;
    let long: HashMap<u64, &str> = hits
        .iter()
        .filter(|line| line.text.chars().nth(chars).is_some())
        .map(|line| (line.number, line.text))
        .collect();
    let mut focuses = BTreeMap::new();
    if let Some(last) = long.keys().max() {
        let content = prover.reader.text(file).ok()?;
        prover.reader.search(content.text.len()).ok()?;
        let searched = searched_text(head, &content.text);
        for (start, line, number) in lines_of(&searched).take_while(|line| line.2 <= *last) {
            let Some(shown) = long.get(&number) else { continue };
            let focus = Excerpt::focus_of(shown, line, start, chars)?;
            if focus > 0 {
                focuses.insert(number, focus);
            }
        }
    }
    let numbers = hits.iter().map(|line| line.number).filter(|line| !focuses.contains_key(line));
    let runs = ranges(&numbers.collect::<Vec<_>>());
    let focused = focuses.iter().map(|(number, focus)| format!("{number}@{focus}"));
    let parts = Some(runs).filter(|runs| !runs.is_empty()).into_iter().chain(focused);
    Some(parts.collect::<Vec<_>>().join(","))
}

/// Runs of lines, and the focus of each long line.
type Hits = (Vec<RangeInclusive<u64>>, HashMap<u64, usize>);

/// Parses the result of [`hit_lines`].
fn parse_hits(text: &str) -> Option<Hits> {
    let mut focuses = HashMap::new();
    let mut plain = Vec::new();
    for part in text.split(',') {
        let Some((number, focus)) = part.split_once('@') else {
            plain.push(part);
            continue;
        };
        focuses.insert(number.parse().ok()?, focus.parse().ok()?);
        plain.push(number);
    }
    Some((parse_ranges(&plain.join(","))?, focuses))
}

/// Returns the searched part of a file: all of it, or the lines after its header if the answer's
/// first line says so.
fn searched_text<'a>(head: &str, content: &'a str) -> ResultText<'a> {
    if head.contains(BEHIND_HEADER) {
        return text_of(content);
    }
    ResultText { text: Cow::Borrowed(content), header: 0 }
}

/// Returns the lines as a search sees them, each with its first byte and its number.
fn lines_of<'t>(searched: &'t ResultText<'_>) -> impl Iterator<Item = (u64, &'t str, u64)> {
    let mut start = searched.header as u64;
    searched.text.split_inclusive('\n').zip(1..).map(move |(line, number)| {
        let at = start;
        start += line.len() as u64;
        let line = match line.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').unwrap_or(line),
            None => line,
        };
        (at, line, number)
    })
}
