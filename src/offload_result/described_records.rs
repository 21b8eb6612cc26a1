//! The records of a result, their schema, and the recipes and statements that were tried on them.

use std::borrow::Cow;

use raw_json as raw;
use redact::Redact;

use super::request::{GivenResult, Request};
use crate::reading::extract::trial::{tried as tried_on, tried_statements};
use query_sandbox::Workers;
use record_files::estimate;
use record_files::find::{self, Accept, Found};
use record_files::recipes::{Detail, Profile, Recipe};
use record_files::schema::{Schema, infer_hiding};
use token_count::Tokenizer;

impl Request<'_> {
    /// Returns the whole result as text, as a context would contain it.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match &self.given {
            GivenResult::Results(results) => Cow::Borrowed(results),
            GivenResult::Content(content) => Cow::Borrowed(content),
        }
    }

    /// Estimates the tokens of the whole result inline (`lro-spec-1600`, "Threshold Detection").
    pub(super) fn estimated_tokens(&self) -> u64 {
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        match &self.given {
            // White space between tokens is not delivered, so it does not count.
            GivenResult::Results(results) => estimate::tokens(&raw::canonical(results), &count),
            GivenResult::Content(content) => estimate::tokens(content, &count),
        }
    }

    /// Returns the records of the result, or `None` for a text without records.
    pub(super) fn records(&self) -> Option<Found> {
        match &self.given {
            GivenResult::Results(results) => find::records_of_array(results),
            GivenResult::Content(content) => find::find_records(content, Accept::Anything),
        }
    }
}

/// The schema of records, with recipes for them.
pub(super) struct DescribedRecords {
    pub(super) schema: Schema,
    pub(super) recipes: Vec<Recipe>,
    /// SQL statements that return rows.
    pub(super) statements: Vec<String>,
    /// The reason that recipes were not tried.
    pub(super) untried: Option<String>,
}

impl DescribedRecords {
    /// Infers the schema of the records; `tried` are recipes known to run on them.
    pub(super) fn of(
        found: &Found,
        request: &Request<'_>,
        tried: Option<Vec<Recipe>>,
        workers: &Workers,
        redact: Redact,
    ) -> DescribedRecords {
        let lines: Vec<&str> = found.records().collect();
        let schema = infer_hiding(lines.iter().copied(), &redact.secrets(found.body()));
        let (recipes, untried) = match tried {
            Some(recipes) => (recipes, None),
            None => {
                let detail = Detail::of(&request.detail).unwrap_or(Detail::Full);
                tried_on(request.members.profile, detail, &schema, &lines, workers)
            }
        };
        let statements = match request.members.profile {
            Profile::General => tried_statements(&schema, &lines, workers),
            Profile::Mif | Profile::Mif6400 => Vec::new(),
        };
        DescribedRecords { schema, recipes, statements, untried }
    }
}
