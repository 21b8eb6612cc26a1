//! Schema and recipes of real records. Skipped without `../shared`, or without the
//! shell and jq that a test needs.

use std::process::{Command, Stdio};

use raw_json as raw;
use record_files::recipes;
use record_files::recipes::{Detail, Profile, Recipe};
use record_files::schema::{Schema, infer};
use serde_json::Value;

use crate::asking::{shared_files, tight};

/// Returns the records of every shared corpus, at most the first 3,000 of each.
fn corpora() -> Vec<(String, Vec<String>)> {
    let of = |(name, text): (String, String)| {
        let elements = raw::elements(&text).ok().filter(|_| !name.starts_with("tasks"))?;
        let records = elements.iter().take(3_000).map(|element| tight(element));
        Some((name, records.collect()))
    };
    ["records", "lro"].into_iter().flat_map(shared_files).filter_map(of).collect()
}

fn schema_of(records: &[String]) -> Schema {
    infer(records.iter().map(String::as_str))
}

/// Runs the recipe's command over a file in a shell; returns its output or its error message.
pub(super) fn in_a_shell(recipe: &Recipe, path: &str) -> Result<String, String> {
    let command = recipe.command(path);
    let output = Command::new("sh").args(["-c", &command]).stdin(Stdio::null()).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && complaint.is_empty() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command}\n{complaint}"))
}

#[test]
fn every_real_record_fits_its_schema() {
    for (name, records) in corpora() {
        let schema = schema_of(&records);
        assert_eq!(schema.records(), records.len() as u64);
        for budget in [100_000, 3_000, 800] {
            let text = schema.json_schema(budget);
            assert!(text.len() <= budget, "{name} {budget} {}", text.len());
            let value: Value = serde_json::from_str(&text).unwrap();
            let validator =
                jsonschema::options().should_validate_formats(true).build(&value).unwrap();
            for record in records.iter().take(1_000) {
                let record: Value = serde_json::from_str(record).unwrap();
                assert!(validator.is_valid(&record), "{name} {budget}: {record}\n{text}");
            }
        }
    }
}

#[test]
fn recipes_for_real_records_run_and_show_something() {
    if super::system_jq(&["."], "1").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, records) in corpora() {
        let schema = schema_of(&records);
        let candidates = recipes::candidates(Profile::General, Detail::Full, &schema);
        assert!(candidates.len() >= 16, "{name}: {}", candidates.len());
        let lines: Vec<&str> = match records.len() <= 60 {
            true => records.iter().map(String::as_str).collect(),
            false => schema.sample().iter().map(|at| records[*at].as_str()).collect(),
        };
        let file = folder.path().join("records.jsonl");
        std::fs::write(&file, format!("{{\"type\":\"lro_header\"}}\n{}\n", lines.join("\n")))
            .unwrap();
        let empty = |output: &str| matches!(output.trim(), "" | "[]" | "null" | "0" | "{}");
        let outputs: Vec<String> = candidates
            .iter()
            .take(16)
            .map(|recipe| in_a_shell(recipe, file.to_str().unwrap()).unwrap())
            .collect();
        let shown = outputs.iter().take(10).filter(|output| !empty(output)).count();
        assert!(shown >= 8, "{name}: {shown} of the first ten show something");
    }
}
