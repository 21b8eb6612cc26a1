//! `/read_tool_result`: returns a part of a stored result by its id.

use std::io;
use std::path::Path;

use super::failure::Failure;
use super::requests;
use super::state::Service;
use super::stored_file::several;
use crate::compaction::reference::is_forgery;
use crate::envelope::Answer;
use crate::params::{Params, checked, invalid};
use crate::reading::error::ReloadError;
use crate::reading::grep;
use crate::reading::target::Target;
use crate::reading::tool_result::{ACCEPTED, Lines, Room, ends_of, part, text_of};
use context_store::{
    Location, MAX_WHOLE_FILE_BYTES, find_ended_result, find_results, is_away, regular_len,
    store_folders,
};
use raw_json::quote;
use record_files::file::header::header_of;
use token_count::Tokenizer;

/// Maximum number of paths that an ambiguous id lists.
const MAX_CANDIDATES: usize = 10;
/// Maximum number of characters of an id that an error repeats.
const MAX_ID_CHARS: usize = 200;
/// Maximum number of characters of the text around records that an answer shows.
const AROUND_CHARS: usize = 120;
/// Placeholder for the records in the text around them.
const RECORDS: &str = "…";

impl Service {
    /// `POST /read_tool_result`.
    pub fn read_tool_result(&self, body: &[u8]) -> Result<Answer, Failure> {
        let body = checked(body, requests::ToolResult::FIELDS, &[])?;
        let params = Params::parse(&body)?;
        let requests::ToolResult { result_id: id, lines: word, max_tokens, store_dir } =
            requests::ToolResult::from_params(&params)?;
        let lines =
            Lines::parse(&word).ok_or_else(|| invalid("lines", &format!("{word:?}"), ACCEPTED))?;
        let max_tokens = self.reload.ceiling(max_tokens);
        let (at, others) = self.result(&id, store_dir.as_deref())?;
        let answer = |content: &str| {
            let note = note_on(content, &others, max_tokens);
            // Counts the line feed before the note, too.
            let taken = if note.is_empty() { 0 } else { 1 + Tokenizer::O200kBase.count(&note) };
            let room = max_tokens.map(|most| most.saturating_sub(taken).max(1));
            let answer = match &lines {
                Lines::Grep(pattern) => self.grep_result(&at, content, pattern, room),
                lines => self.part_of_result(&at, &text_of(content).text, lines, room),
            };
            answer.map(|answer| answer.with_note(&note))
        };
        let mut answer = self.with_text("result_id", &at, MAX_WHOLE_FILE_BYTES, answer)?;
        answer.put("path", &at.spelled());
        if !others.is_empty() {
            answer.put("others", &others);
        }
        Ok(answer)
    }

    /// Returns the file of an id, and other candidates.
    fn result(&self, id: &str, folder: Option<&str>) -> Result<(Location, Vec<String>), Failure> {
        // A path wins; an id may contain a slash, too.
        let path = id.contains('/').then(|| self.readable("result_id", id));
        if let Some(Ok(at)) = &path
            && regular_len(at).is_ok()
        {
            return Ok((at.clone(), Vec::new()));
        }
        let folders = match folder {
            Some(folder) => vec![self.readable("store_dir", folder)?],
            None => {
                let roots = self.roots.for_operation();
                let stores = searched(id, store_folders(&roots))?;
                roots.first().into_iter().chain(stores).collect()
            }
        };
        let mut found: Vec<Location> = Vec::new();
        for folder in &folders {
            for at in searched(id, find_results(folder, id))? {
                if found.iter().all(|known| known.key() != at.key()) {
                    found.push(at);
                }
            }
        }
        if !found.is_empty() {
            return newest_match(id, &found);
        }
        if let Some(path) = path {
            return Ok((path?, Vec::new()));
        }
        // A deleted result is reported as such, not as unknown.
        let not_found = || ReloadError::NotFound { path: id.to_owned(), ended: None };
        for folder in &folders {
            if let Some(at) = searched(id, find_ended_result(folder, id))? {
                return Err(self.no_file("result_id", &at, not_found()));
            }
        }
        let shown = id.chars().take(MAX_ID_CHARS).collect();
        let source = several(id).unwrap_or(ReloadError::NoResult { id: shown });
        Err(Failure::Reload { field: "result_id", source })
    }

    fn part_of_result(
        &self,
        at: &Location,
        text: &str,
        lines: &Lines,
        max_tokens: Option<u64>,
    ) -> Result<Answer, Failure> {
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let room = Room { max_tokens, answer_bytes: self.reload.read_answer_bytes, count: &count };
        let part = part(text, lines, at.spelled(), &room)
            .map_err(|source| Failure::Reload { field: "result_id", source })?;
        let mut answer = Answer::text(part.answer);
        answer.put("total_lines", &part.total_lines);
        answer.put("next_lines", &part.next_lines);
        answer.put("truncated", &part.truncated.is_some());
        answer.put("truncated_by", &part.truncated);
        Ok(answer)
    }

    fn grep_result(
        &self,
        at: &Location,
        content: &str,
        pattern: &str,
        max_tokens: Option<u64>,
    ) -> Result<Answer, Failure> {
        let query = grep::Query {
            pattern: pattern.to_owned(),
            glob: None,
            limit: None,
            offset: 0,
            context: 0,
            case: grep::CaseMode::Ignore,
            syntax: grep::Syntax::Regex,
            max_tokens,
        };
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let found = grep::grep_in(&Target::of(at), content, &query, &self.reload.grep(), &count)
            .map_err(|source| Failure::Reload { field: "lines", source })?;
        let mut answer = Answer::text(found.answer);
        answer.put("matches", &found.matches);
        answer.put("matches_total", &found.matches_total);
        answer.put("matches_total_exact", &found.matches_total_exact);
        answer.put("truncated", &found.truncated.is_some());
        answer.put("truncated_by", &found.truncated);
        Ok(answer)
    }
}

/// Returns what the reader of a part needs in addition, as lines: the text around the records of
/// the result, and other results with its id. It is short, so that the answer is still recognised
/// as a part of the file (I3), and shorter if `max_tokens` leaves little room.
fn note_on(content: &str, others: &[String], max_tokens: Option<u64>) -> String {
    let header = header_of(content.as_bytes());
    let around = header.and_then(|header| header.around(RECORDS)).unwrap_or_default();
    let around = Some(around.trim()).filter(|around| !around.is_empty() && *around != RECORDS);
    let note = |is_short: bool| {
        let around = around.map(|around| match is_short || is_forgery(around) {
            true => "[line 1 of the file holds text around the records]".to_owned(),
            false => {
                let around = quote(&ends_of(around, AROUND_CHARS));
                format!("[around the records, in line 1 of the file: {around}]")
            }
        });
        let more = others.len().saturating_sub(1);
        let others = others.first().map(|other| match (is_short, more) {
            (true, _) => format!("[{} more results have this id]", others.len()),
            (false, 0) => format!("[stored with this id, too: {other}]"),
            (false, _) => format!("[stored with this id, too: {other} and {more} more]"),
        });
        around.into_iter().chain(others).collect::<Vec<_>>().join("\n")
    };
    let whole = note(false);
    let has_room = |most: u64| Tokenizer::O200kBase.count(&whole) <= most / 4;
    if max_tokens.is_none_or(has_room) { whole } else { note(true) }
}

/// Returns the result of a search in one folder. A folder that cannot be read counts as empty; a
/// store that is not available is an error, because it may have the result.
fn searched<T: Default>(id: &str, found: io::Result<T>) -> Result<T, Failure> {
    match found {
        Ok(found) => Ok(found),
        Err(error) if is_away(&error) => {
            let path = id.chars().take(MAX_ID_CHARS).collect();
            let source = ReloadError::Away { path, reason: error.to_string() };
            Err(Failure::Reload { field: "result_id", source })
        }
        Err(error) => {
            tracing::warn!(%error, "a folder could not be searched");
            Ok(T::default())
        }
    }
}

/// Returns the first match and the others. Matches in different folders belong to different
/// chats, so only the caller can choose.
fn newest_match(id: &str, found: &[Location]) -> Result<(Location, Vec<String>), Failure> {
    let spelled = || found.iter().map(|at| at.spelled().to_owned());
    let folder = |at: &Location| at.key().parent().map(Path::to_path_buf);
    if found.iter().all(|at| folder(at) == folder(&found[0])) {
        return Ok((found[0].clone(), spelled().skip(1).collect()));
    }
    let mut paths: Vec<String> = spelled().collect();
    paths.sort();
    paths.truncate(MAX_CANDIDATES);
    let id = id.chars().take(MAX_ID_CHARS).collect();
    let source = ReloadError::Ambiguous { id, paths, found: found.len() };
    Err(Failure::Reload { field: "result_id", source })
}
