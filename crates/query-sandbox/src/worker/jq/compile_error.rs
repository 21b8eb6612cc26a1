//! The errors of `jaq` about a filter, with suggestions.

use jaq_core::{
    compile::{self, Undefined},
    load::{self, span},
};
use raw_json::nearest;

use super::unsupported;
use crate::jq_error::JqError;
use record_sql::excerpt;

/// The most suggestions.
const MAX_NEAREST: usize = 3;

/// Returns the first error of loading a filter.
pub(super) fn of_loading(filter: &str, errors: load::Errors<&str, ()>) -> JqError {
    let (at, what) = match errors.into_iter().next().map(|(_, error)| error) {
        Some(load::Error::Io(_)) => {
            return JqError::Unsupported {
                what: "`import` and `include`; define functions with `def` in the filter".into(),
            };
        }
        Some(load::Error::Lex(errors)) => {
            unexpected(filter, errors.first().map(|(expected, found)| (expected.as_str(), *found)))
        }
        Some(load::Error::Parse(errors)) => {
            unexpected(filter, errors.first().map(|(expected, found)| (expected.as_str(), *found)))
        }
        None => (0, "it cannot be read".to_owned()),
    };
    let what = key_with_letters(filter, at).map_or(what.clone(), |key| {
        format!("{what}; a key with other letters than those of ASCII is quoted: .\"{key}\"")
    });
    let (position, near) = excerpt::at(filter, at);
    JqError::Syntax { position, what, near }
}

/// Returns the place of an error, and what was expected and found there.
fn unexpected(filter: &str, error: Option<(&str, &str)>) -> (usize, String) {
    let Some((expected, found)) = error else { return (0, String::new()) };
    let at = span(filter, found).start;
    let word: String = found.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let found = match (found.chars().next(), word.as_str()) {
        (None, _) => "the end".to_owned(),
        (Some(first), "") => format!("`{first}`"),
        (_, word) => format!("`{}`", word.chars().take(32).collect::<String>()),
    };
    (at, format!("expected {expected}, found {found}"))
}

/// Returns the first error of compiling a filter: an undefined name. `known` are the functions
/// that are defined, with their number of arguments, and `vars` the variables.
pub(super) fn of_compiling(
    filter: &str,
    errors: compile::Errors<&str, ()>,
    known: &[(&str, usize)],
    vars: &[String],
) -> JqError {
    let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
    let Some((name, undefined)) = first else {
        return JqError::Unsupported { what: "this filter".into() };
    };
    if let Some(why) = unsupported::reason(name) {
        return JqError::Unsupported { what: format!("`{name}`: {why}") };
    }
    let (position, near) = excerpt::at(filter, span(filter, name).start);
    let (name, nearest) = match undefined {
        Undefined::Filter(arguments) => {
            let field = field_with_dash(filter, span(filter, name).start);
            let nearest = field.map_or_else(|| nearest_functions(name, known), |field| vec![field]);
            (format!("{name}/{arguments}"), nearest)
        }
        Undefined::Var => {
            let names = nearest(name, vars.iter().map(String::as_str), MAX_NEAREST);
            (name.to_owned(), names.into_iter().map(str::to_owned).collect())
        }
        _ => (format!("{} {name}", undefined.as_str()), Vec::new()),
    };
    JqError::Undefined { name, nearest, position, near }
}

/// Returns the key around `at` if it has letters that a key without quotes cannot have.
fn key_with_letters(filter: &str, at: usize) -> Option<&str> {
    let key = key_around(filter, at, |c| c.is_alphanumeric() || c == '_')?;
    (!key.is_ascii()).then_some(key)
}

/// Returns the field that is meant if the name at `at` belongs to a field with dashes: `.a-b` is
/// `.a` minus `b`.
fn field_with_dash(filter: &str, at: usize) -> Option<String> {
    let key = key_around(filter, at, |c| c.is_alphanumeric() || matches!(c, '_' | '-'))?;
    filter[..at].ends_with('-').then(|| format!(".[\"{key}\"]"))
}

/// Returns the letters around `at`, if a point is before them.
fn key_around(filter: &str, at: usize, is_part: fn(char) -> bool) -> Option<&str> {
    let (before, after) = filter.split_at_checked(at)?;
    let start = before.trim_end_matches(is_part);
    let end = at + after.find(|c| !is_part(c)).unwrap_or(after.len());
    start.ends_with('.').then(|| &filter[start.len()..end])
}

/// Returns functions of the same name with other numbers of arguments; if there are none, of
/// similar names.
fn nearest_functions(name: &str, known: &[(&str, usize)]) -> Vec<String> {
    let spelled = |wanted: &str| {
        let mut arities: Vec<usize> =
            known.iter().filter(|(name, _)| *name == wanted).map(|(_, n)| *n).collect();
        arities.sort_unstable();
        arities.dedup();
        arities.into_iter().map(|n| format!("{wanted}/{n}")).collect::<Vec<_>>()
    };
    let same = spelled(name);
    if !same.is_empty() {
        return same;
    }
    let near = nearest(name, known.iter().map(|(name, _)| *name), MAX_NEAREST);
    near.into_iter().flat_map(spelled).take(MAX_NEAREST).collect()
}
