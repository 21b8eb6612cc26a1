//! `lro_extract`: queries the records of a file by a condition, ids, SQL, jq or one of the file's
//! recipes, so that the agent need not read it. Every query has limits on time, memory and output,
//! and an answer that a limit truncates says so.

pub(crate) mod answer;
mod command;
mod envelope;
mod object_lines;
pub(crate) mod request;
mod shell_words;
mod sql_answer;
pub(crate) mod trial;

use std::borrow::Cow;
use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::reading::limit::CountTokens;
use answer::{Extracted, of_jq, of_query};
use object_lines::ObjectLines;
use query_sandbox::{Cut, Job, JqError, Outcome as JqOutcome, SqlError, StartedWorker, Workers};
use record_files::file::header::Header;
use record_files::file::{self, Stored};
use record_files::find::{self, Accept, Found};
use record_files::query::{self, Outcome, QueryError};
use record_files::recipes::{Detail, Profile, Recipe, TEN};
use record_files::schema::infer;
use record_sql::{Query as SqlQuery, Source};
use request::{ExtractQuery, JqFilter, RecipeCall, SqlStatement};
use serde::de::IgnoredAny;
use sql_answer::of_sql;
use trial::tried;

/// Maximum length of the keys that lead to records, in a note, in bytes.
const MAX_PLACE_BYTES: usize = 120;

/// The limits of one query.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// On time; jq has its own limit.
    pub deadline: Duration,
    /// On the answer, in bytes.
    pub answer_bytes: usize,
    /// On the file, in bytes.
    pub file_bytes: u64,
}

/// The errors of a query.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The condition is invalid, or a member next to it.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The jq filter failed.
    #[error(transparent)]
    Jq(#[from] JqError),
    /// The SQL statement failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The file holds no records.
    #[error(
        "{path:?} holds no records{why}; accepted is a file of records (JSONL, or JSON with an array of \
         them); read other files with read_tool_result, read_file or grep"
    )]
    NoRecords {
        /// The path as the caller spells it.
        path: String,
        /// Describes the damage of its JSON, if it is damaged JSON.
        why: String,
    },
    /// The file of records is incomplete or changed.
    #[error("{path:?} is damaged: {why}")]
    Damaged {
        /// The path as the caller spells it.
        path: String,
        /// Describes the damage.
        why: String,
    },
    /// The recipe does not have this parameter.
    #[error("recipe {recipe} has no parameter \"{found}\"; {accepted}")]
    NoParam {
        /// The recipe's number.
        recipe: u64,
        /// The parameter.
        found: String,
        /// The parameters that it has.
        accepted: String,
    },
    /// The parameter of the recipe does not accept this value.
    #[error("the parameter \"{name}\" of recipe {recipe} is {found}; accepted is {accepted}")]
    ParamType {
        /// The recipe's number.
        recipe: u64,
        /// The parameter.
        name: String,
        /// The JSON type of the value.
        found: &'static str,
        /// The accepted type, with an example.
        accepted: String,
    },
}

/// The resources of a query.
pub(crate) struct Means<'a> {
    /// Worker processes that run filters and statements.
    pub workers: &'a Workers,
    /// The limits.
    pub limits: &'a Limits,
    /// Counts tokens.
    pub count: CountTokens<'a>,
    /// A worker for a statement, if one was started while the file was read.
    pub started: Cell<Option<StartedWorker>>,
}

/// A file of records.
#[derive(Debug, Clone)]
pub(crate) struct RecordFile<'a> {
    /// Its text.
    pub content: &'a str,
    /// Its path as the caller spells it.
    pub path: &'a str,
    /// Other names that a statement may use for it.
    pub names: Vec<String>,
}

/// Runs one query on the first file; an SQL statement may also read the others.
pub(crate) fn extract(
    files: &[RecordFile<'_>],
    asked: &ExtractQuery<'_>,
    max_tokens: Option<u64>,
    means: &Means<'_>,
) -> Result<Extracted, ExtractError> {
    let all = files.iter().map(|file| Records::of(file.content, file.path));
    let all: Vec<Records<'_>> = all.collect::<Result<_, _>>()?;
    let [records, ..] = all.as_slice() else { return Ok(Extracted::default()) };
    let lines = records.lines();
    let limits = means.limits;
    let room = max_tokens.unwrap_or(u64::MAX);
    let count = counting(means);
    match asked {
        ExtractQuery::Query(query) => {
            let until = Instant::now() + limits.deadline;
            let mut outcome = query::run(query, lines, &|| Instant::now() > until)?;
            outcome.notes.extend(records.note());
            Ok(of_query(&outcome, query, room, &count))
        }
        ExtractQuery::Jq(JqFilter { filter, vars, slurp, raw, offset, limit, note }) => {
            let (offset, limit) = (*offset, *limit);
            let job = Job { filter, vars, slurp: *slurp, raw: *raw, offset, limit };
            let outcome = paged(means.workers, &job, lines, &|text| count(text) > room);
            let mut outcome = envelope::explained(filter, records.header(), outcome)?;
            outcome.warnings.extend(note.clone().into_iter().chain(records.note()));
            Ok(of_jq(outcome, &job, records.count(), room, &count))
        }
        ExtractQuery::Recipe(call) => {
            let recipe = records.recipe(call.number, means.workers);
            let vars = bound(&recipe, call)?;
            let Recipe { filter, slurp, raw, .. } = &recipe;
            let (offset, limit) = (call.offset, call.limit);
            let job = Job { filter, vars: &vars, slurp: Some(*slurp), raw: *raw, offset, limit };
            let mut outcome = paged(means.workers, &job, lines, &|text| count(text) > room)?;
            outcome.warnings.extend(records.note());
            Ok(of_jq(outcome, &job, records.count(), room, &count))
        }
        ExtractQuery::Sql(SqlStatement { sql, offset, limit }) => {
            let sources = files.iter().zip(&all).map(|(file, records)| Source {
                names: file.names.clone(),
                lines: records.lines(),
            });
            let sources = sources.collect();
            let (offset, limit) = (*offset, *limit);
            let query = SqlQuery { sql, sources, offset, limit };
            let mut outcome = means.workers.sql_in(means.started.take(), &query)?;
            outcome.notes.extend(all.iter().filter_map(Records::note));
            Ok(of_sql(&outcome, offset, records.count(), room, &count))
        }
    }
}

/// Answers a query from the start of a file. Returns `None` if the answer needs later records.
pub(crate) fn extract_start(
    start: &str,
    asked: &ExtractQuery<'_>,
    max_tokens: Option<u64>,
    means: &Means<'_>,
) -> Option<Extracted> {
    let ExtractQuery::Query(query) = asked else { return None };
    let stored = file::split_start(start).ok()?;
    let until = Instant::now() + means.limits.deadline;
    let outcome = query::run(query, stored.body(), &|| Instant::now() > until).ok()?;
    let total = stored.header.count;
    let outcome = Outcome { records_total: total, matched: total, ..outcome };
    let count = counting(means);
    let answer = of_query(&outcome, query, max_tokens.unwrap_or(u64::MAX), &count);
    let is_full = query.limit() == Some(outcome.records.len());
    let is_cut = answer.records.as_ref().map_or(0, Vec::len) < outcome.records.len();
    (outcome.complete && (is_full || is_cut)).then_some(answer)
}

/// Runs a filter. If its only output is an array, and the request wants a page or the array does
/// not fit, returns the elements of the array as outputs.
fn paged(
    jq: &Workers,
    job: &Job<'_>,
    lines: &str,
    is_too_large: &dyn Fn(&str) -> bool,
) -> Result<JqOutcome, JqError> {
    let mut outcome = jq.run(job, lines)?;
    let is_page = job.offset > 0 || job.limit.is_some();
    if outcome.total != Some(1) || job.raw {
        return Ok(outcome);
    }
    if job.offset > 0 {
        outcome = jq.run(&Job { offset: 0, limit: None, ..*job }, lines)?;
    }
    let is_paged = |value: &&String| is_page || is_too_large(value);
    let Some(array) = outcome.values.first().filter(is_paged) else { return Ok(outcome) };
    let Ok(elements) = raw_json::elements(array) else {
        if job.offset > 0 {
            outcome.warnings.push("offset has no effect: the filter gave one value".to_owned());
        }
        return Ok(outcome);
    };
    let skipped = usize::try_from(job.offset).unwrap_or(usize::MAX);
    let shown = job.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let page = elements.iter().skip(skipped).take(shown);
    let values: Vec<String> = page.map(|element| (*element).to_owned()).collect();
    outcome.warnings.push("the filter gave one array; these are its elements".to_owned());
    Ok(JqOutcome {
        cut: (skipped.saturating_add(values.len()) < elements.len()).then_some(Cut::Limit),
        total: Some(elements.len() as u64),
        slurped: outcome.slurped,
        warnings: outcome.warnings,
        values,
    })
}

/// Returns a function that counts the tokens of an answer. A text above `answer_bytes` is not
/// counted: it has `u64::MAX` tokens.
fn counting<'m>(means: &'m Means<'_>) -> impl Fn(&str) -> u64 + use<'m> {
    |text| if text.len() > means.limits.answer_bytes { u64::MAX } else { (means.count)(text) }
}

/// The records of a file of records, or those found in another stored result.
enum Records<'a> {
    Stored(Box<Stored<'a>>),
    /// With a note on where they are in their file, if it holds more.
    Found {
        lines: String,
        note: Option<String>,
    },
}

impl<'a> Records<'a> {
    fn of(content: &'a str, path: &str) -> Result<Records<'a>, ExtractError> {
        match file::split(content) {
            Ok(stored) => Ok(Records::Stored(Box::new(stored))),
            Err(file::FileError::NoHeader { .. }) => Self::found(content, path).ok_or_else(|| {
                ExtractError::NoRecords { path: path.to_owned(), why: why(content) }
            }),
            Err(error) => {
                Err(ExtractError::Damaged { path: path.to_owned(), why: error.to_string() })
            }
        }
    }

    /// Returns the records of a file that was not written as a file of records.
    fn found(content: &str, path: &str) -> Option<Self> {
        if path.ends_with(".jsonl") {
            let lines = ObjectLines::of(content);
            if lines.are_whole() {
                return Some(Records::Found { lines: lines.objects, note: None });
            }
        }
        let found = find::find_records(content, Accept::Anything)
            .or_else(|| find::find_records(content, Accept::OnlyArray));
        if let Some(found) = found {
            return Some(Records::Found { lines: found.body().to_owned(), note: note(&found) });
        }
        let damaged = [ObjectLines::of(content), ObjectLines::of_array(content)];
        let most = damaged.into_iter().find(|objects| objects.are_most(path))?;
        let note = most.note();
        Some(Records::Found { lines: most.objects, note })
    }

    fn lines(&self) -> &str {
        match self {
            Records::Stored(stored) => stored.body(),
            Records::Found { lines, .. } => lines,
        }
    }

    fn count(&self) -> u64 {
        match self {
            Records::Stored(stored) => stored.header.count,
            Records::Found { lines, .. } => lines.lines().count() as u64,
        }
    }

    /// Returns the note on a file that holds more than its records.
    fn note(&self) -> Option<String> {
        match self {
            Records::Stored(stored) => envelope::other_array(&stored.header),
            Records::Found { note, .. } => note.clone(),
        }
    }

    fn header(&self) -> Option<&Header> {
        match self {
            Records::Stored(stored) => Some(&stored.header),
            Records::Found { .. } => None,
        }
    }

    /// Returns one of the ten recipes: the stored one, or a new one if none is stored.
    fn recipe(&self, number: u64, workers: &Workers) -> Recipe {
        let at = usize::try_from(number).unwrap_or(TEN).clamp(1, TEN) - 1;
        let header = self.header();
        let kept = header.and_then(|header| header.recipes.as_ref()).and_then(|recipes| {
            serde_json::from_str::<Vec<Recipe>>(recipes.get()).ok()?.into_iter().nth(at)
        });
        kept.unwrap_or_else(|| {
            let profile = header.and_then(|header| Profile::of(header.profile.as_deref()?));
            let detail = header.and_then(|header| Detail::of(&header.detail));
            let lines: Vec<&str> = self.lines().lines().collect();
            let schema = infer(lines.iter().copied());
            let (profile, detail) = (profile.unwrap_or_default(), detail.unwrap_or(Detail::Full));
            let (all, _) = tried(profile, detail, &schema, &lines, workers);
            all.into_iter().nth(at).unwrap_or_else(Recipe::identity)
        })
    }
}

/// Returns why a text that begins like JSON has no records, if it is damaged.
fn why(content: &str) -> String {
    let text = content.trim_start_matches('\u{feff}').trim();
    let is_json = !text.starts_with(['[', '{']) || raw_json::value(text).is_some();
    let damage = serde_json::from_str::<IgnoredAny>(text).err().filter(|_| !is_json);
    damage.map_or_else(String::new, |damage| format!(": its JSON is damaged ({damage})"))
}

/// Returns a note on where the records are, and what else their file holds.
fn note(found: &Found) -> Option<String> {
    let beside = found.around();
    let beside = beside
        .map(|around| format!("the file also holds {around}, which is not part of these records"));
    let place = Some(found.place()).filter(|place| (1..=MAX_PLACE_BYTES).contains(&place.len()));
    let place = place.map(|place| format!("the records are the elements of {place}"));
    match (place, beside) {
        (Some(place), Some(beside)) => Some(format!("{place}; {beside}")),
        (_, beside) => beside,
    }
}

/// Returns the recipe's variables, with the caller's values in place of its defaults.
fn bound(recipe: &Recipe, call: &RecipeCall<'_>) -> Result<Vec<(String, String)>, ExtractError> {
    let mut vars = recipe.variables();
    for (name, value) in &call.params {
        let Some(var) = vars.iter_mut().find(|(known, _)| known == name) else {
            let known: Vec<&str> = vars.iter().map(|(name, _)| name.as_str()).collect();
            let accepted = match known.as_slice() {
                [] => "it takes none".to_owned(),
                names => format!("accepted: {}", names.join(", ")),
            };
            let found = Cow::clone(name).into_owned();
            return Err(ExtractError::NoParam { recipe: call.number, found, accepted });
        };
        var.1 = like(&var.1, value).ok_or_else(|| ExtractError::ParamType {
            recipe: call.number,
            name: var.0.clone(),
            found: raw_json::kind(value),
            accepted: format!("{}, such as {}", raw_json::kind(&var.1), var.1),
        })?;
    }
    Ok(vars)
}

/// Converts a value to the type of the default, as conditions do: a number may be given as text,
/// and text as a number. Returns `None` for a value of another type.
fn like(default: &str, value: &str) -> Option<String> {
    let is_number = |json: &str| json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let is_text = |json: &str| json.starts_with('"');
    if raw_json::kind(default) == raw_json::kind(value) {
        return Some(value.to_owned());
    }
    if is_number(default) && is_text(value) {
        let text = raw_json::unescape(value).text.trim().to_owned();
        return (is_number(&text) && raw_json::value(&text) == Some(text.as_str())).then_some(text);
    }
    (is_text(default) && is_number(value)).then(|| raw_json::quote(value))
}
