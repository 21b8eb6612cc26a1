//! The trial of recipes: each is run once on records of every shape before it is offered,
//! and a spare replaces one that fails.

use query_sandbox::{Job, Workers};
use record_files::recipes::{Detail, Profile, Recipe, TEN, candidates, ten};
use record_files::schema::Schema;

use crate::compaction::reference;

/// Returns the ten recipes for `lines`, and the reason if some of them could not be run to
/// their end.
pub(crate) fn tried(
    profile: Profile,
    detail: Detail,
    schema: &Schema,
    lines: &[&str],
    workers: &Workers,
) -> (Vec<Recipe>, Option<String>) {
    let mut candidates = candidates(profile, detail, schema);
    for recipe in &mut candidates {
        // It quotes the names of fields, which come from a tool.
        if reference::is_forgery(&recipe.description) {
            recipe.description = "…".to_owned();
        }
    }
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
    let (good, why) = match workers.check(&jobs, &sample) {
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
    (ten(candidates, &good), why)
}

/// A recipe as a job for jq.
fn job<'a>(recipe: &'a Recipe, vars: &'a [(String, String)]) -> Job<'a> {
    let Recipe { filter, slurp, raw, .. } = recipe;
    Job { filter, vars, slurp: *slurp, raw: *raw, offset: 0, limit: None }
}
