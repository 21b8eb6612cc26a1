//! `grep`: finds the lines of stored files that match a pattern. It finds the same lines as
//! ripgrep, also in binary files, with one exception: the carriage return of a CRLF line is part of
//! the line only if the pattern names it, because an agent that searches for `foo$` or `foo.` does
//! not see it. In a line of JSON, each line of the texts of its strings is searched, too. Matches
//! are sorted by the string order of their paths, then by line. A limit keeps the first matches,
//! and the answer names the limit. `search` goes through the files; `text` renders the answer.

mod answer;
mod excerpt;
mod json_texts;
mod line_matcher;
mod object_walk;
mod pattern;
mod query;
mod search;
mod simulation;
mod text;
mod walk;

use std::{path::Path, time::Instant};

use crate::reading::error::ReloadError;
use crate::reading::limit::CountTokens;
use crate::reading::regular_file::{self, Fetch, Opened};
use crate::reading::target::Target;
use crate::reading::tool_result::{ResultText, text_of};
use crate::reading::watch::{Watch, WatchedReader};
use object_walk::ObjectWalk;
use pattern::Pattern;
use search::Search;
use text::{Heading, Room};
use walk::Walk;

pub(crate) use answer::GrepAnswer;
#[cfg(test)]
pub(crate) use answer::{Match, SkipReason, Skipped};
pub(crate) use excerpt::Excerpt;
pub(crate) use query::{CaseMode, Limits, Query, Syntax};
pub(crate) use text::BEHIND_HEADER;

/// Returns the lines under `target`, a file or a folder, that match the query. `count` measures the
/// answer against its `max_tokens`. An answer that a limit or the deadline truncates says so.
///
/// Fails if the target cannot be opened or is neither a file nor a folder, if the pattern or the
/// glob is invalid, or if the context is above its limit. A file in a folder that cannot be read is
/// not an error: the answer names it.
pub(crate) fn grep(
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
    match regular_file::open_target(target, Fetch::AsRead, &watch)? {
        Some(Opened::File(file)) => {
            let name = file_name(target);
            if walk::selects_file(&files, &name) {
                search.file(name, file);
            }
        }
        Some(Opened::Folder(dir)) => {
            search.walk(Walk::new(dir, &files, &watch, limits.files), limits.files);
        }
        Some(Opened::Objects(at)) => {
            let walk = ObjectWalk::new(&at, &files, &watch, limits.files);
            search.walk(
                walk.map_err(|source| regular_file::unopened(target.spelled.to_owned(), source))?,
                limits.files,
            );
        }
        None => {
            return Err(ReloadError::NotAFile { path: target.spelled.to_owned() });
        }
    }
    let offset = query.offset;
    let heading = Heading {
        pattern: &query.pattern,
        path: target.spelled,
        glob,
        offset,
        go_on: "offset",
        behind_header: None,
    };
    Ok(text::answer(
        &heading,
        search.findings,
        Room { bytes: limits.answer_bytes, tokens: query.max_tokens },
        count,
    ))
}

/// Searches `content`, the content of `target`, for a tool without an `offset`. If the file has a
/// header, searches and counts only the lines after it.
pub(crate) fn grep_in(
    target: &Target<'_>,
    content: &str,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<GrepAnswer, ReloadError> {
    let watch = Watch::new(Instant::now() + limits.deadline);
    let pattern = checked(query, limits)?;
    let ResultText { text, header } = text_of(content);
    let search = |text: &str, start: usize| {
        let mut search = Search::new(query, limits, count, &pattern, &watch);
        let file = WatchedReader { inner: text.as_bytes(), watch: &watch };
        search.file_from(file_name(target), file, start as u64);
        search.findings
    };
    let findings = search(&text, header);
    let heading = Heading {
        pattern: &query.pattern,
        path: target.spelled,
        glob: None,
        offset: query.offset,
        go_on: "a search of this file with offset",
        behind_header: (header > 0).then(|| search(&content[..header], 0).matches),
    };
    let room = Room { bytes: limits.answer_bytes, tokens: query.max_tokens };
    Ok(text::answer(&heading, findings, room, count))
}

/// Compiles the query's pattern, after a check of its numbers.
fn checked(query: &Query, limits: &Limits) -> Result<Pattern, ReloadError> {
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
    let name = target.path().file_name();
    name.or_else(|| Path::new(target.spelled).file_name())
        .map_or_else(|| target.spelled.to_owned(), |name| name.to_string_lossy().into_owned())
}
