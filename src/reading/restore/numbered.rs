//! Recognises numbered lines: lines of a stored file with consecutive numbers before them, as
//! `cat -n` and the reading tools of many agents show a file.

use std::ops::Range;

use memchr::memchr_iter;

use crate::compaction::wrapper::LineNumbers;

/// Maximum number of digits of a line number.
const DIGITS: usize = 12;
/// Maximum length of a text to examine, in bytes: it is copied without its numbers.
const TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of lines of a text.
const LINES: usize = 20_000;

/// Numbered lines of a text.
pub(super) struct NumberedLines<'a> {
    lines: Vec<NumberedLine<'a>>,
    /// The range of the lines in the text, without the last line feed.
    pub(super) shown: Range<usize>,
}

/// A line with a number before it.
struct NumberedLine<'a> {
    /// The spaces before the number.
    padding: usize,
    digits: &'a str,
    number: u64,
    separator: char,
    rest: &'a str,
}

impl NumberedLine<'_> {
    fn read(line: &str) -> Option<NumberedLine<'_>> {
        let trimmed = line.trim_start_matches(' ');
        let end = trimmed.find(|c: char| !c.is_ascii_digit())?;
        let (digits, rest) = trimmed.split_at(end);
        let number = (end <= DIGITS).then(|| digits.parse().ok()).flatten()?;
        let separator = rest.chars().next().filter(|c| "\t:|\u{2192}".contains(*c))?;
        let rest = &rest[separator.len_utf8()..];
        Some(NumberedLine { padding: line.len() - trimmed.len(), digits, number, separator, rest })
    }

    /// Returns true if `next` may be the line after this one.
    fn precedes(&self, next: &NumberedLine<'_>) -> bool {
        self.number + 1 == next.number && self.separator == next.separator
    }
}

impl NumberedLines<'_> {
    /// Finds the numbered lines around the middle of a text. Returns `None` if there are none, or
    /// if the text is too long.
    pub(super) fn around_the_middle(text: &str) -> Option<NumberedLines<'_>> {
        if text.len() > TEXT_BYTES || memchr_iter(b'\n', text.as_bytes()).nth(LINES).is_some() {
            return None;
        }
        let middle = text.floor_char_boundary(text.len() / 2);
        let from = text[..middle].rfind('\n').map_or(0, |at| at + 1);
        let mut after = text[from..].split('\n').map(|line| (line.len(), NumberedLine::read(line)));
        let (length, line) = after.next()?;
        let mut lines = vec![line?];
        let mut shown = from..from + length;
        for (length, line) in after {
            let follows = |line: &NumberedLine<'_>| lines.last().is_some_and(|l| l.precedes(line));
            let Some(line) = line.filter(follows) else { break };
            lines.push(line);
            shown.end += 1 + length;
        }
        let mut before = Vec::new();
        for line in text[..from].strip_suffix('\n').into_iter().flat_map(|text| text.rsplit('\n')) {
            let next = before.last().or(lines.first())?;
            let Some(read) = NumberedLine::read(line).filter(|read| read.precedes(next)) else {
                break;
            };
            before.push(read);
            shown.start -= 1 + line.len();
        }
        before.reverse();
        before.append(&mut lines);
        Some(NumberedLines { lines: before, shown })
    }

    /// Returns the lines without their numbers, once for each possible reading: a space after the
    /// separator belongs to the host or to the file.
    pub(super) fn plain(&self) -> impl Iterator<Item = (String, LineNumbers)> {
        let is_spaced = self.lines.iter().all(|line| line.rest.starts_with(' '));
        let spaces = [" ", ""].into_iter().filter(move |space| is_spaced || space.is_empty());
        spaces.filter_map(|space| {
            let first = self.lines.first()?;
            // The smallest number has the most padding.
            let zeros = first.digits.len() > 1 && first.digits.starts_with('0');
            let is_padded = zeros || first.padding > 0;
            let width = if is_padded { first.padding + first.digits.len() } else { 0 };
            let separator = format!("{}{space}", first.separator);
            let plain: Vec<&str> =
                self.lines.iter().map(|line| &line.rest[space.len()..]).collect();
            let numbers = LineNumbers { first: first.number, width, zeros, separator };
            Some((plain.join("\n"), numbers))
        })
    }
}
