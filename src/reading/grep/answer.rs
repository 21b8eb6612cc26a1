//! The answer of a search.

use serde::Serialize;

use crate::reading::limit::TruncatedBy;

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Match {
    /// Relative to the searched folder; the file name if one file is searched.
    pub path: String,
    /// The line number, from 1.
    pub line: u64,
    /// The column of the first match in the line: from 1, in bytes as stored.
    pub column: u64,
    /// The line without its terminator, or a window on it.
    pub text: String,
    /// True if `text` is only a part of the line.
    pub text_truncated: bool,
}

/// A file or folder that was not searched, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Skipped {
    /// Relative to the searched folder; the file name if one file is searched.
    pub path: String,
    /// The reason.
    pub why: SkipReason,
}

/// The reason that a file or folder was not searched, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkipReason {
    /// It cannot be opened or read.
    Unreadable,
    /// A line, with the context before it, is longer than [`Limits`](super::Limits)`::line_bytes`.
    LongLine,
    /// The folder is deeper than a search descends.
    TooDeep,
    /// The file is in UTF-16.
    Utf16,
}

/// The result of a search, as text and as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GrepAnswer {
    /// The text for the agent: matches and context in blocks by file, then the limits that
    /// truncated the answer and the skipped files.
    pub answer: String,
    /// The matches that the text shows, in the same order, without context.
    pub matches: Vec<Match>,
    /// The number of lines that match, shown or not.
    pub matches_total: u64,
    /// False if there may be more: the search ended early, or a file was not searched.
    pub matches_total_exact: bool,
    /// The `offset` that shows the next matches; `None` if there are no more.
    pub next_offset: Option<u64>,
    /// The limit that truncated the answer; `None` if it has every match from the offset on.
    pub truncated: Option<TruncatedBy>,
    /// The number of files searched, completely or in part.
    pub files_searched: u64,
    /// The number of files and folders skipped; `skipped` names the first.
    pub files_skipped: u64,
    /// The first of the skipped files and folders, at most 20.
    pub skipped: Vec<Skipped>,
}
