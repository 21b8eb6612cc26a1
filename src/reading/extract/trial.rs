//! The trial of recipes and statements: runs each once on records of every shape before it is
//! offered. A spare replaces a recipe that fails.

use query_sandbox::{Job, Workers};
use record_files::recipes::{Detail, Profile, Recipe, TEN, candidates, statements, ten};
use record_files::schema::Schema;
use record_sql::{Query, Source};

use crate::compaction::reference;

/// Returns the ten recipes for `lines`, and the reason if some of them could not run to their end.
pub(crate) fn tried(
    profile: Profile,
    detail: Detail,
    schema: &Schema,
    lines: &[&str],
    workers: &Workers,
) -> (Vec<Recipe>, Option<String>) {
    let mut candidates = candidates(profile, detail, schema);
    for recipe in &mut candidates {
        // The description quotes field names, which come from a tool.
        if reference::is_forgery(&recipe.description) {
            recipe.description = "…".to_owned();
        }
    }
    // The recipes of the specifications are fixed, whatever they return.
    if candidates.len() == TEN {
        return (candidates, None);
    }
    let sample = sample_of(schema, lines);
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

/// Returns the SQL statements for `lines` that return rows.
pub(crate) fn tried_statements(schema: &Schema, lines: &[&str], workers: &Workers) -> Vec<String> {
    let sample = sample_of(schema, lines);
    let gives_rows = |sql: &String| {
        let records = Source { names: vec!["records".to_owned()], lines: &sample };
        let outcome = workers.sql(&Query { limit: Some(1), ..Query::new(sql, vec![records]) });
        outcome.is_ok_and(|outcome| !outcome.rows.is_empty())
    };
    // The statement quotes field names, which come from a tool.
    let plain = |sql: &String| !reference::is_forgery(sql) && !sql.contains(char::is_control);
    statements(schema).into_iter().filter(plain).filter(gives_rows).collect()
}

/// Returns records of every shape, one per line.
fn sample_of(schema: &Schema, lines: &[&str]) -> String {
    let sample = schema.sample().into_iter().filter_map(|at| lines.get(at));
    sample.flat_map(|line| [*line, "\n"]).collect()
}

/// Returns a recipe as a job for jq.
fn job<'a>(recipe: &'a Recipe, vars: &'a [(String, String)]) -> Job<'a> {
    let Recipe { filter, slurp, raw, .. } = recipe;
    Job { filter, vars, slurp: Some(*slurp), raw: *raw, offset: 0, limit: None }
}
