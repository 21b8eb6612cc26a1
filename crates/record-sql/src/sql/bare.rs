//! Columns outside of aggregates that are no keys of their group: SQLite takes them from any
//! record.

use std::ops::Range;

use crate::sql::expression::AGGREGATES;
use crate::sql::statement::{Chain, Statement};
use crate::sql::token::Kind;

/// Returns the names in a SELECT that SQLite takes from any record, if they are columns: those of
/// its list, HAVING and the order of its groups.
pub(crate) fn bare_columns(statement: &Statement, select: &Range<usize>) -> Vec<Chain> {
    let Some(from) = statement.clause(select, "from") else { return Vec::new() };
    let items = statement.items(select.start + 1..from);
    let keys = keys(statement, select, &items);
    let clause = |word, first| {
        let places = statement.clause_places(select, word)?;
        Some(places.start + first..places.end)
    };
    let order = clause("order", 2).filter(|_| !keys.is_empty());
    let expressions = items.iter().map(|item| statement.without_name(item));
    let mut found = Found::new(statement);
    found.has_aggregate = !keys.is_empty();
    expressions.chain(clause("having", 1)).chain(order).for_each(|places| found.add(places));
    let is_named = |name: &str, place: usize| statement.value(place).eq_ignore_ascii_case(name);
    let is_known = |chain: &Chain| {
        let name = chain.parts.last().map_or("", |part| &part.name);
        let mut of_keys = keys.iter().cloned().flatten();
        let mut results = items.iter().filter_map(|item| statement.name_of(item));
        of_keys.any(|at| is_named(name, at)) || results.any(|at| is_named(name, at))
    };
    found.bare().into_iter().filter(|chain| !is_known(chain)).collect()
}

/// Returns the expressions of GROUP BY; for the number or the name of a result that of the result.
fn keys(statement: &Statement, select: &Range<usize>, items: &[Range<usize>]) -> Vec<Range<usize>> {
    let Some(group) = statement.clause_places(select, "group") else { return Vec::new() };
    let keys = statement.items(group.start + 2..group.end).into_iter();
    let of_result = |key: Range<usize>| statement.result_of(&key, items).unwrap_or(key);
    keys.filter(|key| !key.is_empty()).map(of_result).collect()
}

/// The names and aggregates of some expressions.
struct Found<'s> {
    statement: &'s Statement,
    has_aggregate: bool,
    /// Different calls of `min` and `max`. Of one SQLite takes the record that has the value.
    extremes: Vec<&'s str>,
    names: Vec<Chain>,
    chains: Vec<Chain>,
}

impl<'s> Found<'s> {
    fn new(statement: &'s Statement) -> Self {
        let chains = statement.chains();
        Self { statement, has_aggregate: false, extremes: Vec::new(), names: Vec::new(), chains }
    }

    fn add(&mut self, places: Range<usize>) {
        let statement = self.statement;
        let mut at = places.start;
        while at < places.end {
            let token = &statement.tokens[at];
            if statement.is(at, "(") && statement.is_any(at + 1, &["select", "with"])
                || statement.is(at, "over") && statement.is(at + 1, "(")
            {
                at = statement.closing(at + usize::from(!statement.is(at, "(")));
            } else if let Some(end) = self.aggregate(at) {
                at = end;
            } else if token.kind == Kind::Quoted || !statement.ends_expression(at) {
                let chain = self.chains.iter().find(|c| c.range().start == token.range.start);
                self.names.extend(chain.cloned());
            }
            at += 1;
        }
    }

    /// Adds the aggregate that is called at a place; returns the place of its last bracket.
    fn aggregate(&mut self, at: usize) -> Option<usize> {
        let statement = self.statement;
        statement.is(at + 1, "(").then_some(())?;
        let close = statement.closing(at + 1);
        let is_extreme =
            statement.is_any(at, &["min", "max"]) && statement.arguments(at + 1).len() == 1;
        (is_extreme || statement.is_any(at, &AGGREGATES)).then_some(())?;
        let is_filtered = statement.is(close + 1, "filter");
        let end = if is_filtered { statement.closing(close + 2) } else { close };
        let call = statement.text(at..end + 1);
        if !statement.is(end + 1, "over") {
            self.has_aggregate = true;
            if is_extreme && !self.extremes.contains(&call) {
                self.extremes.push(call);
            }
        }
        Some(end)
    }

    fn bare(self) -> Vec<Chain> {
        if self.has_aggregate && self.extremes.len() != 1 { self.names } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_next_to_an_aggregate_is_bare() {
        let bare = |sql: &str| {
            let statement = Statement::new(sql.to_owned());
            let columns = bare_columns(&statement, &statement.select_around(0));
            columns.iter().map(|chain| sql[chain.range()].to_owned()).collect::<Vec<_>>().join(" ")
        };
        for (sql, column) in [
            ("SELECT r.status AS s, count(*) FROM r", "r.status"),
            ("SELECT sum(a), \"b c\" FROM r", "\"b c\""),
            ("SELECT id, max(a), min(a) FROM r", "id"),
            ("SELECT id * 2 twice, count(*) FROM r", "id"),
            ("SELECT a, b, count(*) FROM r GROUP BY 1", "b"),
            ("SELECT a, b FROM r GROUP BY a", "b"),
            ("SELECT lower(a) k, max(b), min(b), a, c FROM r GROUP BY k", "c"),
            ("SELECT a, count(*) FROM r GROUP BY a HAVING b > 1", "b"),
            ("SELECT a, count(*) n FROM r GROUP BY a ORDER BY n, b DESC", "b"),
            ("SELECT a, count(*) FILTER (WHERE b), (SELECT c) FROM r GROUP BY a", ""),
            ("SELECT id, max(a), max(a) - 1 FROM r", ""),
            ("SELECT id, max(a, b), min(a, b) FROM r", ""),
            ("SELECT max(a), min(a) FROM r", ""),
            ("SELECT status, count(*) FROM r GROUP BY status", ""),
            ("SELECT id, max(a), count(*) FROM r", ""),
            ("SELECT count(a) AS n, 5, sum(b) total FROM r ORDER BY c", ""),
            ("SELECT a, count(*) OVER () FROM r", ""),
            ("SELECT a, (SELECT count(*) FROM s) FROM r", ""),
            ("SELECT a FROM r", ""),
            ("SELECT a, b", ""),
        ] {
            assert_eq!(bare(sql), column, "{sql}");
        }
    }
}
