//! The descriptor: the short answer that replaces a large result (`OffloadResponse` of the
//! specifications), in five sizes.

pub(crate) mod calls;
mod fields;
pub(crate) mod guidance;
pub(crate) mod note;
pub(crate) mod summary;
mod words;

use raw_json::quote;
use serde::Serialize;
use serde_json::value::RawValue;

use self::calls::{FILE, Offer};
use self::fields::FieldList;
use self::summary::Summary;
use record_files::recipes::{Profile, Recipe};

/// Number of recipes in a full descriptor of records that are not memories.
const RECIPES: usize = 2;
/// Number of calls in a compact descriptor.
const COMPACT_CALLS: usize = 2;
/// Maximum number of bytes of the fields of a full descriptor.
const MAX_FULL_BYTES: usize = 960;
/// Maximum number of bytes of the fields of a compact descriptor.
const MAX_COMPACT_BYTES: usize = 700;
/// Maximum number of bytes of the fields of a pointer.
const MAX_POINTER_BYTES: usize = 260;

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
    /// The summary, a few words for each field, and two calls.
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
    /// The profile; those of the specifications define the members of a full descriptor.
    pub profile: Profile,
    /// The summary.
    pub summary: &'a Summary,
    /// The file with the means to query it.
    pub offer: Offer<'a>,
    /// Maximum number of bytes of the JSON schema.
    pub schema_bytes: usize,
    /// Advice on how to query the file ([`guidance`]).
    pub guidance: &'a str,
    /// The scalars around the records, as a JSON object.
    pub around: Option<&'a str>,
}

/// A descriptor; its size and profile decide which members it has.
#[derive(Default, Serialize)]
#[serde(rename_all = "snake_case")]
struct Descriptor<'a> {
    offloaded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a Summary>,
    file_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_schema: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jq_recipes: Option<Vec<JqRecipe<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guidance: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    around: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a str>,
}

/// A recipe for a shell (`JqRecipe` of `lro-spec-1600`).
#[derive(Serialize)]
struct JqRecipe<'a> {
    description: &'a str,
    command: String,
}

/// Returns the descriptor as JSON on one line.
pub(crate) fn render(facts: &Facts<'_>, richness: Richness) -> String {
    let Offer { path, schema, .. } = facts.offer;
    let base = Descriptor {
        offloaded: true,
        file_path: path,
        around: facts.around.and_then(|raw| RawValue::from_string(raw.to_owned()).ok()),
        ..Descriptor::default()
    };
    json(&match richness {
        Richness::Full | Richness::NoRecipes | Richness::NoSchema => Descriptor {
            summary: Some(facts.summary),
            guidance: Some(facts.guidance),
            ..match facts.profile {
                Profile::General => overview(base, facts, richness),
                Profile::Mif | Profile::Mif6400 => of_specification(base, facts, richness),
            }
        },
        Richness::Compact => Descriptor {
            summary: Some(facts.summary),
            fields: Some(members(&FieldList::statistics(schema, MAX_COMPACT_BYTES))),
            calls: Some(facts.offer.calls(COMPACT_CALLS)),
            ..base
        },
        Richness::Pointer => Descriptor {
            count: Some(facts.summary.count),
            fields: Some(text(&FieldList::types(schema, MAX_POINTER_BYTES).line())),
            ..base
        },
    })
}

/// Returns the descriptor of a text without records as JSON on one line.
pub(crate) fn render_text(summary: &Summary, path: &str, preview: &str) -> String {
    json(&Descriptor {
        offloaded: true,
        summary: Some(summary),
        file_path: path,
        preview: Some(preview),
        ..Descriptor::default()
    })
}

/// Adds the fields, an example and a few recipes.
fn overview<'a>(base: Descriptor<'a>, facts: &Facts<'a>, richness: Richness) -> Descriptor<'a> {
    let schema = facts.offer.schema;
    let fields = || members(&FieldList::statistics(schema, MAX_FULL_BYTES));
    let recipes = facts.offer.commands(RECIPES).into_iter();
    let recipes: Vec<_> = recipes.map(|it| jq_recipe(it, it.command_with(FILE))).collect();
    let shows = richness != Richness::NoSchema;
    let recipes = (richness != Richness::NoRecipes && !recipes.is_empty()).then_some(recipes);
    Descriptor {
        fields: shows.then(fields),
        example: schema.example().filter(|_| shows).map(|example| raw_value(example.to_owned())),
        jq_recipes: recipes,
        ..base
    }
}

/// Adds the JSON Schema and the ten recipes.
fn of_specification<'a>(
    base: Descriptor<'a>,
    facts: &Facts<'a>,
    richness: Richness,
) -> Descriptor<'a> {
    let Offer { path, schema, recipes, .. } = facts.offer;
    let recipes = || recipes.iter().map(|it| jq_recipe(it, it.command(path))).collect();
    Descriptor {
        line_schema: (richness != Richness::NoSchema)
            .then(|| raw_value(schema.json_schema(facts.schema_bytes))),
        jq_recipes: (richness != Richness::NoRecipes).then(recipes),
        ..base
    }
}

fn jq_recipe(recipe: &Recipe, command: String) -> JqRecipe<'_> {
    JqRecipe { description: &recipe.description, command }
}

/// Returns the fields with their descriptions as a JSON object in their order.
fn members(fields: &FieldList) -> Box<RawValue> {
    let member = |(name, text): &(String, String)| format!("{}:{}", quote(name), quote(text));
    let mut members: Vec<String> = fields.described.iter().map(member).collect();
    members.extend(fields.rest().map(|rest| format!("\"…\":{}", quote(&rest))));
    raw_value(format!("{{{}}}", members.join(",")))
}

fn text(line: &str) -> Box<RawValue> {
    raw_value(quote(line))
}

fn raw_value(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Serialises plain data, which cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod real_records_tests;
#[cfg(test)]
#[path = "descriptor_tests.rs"]
mod tests;
