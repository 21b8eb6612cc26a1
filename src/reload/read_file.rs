//! `read_file`: a file page by page, byte for byte. Lines are what splitting
//! at line feeds gives, so ten terminated lines count as eleven; a page holds
//! its lines with their terminators, and the pages that the returned cursors
//! name, put together, are the file. A page that ends before the file does
//! opens with a header that says where it stands:
//!
//! ```text
//! Showing lines 2-4 of 11 total lines.
//!
//! ---
//!
//! ```
//!
//! A page that a ceiling cuts ends with a line; where not even its first line
//! fits it ends inside that line, and reading goes on by bytes.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{
    CountTokens, ReloadError, Target, Why, check_max_tokens,
    page::{self, Span},
    page_cut::{self, Room},
    regular_file::{self, Opened},
    watch::{Interruption, Watch},
};

/// The longest character; what a range needs beyond its ends to keep whole
/// the characters that it cuts into.
const CHARACTER_BYTES: usize = 4;

/// What is read, and how much of it at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The part of the file.
    pub part: Part,
    /// The most tokens of the answer, header included, from 1; none leaves it to
    /// [`Limits::answer_bytes`]. One character is returned even above it.
    pub max_tokens: Option<u64>,
}

/// The part of a file that is asked for; without a limit, all from `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Whole lines, with their terminators.
    Lines {
        /// The first line, from 0.
        offset: u64,
        /// The most lines, from 1.
        limit: Option<u64>,
    },
    /// Both ends are moved back to the start of a character, and at least one
    /// character is read.
    Bytes {
        /// The first byte, from 0.
        offset: u64,
        /// The most bytes, from 1.
        limit: Option<u64>,
    },
}

/// The ceilings on one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the answer, header included. One character is returned even above it.
    pub answer_bytes: usize,
    /// The time from the call on.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 4 * 1024 * 1024, deadline: Duration::from_secs(30) }
    }
}

/// A page, and where it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadAnswer {
    /// The text for the agent: a header where the file goes on, then the page.
    pub answer: String,
    /// The byte at which the file's own text begins in `answer`, after the header.
    pub body_start: usize,
    /// The lines of the file: one more than its line feeds.
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
    pub truncated: Option<Why>,
}

impl ReadAnswer {
    /// The file's own text.
    pub fn body(&self) -> &str {
        &self.answer[self.body_start..]
    }
}

/// One page of the file that `target` names; `count` measures the answer
/// against its `max_tokens`. The file is read to its end, so that the page
/// knows the totals; no more than the page is kept in memory.
///
/// An error is a target that cannot be read or is no regular file, an offset
/// past its end, a page that would hold a byte that is not UTF-8 text, a file
/// that is not read to its end in time, and a limit or a `max_tokens` of 0.
pub fn read_file(
    target: &Target<'_>,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<ReadAnswer, ReloadError> {
    check_max_tokens(query.max_tokens)?;
    let span = span(query.part)?;
    let path = || target.spelled.to_owned();
    let watch = Watch::new(Instant::now() + limits.deadline);
    let file = match regular_file::open_target(target, &watch)? {
        Some(Opened::File(file)) => file,
        Some(Opened::Folder(_)) | None => {
            return Err(ReloadError::NotAFile { path: path() });
        }
    };
    let keep = limits.answer_bytes.saturating_add(2 * CHARACTER_BYTES);
    let page = page::scan(file, &span, keep).map_err(|source| match watch.take() {
        Interruption::Deadline => ReloadError::TooSlow { path: path() },
        Interruption::Unreadable | Interruption::LongLine => {
            ReloadError::Io { path: path(), source }
        }
    })?;
    let room = Room { bytes: limits.answer_bytes, tokens: query.max_tokens, count };
    let not_text =
        |page_cut::NotText { byte_offset }| ReloadError::NotText { path: path(), byte_offset };
    match query.part {
        Part::Lines { offset, .. } if offset >= page.total_lines => {
            Err(ReloadError::OffsetPastEnd { path: path(), offset, total_lines: page.total_lines })
        }
        Part::Bytes { offset, .. } if offset >= page.total_bytes && offset > 0 => {
            Err(ReloadError::ByteOffsetPastEnd {
                path: path(),
                offset,
                total_bytes: page.total_bytes,
            })
        }
        Part::Lines { offset, limit } => {
            page_cut::lines(&page, offset, limit, &room).map_err(not_text)
        }
        Part::Bytes { offset, limit } => {
            page_cut::bytes(&page, offset, limit, &room).map_err(not_text)
        }
    }
}

fn span(part: Part) -> Result<Span, ReloadError> {
    let (offset, limit) = match part {
        Part::Lines { offset, limit } | Part::Bytes { offset, limit } => (offset, limit),
    };
    if limit == Some(0) {
        return Err(ReloadError::InvalidRange {
            field: "limit",
            found: 0,
            accepted: "1 or more".to_owned(),
        });
    }
    let end = limit.map_or(u64::MAX, |limit| offset.saturating_add(limit));
    Ok(match part {
        Part::Lines { .. } => Span::Lines(offset..end),
        // What follows the range shows whether its end splits a character.
        Part::Bytes { .. } => Span::Bytes(offset..end.saturating_add(CHARACTER_BYTES as u64)),
    })
}
