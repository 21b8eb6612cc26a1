//! Advice on statements that fail over a value of the records.

use crate::error::SqlError;
use crate::notes::facts::Facts;
use crate::notes::json;
use crate::notes::values::Subject;
use crate::notes::written::written;
use crate::records::profile::Type;
use crate::sql::statement::{Statement, send_instead};

/// The functions that refuse a text, which other aggregates take for a number.
pub(crate) const STRICT: [&str; 9] = [
    "median",
    "percentile",
    "percentile_cont",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "variance",
    "var_pop",
    "var_samp",
];

/// Returns the error with what to send instead, if it is known.
pub(crate) fn with_advice(facts: &Facts<'_>, error: SqlError) -> SqlError {
    let SqlError::Statement { message } = &error else { return error };
    let advice = if message.contains("malformed JSON") {
        json::malformed(facts)
    } else if message.contains("is not numeric") || message.contains("must be numbers") {
        of_numbers(facts)
    } else if message.contains("bad JSON path") {
        let all = "all elements are FROM records, json_each(records.x) AS e, with e.value->>'key'";
        Some(format!("A path is '$.key' or '$[0].key'; {all}"))
    } else if message.contains("integer overflow") {
        Some("total(x) adds as numbers with a fraction".to_owned())
    } else {
        None
    };
    match advice {
        Some(advice) => SqlError::statement(format!("{message}\n{advice}")),
        None => error,
    }
}

/// Returns the statement whose strict functions leave out values that are no numbers.
fn of_numbers(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let mut corrected: Statement = statement.clone();
    let mut names = Vec::new();
    let calls: Vec<usize> = statement.calls_of(&STRICT).collect();
    for at in calls.into_iter().rev() {
        let Some(places) = statement.arguments(at + 1).into_iter().next() else { continue };
        let bytes = statement.bytes(places.clone());
        let Some(of) = Subject::at(facts, places) else { continue };
        if matches!(of.column, Some(Type::Integer | Type::Real)) {
            continue;
        }
        let value = &statement.sql[bytes.clone()];
        let number = written(&of).map_or_else(
            || {
                format!(
                    "CASE WHEN {value} = CAST({value} AS NUMERIC) THEN CAST({value} AS REAL) END"
                )
            },
            |written| written.number(value),
        );
        names.push(value.to_owned());
        corrected = corrected.replaced(bytes, &number);
    }
    let name = names.pop()?;
    Some(format!("{name} has values that are not numbers. {}", send_instead(&corrected.sql)))
}
