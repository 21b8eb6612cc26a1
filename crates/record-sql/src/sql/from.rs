//! The tables of a FROM clause, and the conditions that join them.

use std::ops::Range;

use crate::sql::expression::parts;
use crate::sql::statement::Statement;

/// The words between the tables of a FROM clause.
const BETWEEN_TABLES: [&str; 9] =
    [",", "join", "natural", "left", "right", "full", "inner", "cross", "outer"];

/// A table, subquery or function of a FROM clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FromTable {
    /// Its alias, or else its own name; empty for a subquery without alias.
    pub(crate) name: String,
    /// The places of the table without alias.
    pub(crate) places: Range<usize>,
    /// True if it is joined by names, or with each row: USING, NATURAL or CROSS.
    pub(crate) is_joined: bool,
    /// True if it is null where it has no row for one of the others: LEFT.
    pub(crate) is_left: bool,
    /// The places of the condition after ON.
    pub(crate) on: Option<Range<usize>>,
}

/// How the parts of a condition are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    All(Vec<Range<usize>>),
    Any(Vec<Range<usize>>),
    One,
}

impl Statement {
    /// Returns the names that WITH gives to its SELECTs: those before `AS (`, and before the names
    /// of columns between.
    pub(crate) fn derived_names(&self) -> Vec<String> {
        let names = self.places_of(&["as"]).filter_map(|at| {
            let hint = (at + 1..).take_while(|at| self.is_any(*at, &["not", "materialized"]));
            let is_derived = self.is(at + 1 + hint.count(), "(");
            let opens = |open: &usize| self.is(*open, "(") && self.closing(*open) == at - 1;
            let name = match self.is(at - 1, ")") {
                true => (1..at - 1).rev().find(opens)? - 1,
                false => at - 1,
            };
            (is_derived && self.tokens[name].is_name()).then(|| self.value(name))
        });
        names.collect()
    }

    /// Returns the SELECTs of the statement, without those in brackets of their own.
    pub(crate) fn selects(&self) -> impl Iterator<Item = Range<usize>> {
        self.places_of(&["select"]).map(|at| self.select_around(at))
    }

    /// Returns the tables of a SELECT in order; None if they are in brackets.
    pub(crate) fn tables_of(&self, select: &Range<usize>) -> Option<Vec<FromTable>> {
        let from = self.clause_places(select, "from")?;
        let mut items = Vec::new();
        let (mut at, mut is_joined, mut is_left) = (from.start + 1, false, false);
        while at < from.end {
            let (start, mut name) = (at, String::new());
            if self.is(at, "(") {
                self.is_any(at + 1, &["select", "with", "values"]).then_some(())?;
                at = self.closing(at) + 1;
            } else {
                name = self.tokens.get(at).filter(|token| token.is_name())?.value(&self.sql);
                at += 1;
                if self.is(at, "(") {
                    at = self.closing(at) + 1;
                }
            }
            let places = start..at;
            at += usize::from(self.is(at, "as"));
            let is_name = self.tokens.get(at).is_some_and(crate::sql::token::Token::is_name);
            if at < from.end && is_name && !self.is_any(at, &["on", "using", "indexed", "not"]) {
                let is_end = self.is_any(at, &BETWEEN_TABLES);
                if !is_end {
                    name = self.value(at);
                    at += 1;
                }
            }
            let is_between = |at: &usize| self.is_any(*at, &BETWEEN_TABLES);
            let end = self.outside(at..from.end).find(is_between).unwrap_or(from.end);
            let on = self.is(at, "on").then_some(at + 1..end);
            is_joined |= self.is(at, "using");
            items.push(FromTable { name, places, is_joined, is_left, on });
            (at, is_joined, is_left) = (end, false, false);
            while at < from.end && is_between(&at) {
                is_joined |= self.is_any(at, &["natural", "cross"]);
                is_left |= self.is(at, "left");
                at += 1;
            }
        }
        Some(items)
    }

    /// Returns the FROM clause of the SELECT around a place; for a place in it, that of the tables
    /// before.
    pub(crate) fn tables_before(&self, place: usize) -> Option<&str> {
        let select = self.select_around(place);
        let from = self.clause_places(&select, "from")?;
        let items = self.tables_of(&select).unwrap_or_default();
        let own = items.iter().find(|item| item.places.contains(&place));
        let mut end = own.map_or(from.end, |item| item.places.start);
        while self.is_any(end.checked_sub(1)?, &BETWEEN_TABLES) {
            end -= 1;
        }
        (end > from.start + 1).then(|| self.text(from.start..end))
    }

    /// Returns a condition without brackets around all of it.
    pub(crate) fn unbracketed(&self, condition: Range<usize>) -> Range<usize> {
        let mut inner = condition;
        while inner.len() > 2 && self.is(inner.start, "(") {
            if self.closing(inner.start) + 1 != inner.end {
                break;
            }
            inner = inner.start + 1..inner.end - 1;
        }
        inner
    }

    /// Returns the parts of a condition that OR joins, or else those that AND joins.
    pub(crate) fn parts(&self, condition: Range<usize>) -> Parts {
        let (mut cases, mut between) = (0_usize, false);
        let (mut ands, mut ors) = (Vec::new(), Vec::new());
        for at in self.outside(condition.clone()) {
            if self.is(at, "case") {
                cases += 1;
            } else if self.is(at, "end") {
                cases = cases.saturating_sub(1);
            } else if cases > 0 {
            } else if self.is(at, "between") {
                between = true;
            } else if self.is(at, "or") {
                ors.push(at);
            } else if self.is(at, "and") && !std::mem::take(&mut between) {
                ands.push(at);
            }
        }
        match (ors.is_empty(), ands.is_empty()) {
            (false, _) => Parts::Any(parts(condition, &ors)),
            (true, false) => Parts::All(parts(condition, &ands)),

            (true, true) => Parts::One,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_names_and_conditions() {
        let sql = "SELECT 1 FROM records a, (SELECT 2 FROM x) AS b LEFT JOIN c ON a.x = c.x AND \
                   a.y IN (1, 2) JOIN \"d.jsonl\" USING (x) CROSS JOIN json_each(a.t) e, f WHERE 1";
        let statement = Statement::new(sql.to_owned());
        let items = statement.tables_of(&statement.select_around(0)).unwrap();
        let text = |places: &Range<usize>| &sql[statement.bytes(places.clone())];
        let shown: Vec<_> = items
            .iter()
            .map(|item| (item.name.as_str(), text(&item.places), item.is_joined, item.is_left))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", "records", false, false),
                ("b", "(SELECT 2 FROM x)", false, false),
                ("c", "c", false, true),
                ("d.jsonl", "\"d.jsonl\"", true, false),
                ("e", "json_each(a.t)", true, false),
                ("f", "f", false, false),
            ]
        );
        assert_eq!(text(items[2].on.as_ref().unwrap()), "a.x = c.x AND a.y IN (1, 2)");
        assert_eq!(statement.selects().count(), 2);
    }

    #[test]
    fn a_condition_has_parts() {
        let sql = "((a BETWEEN 1 AND 2 AND CASE WHEN b OR c THEN 1 END AND (d OR e)))";
        let statement = Statement::new(sql.to_owned());
        let all = statement.unbracketed(0..statement.tokens.len());
        let Parts::All(parts) = statement.parts(all) else { panic!("{sql}") };
        let text: Vec<&str> = parts.into_iter().map(|at| &sql[statement.bytes(at)]).collect();
        assert_eq!(text, ["a BETWEEN 1 AND 2", "CASE WHEN b OR c THEN 1 END", "(d OR e)"]);
        let statement = Statement::new("a AND b OR c".to_owned());
        assert_eq!(statement.parts(0..5), Parts::Any(vec![0..3, 4..5]));
        assert_eq!(statement.parts(4..5), Parts::One);
    }
}
