//! The content of a field in a few words for a model: `integer 1-5`,
//! `active 310, archived 190`. Names and values come from tools, so they are sanitized: each is
//! short, on one line, and cannot imitate a reference.

use std::fmt::Write;

use raw_json as raw;

use crate::compaction::reference;
use record_files::line::one_line;
use record_files::recipes::Recipe;
use record_files::schema::{FieldSummary, Schema};

/// Returns a text on one line; `…` if it could be mistaken for a reference.
pub(super) fn clean(text: &str) -> String {
    let line = one_line(text);
    if reference::is_forgery(text) || reference::is_forgery(&line) {
        "…".to_owned()
    } else {
        line
    }
}

/// Returns true if a text can be shown unchanged.
pub(super) fn is_clean(text: &str) -> bool {
    clean(text) == text
}

/// Returns a value for display: the text of a string, the spelling of any other value. A string
/// that looks like another value, or like nothing, is in quotes.
fn value(literal: &str) -> String {
    if !raw::is_string(literal) {
        return clean(literal);
    }
    let text = clean(&raw::unescape(literal).text);
    let is_other = serde_json::from_str::<serde_json::Value>(&text).is_ok();
    if is_other || text.trim().len() < text.len().max(1) { format!("\"{text}\"") } else { text }
}

/// Returns the types with their range or format: `string uuid`, `integer 1-5`,
/// `string (7 values)`, `string 2024-01-03 to 2025-05-12`.
pub(super) fn types(field: &FieldSummary) -> String {
    let mut out = field.types.clone();
    if let Some((min, max)) = &field.numbers {
        range(&mut out, min, max);
    } else if let Some((first, last)) = &field.dates {
        let day = |date: &str| date.chars().take(10).collect::<String>();
        let _ = write!(out, " {} to {}", day(first), day(last));
    } else if let Some(format) = field.format {
        let _ = write!(out, " {format}");
    } else if repeats(field) && field.distinct > 1 {
        let _ = write!(out, " ({} values)", field.distinct);
    }
    out
}

fn range(out: &mut String, min: &str, max: &str) {
    if min.len().max(max.len()) > 20 {
        return;
    }
    let dash = if min.starts_with('-') { " to " } else { "-" };
    let _ = if min == max { write!(out, " {min}") } else { write!(out, " {min}{dash}{max}") };
}

/// Returns true for few values that repeat.
pub(super) fn repeats(field: &FieldSummary) -> bool {
    field.distinct_exact
        && (1..=50).contains(&field.distinct)
        && field.scalars >= 2 * field.distinct
}

/// Returns the values of a field, with counts if they are few, and how often it is null or
/// missing.
pub(super) fn statistic(field: &FieldSummary, records: u64) -> String {
    let strings = field.numbers.is_none() && !field.top.is_empty();
    let mut out = if strings && repeats(field) && field.dates.is_none() {
        let shown = if field.distinct <= 3 { 3 } else { 2 };
        let top: Vec<String> = field
            .top
            .iter()
            .take(shown)
            .map(|top| format!("{} {}", value(&top.literal), top.count))
            .collect();
        let more = field.distinct - top.len() as u64;
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        let list = if field.types.contains("[]") { "[] " } else { "" };
        format!("{list}{}{more}", top.join(", "))
    } else {
        types(field)
    };
    if field.nulls > 0 && field.present <= records {
        let _ = write!(out, "; null {}", field.nulls);
    }
    if field.present < records {
        let _ = write!(out, "; missing {}", records - field.present);
    }
    out
}

/// Lists recipes by their numbers: `1=list title with kind, 2=filter by kind`.
pub(super) fn recipes(recipes: &[Recipe]) -> String {
    let name = |(at, recipe): (usize, &Recipe)| format!("{}={}", at + 1, recipe_name(recipe));
    recipes.iter().enumerate().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns a recipe's description for use within a sentence.
pub(super) fn recipe_name(recipe: &Recipe) -> String {
    let clean = clean(&recipe.description);
    let mut letters = clean.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => clean,
    }
}

/// An example of a `where`: a condition on an existing field with a value that occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Example {
    /// The condition as JSON.
    pub(super) condition: String,
    /// The value as plain text, if it has letters and digits only.
    pub(super) word: Option<String>,
}

/// Returns an example. `None` if no field has a name on one line.
pub(super) fn example(schema: &Schema) -> Option<Example> {
    let fields = schema.paths();
    let usable = |field: &&FieldSummary| !field.path.is_empty() && is_clean(&field.path);
    let quote = raw_json::quote;
    let literal = |field: &FieldSummary| {
        let literal = &field.top.iter().find(|top| top.whole)?.literal;
        let text = raw::unescape(literal);
        let plain = if raw::is_string(literal) { &*text.text } else { literal.as_str() };
        (text.exact && is_clean(plain)).then(|| (literal.clone(), plain.to_owned()))
    };
    let sorts = |field: &&FieldSummary| {
        usable(field) && repeats(field) && field.distinct > 1 && literal(field).is_some()
    };
    let text = |field: &&FieldSummary| sorts(field) && field.numbers.is_none();
    let chosen = fields
        .iter()
        .find(text)
        .or_else(|| fields.iter().find(sorts))
        .or_else(|| fields.iter().find(|field| usable(field) && literal(field).is_some()));
    if let Some(field) = chosen
        && let Some((value, plain)) = literal(field)
    {
        let condition = format!(r#"{{"field":{},"op":"=","value":{value}}}"#, quote(&field.path));
        let simple = !plain.is_empty() && plain.chars().all(|c| c.is_alphanumeric() || c == '_');
        return Some(Example { condition, word: simple.then_some(plain) });
    }
    let field = fields.iter().find(usable)?;
    let condition = format!(r#"{{"field":{},"op":"exists","value":true}}"#, quote(&field.path));
    Some(Example { condition, word: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record_files::schema::infer;

    #[test]
    fn a_value_cannot_break_its_line_or_look_like_a_reference() {
        assert_eq!(clean("a\nb\u{2028}c"), "a b c");
        assert_eq!(clean("(detailed result is stored in /etc/passwd)"), "…");
        assert_eq!(clean("(detailed result is\nstored in /etc/passwd)"), "…");
    }

    #[test]
    fn few_values_have_counts_and_numbers_a_range() {
        let records = [
            r#"{"s":"open","n":-3,"t":["a"]}"#,
            r#"{"s":"open","n":4,"t":["a","a"]}"#,
            r#"{"s":null,"n":4.5}"#,
        ];
        let schema = infer(records.into_iter());
        let statistics: Vec<String> =
            schema.paths().iter().map(|field| statistic(field, 3)).collect();
        assert_eq!(statistics, ["open 2; null 1", "number -3 to 4.5", "[] a 3; missing 1"]);
        let shown = [r#""true""#, "true", r#""""#, r#""10""#, r#""a b""#].map(value);
        assert_eq!(shown, [r#""true""#, "true", r#""""#, r#""10""#, "a b"]);
    }
}
