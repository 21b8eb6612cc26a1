//! The answer of `read_file`.

use serde::Serialize;

use crate::reading::limit::TruncatedBy;

/// A page and its position in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReadAnswer {
    /// The text for the agent: the page, after a header if the file continues.
    pub answer: String,
    /// The offset of the file's own text in `answer`, after the header.
    pub body_start: usize,
    /// The number of lines in the file; a line feed at its end begins no further line.
    pub total_lines: u64,
    /// The size of the file in bytes.
    pub total_bytes: u64,
    /// The first line that the page touches, from 0.
    pub first_line: u64,
    /// The last line that the page touches, from 0.
    pub last_line: u64,
    /// The first byte of the page, from 0.
    pub first_byte: u64,
    /// The first byte after the page.
    pub end_byte: u64,
    /// The offset of the next page in the requested unit, lines or bytes; `None` at the end, and if
    /// a page of lines ends inside a line.
    pub next_offset: Option<u64>,
    /// The offset of the next page in bytes; `None` at the end.
    pub next_byte_offset: Option<u64>,
    /// The limit that truncated the page; `None` if it holds everything requested.
    pub truncated: Option<TruncatedBy>,
}

impl ReadAnswer {
    /// Returns the file's own text.
    pub(crate) fn body(&self) -> &str {
        &self.answer[self.body_start..]
    }
}
