//! Rows of a join or a subquery that have no partner, or several: LEFT JOIN, and subqueries that
//! stand for one value.

use std::collections::BTreeSet;

use crate::notes::facts::{Facts, plain};
use crate::sql::quoting;
use crate::sql::statement::Statement;

/// The most values whose forms are compared.
const MAX_VALUES: usize = 1_000;

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    [of_count(facts), of_first_row(facts)].into_iter().flatten().collect()
}

/// `count(*)` over a LEFT JOIN to several rows counts a row without any as 1.
fn of_count(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["count"]).filter(|at| statement.is(at + 2, "*")).find_map(|at| {
        let select = statement.select_around(at);
        let items = statement.tables_of(&select)?;
        let [left, right] = items.as_slice() else { return None };
        let on = right.on.clone().filter(|_| right.is_left)?;
        let (first, second) = (quoting::name(&left.name), quoting::name(&right.name));
        let [rows, lefts, rights] = facts.db.counts(&format!(
            "{}SELECT count(*), count(DISTINCT {first}.rowid), count({second}.rowid) {}",
            statement.with(),
            statement.rows_around(at)?
        ))?;

        let bytes = statement.bytes(on);
        let mut chains = statement.chains().into_iter();
        let key = chains.find(|chain| {
            bytes.contains(&chain.range().start)
                && chain.parts.len() > 1
                && chain.parts[0].name.eq_ignore_ascii_case(&right.name)
        })?;
        let key = &statement.sql[key.range()];
        (lefts < rows && rights < rows).then(|| {
            format!(
                "count(*) is 1 for a row of {} without a row of {}, in {} rows: count({key}) is 0 \
                 there",
                left.name,
                right.name,
                rows - rights
            )
        })
    })
}

/// A subquery that stands for one value, and has several.
fn of_first_row(facts: &Facts<'_>) -> Option<String> {
    const NO_VALUE: [&str; 9] =
        ["in", "exists", "from", "join", "as", "materialized", "(", "union", "all"];
    let statement = facts.statement();
    (1..statement.tokens.len()).find_map(|at| {
        let is_value = statement.is(at, "(")
            && statement.is(at + 1, "select")
            && !statement.is_any(at - 1, &NO_VALUE)
            && !is_table(statement, at);
        let inner = at + 1..statement.closing(at);
        let decides = ["distinct", "group", "order", "limit", "union", "except", "intersect"];
        let mut words = statement.outside(inner.clone());
        if !is_value || words.any(|word| statement.is_any(word, &decides)) {
            return None;
        }
        let list = at + 2..statement.clause(&inner, "from")?;
        let value = statement.text(list.clone());
        if !statement.is_scalar(list) {
            return None;
        }
        let rows = statement.rows_around(at + 1)?;
        let outer = statement.select_around(at);
        let outer = statement.clause_text(&outer, "from").unwrap_or_default();
        let several = format!(
            "{}SELECT 1 {outer} WHERE (SELECT count(DISTINCT {value}) {rows}) > 1 LIMIT 1",
            statement.with()
        );
        let is_equal = statement.is_any(at - 1, &["=", "==", "!=", "<>"]);
        let how = if is_equal {
            "IN (SELECT …) compares with all".to_owned()
        } else {
            format!("group_concat({value}), max({value}) or a JOIN take all")
        };
        (facts.db.is_empty(&several) == Some(false)).then(|| {
            let subquery = statement.text(at..inner.end + 1);
            format!("{subquery} has several values and gives the first one: {how}")
        })
    })
}

/// Returns true for a subquery that is a table of its FROM clause.
fn is_table(statement: &Statement, at: usize) -> bool {
    let select = statement.select_around(at);
    let items = statement.tables_of(&select).unwrap_or_default();
    items.iter().any(|item| item.places.start == at)
}

/// Returns true if no value of one query has the form of a value of the other: they are no keys
/// of the same things.
pub(crate) fn have_other_forms(facts: &Facts<'_>, queries: [&str; 2]) -> bool {
    let forms = |query: &str| -> Option<BTreeSet<String>> {
        let rows = facts.db.rows(&format!("{query} LIMIT {MAX_VALUES}"))?;
        Some(rows.iter().filter_map(|row| row.first()).map(|value| form(&plain(value))).collect())
    };
    let (Some(one), Some(other)) = (forms(queries[0]), forms(queries[1])) else { return false };
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

/// Returns the signs of a value, and `a` if it has letters.
fn form(value: &str) -> String {
    let signs: BTreeSet<char> = value
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .map(|c| if c.is_alphabetic() { 'a' } else { c })
        .collect();
    signs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_signs_and_letters() {
        for (value, is) in [("16", ""), ("C16", "a"), ("Ann Lee", " a"), ("a-1.b", "-.a")] {
            assert_eq!(form(value), is, "{value}");
        }
    }

    #[test]
    fn a_table_is_no_value() {
        let statement =
            Statement::new("SELECT (SELECT 1) FROM (SELECT 2), (SELECT 3) x".to_owned());
        let opens = (0..statement.tokens.len()).filter(|at| statement.is(*at, "("));
        let are: Vec<bool> = opens.map(|at| is_table(&statement, at)).collect();
        assert_eq!(are, [false, true, true]);
    }
}
