//! The texts of the strings in a line of JSON: a record, a message of a group file, or a line of
//! any result that is JSON. An agent that searches for `\bERROR\b`, `größe` or `^exit code` has
//! seen the text of a string, not its escaped form.

use std::borrow::Cow;
use std::ops::Range;

use raw_json::{place_in_literal, string_end, unescape};

/// Maximum length in bytes of a literal whose text is searched, because the text is a copy. A
/// longer literal is searched only in its escaped form.
const MAX_LITERAL: usize = 16 * 1024 * 1024;

/// Returns the next line of a buffer that begins like JSON and contains a backslash; if `any` is
/// true, the next that begins like JSON. `start` is the first byte of a line.
pub(super) fn next_json_line(buffer: &[u8], mut start: usize, any: bool) -> Option<Range<usize>> {
    while start < buffer.len() {
        if !any {
            let escape = start + memchr::memchr(b'\\', &buffer[start..])?;
            start += memchr::memrchr(b'\n', &buffer[start..escape]).map_or(0, |end| end + 1);
        }
        let rest = &buffer[start..];
        let end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if begins_as_json(&buffer[start..end]) {
            return Some(start..end);
        }
        start = end + 1;
    }
    None
}

fn begins_as_json(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
}

/// Returns the line if it begins like JSON.
pub(super) fn as_json(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok().filter(|line| begins_as_json(line.as_bytes()))
}

/// Returns true if a line is JSON: a value, or the part of a value on one line, if elements or
/// members have lines of their own.
pub(super) fn is_json(line: &str) -> bool {
    let part = line.trim();
    let part = part.strip_suffix(',').unwrap_or(part).trim_end();
    let is_value = |text: &str| raw_json::value(text).is_some();
    if part.starts_with('"') {
        let behind = string_end(part.as_bytes()).map(|end| part[end..].trim_start());
        return behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(':'));
    }
    is_value(part)
        || part.strip_prefix('[').is_some_and(is_value)
        || part.strip_suffix(']').is_some_and(is_value)
}

/// A string of a line.
pub(super) struct JsonText<'l> {
    /// The literal, with its quotes.
    literal: &'l str,
    /// The offset of the literal in the line.
    start: usize,
    text: Cow<'l, str>,
}

/// Returns the strings of a line, in order.
pub(super) fn texts(line: &str) -> impl Iterator<Item = JsonText<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr(b'"', line.as_bytes().get(at..)?)?;
            at = start + string_end(&line.as_bytes()[start..])?;
            let literal = &line[start..at];
            if literal.len() <= MAX_LITERAL {
                return Some(JsonText { literal, start, text: unescape(literal).text });
            }
        }
    })
}

impl JsonText<'_> {
    /// Returns true if the literal contains escapes.
    pub(super) fn is_escaped(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// Returns the non-empty lines of the text, each with its offset in the text.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut start = 0;
        let placed = self.text.split('\n').map(move |line| {
            let at = start;
            start += line.len() + 1;
            (at, line)
        });
        placed.filter(|(_, line)| !line.is_empty())
    }

    /// Converts an offset in the text to an offset in the line.
    pub(super) fn place(&self, at: usize) -> usize {
        self.start + place_in_literal(self.literal, at)
    }
}
