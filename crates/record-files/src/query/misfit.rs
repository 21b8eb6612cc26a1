//! The error for an operand that cannot be a value of its field: what the field holds, and the
//! condition to send instead.

use raw_json::{self as raw, Kind};

use super::condition::Test;
use super::error::{MAX_REPEATED, QueryError, quoted};
use super::plan::Misfit;
use super::request::Query;
use super::typed::Facts;
use super::values::Values;
use crate::recipes::sql_name;

/// Number of lines at the start from which an error takes examples.
const SAMPLE_LINES: usize = 1_000;
/// Maximum number of values that an error names.
const EXAMPLES: usize = 3;
/// Number of most frequent values that are searched for one with a number.
const CANDIDATES: usize = 50;

/// The texts that mean null in other languages.
const NULLS: [&str; 4] = ["null", "none", "nil", "undefined"];
/// Texts that mean a boolean, each with the JSON literal.
const BOOLEANS: [(&str, &str); 10] = [
    ("1", "true"),
    ("yes", "true"),
    ("y", "true"),
    ("t", "true"),
    ("on", "true"),
    ("0", "false"),
    ("no", "false"),
    ("n", "false"),
    ("f", "false"),
    ("off", "false"),
];

/// Returns the error for an operand that cannot be a value of its field. Takes examples from the
/// first of `lines`. `facts` are indexed by path.
pub(super) fn misfit_error(
    query: &Query,
    misfit: &Misfit,
    lines: &str,
    facts: &[Facts],
) -> QueryError {
    let test = &query.tests[misfit.test];
    let sample = lines.lines().take(SAMPLE_LINES);
    let values = Values::of(query, test.path, sample, &|| false).top(CANDIDATES);
    let values: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    let examples = &values[..values.len().min(EXAMPLES)];
    let such = if examples.is_empty() { "" } else { " such as " };
    let field = query.paths.all()[test.path].name();
    let facts = facts[test.path];
    let operand = &misfit.operand;
    QueryError::Misfit {
        member: test.member.clone(),
        holds: format!("{}{such}{}", facts.name(), examples.join(", ")),
        problem: problem(test.comparison.name(), examples.first(), operand),
        advice: as_meant(&field, test, facts, operand)
            .or_else(|| in_sql(&field, test, facts, &values, operand))
            .unwrap_or_else(|| by_example(&field, test.comparison.name(), examples)),
        field,
    }
}

/// Returns the reason why a comparison matches no value such as the example.
fn problem(operation: &str, example: Option<&&str>, operand: &str) -> String {
    if reads_texts(operation) && example.is_some_and(|example| !example.starts_with('"')) {
        return format!("`{operation}` finds nothing in these");
    }
    format!("{} is not one of these", quoted(operand))
}

/// Returns the condition that has the meaning of such an operand in other query languages.
fn as_meant(field: &str, test: &Test, facts: Facts, operand: &str) -> Option<String> {
    let operation = test.comparison.name();
    let field = raw::quote(field);
    match (operation, operand.as_bytes().first()?) {
        ("=", b'[') => {
            let list = if operand.len() > MAX_REPEATED { "[…]" } else { operand };
            return Some(format!("send {{\"field\": {field}, \"op\": \"in\", \"value\": {list}}}"));
        }
        ("=" | "!=", _) => {}
        _ => return None,
    }
    let text = if raw::is_string(operand) { raw::unescape(operand).text } else { operand.into() };
    let text = text.trim().to_ascii_lowercase();
    if facts.has(Kind::Null) && NULLS.contains(&&*text) {
        let operation = if operation == "=" { "is_null" } else { "is_not_null" };
        return Some(format!("send {{\"field\": {field}, \"op\": \"{operation}\"}}"));
    }
    let (_, value) =
        BOOLEANS.iter().find(|(other, _)| facts.has(Kind::Boolean) && *other == text)?;
    Some(format!("send {{\"field\": {field}, \"op\": \"{operation}\", \"value\": {value}}}"))
}

/// Returns the comparison in SQL, which compares texts of one form, such as `9 kg`, by their
/// numbers.
fn in_sql(
    field: &str,
    test: &Test,
    facts: Facts,
    values: &[&str],
    operand: &str,
) -> Option<String> {
    let is_order = test.comparison.operation.is_ordered() && !test.comparison.is_negated();
    let is_number = Kind::of_value(operand) == Kind::Number
        && facts.kinds & !Kind::Null.bit() == Kind::String.bit();
    // A field in an array, or a truncated name, is not a column.
    let is_column = !field.contains(['.', '[']) && !field.ends_with('…');
    if !(is_order && is_number && is_column) {
        return None;
    }
    let texts = values.iter().filter(|value| raw::is_string(value));
    let units = texts.map(|text| Some(unit(&raw::unescape(text).text)?.to_owned()));
    let mut units: Vec<Option<String>> = units.collect();
    units.sort();
    units.dedup();
    let operation = test.comparison.name();
    let spelled = match units.as_slice() {
        [Some(unit)] => format!("'{operand}{}'", unit.replace('\'', "''")),
        // Texts without a number sort before the numbers, so `>` and `>=` exclude them.
        [None, Some(unit)] if unit.is_empty() && operation.starts_with('>') => operand.to_owned(),
        _ => return None,
    };
    Some(format!("in SQL: {} {operation} {spelled}", sql_name(field)))
}

/// Returns the text after the number of a text, such as ` kg`. Returns `None` if the text is not a
/// number followed by words.
fn unit(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let has_number = Kind::of_value(number) == Kind::Number && raw::value(number).is_some();
    let is_unit = |c: char| c.is_alphabetic() || " %°µ".contains(c);
    (has_number && unit.chars().all(is_unit)).then_some(unit)
}

/// Returns a suggested condition with an existing value of the field.
fn by_example(field: &str, operation: &str, examples: &[&str]) -> String {
    let field = raw::quote(field);
    let Some(example) = examples.first() else {
        return "name a field in it, with a dot".to_owned();
    };
    let operation =
        if reads_texts(operation) && !example.starts_with('"') { "=" } else { operation };
    let (open, close) = if operation.ends_with("in") { ("[", "]") } else { ("", "") };
    format!(
        "send a value such as {{\"field\": {field}, \"op\": \"{operation}\", \"value\": \
         {open}{example}{close}}}"
    )
}

fn reads_texts(operation: &str) -> bool {
    ["contains", "starts_with", "ends_with", "matches"].contains(&operation)
}
