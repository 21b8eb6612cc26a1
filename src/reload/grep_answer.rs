//! An answer of `grep` in a history: recognised when every line of it still
//! stands in the stored files it names, and rebuilt from them. It says nothing
//! that the store does not hold, so it needs no file of its own.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::ops::RangeInclusive;

use super::proof::Prover;
use super::read_back::ReadBack;
use super::rehydrate::TOO_LARGE;
use crate::compaction::reference::Form;
use context_store::{Location, Roots, Stem};

/// Most lines of an answer that are looked at.
const LINES: usize = 20_000;

/// Reads `text` as an answer of `grep` over `folder`, or over a file in it.
pub(super) fn recognise(text: &str, prover: &Prover<'_>, folder: &Location) -> Option<ReadBack> {
    if !text.starts_with("Found ") {
        return None;
    }
    let (head, blocks) = text.split_once(":\n---\n")?;
    if head.contains('\n') {
        return None;
    }
    let searched = searched(head, prover.roots)?;
    let mut lines = String::new();
    let mut first = None;
    for block in blocks.strip_suffix("\n---")?.split("\n---\n") {
        let (name, hits) = block.strip_prefix("File: ")?.split_once('\n')?;
        let file = file_of(&searched, name)?;
        folder.name_of(&file)?;
        let numbers: Option<Vec<u64>> = hits.split('\n').take(LINES).map(number).collect();
        let sep = if lines.is_empty() { "" } else { "; " };
        write!(lines, "{sep}{name} {}", ranges(&numbers?)).ok()?;
        first.get_or_insert(file);
    }
    let first = first?;
    let bytes = first.dir().metadata(first.relative()).ok()?.len();
    let head = format!("{head}:");
    // The proof: the files give the same text.
    let limit = text.len() as u64;
    (rebuild(&head, &lines, prover, limit).ok()?.as_str() == text).then_some(())?;
    let path = folder.child(&folder.name_of(&first)?).spelled().to_owned();
    let form = Form::Found { head, lines };
    let content = prover.content(&form, &first).ok()?;
    Some(ReadBack::found(path, bytes, content, form))
}

/// The files of an answer, in order; None where one is named twice, as no answer does.
pub(super) fn files(head: &str, lines: &str, roots: &Roots) -> Option<Vec<Location>> {
    let searched = searched(head.trim_end_matches(':'), roots)?;
    let mut seen = HashSet::new();
    let mut file = |part: &str| {
        let file = file_of(&searched, part.split_once(' ')?.0)?;
        seen.insert(file.key()).then_some(file)
    };
    lines.split("; ").map(&mut file).collect()
}

/// The text again, from its first line and the lines of each file; of at most
/// `limit` bytes.
pub(super) fn rebuild(
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
        let wanted = parse_ranges(numbers).ok_or_else(broken)?;
        let mut texts: BTreeMap<u64, &str> = BTreeMap::new();
        let last = wanted.last().map_or(0, |range| *range.end());
        for (line, number) in content.text.split('\n').zip(1..=last) {
            let at = wanted.partition_point(|range| *range.start() <= number);
            if at > 0 && wanted[at - 1].contains(&number) {
                texts.insert(number, line.trim());
            }
        }
        let _ = write!(out, "\nFile: {name}");
        for (number, line) in texts {
            let _ = write!(out, "\nL{number}: {line}");
        }
        out.push_str("\n---");
        if out.len() as u64 > limit {
            return Err(TOO_LARGE.to_owned());
        }
    }
    Ok(out)
}

/// The place that was searched, from the answer's first line.
fn searched(head: &str, roots: &Roots) -> Option<Location> {
    let (_, rest) = head.rsplit_once("\" in path \"")?;
    let path = rest.split_once("\" (filter: ").map_or(rest, |(path, _)| path);
    roots.locate(path.trim_end_matches('"')).ok()
}

/// A file of the answer: in the searched folder, or the searched file itself.
fn file_of(searched: &Location, name: &str) -> Option<Location> {
    if !Stem::minted_for_any(name) || name.contains('/') {
        return None;
    }
    if searched.relative().file_name().is_some_and(|own| own == name) {
        return Some(searched.clone());
    }
    Some(searched.child(name))
}

fn number(hit: &str) -> Option<u64> {
    hit.strip_prefix('L')?.split_once(": ").map(|(number, _)| number)?.parse().ok()
}

/// 2, 5, 6, 7 as `2,5-7`.
pub(super) fn ranges(numbers: &[u64]) -> String {
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

/// `5-7`, or `2`.
pub(super) fn parse_range(part: &str) -> Option<RangeInclusive<u64>> {
    let (start, end) = part.split_once('-').unwrap_or((part, part));
    Some(start.parse().ok()?..=end.parse().ok()?)
}

fn parse_ranges(text: &str) -> Option<Vec<RangeInclusive<u64>>> {
    let mut ranges: Vec<RangeInclusive<u64>> =
        text.split(',').map(parse_range).collect::<Option<_>>()?;
    ranges.sort_by_key(|range| *range.start());
    Some(ranges)
}
