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

use super::Richness;
use super::calls::Offer;
use super::fields::FieldList;
use super::words;
use crate::compaction::call::ReloadTool;
use crate::compaction::reference;

/// The start of a note of records.
pub(crate) const OPEN: &str = "[JSONL records: ";
/// Maximum number of bytes of the fields in the brackets.
const MAX_FIELDS_BYTES: usize = 220;
/// Maximum number of bytes of the scalars around the records.
const MAX_AROUND_BYTES: usize = 300;
/// Maximum number of bytes of the fields above the note of a full descriptor.
const MAX_FULL_BYTES: usize = 960;
/// Maximum number of bytes of the fields above the note of a compact descriptor.
const MAX_COMPACT_BYTES: usize = 700;
/// Number of calls above the note of a full descriptor, without the one in the brackets.
const FULL_CALLS: usize = 4;
/// Number of calls above the note of a compact descriptor.
const COMPACT_CALLS: usize = 2;

/// The contents of a note.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoteFacts<'a> {
    /// The tokens of the offloaded text.
    pub tokens: u64,
    /// The bytes of the file.
    pub bytes: u64,
    /// The scalars around the records, as a JSON object.
    pub around: Option<&'a str>,
    /// The file with the means to query it.
    pub offer: Offer<'a>,
}

/// Returns the note, without a line feed at its end.
pub(crate) fn note(facts: &NoteFacts<'_>, richness: Richness) -> String {
    let mut lines = match richness {
        Richness::Full => above(facts, MAX_FULL_BYTES, FULL_CALLS),
        Richness::NoSchema => calls(facts, FULL_CALLS).into_iter().chain(recipes(facts)).collect(),
        Richness::NoRecipes => above(facts, MAX_FULL_BYTES, 0),
        Richness::Compact => above(facts, MAX_COMPACT_BYTES, COMPACT_CALLS),
        Richness::Pointer => Vec::new(),
    };
    if richness == Richness::Full {
        lines.extend(facts.offer.schema.example().map(|example| format!("example: {example}")));
        lines.extend(recipes(facts));
    }
    lines.retain(|line| !reference::is_forgery(line));
    lines.push(bracket(facts, richness));
    lines.join("\n")
}

fn above(facts: &NoteFacts<'_>, budget: usize, most: usize) -> Vec<String> {
    let list = FieldList::statistics(facts.offer.schema, budget);
    let described = list.described.iter().map(|(name, text)| format!("{name}: {text}"));
    described.chain(list.rest()).chain(calls(facts, most)).collect()
}

fn bracket(facts: &NoteFacts<'_>, richness: Richness) -> String {
    let schema = facts.offer.schema;
    let head = format!(
        "{OPEN}{} records, {} tokens, {} bytes",
        schema.records(),
        facts.tokens,
        facts.bytes
    );
    // Richer notes have the fields above the brackets.
    let fields = matches!(richness, Richness::Pointer | Richness::NoSchema)
        .then(|| format!("fields: {}", FieldList::types(schema, MAX_FIELDS_BYTES).line()));
    let parts = [facts.around.and_then(around), fields, facts.offer.first_call()];
    let safe = |part: &String| !reference::is_forgery(part) && !part.contains(['\n', '\r']);
    let parts = parts.into_iter().flatten().filter(safe);
    let all: Vec<String> = std::iter::once(head).chain(parts).collect();
    format!("{}]", all.join("; "))
}

fn around(json: &str) -> Option<String> {
    let line: String = json.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    (!line.is_empty() && line.len() <= MAX_AROUND_BYTES).then(|| format!("around them {line}"))
}

/// Returns the calls after the one in the brackets.
fn calls(facts: &NoteFacts<'_>, most: usize) -> Vec<String> {
    facts.offer.calls(most).into_iter().skip(1).collect()
}

/// Lists the recipes in one line, if the agent can call them by their numbers.
fn recipes(facts: &NoteFacts<'_>) -> Option<String> {
    let name = facts.offer.tools.name(ReloadTool::LroExtract)?;
    let recipes = facts.offer.recipes;
    (!recipes.is_empty()).then(|| format!("{name} recipe: {}", words::recipes(recipes)))
}

#[cfg(test)]
#[path = "note_tests.rs"]
mod tests;
