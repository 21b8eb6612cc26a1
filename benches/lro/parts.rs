//! Parts: the time of each step of a call.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use query_sandbox::{Job, Workers};
use raw_json as raw;
use record_files::file::{self, Facts, identity, render};
use record_files::query::{self, Query};
use record_files::recipes::{Detail, Profile, candidates, ten};
use record_files::{estimate, find, recipes::Recipe, schema};
use unburden::config::DurabilityConfig;

use crate::place::{Place, config};
use crate::times::Table;

/// The steps of an offload in the library crates.
pub(crate) fn of_offloading(body: &[u8], place: &Place, table: &mut Table) {
    let body = std::str::from_utf8(body).expect("text");
    let members = table.take("parse the body", || raw::fields(body)).expect("an object");
    let results = raw::field(&members, "results").expect("a body has results");
    let count = |text: &str| token_count::Tokenizer::O200kBase.count(text);
    let tokens = table
        .take("estimate: canonical text", || estimate::tokens(&raw::canonical(results), &count));
    let found = table.take("find records", || find::records_of_array(results)).expect("an array");
    let lines: Vec<&str> = found.records().collect();
    let schema = table.take("schema", || schema::infer(lines.iter().copied()));
    let recipes =
        table.take("recipes: make and try in the jq worker", || tried(&schema, &lines, usize::MAX));
    let facts = Facts {
        operation: "recall".to_owned(),
        estimated_tokens: tokens,
        recipes: serde_json::value::to_raw_value(&recipes).ok(),
        ..Facts::default()
    };
    table.take("identity (hash)", || identity(&found, &facts));
    let content = table.take("render the file", || render(&found, &facts));
    table.take("hash the file", || blake3::hash(content.as_bytes()));
    let path = place.real("plain");
    let file = table.take("write a file", || write(&path, content.as_bytes()));
    table.take("sync it (synced calls only)", || file.sync_all().expect("the disk can be synced"));
}

fn jq() -> Workers {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(&folder, DurabilityConfig::Relaxed).extract;
    Workers::new(config.worker.clone().into(), config.worker_limits())
}

/// Tries the first candidates for recipes in a worker.
pub(crate) fn tried(schema: &schema::Schema, lines: &[&str], most: usize) -> Vec<Recipe> {
    let mut candidates = candidates(Profile::Mif, Detail::Full, schema);
    candidates.truncate(most);
    let sample: Vec<&str> =
        schema.sample().into_iter().filter_map(|at| lines.get(at).copied()).collect();
    let vars: Vec<_> = candidates.iter().map(Recipe::variables).collect();
    let job = |(recipe, vars)| {
        let Recipe { filter, slurp, raw, .. }: &Recipe = recipe;
        let vars: &Vec<(String, String)> = vars;
        Job { vars, slurp: Some(*slurp), raw: *raw, ..Job::new(filter) }
    };
    let jobs: Vec<Job<'_>> = candidates.iter().zip(&vars).map(job).collect();
    let tried = jq().check(&jobs, &format!("{}\n", sample.join("\n"))).expect("the worker runs");
    let good: Vec<bool> = tried.iter().map(Result::is_ok).collect();
    ten(candidates, &good)
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> File {
    let mut file = File::create(path).expect("the folder takes files");
    file.write_all(bytes).expect("the disk has room");
    file
}

/// The steps of `reading::extract` with a condition.
pub(crate) fn of_asking(path: &Path, query: &Query, table: &mut Table) {
    let bytes = table.take("read the file", || std::fs::read(path)).expect("the file is there");
    let content = table.take("check UTF-8", || String::from_utf8(bytes)).expect("text");
    let stored = table.take("header, count of lines", || file::split(&content)).expect("records");
    table
        .take("query::run", || query::run(query, stored.body(), &|| false).map(|o| o.matched))
        .expect("the fields are there");
    table.take("give the memory back", || drop(content));
}
