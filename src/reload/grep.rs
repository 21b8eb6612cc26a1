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
    watch::Watch,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseMode {
    Ignore,
    Sensitive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Regex,
    Literal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub pattern: String,
    /// As ripgrep's `-g`; none or empty selects every file.
    pub glob: Option<String>,
    /// The most matching lines; none or 0 leaves it to the ceiling.
    pub limit: Option<u64>,
    /// Lines shown before and after each match.
    pub context: u64,
    pub case: CaseMode,
    pub syntax: Syntax,
    pub max_tokens: Option<u64>,
}

/// The ceilings on one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub pattern_bytes: usize,
    /// Of the compiled pattern, and of the caches it works with.
    pub compile_bytes: usize,
    pub deadline: Duration,
    pub max_matches: u64,
    pub answer_bytes: usize,
    /// Characters shown of a longer line.
    pub line_chars: usize,
    /// Files visited, and entries listed in one folder.
    pub files: usize,
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
    pub text_truncated: bool,
}

/// A file or folder that was not searched, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub path: String,
    pub why: WhySkipped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhySkipped {
    Unreadable,
    LongLine,
    TooDeep,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrepAnswer {
    pub answer: String,
    pub matches: Vec<Match>,
    /// What cut the answer; none where it holds every match.
    pub truncated: Option<Why>,
    pub files_searched: u64,
    /// How many files and folders were left out; `skipped` names the first.
    pub files_skipped: u64,
    pub skipped: Vec<Skipped>,
}

pub fn grep(
    target: &Target<'_>,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<GrepAnswer, ReloadError> {
    let watch = Watch::new(Instant::now() + limits.deadline);
    check_max_tokens(query.max_tokens)?;
    if query.context > limits.context_lines {
        return Err(ReloadError::InvalidRange {
            field: "context",
            found: query.context,
            accepted: format!("0 to {}", limits.context_lines),
        });
    }
    let pattern = Pattern::compile(query, limits)?;
    let glob = query.glob.as_deref().filter(|glob| !glob.is_empty());
    let files = walk::compile_glob(glob, limits.pattern_bytes)?;
    let mut search = Search::new(query, limits, count, &pattern, &watch);
    match regular_file::open_target(target)? {
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

fn file_name(target: &Target<'_>) -> String {
    let name = target.path.file_name();
    name.or_else(|| Path::new(target.spelled).file_name())
        .map_or_else(|| target.spelled.to_owned(), |name| name.to_string_lossy().into_owned())
}
