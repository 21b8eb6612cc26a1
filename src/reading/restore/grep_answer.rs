//! An answer of `grep` in a history: recognised when every line of it still
//! stands in the stored files it names, and rebuilt from them. It says nothing
//! that the store does not hold, so it needs no file of its own.

use std::fmt::Write;
use std::ops::{Range, RangeInclusive};

use super::grep_files::{file_of, files, searched};
use super::proof::Prover;
use super::ranges::{parse_ranges, ranges};
use super::read_back::ReadBack;
use super::unresolved::TOO_LARGE;
use crate::compaction::reference::{ReferenceForm, is_forgery};
use crate::compaction::wrapper::Wrapper;
use context_store::{Location, regular_len};

/// Most lines of an answer that are looked at.
const LINES: usize = 20_000;
/// Longest text before or after an answer, in bytes.
pub(super) const AROUND: usize = 1_000;
/// Begins an answer.
pub(super) const BEGIN: &str = "Found ";
/// Stands between the lines that match and those that are shown beside them, in a note.
const BESIDE: &str = " beside ";
/// Ends an answer.
const END: &str = "\n---";

/// Reads `text` as an answer of `grep` over `folder`, or over a file in it.
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
        let shown: Option<Vec<(u64, bool)>> = hits.split('\n').take(LINES).map(shown).collect();
        let (hits, beside): (Vec<_>, Vec<_>) = shown?.into_iter().partition(|(_, is_hit)| *is_hit);
        let [hits, beside] = [hits, beside].map(|lines| lines.into_iter().map(|(n, _)| n));
        let sep = if lines.is_empty() { "" } else { "; " };
        write!(lines, "{sep}{name} {}", ranges(&hits.collect::<Vec<_>>())).ok()?;
        if beside.len() > 0 {
            write!(lines, "{BESIDE}{}", ranges(&beside.collect::<Vec<_>>())).ok()?;
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

/// The text again, from its first line and the lines of each file; of at most
/// `limit` bytes.
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
        let hits = parse_ranges(hits).ok_or_else(broken)?;
        let beside = match beside {
            "" => Vec::new(),
            beside => parse_ranges(beside).ok_or_else(broken)?,
        };
        let last = hits.last().into_iter().chain(beside.last()).map(|range| *range.end());
        let last = last.max().unwrap_or(0);
        let _ = write!(out, "\nFile: {name}");
        for (line, number) in content.text.split('\n').zip(1..=last) {
            let has = |ranges: &[RangeInclusive<u64>]| {
                let at = ranges.partition_point(|range| *range.start() <= number);
                at > 0 && ranges[at - 1].contains(&number)
            };
            let mark = match (has(&hits), has(&beside)) {
                (true, _) => ':',
                (false, true) => '-',
                (false, false) => continue,
            };
            let _ = write!(out, "\nL{number}{mark} {}", line.trim());
        }
        out.push_str(END);
        if out.len() as u64 > limit {
            return Err(TOO_LARGE.to_owned());
        }
    }
    Ok(out)
}

/// Returns the number of a line of an answer, and true if it is a match, false if it stands beside
/// one.
fn shown(line: &str) -> Option<(u64, bool)> {
    let rest = line.strip_prefix('L')?;
    let (number, text) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
    let is_hit = text.starts_with(": ");
    (is_hit || text.starts_with("- ")).then_some((number.parse().ok()?, is_hit))
}
