//! The answer of a search.

use serde::Serialize;

use crate::reading::limit::TruncatedBy;

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Match {
    /// Relative to the searched folder; the file name where a file is searched.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Of the first match in the line: from 1, in bytes as stored.
    pub column: u64,
    /// The line without its terminator, or a window on it.
    pub text: String,
    /// True if `text` is only a part of the line.
    pub text_truncated: bool,
}

/// A file or folder that was not searched, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Skipped {
    /// Relative to the searched folder; the file name where a file is searched.
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
    /// A folder that lies deeper than a search goes.
    TooDeep,
    /// A text in UTF-16.
    Utf16,
}

/// The result of a search, as text and as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct GrepAnswer {
    /// The text for the agent: matches and context in blocks by file, then what
    /// cut the answer and which files were left out.
    pub answer: String,
    /// The matches that the text shows, in its order, without their context.
    pub matches: Vec<Match>,
    /// The number of lines that match, shown or not.
    pub matches_total: u64,
    /// False if there may be more: the search ended early, or a file was not searched.
    pub matches_total_exact: bool,
    /// The `offset` that shows the next matches; None if there are no more.
    pub next_offset: Option<u64>,
    /// The limit that cut the answer; None if it has every match from the offset on.
    pub truncated: Option<TruncatedBy>,
    /// The number of files searched, completely or in part.
    pub files_searched: u64,
    /// The number of files and folders left out; `skipped` names the first.
    pub files_skipped: u64,
    /// The first of those left out, 20 at most.
    pub skipped: Vec<Skipped>,
}
