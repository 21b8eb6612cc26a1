//! `read_file`: returns a file page by page, byte for byte. A line feed ends a line, so one at the
//! end of the file begins no further line. A page holds its lines with their terminators; the
//! concatenated pages of the returned offsets are the file. A page that ends before the file does
//! begins with a header that states its position:
//!
//! ```text
//! Showing lines 2-4 of 11 total lines.
//!
//! ---
//!
//! ```
//!
//! A page that a limit truncates ends with a line. If not even its first line fits, the page ends
//! inside that line, and the next page continues by bytes.

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

/// The longest character: a range is extended by this much to keep characters whole at its ends.
const CHARACTER_BYTES: usize = 4;

/// The query of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The part of the file.
    pub part: Part,
    /// Maximum number of tokens of the answer, with its header; `None` means
    /// [`Limits::answer_bytes`] only. At least one character is returned.
    pub max_tokens: Option<u64>,
}

/// The requested part of a file; without a limit, everything from `offset` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole lines, with their terminators.
    Lines {
        /// The first line, from 0.
        offset: u64,
        /// Maximum number of lines, at least 1.
        limit: Option<u64>,
    },
    /// Bytes. Both ends are moved back to the start of a character, and at least one character is
    /// read.
    Bytes {
        /// The first byte, from 0.
        offset: u64,
        /// Maximum number of bytes, at least 1.
        limit: Option<u64>,
    },
}

/// The limits of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Maximum size of the answer, with its header. At least one character is returned.
    pub answer_bytes: usize,
    /// The time limit.
    pub deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 4 * 1024 * 1024, deadline: Duration::from_secs(30) }
    }
}

/// Returns one page of the file that `target` names; `count` measures the answer against its
/// `max_tokens`. Reads the file to its end to know the totals, but keeps only the page in memory.
///
/// Fails if the target cannot be read or is not a regular file, if the offset is past its end, if
/// the page contains a byte that is not UTF-8 text, if the file is not read to its end in time, or
/// if a limit is 0.
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
        // The bytes after the range show whether its end splits a character.
        Part::Bytes { .. } => Span::Bytes(offset..end.saturating_add(CHARACTER_BYTES as u64)),
    })
}
