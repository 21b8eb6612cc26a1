//! The query of a search, and the limits of its answer.

use std::time::Duration;

/// Case sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseMode {
    /// It does; the letters of every script are paired as Unicode pairs them.
    Ignore,
    /// It does not.
    Sensitive,
}

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// As a regular expression in the syntax of the `regex` crate, as ripgrep's.
    Regex,
    /// As the text it is; no character of it is special.
    Literal,
}

/// The query of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The pattern that a line must match: not empty, and no longer than
    /// [`Limits::pattern_bytes`]. It is tried on one line at a time.
    pub pattern: String,
    /// The files to search, as ripgrep's `-g`; none or empty selects every file.
    pub glob: Option<String>,
    /// The most matching lines; none or 0 leaves it to the ceiling.
    pub limit: Option<u64>,
    /// The number of matching lines that are left out at the start.
    pub offset: u64,
    /// Lines shown before and after each match, up to [`Limits::context_lines`].
    pub context: u64,
    /// Case sensitivity.
    pub case: CaseMode,
    /// The syntax of the pattern.
    pub syntax: Syntax,
    /// The most tokens of the answer's text; none leaves it to
    /// [`Limits::answer_bytes`].
    pub max_tokens: Option<u64>,
}

/// The ceilings on one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The longest pattern, and the longest glob.
    pub pattern_bytes: usize,
    /// Of the compiled pattern, and of the caches it works with.
    pub compile_bytes: usize,
    /// The time from the call on; what is found until then is the answer.
    pub deadline: Duration,
    /// The most matching lines, whatever limit a query names.
    pub max_matches: u64,
    /// The most matching lines that are counted.
    pub counted_matches: u64,
    /// Of the answer's text.
    pub answer_bytes: usize,
    /// Characters shown of a longer line.
    pub line_chars: usize,
    /// Files visited, and entries listed in one folder.
    pub files: usize,
    /// The most lines of context on each side that a query may ask for.
    pub context_lines: u64,
    /// The longest line that is held in memory, with the context before it. A
    /// file with a longer one is searched up to it and then named as skipped.
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
