//! The query of a search, and the limits of its answer.

use std::time::Duration;

/// Case sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseMode {
    /// Ignores case; letters of every script are paired as in Unicode.
    Ignore,
    /// Distinguishes case.
    Sensitive,
}

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A regular expression in the syntax of the `regex` crate, like ripgrep's.
    Regex,
    /// A literal text; no character is special.
    Literal,
}

/// The query of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The pattern that a line must match: not empty, and not longer than
    /// [`Limits::pattern_bytes`]. It is matched against one line at a time.
    pub pattern: String,
    /// Selects the files to search, like ripgrep's `-g`; `None` or empty selects every file.
    pub glob: Option<String>,
    /// Maximum number of matching lines; `None` or 0 means [`Limits::max_matches`].
    pub limit: Option<u64>,
    /// The number of matching lines to skip.
    pub offset: u64,
    /// Lines shown before and after each match, up to [`Limits::context_lines`].
    pub context: u64,
    /// Case sensitivity.
    pub case: CaseMode,
    /// The syntax of the pattern.
    pub syntax: Syntax,
    /// Maximum number of tokens of the answer's text; `None` means [`Limits::answer_bytes`] only.
    pub max_tokens: Option<u64>,
}

/// The limits of one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Maximum length of a pattern or a glob.
    pub pattern_bytes: usize,
    /// Maximum size of the compiled pattern, and of its caches.
    pub compile_bytes: usize,
    /// The time limit; the answer holds the matches found until then.
    pub deadline: Duration,
    /// Maximum number of matching lines, whatever limit a query states.
    pub max_matches: u64,
    /// Maximum number of matching lines to count.
    pub counted_matches: u64,
    /// Maximum size of the answer's text.
    pub answer_bytes: usize,
    /// Maximum number of characters shown of a line.
    pub line_chars: usize,
    /// Maximum number of files visited, and of entries listed in one folder.
    pub files: usize,
    /// Maximum number of context lines on each side of a match.
    pub context_lines: u64,
    /// Maximum length of a line in memory, with the context before it. A file with a longer line is
    /// searched up to that line and then reported as skipped.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pattern_bytes: 1024,
            compile_bytes: 1024 * 1024,
            deadline: Duration::from_secs(3),
            max_matches: 10_000,
            counted_matches: 100_000,
            answer_bytes: 1024 * 1024,
            line_chars: 500,
            files: 100_000,
            context_lines: 50,
            line_bytes: 64 * 1024 * 1024,
        }
    }
}
