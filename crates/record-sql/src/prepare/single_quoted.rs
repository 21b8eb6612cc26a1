//! Columns in single quotes, which are texts.

use crate::error::SqlError;
use crate::records::source::Scanned;
use crate::sql::expression::{AGGREGATES, COMPARING};
use crate::sql::quoting;
use crate::sql::statement::{Statement, send_instead};
use crate::sql::token::Kind;

/// Functions of one column, next to the aggregates.
const FUNCTIONS: [&str; 12] = [
    "min",
    "max",
    "lower",
    "upper",
    "date",
    "datetime",
    "julianday",
    "unixepoch",
    "length",
    "abs",
    "round",
    "json_array_length",
];

/// Refuses a text that names a field where only a column makes sense: `avg('price')`,
/// `WHERE 'price' > 4`, `GROUP BY 'kind'`.
pub(crate) fn check(statement: &Statement, sources: &[Scanned<'_>]) -> Result<(), SqlError> {
    let mut corrected = statement.clone();
    let mut first = None;
    for at in (1..statement.tokens.len()).rev() {
        let token = &statement.tokens[at];
        if token.kind != Kind::Text || !is_column_place(statement, at) {
            continue;
        }
        let name = token.value(&statement.sql);
        if sources.iter().any(|source| {
            source.shape.fields.find(&name).is_some() || source.paths().plain.find(&name).is_some()
        }) {
            corrected = corrected.replaced(token.range.clone(), &quoting::spelled(&name));
            first = Some(token.text(&statement.sql));
        }
    }
    let Some(first) = first else { return Ok(()) };
    Err(SqlError::statement(format!(
        "SQL: {first} in single quotes is a text, not the column. {}",
        send_instead(&corrected.sql)
    )))
}

/// Returns true where a text is as good as a mistake.
fn is_column_place(statement: &Statement, at: usize) -> bool {
    let is_function = |name: usize| {
        statement.is_any(name, &AGGREGATES) || statement.is_any(name, &FUNCTIONS)
    };
    let argument = at > 1 && statement.is(at - 1, "(") && is_function(at - 2)
        && statement.is_any(at + 1, &[")", ","]);
    let sorted = |at: usize| statement.is(at, "by");
    let listed = statement.is(at - 1, ",") && {
        let items = (1..at).rev().find(|at| {
            statement.is_any(*at, &["by", "select", "from", "where", "(", "in", "values"])
        });
        items.is_some_and(sorted)
    };
    let key = (sorted(at - 1) || listed)
        && (at + 1 >= statement.tokens.len()
            || statement.is_any(at + 1, &[",", "asc", "desc", "limit", "having", "order", ")"]));
    let left = statement.is_any(at - 1, &["where", "and", "or", "not", "on", "having", "when", "("])
        && (statement.is_any(at + 1, &COMPARING) || statement.is(at + 1, "is"))
        && !statement.is(at + 1, "between");
    let behind = at + 2;
    let meets_literal = statement.tokens.get(behind).is_some_and(|token| {
        matches!(token.kind, Kind::Text | Kind::Number)
            || statement.is_any(behind, &["null", "not", "true", "false", "(", "-"])
    });
    argument || key || (left && meets_literal)
}
