//! `grep`: the lines of stored files that match a pattern. It finds what
//! ripgrep finds in the same bytes, binary or not; only the carriage return
//! of a CRLF line is no part of it for a pattern that does not name it: an
//! agent that looks for `foo$` or `foo.` sees no character there. Where a line
//! is JSON, each line of the texts of its strings is searched, too.
//! Hits come in the string order of their paths, then by line; whatever cuts
//! an answer leaves the first of them, and is named in it. How files
//! are gone through is the subject of `search`, how the answer reads that of
//! `text`.

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

/// The lines under `target`, a file or a folder, that match the query; `count`
/// measures the answer against its `max_tokens`. What a limit cuts, the time
/// included, is an answer with less in it and says so.
///
/// An error is a target that cannot be opened or is neither a file nor a
/// folder, a pattern or a glob that cannot be used, and a context above its
/// limit. A file that cannot be read inside a folder is none:
/// the answer names it.
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

/// The same over the result in `content`, which is what `target` holds, for a tool without an
/// `offset`. Of a file with a header, only the lines of the result are searched and counted.
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

/// The query's pattern; its numbers are in range.
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
