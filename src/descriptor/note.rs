//! The note of a result that became a file of records. It replaces the result in the history,
//! above the reference line.
//!
//! ```text
//! [JSONL records: 500 records, 41234 tokens, 165432 bytes; around them {"total":500}; fields: id string uuid, …; lro_extract(file_path="./store/lro-….jsonl", where={…}, count=true)]
//! (detailed result is stored in ./store/lro-….jsonl)
//! ```
//!
//! It is one line in brackets; a richer note has more lines above it. Names and values in it
//! come from a tool; they can neither break the line nor imitate a reference.

use raw_json::quote;

use super::Richness;
use super::words;
use crate::compaction::call::{ReloadTool, ReloadTools};
use crate::compaction::reference;
use record_files::recipes::{Purpose, Recipe};
use record_files::schema::Schema;

/// The start of a note of records.
pub(crate) const OPEN: &str = "[JSONL records: ";
/// The most bytes of the field list.
const MAX_FIELDS_BYTES: usize = 170;
/// The most bytes of the scalars around the records.
const MAX_AROUND_BYTES: usize = 300;
/// The most bytes of the statistics above the note.
const MAX_STATISTICS_BYTES: usize = 700;
/// The recipes above the note of a compact descriptor.
const COMPACT_RECIPES: usize = 3;

/// The contents of a note.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoteFacts<'a> {
    /// The tokens of the offloaded text.
    pub tokens: u64,
    /// The bytes of the file.
    pub bytes: u64,
    /// The schema of the records.
    pub schema: &'a Schema,
    /// The scalars around the records, as a JSON object.
    pub around: Option<&'a str>,
    /// The file's path, as spelled by the caller.
    pub path: &'a str,
    /// The tools that the agent has.
    pub tools: &'a ReloadTools,
    /// The ten recipes.
    pub recipes: &'a [Recipe],
}

/// Returns the note, without a line feed at its end.
pub(crate) fn note(facts: &NoteFacts<'_>, richness: Richness) -> String {
    let mut lines = Vec::new();
    if richness != Richness::Pointer {
        lines.extend(statistics(facts.schema));
    }
    match richness {
        Richness::Full | Richness::NoSchema => lines.extend(recipes(facts, usize::MAX)),
        Richness::Compact => lines.extend(recipes(facts, COMPACT_RECIPES)),
        Richness::NoRecipes | Richness::Pointer => {}
    }
    lines.retain(|line| !reference::is_forgery(line));
    lines.push(bracket(facts));
    lines.join("\n")
}

fn bracket(facts: &NoteFacts<'_>) -> String {
    let head = format!(
        "{OPEN}{} records, {} tokens, {} bytes; ",
        facts.schema.records(),
        facts.tokens,
        facts.bytes
    );
    let parts = [
        facts.around.and_then(around),
        Some(format!("fields: {}", words::fields_line(facts.schema, MAX_FIELDS_BYTES))),
        call(facts),
    ];
    let safe = |part: &String| !reference::is_forgery(part) && !part.contains(['\n', '\r']);
    let parts: Vec<String> = parts.into_iter().flatten().filter(safe).collect();
    format!("{head}{}]", parts.join("; "))
}

fn around(json: &str) -> Option<String> {
    let line: String = json.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    (!line.is_empty() && line.len() <= MAX_AROUND_BYTES).then(|| format!("around them {line}"))
}

/// Returns a call that queries the file, with the best tool that the agent has.
fn call(facts: &NoteFacts<'_>) -> Option<String> {
    let path = quote(facts.path);
    let example = words::example(facts.schema);
    let word = || example.as_ref().and_then(|example| example.word.as_deref());
    let name = |tool| facts.tools.name(tool);
    if let Some(name) = name(ReloadTool::LroExtract) {
        let condition = example.as_ref().map_or("recipe=1".to_owned(), |example| {
            format!("where={}, count=true", example.condition)
        });
        return Some(format!("{name}(file_path={path}, {condition})"));
    }
    if let Some(name) = name(ReloadTool::ReadToolResult) {
        let lines = word().map_or("first:20".to_owned(), |word| format!("grep:{word}"));
        return Some(format!("{name}(result_id={path}, lines=\"{lines}\")"));
    }
    if let Some(name) = name(ReloadTool::ReadFile) {
        return Some(format!("{name}(absolute_path={path}, start_line=2, limit=20)"));
    }
    if let Some(name) = name(ReloadTool::Grep) {
        return Some(format!("{name}(pattern={}, path={path})", quote(word().unwrap_or("…"))));
    }
    let filter = facts.recipes.iter().find(|recipe| recipe.purpose() == Purpose::Filter);
    let recipe = filter.or(facts.recipes.first()).filter(|_| facts.tools.has(ReloadTool::Shell))?;
    Some(recipe.command(facts.path))
}

fn statistics(schema: &Schema) -> Vec<String> {
    let (fields, more) = words::statistics(schema, MAX_STATISTICS_BYTES);
    let mut lines: Vec<String> =
        fields.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    if more > 0 {
        lines.push(format!("… {more} more fields"));
    }
    lines
}

/// Returns at most `max` recipes in the form for the agent's tools; empty if no tool runs them.
fn recipes(facts: &NoteFacts<'_>, max: usize) -> Vec<String> {
    let shell = facts.tools.has(ReloadTool::Shell);
    let extract = facts.tools.has(ReloadTool::LroExtract);
    let line = |(at, recipe): (usize, &Recipe)| {
        let description = words::clean(&recipe.description);
        let number = at + 1;
        if extract {
            format!("recipe={number}: {description}")
        } else {
            format!("{number}. {description}: {}", recipe.command(facts.path))
        }
    };
    let shown = if shell || extract { max } else { 0 };
    facts.recipes.iter().take(shown).enumerate().map(line).collect()
}

#[cfg(test)]
#[path = "note_tests.rs"]
mod tests;
