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
//! One more line follows where something other than the caller's own `limit`
//! cut the answer, and one where files were left out:
//!
//! ```text
//! [cut at 2 matches: the time for one search is over; narrow the pattern, the path or the glob, or raise limit]
//! [not searched to the end: big.json (a line is too long)]
//! ```

use std::fmt::Write;

use super::answer::{GrepAnswer, Match, SkipReason, Skipped};
use crate::reading::fit;
use crate::reading::limit::{CountTokens, TruncatedBy};

/// The most left-out files that the text names.
const NAMED_IN_TEXT: usize = 3;

/// The query, as the answer repeats it.
#[derive(Debug)]
pub(crate) struct Heading<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) path: &'a str,
    pub(crate) glob: Option<&'a str>,
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
    /// Of every file searched.
    pub(crate) paths: Vec<String>,
    pub(crate) entries: Vec<Entry>,
    /// The number of matches among the entries.
    pub(crate) matches: u64,
    /// The limit that ended the search early.
    pub(crate) cut: Option<TruncatedBy>,
    pub(crate) files_searched: u64,
    pub(crate) files_skipped: u64,
    pub(crate) skipped: Vec<Skipped>,
}

/// One line of the answer.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its place in `Findings::paths`.
    pub(crate) file: usize,
    pub(crate) line: u64,
    pub(crate) shown: String,
    /// None for a line of context.
    pub(crate) hit: Option<Match>,
}

/// Puts the first of the findings that there is room for into an answer.
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
    // An answer that is cut short ends with its last match.
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
        let cut = if matches == all { findings.cut } else { Some(TruncatedBy::MaxTokens) };
        let text = text(matches, cut);
        if text.len() > room.bytes {
            Err(TruncatedBy::AnswerBytes)
        } else if room.tokens.is_some_and(|room| count(&text) > room) {
            Err(TruncatedBy::MaxTokens)
        } else {
            Ok(())
        }
    };
    let (shown, no_room) = fit::longest(all, all.max(1), |matches| matches, fits);
    let truncated = no_room.or(findings.cut);
    let answer = match no_room {
        Some(why) if shown == 0 && all > 0 => none_fits(heading, why),
        _ => text(shown, truncated),
    };
    GrepAnswer {
        answer,
        truncated,
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
    let asked = heading.asked();
    let mut text = match matches {
        0 => format!("No matches found for {asked}."),
        1 => format!("Found 1 match for {asked}:\n---"),
        _ => format!("Found {matches} matches for {asked}:\n---"),
    };
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
    if let Some(why) = cut.filter(|why| *why != TruncatedBy::Limit) {
        let noun = if matches == 1 { "match" } else { "matches" };
        push(
            &mut text,
            format_args!(
                "\n[cut at {matches} {noun}: {}; narrow the pattern, the path or the glob, or raise {}]",
                why.phrase(),
                if why == TruncatedBy::MaxTokens { "max_tokens" } else { "limit" },
            ),
        );
    }
    if findings.files_skipped > 0 {
        push(&mut text, format_args!("\n[not searched to the end: {}]", left_out(findings)));
    }
    text
}

fn left_out(findings: &Findings) -> String {
    let named = findings.skipped.iter().take(NAMED_IN_TEXT);
    let mut names: Vec<String> = named
        .map(|skipped| {
            let why = match skipped.why {
                SkipReason::Unreadable => "cannot be read",
                SkipReason::LongLine => "a line is too long",
                SkipReason::TooDeep => "lies too deep",
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

fn none_fits(heading: &Heading<'_>, why: TruncatedBy) -> String {
    let raise = match why {
        TruncatedBy::MaxTokens => "raise max_tokens",
        _ => "ask for less context",
    };
    format!(
        "There are matches for {}, but not one fits: {}; {raise}.",
        heading.asked(),
        why.phrase()
    )
}

impl Heading<'_> {
    fn asked(&self) -> String {
        let filter = self.glob.map_or_else(String::new, |glob| format!(" (filter: \"{glob}\")"));
        format!("pattern \"{}\" in path \"{}\"{filter}", self.pattern, self.path)
    }
}

fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("writing to a string cannot fail");
}
