//! The answer of `read_file`.

use serde::Serialize;

use crate::reading::limit::TruncatedBy;

/// A page, and where it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReadAnswer {
    /// The text for the agent: a header where the file goes on, then the page.
    pub answer: String,
    /// The byte at which the file's own text begins in `answer`, after the header.
    pub body_start: usize,
    /// The lines of the file; a line feed at its end begins no line.
    pub total_lines: u64,
    /// The bytes of the file.
    pub total_bytes: u64,
    /// The first line that the page touches, from 0.
    pub first_line: u64,
    /// The last line that the page touches, from 0.
    pub last_line: u64,
    /// The first byte of the page, from 0.
    pub first_byte: u64,
    /// The first byte after the page.
    pub end_byte: u64,
    /// The cursor to go on with in the unit that was asked for: a line, or a
    /// byte. None at the end, and where a page of lines ends inside of one.
    pub next_offset: Option<u64>,
    /// The same place in bytes. None at the end.
    pub next_byte_offset: Option<u64>,
    /// The ceiling that cut the page; none where it holds all it was asked for.
    pub truncated: Option<TruncatedBy>,
}

impl ReadAnswer {
    /// The file's own text.
    pub(crate) fn body(&self) -> &str {
        &self.answer[self.body_start..]
    }
}
