//! Guidance: a few lines that tell an agent how to query the file. They are advice, which an
//! agent without the tools can ignore (`lro-spec-1600`). This fills the templates in
//! `prompts/`.

use std::borrow::Cow;

use raw_json::quote;

use super::calls::Offer;
use super::summary::score_range;
use super::words;
use record_files::recipes::{Profile, keyword};
use record_files::schema::Schema;

const SHELL: &str = include_str!("../../prompts/lro_guidance_shell.md");
const EXTRACT: &str = include_str!("../../prompts/lro_guidance_extract.md");
const MIF_SHELL: &str = include_str!("../../prompts/lro_guidance_mif_shell.md");
const MIF_EXTRACT: &str = include_str!("../../prompts/lro_guidance_mif_extract.md");
const MIF_6400_SHELL: &str = include_str!("../../prompts/lro_guidance_mif_6400_shell.md");
const MIF_6400_EXTRACT: &str = include_str!("../../prompts/lro_guidance_mif_6400_extract.md");

/// Number of calls in a guidance.
const CALLS: usize = 2;

/// The values in a guidance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// The profile, which selects the template.
    pub profile: Profile,
    /// Estimated tokens that offloading saves.
    pub tokens: u64,
    /// The level of detail.
    pub detail: &'a str,
    /// The file with the means to query it.
    pub offer: Offer<'a>,
}

/// Returns the guidance for an agent with a shell.
pub(crate) fn shell(facts: &Facts<'_>) -> String {
    let template = match facts.profile {
        Profile::General => SHELL,
        Profile::Mif => MIF_SHELL,
        Profile::Mif6400 => MIF_6400_SHELL,
    };
    filled(template, facts, &path_line(facts.offer.path), "lro_extract")
}

/// Returns the guidance for an agent that has `lro_extract` under the name `tool`.
pub(crate) fn extract(facts: &Facts<'_>, tool: &str) -> String {
    let template = match facts.profile {
        Profile::General => EXTRACT,
        Profile::Mif => MIF_EXTRACT,
        Profile::Mif6400 => MIF_6400_EXTRACT,
    };
    // The templates have the quotes.
    let quoted = quote(facts.offer.path);
    filled(template, facts, &quoted[1..quoted.len() - 1], tool)
}

fn filled(template: &str, facts: &Facts<'_>, path: &str, tool: &str) -> String {
    let Offer { schema, recipes, .. } = facts.offer;
    fill(template, |name| match name {
        "count" => Some(schema.records().to_string().into()),
        "tokens" => Some(facts.tokens.to_string().into()),
        "path" => Some(Cow::Borrowed(path)),
        "detail" => Some(words::clean(facts.detail).into()),
        "examples" => Some(examples(&facts.offer).into()),
        "lro_extract" => Some(Cow::Borrowed(tool)),
        "recipes" => Some(words::recipes(recipes).into()),
        "namespace" => Some(namespace(schema).into()),
        "keyword" => Some(title_word(schema).into()),
        "filter" => Some(filter(schema).into()),
        _ => None,
    })
}

/// Returns a path on one line.
fn path_line(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn examples(offer: &Offer<'_>) -> String {
    let calls = offer.calls(CALLS).into_iter().map(|call| format!("- {call}"));
    calls.collect::<Vec<_>>().join("\n")
}

/// Returns the specification's example of a namespace, or one that occurs; as JSON.
fn namespace(schema: &Schema) -> String {
    let spaces = top(schema, "namespace");
    let semantic = spaces.is_empty() || spaces.iter().any(|it| it.starts_with("\"_semantic"));
    let first = spaces.into_iter().next().filter(|_| !semantic);
    first.unwrap_or_else(|| "\"_semantic\"".to_owned())
}

/// Returns a word that occurs in titles, as JSON.
fn title_word(schema: &Schema) -> String {
    let word = keyword(schema, "title").filter(|word| words::is_clean(word));
    quote(word.as_deref().unwrap_or("your term"))
}

/// Returns the specification's example of a filter, or one that matches something.
fn filter(schema: &Schema) -> String {
    for path in ["provenance.confidence", "confidence"] {
        if let Some((_, max)) = score_range(schema, path) {
            let least = if max > 0.8 { 0.8 } else { (max / 2.0).min(max - 0.1) };
            return quote(&format!("select(.{path} > {least})"));
        }
    }
    let kind = top(schema, "memory_type").into_iter().next();
    quote(&format!("select(.memory_type == {})", kind.as_deref().unwrap_or("\"semantic\"")))
}

/// Returns the most frequent values of a field as JSON, without those that cannot be shown
/// unchanged.
fn top(schema: &Schema, path: &str) -> Vec<String> {
    let field = schema.paths().into_iter().find(|field| field.path == path);
    let top = field.map(|field| field.top).unwrap_or_default();
    top.into_iter().map(|it| it.literal).filter(|it| words::is_clean(it)).collect()
}

/// Replaces `{{name}}` in one pass, so that placeholders in the values are not replaced.
fn fill<'a>(template: &str, value: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    let mut out = String::with_capacity(template.len() * 2);
    let mut rest = template.trim_end();
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        rest = match after.split_once("}}") {
            Some((name, after)) if value(name).is_some() => {
                out.push_str(&value(name).unwrap_or_default());
                after
            }
            _ => {
                out.push_str("{{");
                after
            }
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "guidance_tests.rs"]
mod tests;
