//! A column next to an aggregate without GROUP BY: SQLite takes it from any record.

use crate::sql::statement::Statement;

/// The aggregates; of `min` and `max` SQLite takes the record that has the value.
const AGGREGATES: [&str; 11] = [
    "count",
    "sum",
    "avg",
    "total",
    "median",
    "percentile",
    "group_concat",
    "string_agg",
    "stddev",
    "variance",
    "json_group_array",
];

/// Returns the first column of the outermost SELECT that stands next to an aggregate, if there is
/// no GROUP BY.
pub(crate) fn bare_column(statement: &Statement) -> Option<String> {
    if !statement.is(0, "select") {
        return None;
    }
    let (mut depth, mut aggregates) = (0_usize, false);
    // Of several SQLite takes the record of any of them.
    let mut extremes: Vec<&str> = Vec::new();
    let mut bare = None;
    let mut in_list = true;
    for (at, token) in statement.tokens.iter().enumerate() {
        if statement.is(at, "(") {
            depth += 1;
        } else if statement.is(at, ")") {
            depth = depth.saturating_sub(1);
        }
        if depth > 0 {
            continue;
        }
        if statement.is(at, "group") {
            return None;
        }
        in_list &= !statement.is(at, "from");
        if !in_list {
            continue;
        }
        let name = token.value(&statement.sql).to_ascii_lowercase();
        if statement.is(at + 1, "(") {
            let close = statement.closing(at + 1);
            let window = statement.is(close + 1, "over");
            let is_extreme = matches!(name.as_str(), "min" | "max");
            if is_extreme && !window && statement.arguments(at + 1).len() == 1 {
                let call = &statement.sql[statement.bytes(at..close + 1)];
                if !extremes.contains(&call) {
                    extremes.push(call);
                }
            }
            aggregates |= AGGREGATES.contains(&name.as_str()) && !window;
        } else if token.is_name()
            && bare.is_none()
            && at.checked_sub(1).is_some_and(|at| {
                [",", "select", "distinct"].iter().any(|word| statement.is(at, word))
            })
            && !statement.is(at, "distinct")
            && !["case", "not", "cast", "null", "true", "false"].contains(&name.as_str())
        {
            let chain = statement
                .chains()
                .into_iter()
                .find(|chain| chain.range().start == token.range.start)?;
            bare = Some(statement.sql[chain.range()].to_owned());
        }
    }
    bare.filter(|_| match extremes.len() {
        0 => aggregates,
        1 => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_next_to_an_aggregate_is_bare() {
        let bare = |sql: &str| bare_column(&Statement::new(sql.to_owned()));
        assert_eq!(bare("SELECT r.status AS s, count(*) FROM r").as_deref(), Some("r.status"));
        assert_eq!(bare("SELECT sum(a), \"b c\" FROM r").as_deref(), Some("\"b c\""));
        assert_eq!(bare("SELECT id, max(a), min(a) FROM r").as_deref(), Some("id"));
        for fine in [
            "SELECT id, max(a), max(a) - 1 FROM r",
            "SELECT id, max(a, b), min(a, b) FROM r",
            "SELECT max(a), min(a) FROM r",
            "SELECT status, count(*) FROM r GROUP BY status",
            "SELECT id, max(a), count(*) FROM r",
            "SELECT count(a) AS n, 5, sum(b) total FROM r",
            "SELECT a, count(*) OVER () FROM r",
            "SELECT a, (SELECT count(*) FROM s) FROM r",
            "SELECT a FROM r",
            "SELECT a, b",
        ] {
            assert_eq!(bare(fine), None, "{fine}");
        }
    }
}
