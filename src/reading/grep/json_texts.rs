//! The texts of the strings in a line of JSON: a record, a message of a group file, or a line of
//! any result that is JSON. An agent that looks for `\bERROR\b`, `größe` or `^exit code` has seen
//! the text, not how a string spells it.

use std::borrow::Cow;

use raw_json::{place_in_literal, string_end, unescape};

/// Returns true for a line that begins as JSON does.
pub(super) fn may_be_json(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
}

/// A string of a line.
pub(super) struct JsonText<'l> {
    /// The literal, with its quotes.
    literal: &'l str,
    /// The place of the literal in the line.
    start: usize,
    text: Cow<'l, str>,
}

/// Returns the strings of a line, in order; of one that is no JSON, what stands between its quotes.
pub(super) fn texts(line: &[u8]) -> impl Iterator<Item = JsonText<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'"', line.get(at..)?)?;
            at = start + string_end(&line[start..])?;
            if let Ok(literal) = std::str::from_utf8(&line[start..at]) {
                return Some(JsonText { literal, start, text: unescape(literal).text });
            }
        }
    })
}

impl JsonText<'_> {
    /// Returns true if the literal spells its text with escapes.
    pub(super) fn is_escaped(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Returns the lines of the text that are not empty, each with its place in the text.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut start = 0;
        let placed = self.text.split('\n').map(move |line| {
            let at = start;
            start += line.len() + 1;
            (at, line)
        });
        placed.filter(|(_, line)| !line.is_empty())
    }

    /// Returns the place in the line of the byte `at` of the text.
    pub(super) fn place(&self, at: usize) -> usize {
        self.start + place_in_literal(self.literal, at)
    }
}
