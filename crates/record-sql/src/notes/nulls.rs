//! Tests for null over columns in which other values mean nothing, too.

use crate::notes::facts::{Facts, Read, literal, plain};
use crate::notes::values::Subject;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;

/// Values that mean nothing, in lower case.
const NOTHING: &str = "('', '[]', '{}', 'null', 'none', 'nan', 'n/a', 'na', '-')";

/// Returns true for a text that means nothing.
pub(crate) fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&format!("'{}'", text.to_lowercase()))
}

/// The most of them that a note lists.
const MAX_LISTED: usize = 3;

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    let texts = statement.tokens.iter().filter(|token| token.kind == Kind::Text);
    let knows = texts.into_iter().any(|token| is_nothing(&token.value(&statement.sql)));
    let knows = knows || statement.calls_of(&["json_array_length", "length", "nullif"]).count() > 0;
    if knows {
        return Vec::new();
    }
    let tested = statement.chains().into_iter().filter(|chain| {
        let range = chain.range();
        let Some(last) = statement.tokens.iter().position(|t| t.range.end == range.end) else {
            return false;
        };
        let is_null = statement.is(last + 1, "is")
            && (statement.is(last + 2, "null")
                || (statement.is(last + 2, "not") && statement.is(last + 3, "null")));
        let first = last + 2 - chain.parts.len() * 2;
        let counted = first > 1 && statement.is(first - 2, "count") && statement.is(last + 1, ")");
        is_null || statement.is_any(last + 1, &["isnull", "notnull"]) || counted
    });
    let reads: Vec<Read<'_>> = tested.filter_map(|chain| facts.column(&chain)).collect();
    reads.into_iter().filter_map(of_column).collect()
}

fn of_column(read: Read<'_>) -> Option<String> {
    if read.profile.texts + read.profile.containers == 0 {
        return None;
    }
    let found = Subject::of(read).rows(
        "it, count(*)",
        &format!("WHERE lower(it) IN {NOTHING} GROUP BY 1 ORDER BY 2 DESC LIMIT {MAX_LISTED}"),
    )?;

    if found.is_empty() {
        return None;
    }
    let (name, nulls) = (spelled(&read.column.name), read.nulls());
    let other: Vec<String> =
        found.iter().map(|row| format!("{} in {}", literal(&row[0]), plain(&row[1]))).collect();
    let values: Vec<String> = found.iter().map(|row| literal(&row[0])).collect();
    let other = other.join(", ");
    let equal = match values.as_slice() {
        [value] => format!("{name} = {value}"),
        values => format!("{name} IN ({})", values.join(", ")),
    };
    Some(if nulls == 0 {
        format!("{name} is never null, but {other}: {equal}")
    } else {
        format!("{name} is null in {nulls} records and {other}: ({name} IS NULL OR {equal})")
    })
}
