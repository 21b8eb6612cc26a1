//! Renders a grep answer, with as many findings as fit its limits.
//!
//! ```text
//! Found 2 matches for pattern "tool" in path "./cache_file/" (filter: "*.txt"):
//! ---
//! File: a.txt
//! L1: tool1 tool1
//! L2- a line of context
//! L7: tool2
//! ---
//! ```
//!
//! The first line of a page says how many matches there are, which of them it shows and how to
//! continue; a last line names the skipped files:
//!
//! ```text
//! Found 65 matches, 1-40 shown (max_tokens is reached; offset=40 shows more), for pattern "a" in path "./s":
//! Found at least 7 matches (the time for one search is over), for pattern "a" in path "./s":
//! [not searched to the end: big.json (a line is too long)]
//! ```

use std::fmt::Write;

use super::answer::{GrepAnswer, Match, SkipReason, Skipped};
use crate::reading::fit;
use crate::reading::limit::{CountTokens, TruncatedBy};

/// Maximum number of skipped files that the text names.
const NAMED_IN_TEXT: usize = 3;

/// Part of an answer's first line if its line numbers count from after a file's header.
pub(crate) const BEHIND_HEADER: &str = "L1 is the line after the file's header";

/// The query, as the answer repeats it.
#[derive(Debug)]
pub(crate) struct Heading<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) path: &'a str,
    pub(crate) glob: Option<&'a str>,
    /// The number of matches to skip.
    pub(crate) offset: u64,
    /// The argument that shows more, in the syntax of the caller's tool.
    pub(crate) go_on: &'a str,
    /// The number of matches in the file's header, if only the lines after it were searched.
    pub(crate) behind_header: Option<u64>,
}

/// The size limits of the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) bytes: usize,
    pub(crate) tokens: Option<u64>,
}

/// The findings of a search, in the order of the answer.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The paths of all searched files.
    pub(crate) paths: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// The number of matches found, kept or not.
    pub(crate) matches: u64,
    /// The number of matches that are headers of files of records.
    pub(crate) headers: u64,
    /// The number of matches among the entries.
    pub(crate) kept: u64,
    /// The limit after which matches were only counted.
    pub(crate) full: Option<TruncatedBy>,
    /// The limit that ended the search early.
    pub(crate) ended: Option<TruncatedBy>,
    pub(crate) files_searched: u64,
    pub(crate) files_skipped: u64,
    pub(crate) skipped: Vec<Skipped>,
}

/// One line of the answer.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its index in `Findings::paths`.
    pub(crate) file: usize,
    pub(crate) line: u64,
    pub(crate) shown: String,
    /// The match; `None` for a line of context.
    pub(crate) hit: Option<Match>,
}

/// Renders an answer with as many of the first findings as fit.
pub(crate) fn answer(
    heading: &Heading<'_>,
    findings: Findings,
    room: Room,
    count: CountTokens<'_>,
) -> GrepAnswer {
    // The position of each match among the entries.
    let places: Vec<usize> = (0..findings.entries.len())
        .filter(|&place| findings.entries[place].hit.is_some())
        .collect();
    let all = places.len();
    // A truncated answer ends with its last match.
    let entries_of = |matches: usize| match matches {
        0 => 0,
        _ if matches == all => findings.entries.len(),
        _ => places[matches - 1] + 1,
    };
    let text = |matches: usize, cut: Option<TruncatedBy>| {
        let entries = &findings.entries[..entries_of(matches)];
        render(heading, &findings, entries, matches, cut)
    };
    let fits = |matches: usize| {
        // The text as if this limit truncated it.
        let cut_by = |why| text(matches, if matches == all { findings.full } else { Some(why) });
        if cut_by(TruncatedBy::AnswerBytes).len() > room.bytes {
            Err(TruncatedBy::AnswerBytes)
        } else if room.tokens.is_some_and(|room| count(&cut_by(TruncatedBy::MaxTokens)) > room) {
            Err(TruncatedBy::MaxTokens)
        } else {
            Ok(())
        }
    };
    let (shown, no_room) = fit::longest(all, all.max(1), |matches| matches, fits);
    let cut = no_room.or(findings.full);
    let none_fit = shown == 0 && heading.offset < findings.matches;
    let answer = match cut {
        Some(why) if none_fit => none_fits(heading, &findings, why),
        _ => text(shown, cut),
    };
    // Skips a match that alone is too large, so that the next page makes progress.
    let next = heading.offset + shown.max(usize::from(none_fit)) as u64;
    GrepAnswer {
        answer,
        matches_total: findings.matches,
        matches_total_exact: findings.is_exact(),
        next_offset: (next < findings.matches).then_some(next),
        truncated: cut.or(findings.ended),
        files_searched: findings.files_searched,
        files_skipped: findings.files_skipped,
        skipped: findings.skipped,
        matches: findings.entries.into_iter().filter_map(|entry| entry.hit).take(shown).collect(),
    }
}

fn render(
    heading: &Heading<'_>,
    findings: &Findings,
    entries: &[Entry],
    matches: usize,
    cut: Option<TruncatedBy>,
) -> String {
    let mut text = heading.line(findings, matches as u64, cut);
    let mut file = None;
    for entry in entries {
        if file != Some(entry.file) {
            let end_of_block = if file.is_some() { "\n---" } else { "" };
            file = Some(entry.file);
            push(&mut text, format_args!("{end_of_block}\nFile: {}", findings.paths[entry.file]));
        }
        let mark = if entry.hit.is_some() { ": " } else { "- " };
        push(&mut text, format_args!("\nL{}{mark}{}", entry.line, entry.shown));
    }
    if matches > 0 {
        text.push_str("\n---");
    }
    if findings.files_skipped > 0 {
        push(&mut text, format_args!("\n[not searched to the end: {}]", left_out(findings)));
    }
    text
}

impl Findings {
    /// Returns true if every match was counted.
    fn is_exact(&self) -> bool {
        self.ended.is_none() && self.files_skipped == 0
    }
}

fn left_out(findings: &Findings) -> String {
    let named = findings.skipped.iter().take(NAMED_IN_TEXT);
    let mut names: Vec<String> = named
        .map(|skipped| {
            let why = match skipped.why {
                SkipReason::Unreadable => "cannot be read",
                SkipReason::LongLine => "a line is too long",
                SkipReason::TooDeep => "lies too deep",
                SkipReason::Utf16 => "is UTF-16, and UTF-8 is searched",
            };
            format!("{} ({why})", skipped.path)
        })
        .collect();
    let more = findings.files_skipped - names.len() as u64;
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

fn none_fits(heading: &Heading<'_>, findings: &Findings, why: TruncatedBy) -> String {
    let raise = match why {
        TruncatedBy::MaxTokens => "raise max_tokens",
        _ => "request less context",
    };
    let (found, asked) = (matches_found(findings), heading.asked());
    let next = heading.offset + 1 + heading.behind_header.unwrap_or(0);
    let why = why.phrase();
    let go_on = heading.go_on;
    format!(
        "Found {found} for {asked}, but the next does not fit: {why}; {raise}, or go past it with {go_on}={next}."
    )
}

/// Returns the number of matches in words.
fn matches_found(findings: &Findings) -> String {
    let at_least = if findings.is_exact() { "" } else { "at least " };
    let noun = if findings.matches == 1 { "match" } else { "matches" };
    format!("{at_least}{} {noun}", findings.matches)
}

impl Heading<'_> {
    fn asked(&self) -> String {
        let filter = self.glob.map_or_else(String::new, |glob| format!(" (filter: \"{glob}\")"));
        format!("pattern \"{}\" in path \"{}\"{filter}", self.pattern, self.path)
    }

    /// Returns a possible reason why a search found nothing.
    fn why_nothing(&self, findings: &Findings) -> Option<&'static str> {
        let is_whole = findings.ended.is_none() && findings.files_skipped == 0;
        if is_whole && findings.files_searched == 0 && self.glob.is_some() {
            return Some("No file was searched: the filter matches no file's name.");
        }
        if self.pattern.contains("\\|") {
            return Some("`\\|` parts no alternatives; in a regular expression `|` does.");
        }
        let are_records = findings.paths.iter().any(|path| path.ends_with(".jsonl"));
        let is_spaced = ["\": ", "\", \""].iter().any(|spaced| self.pattern.contains(spaced));
        (are_records && is_spaced)
            .then_some("Records are stored without blanks between their parts: `\"id\":5,\"n\":1`.")
    }

    /// Returns a note if the header, which was not searched for the answer, also matches.
    fn in_header(&self) -> Option<&'static str> {
        let is_found = self.behind_header.is_some_and(|matches| matches > 0);
        is_found.then_some("line 1 of the file, around the records, matches, too")
    }

    /// Returns the first line of an answer that shows `shown` matches; `cut` is the limit that
    /// omitted others.
    fn line(&self, findings: &Findings, shown: u64, cut: Option<TruncatedBy>) -> String {
        let asked = self.asked();
        let ended = findings.ended.map(TruncatedBy::phrase);
        if findings.matches == 0 {
            let so_far = ended.map_or_else(String::new, |why| format!(" so far ({why})"));
            let in_header = self.in_header().map(|note| format!("; {note}")).unwrap_or_default();
            let why = self.why_nothing(findings).map(|why| format!(" {why}")).unwrap_or_default();
            return format!("No matches found for {asked}{so_far}{in_header}.{why}");
        }
        let found = matches_found(findings);
        if shown == 0 {
            return format!("Found {found} for {asked}; offset={} is past the last.", self.offset);
        }
        let last = self.offset + shown;
        let next = last + self.behind_header.unwrap_or(0);
        let more = (last < findings.matches).then(|| format!("{}={next} shows more", self.go_on));
        let cut = cut.filter(|why| *why != TruncatedBy::Limit).map(TruncatedBy::phrase);
        let mut notes: Vec<&str> = cut.or(ended).into_iter().collect();
        notes.extend(more.as_deref());
        let headers = (findings.headers > 0).then(|| {
            format!("{} in the header of a file of records, which is no record", findings.headers)
        });
        notes.extend(headers.as_deref());
        notes.extend(self.behind_header.map(|_| BEHIND_HEADER));
        notes.extend(self.in_header());
        let part = shown < findings.matches;
        let range =
            if part { format!(", {}-{last} shown", self.offset + 1) } else { String::new() };
        let notes =
            if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        let comma = if part || !notes.is_empty() { "," } else { "" };
        format!("Found {found}{range}{notes}{comma} for {asked}:\n---")
    }
}

fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("writing to a string cannot fail");
}
