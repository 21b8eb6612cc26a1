//! Guidance: a few lines that tell an agent how to query the file. They are advice, which an
//! agent without the tools can ignore (`lro-spec-1600`). This fills the templates in
//! `prompts/`.

use std::borrow::Cow;

use raw_json::quote;

use super::words;
use record_files::recipes::{Profile, Purpose, Recipe};
use record_files::schema::Schema;

const SHELL: &str = include_str!("../../prompts/lro_guidance_shell.md");
const EXTRACT: &str = include_str!("../../prompts/lro_guidance_extract.md");
const MIF_SHELL: &str = include_str!("../../prompts/lro_guidance_mif_shell.md");
const MIF_EXTRACT: &str = include_str!("../../prompts/lro_guidance_mif_extract.md");
const MIF_6400_SHELL: &str = include_str!("../../prompts/lro_guidance_mif_6400_shell.md");
const MIF_6400_EXTRACT: &str = include_str!("../../prompts/lro_guidance_mif_6400_extract.md");

/// The values in a guidance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    /// The profile, which selects the template.
    pub profile: Profile,
    /// The number of records.
    pub count: u64,
    /// Estimated tokens that offloading saves.
    pub tokens: u64,
    /// The file's path, as the agent sees it.
    pub path: &'a str,
    /// The level of detail.
    pub detail: &'a str,
    /// The ten recipes.
    pub recipes: &'a [Recipe],
    /// The schema of the records.
    pub schema: &'a Schema,
}

/// Returns the guidance for an agent with a shell.
pub(crate) fn shell(facts: &Facts<'_>) -> String {
    let template = match facts.profile {
        Profile::General => SHELL,
        Profile::Mif => MIF_SHELL,
        Profile::Mif6400 => MIF_6400_SHELL,
    };
    filled(template, facts, &path_line(facts.path), "lro_extract")
}

/// Returns the guidance for an agent that has `lro_extract` under the name `tool`.
pub(crate) fn extract(facts: &Facts<'_>, tool: &str) -> String {
    let template = match facts.profile {
        Profile::General => EXTRACT,
        Profile::Mif => MIF_EXTRACT,
        Profile::Mif6400 => MIF_6400_EXTRACT,
    };
    // The templates have the quotes.
    let quoted = quote(facts.path);
    filled(template, facts, &quoted[1..quoted.len() - 1], tool)
}

fn filled(template: &str, facts: &Facts<'_>, path: &str, tool: &str) -> String {
    fill(template, |name| match name {
        "count" => Some(facts.count.to_string().into()),
        "tokens" => Some(facts.tokens.to_string().into()),
        "path" => Some(Cow::Borrowed(path)),
        "detail" => Some(words::clean(facts.detail).into()),
        "patterns" => Some(patterns(facts.recipes).into()),
        "examples" => Some(examples(facts, tool).into()),
        "lro_extract" => Some(Cow::Borrowed(tool)),
        "recipes" => Some(names(facts.recipes).into()),
        _ => None,
    })
}

/// Returns a path on one line.
fn path_line(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Lists up to two recipes for each purpose: `- Filter: recipe #2 (…) or #3 (…)`.
fn patterns(recipes: &[Recipe]) -> String {
    let purposes = [
        (Purpose::Browse, "Browse", 1),
        (Purpose::Filter, "Filter", 2),
        (Purpose::Analyze, "Analyze", 1),
    ];
    let mut lines = Vec::new();
    for (purpose, name, max) in purposes {
        let fitting: Vec<String> = recipes
            .iter()
            .enumerate()
            .filter(|(_, recipe)| recipe.purpose() == purpose)
            .take(max)
            .map(|(at, recipe)| format!("#{} ({})", at + 1, name_of(recipe)))
            .collect();
        if !fitting.is_empty() {
            lines.push(format!("- {name}: recipe {}", fitting.join(" or ")));
        }
    }
    lines.join("\n")
}

/// Returns a recipe's description for use within a sentence.
fn name_of(recipe: &Recipe) -> String {
    let clean = words::clean(&recipe.description);
    let mut letters = clean.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => clean,
    }
}

fn examples(facts: &Facts<'_>, tool: &str) -> String {
    let path = quote(facts.path);
    let mut lines = vec![format!("- Browse: {tool}(file_path={path}, recipe=1)")];
    let ours = |(_, recipe): &(usize, &Recipe)| {
        recipe.purpose() == Purpose::Filter && !recipe.params.is_empty()
    };
    if let Some((at, recipe)) = facts.recipes.iter().enumerate().find(ours)
        && let Some(param) = recipe.params.first()
    {
        lines.push(format!(
            "- {}: {tool}(file_path={path}, recipe={}, params={{{}: {}}})",
            words::clean(&recipe.description),
            at + 1,
            quote(&param.name),
            param.value
        ));
    }
    if let Some(example) = words::example(facts.schema) {
        lines.push(format!(
            "- Count: {tool}(file_path={path}, where={}, count=true)",
            example.condition
        ));
    }
    let mut custom = facts.recipes.iter().filter(|recipe| recipe.purpose() == Purpose::Filter);
    if let Some(recipe) = custom.next_back() {
        let query = quote(&recipe.with_defaults());
        lines.push(format!("- Custom filter: {tool}(file_path={path}, query={query})"));
    }
    lines.join("\n")
}

fn names(recipes: &[Recipe]) -> String {
    let name = |(at, recipe): (usize, &Recipe)| format!("{}={}", at + 1, name_of(recipe));
    recipes.iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
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
