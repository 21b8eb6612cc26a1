//! Columns that spell the same values in different ways, so that a join or a list misses some:
//! another letter case, spaces around, another normal form of Unicode.

use std::ops::Range;

use crate::notes::facts::{Facts, Read, literal};
use crate::notes::values::Subject;

/// The most values of a column that are compared.
const MAX_VALUES: usize = 20_000;

/// The ways to make several spellings one, the simplest first; `{}` is the column.
const WAYS: [&str; 4] = ["lower({})", "trim({})", "nfc({})", "lower(trim(nfc({})))"];

/// Returns a note on each pair of columns that the statement compares with `=` or `IN (SELECT …)`.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    let pairs = (1..statement.tokens.len()).filter_map(|at| {
        let is_list = statement.is(at, "in");
        let end = at - usize::from(statement.is(at - 1, "not"));
        let right = if statement.is_any(at, &["=", "=="]) {
            statement.expression_at(at + 1)?
        } else if is_list && statement.is(at + 2, "select") {
            statement.expression_at(at + 3 + usize::from(statement.is(at + 3, "distinct")))?
        } else {
            return None;
        };
        of_pair(facts, statement.expression_before(end)?, right, is_list)
    });
    pairs.collect()
}

fn of_pair(
    facts: &Facts<'_>,
    left: Range<usize>,
    right: Range<usize>,
    is_list: bool,
) -> Option<String> {
    let (ours, others) = (facts.column_at(left.clone())?, facts.column_at(right.clone())?);

    if ours.profile.texts == 0 || others.profile.texts == 0 {
        return None;
    }
    let missed = |way: &str| facts.db.rows(&missed(ours, others, way));
    let all = missed(WAYS[WAYS.len() - 1]).filter(|all| !all.is_empty())?;
    let way = WAYS.iter().find(|way| missed(way).is_some_and(|rows| rows.len() == all.len()))?;
    let [left, right] = [left, right].map(|side| facts.statement().text(side));

    let [ours, others] = [left, right].map(|side| way.replace("{}", side));
    let equal = match is_list {
        true => format!("{ours} IN (SELECT {others} …)"),
        false => format!("{ours} = {others}"),
    };
    Some(format!(
        "{} of the values of {left} have another spelling in {right}, such as {} and {}: {equal} \
         finds them",
        all.len(),
        literal(&all[0][0]),
        literal(&all[0][1])
    ))
}

/// Returns a query for the values of the first column that the second one has in another
/// spelling alone, each with that spelling.
fn missed(ours: Read<'_>, others: Read<'_>, way: &str) -> String {
    let of = |read: Read<'_>| {
        let rows = format!("WHERE typeof(it) = 'text' LIMIT {MAX_VALUES}");
        let key = way.replace("{}", "it");
        format!(
            "(value, key) AS MATERIALIZED ({})",
            Subject::of(read).query(&format!("DISTINCT it, {key}"), &rows)
        )
    };
    format!(
        "WITH ours{}, others{} SELECT ours.value, others.value FROM ours JOIN others \
         ON ours.key = others.key WHERE ours.value NOT IN (SELECT value FROM others) \
         GROUP BY ours.value",
        of(ours),
        of(others)
    )
}
