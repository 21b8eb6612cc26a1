//! The error for an operand that cannot be a value of its field: what the field holds, and the
//! condition to send instead.

use raw_json as raw;

use super::condition::Test;
use super::error::{MAX_REPEATED, QueryError, quoted};
use super::explain::sql_column;
use super::json::value::Kind;
use super::plan::Misfit;
use super::request::Query;
use super::typed::{Facts, Strings};
use super::values::Values;

/// The first lines that the examples of an error are from.
const SAMPLE_LINES: usize = 1_000;
/// The most frequent values that an error names.
const EXAMPLES: usize = 3;
/// The most frequent values among which one with a number is looked for.
const CANDIDATES: usize = 50;

/// The words for no value.
const NULLS: [&str; 4] = ["null", "none", "nil", "undefined"];
/// Other spellings of a boolean, and the one of JSON.
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

/// Returns the error for an operand that cannot be a value of its field in `lines`, of the first
/// of which it gives examples. `facts` are indexed by path.
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
            .or_else(|| in_sql(&field, test, facts, (&values, operand)))
            .unwrap_or_else(|| by_example(&field, test.comparison.name(), examples)),
        field,
    }
}

/// Returns the reason that a test finds nothing among values such as this.
fn problem(operation: &str, example: Option<&&str>, operand: &str) -> String {
    if reads_texts(operation) && example.is_some_and(|example| !example.starts_with('"')) {
        return format!("`{operation}` finds nothing in these");
    }
    format!("{} is not one of these", quoted(operand))
}

/// Returns the condition that such an operand means in other languages of queries.
fn as_meant(field: &str, test: &Test, facts: Facts, operand: &str) -> Option<String> {
    let operation = test.comparison.name();
    let field = raw::quote(field);
    let repeated = if operand.len() > MAX_REPEATED { "…" } else { operand };
    match (operation, operand.as_bytes().first()?) {
        ("=", b'[') => {
            let list = if repeated == operand { operand } else { "[…]" };
            return Some(format!("send {{\"field\": {field}, \"op\": \"in\", \"value\": {list}}}"));
        }
        ("!=", b'{') => return Some(format!("send {{\"not\": {{{field}: {repeated}}}}}")),
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

/// Returns the statement that compares the numbers in texts with a number: SQL knows more orders
/// of texts.
fn in_sql(
    field: &str,
    test: &Test,
    facts: Facts,
    (values, operand): (&[&str], &str),
) -> Option<String> {
    let is_order = test.comparison.operation.is_ordered() && !test.comparison.is_negated();
    let is_number = Kind::of(operand) == Kind::Number && facts.strings() == Strings::Text;
    if !is_order || !is_number {
        return None;
    }
    let texts = values.iter().filter(|value| raw::is_string(value));
    let spelled = texts.map(|text| raw::unescape(text).text).find_map(|text| {
        let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let number = &text[start..];
        let rest = &number[number.find(|c| !is_part(c)).unwrap_or(number.len())..];
        let (before, rest) = (&text[..start], rest.replace('\'', "''"));
        let is_alone =
            !rest.contains(|c: char| c.is_ascii_digit()) && !before.ends_with(['-', '+']);
        let is_plain = before.is_empty() && rest.is_empty();
        let text = format!("'{}{operand}{rest}'", before.replace('\'', "''"));
        is_alone.then(|| if is_plain { operand.to_owned() } else { text })
    })?;
    let (column, operation) = (sql_column(field, facts)?, test.comparison.name());
    let sql = format!("SELECT * FROM records WHERE {column} {operation} {spelled}");
    Some(format!("send {{\"sql\": {}}}", raw::quote(&sql)))
}

/// Returns the condition with a value of the field.
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
