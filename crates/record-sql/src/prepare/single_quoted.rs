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
/// `WHERE 'price' > 4`, `GROUP BY 'kind'`; and any other text as a key of an order or of groups,
/// which would be the same key for each record.
pub(crate) fn check(statement: &Statement, sources: &[Scanned<'_>]) -> Result<(), SqlError> {
    let mut corrected = statement.clone();
    let mut first = None;
    for at in (1..statement.tokens.len()).rev() {
        let token = &statement.tokens[at];
        if token.kind != Kind::Text || !is_column_place(statement, at) {
            continue;
        }
        let name = token.value(&statement.sql);
        let is_field = sources.iter().any(|source| {
            source.shape.fields.find(&name).is_some() || source.paths().plain.find(&name).is_some()
        });
        if is_field || is_alias(statement, &name) {
            corrected = corrected.replaced(token.range.clone(), &quoting::name(&name));
            first = Some(token.text(&statement.sql));
        } else if is_key(statement, at) {
            return Err(SqlError::statement(format!(
                "SQL: {} after BY is a text, the same for each record: write the column without \
                 single quotes, and DESC after it for the greatest first",
                token.text(&statement.sql)
            )));
        }
    }
    let Some(first) = first else { return Ok(()) };
    Err(SqlError::statement(format!(
        "SQL: {first} in single quotes is a text, not the column. {}",
        send_instead(&corrected.sql)
    )))
}

/// Returns true for a name that the statement gives a column of its answer.
fn is_alias(statement: &Statement, name: &str) -> bool {
    (1..statement.tokens.len()).any(|at| statement.is(at - 1, "as") && statement.is_name(at, name))
}

/// Returns true where a text is as good as a mistake.
fn is_column_place(statement: &Statement, at: usize) -> bool {
    let is_function =
        |name: usize| statement.is_any(name, &AGGREGATES) || statement.is_any(name, &FUNCTIONS);
    let items = clause_of(statement, at);
    let argument = at > 1
        && statement.is(at - 1, "(")
        && is_function(at - 2)
        && statement.is_any(at + 1, &[")", ","]);
    let compound = statement.has_any(&["union", "except", "intersect"]);

    let selected = items.is_some_and(|at| statement.is(at, "select"))
        && statement.is_any(at - 1, &["select", "distinct", ","])
        && statement.is_any(at + 1, &[",", "from"])
        && !compound;
    let left = statement
        .is_any(at - 1, &["where", "and", "or", "not", "on", "having", "when", "("])
        && (statement.is_any(at + 1, &COMPARING) || statement.is(at + 1, "is"));
    let behind = at + 2;
    let meets_literal = statement.tokens.get(behind).is_some_and(|token| {
        matches!(token.kind, Kind::Text | Kind::Number)
            || statement.is_any(behind, &["null", "not", "true", "false", "(", "-"])
    });
    argument || is_key(statement, at) || selected || (left && meets_literal)
}

/// Returns true for a text that is a key of an order or of groups.
fn is_key(statement: &Statement, at: usize) -> bool {
    let is_listed = || {
        let clause = clause_of(statement, at);
        statement.is(at - 1, ",") && clause.is_some_and(|at| statement.is(at, "by"))
    };
    (statement.is(at - 1, "by") || is_listed())
        && (at + 1 >= statement.tokens.len()
            || statement.is_any(at + 1, &[",", "asc", "desc", "limit", "having", "order", ")"]))
}

/// Returns the word or bracket that begins the list in which a token stands.
fn clause_of(statement: &Statement, at: usize) -> Option<usize> {
    (0..at)
        .rev()
        .find(|at| statement.is_any(*at, &["by", "select", "from", "where", "(", "in", "values"]))
}
