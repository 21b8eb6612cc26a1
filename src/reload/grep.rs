//! `grep`: the lines of stored files that match a pattern. It finds what
//! ripgrep finds in the same bytes, binary or not; only an end that a pattern
//! asserts (`foo$`) also matches before the carriage return of a CRLF line.
//! Hits come in the string order of their paths, then by line; whatever cuts
//! an answer leaves the first of them, and is named in it. How files
//! are gone through is the subject of `search`, how the answer reads that of
//! `grep_text`.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    CountTokens, ReloadError, Target, Why, check_max_tokens,
    grep_text::{self, Heading, Room},
    pattern::Pattern,
    regular_file::{self, Opened},
    search::Search,
    walk::{self, Walk},
    watch::{Watch, WatchedReader},
};

/// Whether `a` matches `A`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseMode {
    /// It does; the letters of every script are paired as Unicode pairs them.
    Ignore,
    /// It does not.
    Sensitive,
}

/// How a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// As a regular expression in the syntax of the `regex` crate, as ripgrep's.
    Regex,
    /// As the text it is; no character of it is special.
    Literal,
}

/// What is searched for, and how much of it is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What a line must match: not empty, and no longer than
    /// [`Limits::pattern_bytes`]. It is tried on one line at a time.
    pub pattern: String,
    /// The files to search, as ripgrep's `-g`; none or empty selects every file.
    pub glob: Option<String>,
    /// The most matching lines; none or 0 leaves it to the ceiling.
    pub limit: Option<u64>,
    /// Lines shown before and after each match, up to [`Limits::context_lines`].
    pub context: u64,
    /// Whether `a` matches `A`.
    pub case: CaseMode,
    /// How the pattern is read.
    pub syntax: Syntax,
    /// The most tokens of the answer's text, from 1; none leaves it to
    /// [`Limits::answer_bytes`].
    pub max_tokens: Option<u64>,
}

/// The ceilings on one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest pattern, and the longest glob.
    pub pattern_bytes: usize,
    /// Of the compiled pattern, and of the caches it works with.
    pub compile_bytes: usize,
    /// The time from the call on; what is found until then is the answer.
    pub deadline: Duration,
    /// The most matching lines, whatever limit a query names.
    pub max_matches: u64,
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
            answer_bytes: 1024 * 1024,
            line_chars: 500,
            files: 100_000,
            context_lines: 50,
            line_bytes: 64 * 1024 * 1024,
        }
    }
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Relative to the searched folder; the file name where a file is searched.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Of the first match in the line: from 1, in bytes as stored.
    pub column: u64,
    /// The line without its terminator, or a window on it.
    pub text: String,
    /// Whether `text` is only a window on the line.
    pub text_truncated: bool,
}

/// A file or folder that was not searched, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Relative to the searched folder; the file name where a file is searched.
    pub path: String,
    /// What kept the search from it.
    pub why: WhySkipped,
}

/// Why a file or folder was not searched, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhySkipped {
    /// It cannot be opened or read.
    Unreadable,
    /// A line, with the context before it, is longer than [`Limits::line_bytes`].
    LongLine,
    /// A folder that lies deeper than a search goes.
    TooDeep,
}

/// What a search found, as text and as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrepAnswer {
    /// The text for the agent: matches and context in blocks by file, then what
    /// cut the answer and which files were left out.
    pub answer: String,
    /// The matches that the text shows, in its order, without their context.
    pub matches: Vec<Match>,
    /// What cut the answer; none where it holds every match.
    pub truncated: Option<Why>,
    /// How many files were searched, be it not to their end.
    pub files_searched: u64,
    /// How many files and folders were left out; `skipped` names the first.
    pub files_skipped: u64,
    /// The first of those left out, 20 at most.
    pub skipped: Vec<Skipped>,
}

/// The lines under `target`, a file or a folder, that match the query; `count`
/// measures the answer against its `max_tokens`. What a limit cuts, the time
/// included, is an answer with less in it and says so.
///
/// An error is a target that cannot be opened or is neither a file nor a
/// folder, a pattern or a glob that cannot be used, a context above its limit,
/// and a `max_tokens` of 0. A file that cannot be read inside a folder is none:
/// the answer names it.
pub fn grep(
    target: &Target<'_>,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<GrepAnswer, ReloadError> {
    let watch = Watch::new(Instant::now() + limits.deadline);
    let pattern = checked(query, limits)?;
    let glob = query.glob.as_deref().filter(|glob| !glob.is_empty());
    let files = walk::compile_glob(glob, limits.pattern_bytes)?;
    let mut search = Search::new(query, limits, count, &pattern, &watch);
    match regular_file::open_target(target, &watch)? {
        Some(Opened::File(file)) => {
            let name = file_name(target);
            if walk::selects_file(&files, &name) {
                search.file(name, file);
            }
        }
        Some(Opened::Folder(dir)) => {
            search.walk(Walk::new(dir, &files, &watch, limits.files), limits.files);
        }
        None => {
            return Err(ReloadError::NotAFile { path: target.spelled.to_owned() });
        }
    }
    let heading = Heading { pattern: &query.pattern, path: target.spelled, glob };
    Ok(grep_text::answer(
        &heading,
        search.findings,
        Room { bytes: limits.answer_bytes, tokens: query.max_tokens },
        count,
    ))
}

/// The same over `text`, which is what `target` holds for its reader.
pub fn grep_in(
    target: &Target<'_>,
    text: &str,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<GrepAnswer, ReloadError> {
    let watch = Watch::new(Instant::now() + limits.deadline);
    let pattern = checked(query, limits)?;
    let mut search = Search::new(query, limits, count, &pattern, &watch);
    search.file(file_name(target), WatchedReader { inner: text.as_bytes(), watch: &watch });
    let heading = Heading { pattern: &query.pattern, path: target.spelled, glob: None };
    let room = Room { bytes: limits.answer_bytes, tokens: query.max_tokens };
    Ok(grep_text::answer(&heading, search.findings, room, count))
}

/// The query's pattern; its numbers are in range.
fn checked(query: &Query, limits: &Limits) -> Result<Pattern, ReloadError> {
    check_max_tokens(query.max_tokens)?;
    if query.context > limits.context_lines {
        return Err(ReloadError::InvalidRange {
            field: "context",
            found: query.context,
            accepted: format!("0 to {}", limits.context_lines),
        });
    }
    Pattern::compile(query, limits)
}

fn file_name(target: &Target<'_>) -> String {
    let name = target.path.file_name();
    name.or_else(|| Path::new(target.spelled).file_name())
        .map_or_else(|| target.spelled.to_owned(), |name| name.to_string_lossy().into_owned())
}
