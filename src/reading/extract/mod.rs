//! `lro_extract`: queries on the records of a file – by a condition, by ids, by jq, or by
//! one of the file's recipes – so that the agent need not read it. Every query is bounded in
//! time, memory and output, and an answer that a bound cut says so.

pub(crate) mod answer;
pub(crate) mod request;
pub(crate) mod trial;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use crate::reading::limit::CountTokens;
use answer::{Extracted, of_jq, of_query};
use jq_sandbox::{Job, Jq, JqError};
use record_files::file::{self, Stored};
use record_files::find::{self, Accept};
use record_files::query::{self, QueryError};
use record_files::recipes::{Detail, Profile, Recipe, TEN};
use record_files::schema::infer;
use request::{ExtractQuery, JqFilter, RecipeCall};
use trial::tried;

/// The limits of one query.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// On time; jq has its own.
    pub deadline: Duration,
    /// On the answer, in bytes.
    pub answer_bytes: usize,
    /// On the file, in bytes.
    pub file_bytes: u64,
}

/// The errors of a query.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The condition, or a member next to it.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The filter.
    #[error(transparent)]
    Jq(#[from] JqError),
    /// A file without records.
    #[error(
        "{path:?} holds no records; a file of records (JSONL, or JSON with an array of them) would \
         be accepted here, and read_tool_result, read_file and grep read any other"
    )]
    NoRecords {
        /// The path as the caller spells it.
        path: String,
    },
    /// A file of records that is not whole.
    #[error("{path:?} is damaged: {why}")]
    Damaged {
        /// The path as the caller spells it.
        path: String,
        /// The damage.
        why: String,
    },
    /// A parameter that the recipe does not have.
    #[error("recipe {recipe} has no parameter \"{found}\"; {accepted}")]
    NoParam {
        /// The recipe's number.
        recipe: u64,
        /// The parameter.
        found: String,
        /// Those it has.
        accepted: String,
    },
}

/// The resources of a query.
pub(crate) struct Means<'a> {
    /// Runs filters.
    pub jq: &'a Jq,
    /// The ceilings.
    pub limits: &'a Limits,
    /// Counts.
    pub count: CountTokens<'a>,
}

/// Runs one query on `content`, the file at `path` as the caller spells it.
pub(crate) fn extract(
    content: &str,
    path: &str,
    asked: &ExtractQuery<'_>,
    max_tokens: Option<u64>,
    means: &Means<'_>,
) -> Result<Extracted, ExtractError> {
    let records = Records::of(content, path)?;
    let lines = records.lines();
    let limits = means.limits;
    let room = max_tokens.unwrap_or(u64::MAX);
    // A text too long for any answer is not counted.
    let count =
        |text: &str| if text.len() > limits.answer_bytes { u64::MAX } else { (means.count)(text) };
    match asked {
        ExtractQuery::Query(query) => {
            let until = Instant::now() + limits.deadline;
            let outcome = query::run(query, lines, &|| Instant::now() > until)?;
            Ok(of_query(&outcome, query, room, &count))
        }
        ExtractQuery::Jq(JqFilter { filter, vars, slurp, offset, limit }) => {
            let (offset, limit) = (*offset, *limit);
            let job = Job { filter, vars, slurp: *slurp, raw: false, offset, limit };
            Ok(of_jq(means.jq.run(&job, lines)?, &job, records.count(), room, &count))
        }
        ExtractQuery::Recipe(call) => {
            let recipe = records.recipe(call.number, means.jq);
            let vars = bound(&recipe, call)?;
            let Recipe { filter, slurp, raw, .. } = &recipe;
            let (offset, limit) = (call.offset, call.limit);
            let job = Job { filter, vars: &vars, slurp: *slurp, raw: *raw, offset, limit };
            Ok(of_jq(means.jq.run(&job, lines)?, &job, records.count(), room, &count))
        }
    }
}

/// The records of a file: of one made for them, or found in a stored result.
enum Records<'a> {
    Stored(Box<Stored<'a>>),
    Found(String),
}

impl<'a> Records<'a> {
    fn of(content: &'a str, path: &str) -> Result<Records<'a>, ExtractError> {
        match file::split(content) {
            Ok(stored) => Ok(Records::Stored(Box::new(stored))),
            Err(file::FileError::NoHeader { .. }) => {
                let found = find::find_records(content, Accept::Anything)
                    .ok_or_else(|| ExtractError::NoRecords { path: path.to_owned() })?;
                Ok(Records::Found(found.body().to_owned()))
            }
            Err(error) => {
                Err(ExtractError::Damaged { path: path.to_owned(), why: error.to_string() })
            }
        }
    }

    fn lines(&self) -> &str {
        match self {
            Records::Stored(stored) => stored.body(),
            Records::Found(lines) => lines,
        }
    }

    fn count(&self) -> u64 {
        match self {
            Records::Stored(stored) => stored.header.count,
            Records::Found(lines) => lines.lines().count() as u64,
        }
    }

    /// One of the ten recipes: those the file came with, or the same made again.
    fn recipe(&self, number: u64, jq: &Jq) -> Recipe {
        let at = usize::try_from(number).unwrap_or(TEN).clamp(1, TEN) - 1;
        let header = match self {
            Records::Stored(stored) => Some(&stored.header),
            Records::Found(_) => None,
        };
        let kept = header.and_then(|header| header.recipes.as_ref()).and_then(|recipes| {
            serde_json::from_str::<Vec<Recipe>>(recipes.get()).ok()?.into_iter().nth(at)
        });
        kept.unwrap_or_else(|| {
            let profile = header.and_then(|header| Profile::of(header.profile.as_deref()?));
            let detail = header.and_then(|header| Detail::of(&header.detail));
            let lines: Vec<&str> = self.lines().lines().collect();
            let schema = infer(lines.iter().copied());
            let (profile, detail) = (profile.unwrap_or_default(), detail.unwrap_or(Detail::Full));
            let (all, _) = tried(profile, detail, &schema, &lines, jq);
            all.into_iter().nth(at).unwrap_or_else(Recipe::identity)
        })
    }
}

/// The recipe's variables, with the caller's values for its defaults.
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
        var.1 = (*value).to_owned();
    }
    Ok(vars)
}
