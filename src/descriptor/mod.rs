//! The descriptor: the short answer that replaces a large result (`OffloadResponse` of the
//! specifications), in five sizes.

pub(crate) mod guidance;
pub(crate) mod note;
pub(crate) mod summary;
mod words;

use raw_json::quote;
use serde::Serialize;
use serde_json::value::RawValue;

use self::summary::Summary;
use record_files::recipes::{JqRecipe, Recipe};
use record_files::schema::Schema;

/// The recipes of a compact descriptor.
const COMPACT_RECIPES: usize = 3;
/// The most bytes of the statistics of a compact descriptor.
const MAX_COMPACT_BYTES: usize = 480;
/// The most bytes of the field list of a pointer.
const MAX_POINTER_BYTES: usize = 200;

/// The size of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Richness {
    /// Everything that the specification has.
    #[default]
    Full,
    /// Without the recipes.
    NoRecipes,
    /// Without the schema.
    NoSchema,
    /// The summary, a few words for each field, and three recipes.
    Compact,
    /// The path, the count and the fields.
    Pointer,
}

impl Richness {
    /// Every size, the largest first.
    pub(crate) const ALL: [Richness; 5] = [
        Richness::Full,
        Richness::NoRecipes,
        Richness::NoSchema,
        Richness::Compact,
        Richness::Pointer,
    ];
}

/// The contents of a descriptor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// The summary.
    pub summary: &'a Summary,
    /// The file's absolute path, as the agent sees it.
    pub file_path: &'a str,
    /// The schema of the records.
    pub schema: &'a Schema,
    /// The most bytes of the JSON schema.
    pub schema_bytes: usize,
    /// The ten recipes.
    pub recipes: &'a [Recipe],
    /// Advice on how to query the file ([`guidance`]).
    pub guidance: &'a str,
    /// The scalars around the records, as a JSON object.
    pub around: Option<&'a str>,
    /// The preview of a text whose lines are the records.
    pub preview: Option<&'a str>,
}

#[derive(Serialize)]
struct OffloadResponse<'a> {
    offloaded: bool,
    summary: &'a Summary,
    file_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_schema: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jq_recipes: Option<Vec<JqRecipe>>,
    guidance: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a str>,
}

#[derive(Serialize)]
struct Compact<'a> {
    offloaded: bool,
    summary: &'a Summary,
    file_path: &'a str,
    fields: Box<RawValue>,
    jq_recipes: Vec<JqRecipe>,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a str>,
}

#[derive(Serialize)]
struct Pointer<'a> {
    offloaded: bool,
    file_path: &'a str,
    count: u64,
    fields: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a str>,
}

/// Returns the descriptor as JSON on one line.
pub(crate) fn render(facts: &Facts<'_>, richness: Richness) -> String {
    let around = facts.around.and_then(|raw| RawValue::from_string(raw.to_owned()).ok());
    let recipes = |max: usize| -> Vec<JqRecipe> {
        facts.recipes.iter().take(max).map(|recipe| recipe.jq_recipe(facts.file_path)).collect()
    };
    let (summary, file_path) = (facts.summary, facts.file_path);
    match richness {
        Richness::Full | Richness::NoRecipes | Richness::NoSchema => json(&OffloadResponse {
            offloaded: true,
            summary,
            file_path,
            line_schema: (richness != Richness::NoSchema)
                .then(|| raw_value(facts.schema.json_schema(facts.schema_bytes))),
            jq_recipes: (richness != Richness::NoRecipes).then(|| recipes(usize::MAX)),
            guidance: facts.guidance,
            around,
            preview: facts.preview,
        }),
        Richness::Compact => json(&Compact {
            offloaded: true,
            summary,
            file_path,
            fields: raw_value(statistics(facts.schema)),
            jq_recipes: recipes(COMPACT_RECIPES),
            around,
            preview: facts.preview,
        }),
        Richness::Pointer => json(&Pointer {
            offloaded: true,
            file_path,
            count: summary.count,
            fields: words::fields_line(facts.schema, MAX_POINTER_BYTES),
            around,
            preview: facts.preview,
        }),
    }
}

/// Returns the fields with a few words each, as a JSON object in their order.
fn statistics(schema: &Schema) -> String {
    let (fields, more) = words::statistics(schema, MAX_COMPACT_BYTES);
    let member = |(name, text): &(String, String)| format!("{}:{}", quote(name), quote(text));
    let mut members: Vec<String> = fields.iter().map(member).collect();
    if more > 0 {
        members.push(format!("\"…\":\"{more} more fields\""));
    }
    format!("{{{}}}", members.join(","))
}

fn raw_value(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Serializes plain data, which cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod real_records_tests;
#[cfg(test)]
#[path = "descriptor_tests.rs"]
mod tests;
