//! `read_file`: a file page by page, byte for byte. A line feed ends a line, so
//! one at the end of the file begins no further line; a page holds
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

mod answer;
mod cut;
mod page;

use std::time::{Duration, Instant};

use crate::reading::error::ReloadError;
use crate::reading::limit::CountTokens;
use crate::reading::regular_file::{self, Fetch, Opened};
use crate::reading::target::Target;
use crate::reading::watch::{Interruption, Watch};
pub(crate) use answer::ReadAnswer;
use cut::Room;
use page::Span;

/// The longest character; what a range needs beyond its ends to keep whole
/// the characters that it cuts into.
const CHARACTER_BYTES: usize = 4;

/// The query of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The part of the file.
    pub part: Part,
    /// The most tokens of the answer, header included; none leaves it to
    /// [`Limits::answer_bytes`]. One character is returned even above it.
    pub max_tokens: Option<u64>,
}

/// The part of a file that is asked for; without a limit, all from `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
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
pub(crate) struct Limits {
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

/// One page of the file that `target` names; `count` measures the answer
/// against its `max_tokens`. The file is read to its end, so that the page
/// knows the totals; no more than the page is kept in memory.
///
/// An error is a target that cannot be read or is no regular file, an offset
/// past its end, a page that would hold a byte that is not UTF-8 text, a file
/// that is not read to its end in time, and a limit of 0.
pub(crate) fn read_file(
    target: &Target<'_>,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<ReadAnswer, ReloadError> {
    let span = span(query.part)?;
    let path = || target.spelled.to_owned();
    let watch = Watch::new(Instant::now() + limits.deadline);
    let file = match regular_file::open_target(target, Fetch::Whole, &watch)? {
        Some(Opened::File(file)) => file,
        Some(Opened::Folder(_) | Opened::Objects(_)) | None => {
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
        |cut::NotText { byte_offset }| ReloadError::NotText { path: path(), byte_offset };
    match query.part {
        Part::Lines { offset, .. } if offset >= page.total_lines && offset > 0 => {
            let (first, total_lines) = (offset.saturating_add(1), page.total_lines);
            Err(ReloadError::LinesPastEnd { field: "offset", path: path(), first, total_lines })
        }
        Part::Bytes { offset, .. } if offset >= page.total_bytes && offset > 0 => {
            Err(ReloadError::ByteOffsetPastEnd {
                path: path(),
                offset,
                total_bytes: page.total_bytes,
            })
        }
        Part::Lines { offset, limit } => cut::lines(&page, offset, limit, &room).map_err(not_text),
        Part::Bytes { offset, limit } => cut::bytes(&page, offset, limit, &room).map_err(not_text),
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
        // The bytes after the range show if its end splits a character.
        Part::Bytes { .. } => Span::Bytes(offset..end.saturating_add(CHARACTER_BYTES as u64)),
    })
}
