//! `read_tool_result`: returns the part of a stored result that a selector names
//! (`file-backed-tool-results`, "New Tool"). Lines count from 1, and a line feed at the end begins
//! no further line. In a file of records, each record is a line, and the header is not counted.
//!
//! ```text
//! Showing lines 10-80 of 500 total lines.
//!
//! ---
//!
//! ```

use std::borrow::Cow;

use crate::reading::error::ReloadError;
use crate::reading::fit::longest;
use crate::reading::limit::{CountTokens, TruncatedBy};
use record_files::file;

/// A part of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lines {
    /// `all`.
    All,
    /// `first:100`.
    First(u64),
    /// `last:50`.
    Last(u64),
    /// `10-80`, both ends included.
    Range(u64, u64),
    /// `head_tail:20`: this many lines from each end.
    HeadTail(u64),
    /// `grep:pattern`.
    Grep(String),
}

/// The accepted selectors.
pub(crate) const ACCEPTED: &str = "\"all\", \"first:100\", \"last:50\", \"10-80\" (lines from 1), \
                            \"head_tail:20\" or \"grep:pattern\"";

impl Lines {
    /// Parses a selector; None if it is invalid.
    pub(crate) fn parse(word: &str) -> Option<Lines> {
        let from_one = |number: &str| number.trim().parse().ok().filter(|number| *number > 0);
        let word = word.trim_start();
        if let Some((name, rest)) = word.split_once(':') {
            return match name {
                "first" => from_one(rest).map(Lines::First),
                "last" => from_one(rest).map(Lines::Last),
                "head_tail" => from_one(rest).map(Lines::HeadTail),
                // Spaces at its end are part of the pattern.
                "grep" if !rest.is_empty() => Some(Lines::Grep(rest.to_owned())),
                _ => None,
            };
        }
        let word = word.trim_end();
        if word.eq_ignore_ascii_case("all") {
            return Some(Lines::All);
        }
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last) = (from_one(first)?, from_one(last)?);
        (first <= last).then_some(Lines::Range(first, last))
    }
}

/// A part of a stored result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The text for the agent.
    pub answer: String,
    /// The lines of the result.
    pub total_lines: u64,
    /// The selector for the rest; `None` if everything requested is here.
    pub next_lines: Option<String>,
    /// The limit that truncated the answer.
    pub truncated: Option<TruncatedBy>,
}

/// The limits of one answer.
pub(crate) struct Room<'a> {
    /// In tokens; at least one line is returned.
    pub max_tokens: Option<u64>,
    /// In bytes.
    pub answer_bytes: usize,
    /// Counts tokens.
    pub count: CountTokens<'a>,
}

/// A result in a stored file.
pub(crate) struct ResultText<'a> {
    /// The content itself, or the records of a file of records.
    pub text: Cow<'a, str>,
    /// The bytes of the file's header; 0 if it has none.
    pub header: usize,
}

/// Returns the result in a file with this content.
pub(crate) fn text_of(content: &str) -> ResultText<'_> {
    match file::split(content) {
        Ok(stored) => {
            let header = content.find('\n').map_or(content.len(), |end| end + 1);
            ResultText { text: stored.text(), header }
        }
        Err(_) => ResultText { text: Cow::Borrowed(content), header: 0 },
    }
}

/// Returns a text unchanged if it has at most `chars` characters; otherwise its two ends, half of
/// `chars` each.
pub(crate) fn ends_of(text: &str, chars: usize) -> Cow<'_, str> {
    let total = text.chars().count();
    if total <= chars {
        return Cow::Borrowed(text);
    }
    let first = text.chars().take(chars / 2);
    let last = text.chars().skip(total - chars / 2);
    Cow::Owned(first.chain(" … ".chars()).chain(last).collect())
}

/// Returns one part of a result's text; `Lines::Grep` is a search, not a part.
pub(crate) fn part(
    text: &str,
    lines: &Lines,
    path: &str,
    room: &Room<'_>,
) -> Result<Part, ReloadError> {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let total = all.len() as u64;
    let (first, last) = match *lines {
        Lines::All | Lines::Grep(_) => (1, total),
        Lines::First(count) => (1, count.min(total)),
        Lines::Last(count) => (total.saturating_sub(count) + 1, total),
        Lines::Range(first, _) if first > total.max(1) => {
            let path = path.to_owned();
            let (field, total_lines) = ("lines", total);
            return Err(ReloadError::LinesPastEnd { field, path, first, total_lines });
        }
        Lines::Range(first, last) => (first, last.min(total)),
        Lines::HeadTail(count) if count.saturating_mul(2) >= total => (1, total),
        Lines::HeadTail(count) => return Ok(ends(&all, count, room)),
    };
    let body = |last: u64| between(&all, first, last);
    let header = |last: u64| {
        if first == 1 && last == total { String::new() } else { showing(first, last, total) }
    };
    let wanted = usize::try_from((last + 1).saturating_sub(first)).unwrap_or(usize::MAX);
    let render = |cut: usize| {
        let last = first + cut as u64 - 1;
        format!("{}{}", header(last), body(last))
    };
    let (cut, why) = longest(wanted, 64, |at| at, |cut| room.fits(&render(cut)));
    let cut = cut.max(wanted.min(1));
    if cut == 0 {
        return Ok(Part {
            answer: String::new(),
            total_lines: total,
            next_lines: None,
            truncated: None,
        });
    }
    let shown = first + cut as u64 - 1;
    Ok(Part {
        answer: room.within(render(cut)),
        total_lines: total,
        next_lines: (shown < last).then(|| format!("{}-{last}", shown + 1)),
        truncated: why,
    })
}

/// Returns up to `count` lines from each end, as many as there is room for.
fn ends(all: &[&str], count: u64, room: &Room<'_>) -> Part {
    let total = all.len() as u64;
    let render = |count: usize| {
        let count = count as u64;
        let head = between(all, 1, count);
        let tail = between(all, total + 1 - count, total);
        let gap = format!("[… L{}-L{} left out …]\n", count + 1, total - count);
        format!("{head}{gap}{tail}")
    };
    let wanted = usize::try_from(count).unwrap_or(usize::MAX);
    let (cut, why) = longest(wanted, 64, |at| at, |cut| room.fits(&render(cut)));
    let cut = cut.max(1);
    let (after, before) = (cut as u64 + 1, total - cut as u64);
    Part {
        answer: room.within(render(cut)),
        total_lines: total,
        next_lines: Some(format!("{after}-{before}")),
        truncated: why,
    }
}

fn between(all: &[&str], first: u64, last: u64) -> String {
    let at = |line: u64| usize::try_from(line).unwrap_or(usize::MAX).min(all.len());
    all[at(first - 1)..at(last)].concat()
}

fn showing(first: u64, last: u64, total: u64) -> String {
    format!("Showing lines {first}-{last} of {total} total lines.\n\n---\n\n")
}

impl Room<'_> {
    fn fits(&self, text: &str) -> Result<(), TruncatedBy> {
        if text.len() > self.answer_bytes {
            return Err(TruncatedBy::AnswerBytes);
        }
        match self.max_tokens {
            Some(most) if (self.count)(text) > most => Err(TruncatedBy::MaxTokens),
            _ => Ok(()),
        }
    }

    /// Truncates a line that is larger than any answer, and says how to continue.
    fn within(&self, text: String) -> String {
        if self.fits(&text).is_ok() {
            return text;
        }
        let end = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let (cut, _) = longest(text.len(), 4096, end, |cut| self.fits(&text[..cut]));
        let rest = text.len() - cut;
        format!("{}\n[… {rest} bytes of this line left out: read_file by bytes]", &text[..cut])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn ask(text: &str, lines: &str, max_tokens: Option<u64>) -> Part {
        let room = Room { max_tokens, answer_bytes: 1000, count: &words };
        part(text, &Lines::parse(lines).unwrap(), "r.txt", &room).unwrap()
    }

    #[test]
    fn every_selector_of_the_contract() {
        assert_eq!(ask(TEN, "all", None).answer, TEN);
        assert_eq!(ask(TEN, "first:2", None).answer, showing(1, 2, 10) + "1\n2\n");
        assert_eq!(ask(TEN, "last:2", None).answer, showing(9, 10, 10) + "9\n10\n");
        assert_eq!(ask(TEN, "3-4", None).answer, showing(3, 4, 10) + "3\n4\n");
        assert_eq!(ask(TEN, "head_tail:1", None).answer, "1\n[… L2-L9 left out …]\n10\n");
        assert_eq!(ask(TEN, "head_tail:5", None).answer, TEN);
        assert_eq!(ask(TEN, "8-99", None).answer, showing(8, 10, 10) + "8\n9\n10\n");
        assert_eq!(ask("", "all", None).answer, "");
    }

    #[test]
    fn words_that_are_no_selector() {
        for word in
            ["", "first", "first:", "first:0", "last:x", "0-3", "5-2", "-3", "grep:", "tail:2"]
        {
            assert_eq!(Lines::parse(word), None, "{word:?}");
        }
        assert_eq!(Lines::parse(" grep:a:b "), Some(Lines::Grep("a:b ".to_owned())));
        assert_eq!(Lines::parse("7"), Some(Lines::Range(7, 7)));
    }

    #[test]
    fn a_ceiling_cuts_at_a_line_and_names_the_rest() {
        let cut = ask(TEN, "1-9", Some(11));
        assert_eq!(cut.answer, showing(1, 3, 10) + "1\n2\n3\n");
        assert_eq!(
            (cut.next_lines.as_deref(), cut.truncated),
            (Some("4-9"), Some(TruncatedBy::MaxTokens))
        );
        let tiny = ask(TEN, "2-9", Some(1));
        assert!(tiny.answer.contains("left out") && tiny.next_lines.as_deref() == Some("3-9"));
    }

    #[test]
    fn past_the_end_says_how_long_it_is() {
        let room = Room { max_tokens: None, answer_bytes: 1000, count: &words };
        let error = part(TEN, &Lines::Range(11, 12), "r.txt", &room).unwrap_err();
        assert!(error.to_string().contains("10 lines"), "{error}");
    }
}
