//! The material of a result: its records, what is known of them, and the recipes
//! that were tried on them.

use std::borrow::Cow;

use super::request::{Given, Request};
use crate::history::raw;
use crate::jq::{Job, Jq};
use crate::lro::estimate;
use crate::lro::profile::{Detail, Profile};
use crate::lro::recipe::Recipe;
use crate::lro::recipes::{TEN, candidates, ten};
use crate::lro::records::{self, Accept, Found};
use crate::lro::schema::{Schema, infer};
use crate::tokens::Tokenizer;

impl Request<'_> {
    /// The whole result as a text, as it would stand in a context.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match &self.given {
            Given::Results(results) => Cow::Borrowed(results),
            Given::Content(content) => Cow::Borrowed(content),
        }
    }

    /// What the whole result costs inline (`lro-spec-1600`, "Threshold Detection").
    pub(super) fn estimated_tokens(&self) -> u64 {
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        match &self.given {
            // White space between tokens is no part of what is delivered.
            Given::Results(results) => estimate::tokens(&raw::canonical(results), &count),
            Given::Content(content) => estimate::tokens(content, &count),
        }
    }

    /// The records of the result; where it has none, its lines.
    pub(super) fn records(&self) -> Found {
        match &self.given {
            Given::Results(results) => records::of_array(results),
            Given::Content(content) => records::find(content, Accept::Anything),
        }
        .unwrap_or_else(|| records::of_lines(&self.text()))
    }
}

/// Records with what is known of them.
pub(super) struct Material {
    pub(super) schema: Schema,
    pub(super) recipes: Vec<Recipe>,
    /// Why the recipes were not tried.
    pub(super) untried: Option<String>,
}

impl Material {
    /// Learns the schema of `lines`; `tried` are recipes known to run on them.
    pub(super) fn of(
        lines: &[&str],
        request: &Request<'_>,
        tried: Option<Vec<Recipe>>,
        jq: &Jq,
    ) -> Material {
        let schema = infer(lines.iter().copied());
        let (recipes, untried) = match tried {
            Some(recipes) => (recipes, None),
            None => recipes(request.profile, &request.detail, &schema, lines, jq),
        };
        Material { schema, recipes, untried }
    }
}

/// The ten recipes, each run once on records of every shape there is.
fn recipes(
    profile: Profile,
    detail: &str,
    schema: &Schema,
    lines: &[&str],
    jq: &Jq,
) -> (Vec<Recipe>, Option<String>) {
    let detail = Detail::of(detail).unwrap_or(Detail::Full);
    let candidates = candidates(profile, detail, schema);
    // The tables of the specifications are fixed, whatever they give.
    if candidates.len() == TEN {
        return (candidates, None);
    }
    let mut sample = String::new();
    for line in schema.sample().into_iter().filter_map(|at| lines.get(at)) {
        sample.push_str(line);
        sample.push('\n');
    }
    let vars: Vec<Vec<(String, String)>> = candidates.iter().map(Recipe::variables).collect();
    let jobs: Vec<Job<'_>> =
        candidates.iter().zip(&vars).map(|(recipe, vars)| job(recipe, vars)).collect();
    let (good, untried) = match jq.check(&jobs, &sample) {
        Ok(tried) => {
            let good: Vec<bool> = tried.iter().map(Result::is_ok).collect();
            let failed = TEN.saturating_sub(good.iter().filter(|good| **good).count());
            let why = tried.into_iter().find_map(Result::err).map(|error| error.to_string());
            let why = why.filter(|_| failed > 0);
            (good, why.map(|why| format!("{failed} recipes were not run to their end: {why}")))
        }
        Err(error) => {
            (vec![true; candidates.len()], Some(format!("the recipes were not tried: {error}")))
        }
    };
    (ten(candidates, &good), untried)
}

/// A recipe as a job for jq.
fn job<'a>(recipe: &'a Recipe, vars: &'a [(String, String)]) -> Job<'a> {
    Job {
        filter: &recipe.filter,
        vars,
        slurp: recipe.slurp,
        raw: recipe.raw,
        offset: 0,
        limit: None,
    }
}
