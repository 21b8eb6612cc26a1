//! Tables of a FROM clause that no condition joins: each row of one goes with each row of another.

use std::ops::Range;

use crate::notes::facts::Facts;
use crate::sql::from::{FromTable, Parts};
use crate::sql::statement::Chain;

/// Words of conditions that look like names.
const WORDS: [&str; 27] = [
    "and", "as", "between", "case", "collate", "else", "end", "escape", "exists", "false", "glob",
    "in", "integer", "is", "isnull", "like", "nocase", "not", "notnull", "null", "or", "real",
    "regexp", "select", "text", "then", "true",
];

/// Returns a note on the first SELECT with tables that nothing joins, and on comparisons of a
/// column with itself.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let selects = || facts.statement().selects();
    let mut notes: Vec<String> = of_itself(facts).into_iter().collect();
    notes.extend(selects().find_map(|select| of_select(facts, &select)));
    notes
}

/// The tables of a SELECT, each with the number of the group that conditions join it to.
#[derive(Clone)]
struct Groups(Vec<usize>);

impl Groups {
    fn join(&mut self, tables: &[usize]) {
        let [first, others @ ..] = tables else { return };
        for other in others {
            let (from, to) = (self.0[*other], self.0[*first]);
            self.0.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
        }
    }

    /// Joins the tables that all of `others` join.
    fn join_common(&mut self, others: &[Self]) {
        for table in 0..self.0.len() {
            for other in 0..table {
                if others.iter().all(|groups| groups.0[table] == groups.0[other]) {
                    self.join(&[table, other]);
                }
            }
        }
    }
}

/// A SELECT with its tables.
struct Select<'s> {
    facts: &'s Facts<'s>,
    items: &'s [FromTable],
}

impl Select<'_> {
    /// Returns the tables that an expression reads; all of them if a name is not known.
    fn tables(&self, places: Range<usize>) -> Vec<usize> {
        let statement = self.facts.statement();
        let bytes = statement.bytes(places);
        let chains = statement.chains().into_iter();
        let mut tables = Vec::new();
        for chain in chains.filter(|chain| bytes.contains(&chain.range().start)) {
            match self.table(&chain) {
                Some(table) => tables.push(table),
                None if chain.is_word(&WORDS) => {}
                None => return (0..self.items.len()).collect(),
            }
        }
        tables
    }

    fn table(&self, chain: &Chain) -> Option<usize> {
        let statement = self.facts.statement();
        let [first, others @ ..] = chain.parts.as_slice() else { return None };
        if !others.is_empty() {
            return self.items.iter().position(|item| item.name.eq_ignore_ascii_case(&first.name));
        }
        let read = self.facts.column(chain).filter(|_| !chain.is_word(&WORDS))?;
        let is_of = |item: &FromTable| {
            item.places.len() == 1 && statement.value(item.places.start) == read.table.name
        };
        let mut tables = (0..self.items.len()).filter(|at| is_of(&self.items[*at]));
        tables.next().filter(|_| tables.next().is_none())
    }

    /// Joins the tables that a condition compares.
    fn join(&self, groups: &mut Groups, condition: Range<usize>) {
        let statement = self.facts.statement();
        let condition = statement.unbracketed(condition);
        match statement.parts(condition.clone()) {
            Parts::One => groups.join(&self.tables(condition)),
            Parts::All(parts) => parts.into_iter().for_each(|part| self.join(groups, part)),
            Parts::Any(parts) => {
                // A null may stand for any value.
                let is_null = |part: &Range<usize>| {
                    part.clone().any(|at| statement.is_any(at, &["null", "isnull"]))
                };
                let parts = parts.into_iter().filter(|part| !is_null(part));
                let of = |part| {
                    let mut groups = groups.clone();
                    self.join(&mut groups, part);
                    groups
                };
                let parts: Vec<Groups> = parts.map(of).collect();
                groups.join_common(&parts);
            }
        }
    }

    /// Returns true for a table of two rows and more.
    fn has_rows(&self, item: &FromTable) -> bool {
        let statement = self.facts.statement();
        let table = statement.text(item.places.clone());
        let (with, limit) = (statement.with(), "LIMIT 2");
        let rows = format!("{with}SELECT count(*) FROM (SELECT 1 FROM {table} {limit})");
        self.facts.db.counts(&rows) == Some([2])
    }
}

fn of_select(facts: &Facts<'_>, select: &Range<usize>) -> Option<String> {
    let statement = facts.statement();
    let items = statement.tables_of(select)?;
    let tables = Select { facts, items: &items };
    let mut groups = Groups((0..items.len()).collect());
    for (at, item) in items.iter().enumerate() {
        if item.is_joined {
            groups.join(&(0..=at).collect::<Vec<_>>());
        }
        if item.places.len() > 1 && !statement.is(item.places.start, "(") {
            // A function joins the tables that its arguments read.
            let mut joined = tables.tables(item.places.start + 1..item.places.end);
            joined.push(at);
            groups.join(&joined);
        }
        if let Some(on) = &item.on {
            tables.join(&mut groups, on.clone());
        }
    }
    let condition = statement.clause_places(select, "where");
    let condition = condition.map(|places| places.start + 1..places.end);
    if let Some(condition) = &condition {
        tables.join(&mut groups, condition.clone());
    }
    let (first, other) = (0..items.len()).find_map(|at| {
        let other = (at + 1..items.len()).find(|other| groups.0[*other] != groups.0[at])?;
        Some((&items[at], &items[other]))
    })?;
    if !tables.has_rows(first) || !tables.has_rows(other) {
        return None;
    }
    let (first, other) = (&first.name, &other.name);
    let is_any = |places: Range<usize>| {
        matches!(statement.parts(statement.unbracketed(places)), Parts::Any(_))
    };
    let conditions = items.iter().filter_map(|item| item.on.clone()).chain(condition);
    Some(if conditions.into_iter().any(is_any) {
        format!(
            "a part of the OR joins {first} and {other} by nothing, so each row of {first} goes \
             with each row of {other} there: put brackets around what OR joins: … AND (… OR …)"
        )
    } else {
        format!(
            "no condition joins {first} and {other}, so each row of {first} goes with each row of \
             {other}: compare their columns in ON or WHERE, or say CROSS JOIN"
        )
    })
}

/// A comparison of a column with itself, because a name without a table is that of the innermost
/// SELECT.
fn of_itself(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let chains = statement.chains();
    statement.places_of(&["=", "=="]).find_map(|at| {
        let [left, right] = statement.sides(at)?.map(|side| statement.bytes(side));

        let chain = |bytes: &Range<usize>| chains.iter().find(|chain| chain.range() == *bytes);
        let (one, two) = (chain(&left)?, chain(&right)?);
        let is_same = |parts: [&str; 2]| parts[0].eq_ignore_ascii_case(parts[1]);
        if !is_same([&one.parts.last()?.name, &two.parts.last()?.name]) || one.is_word(&WORDS) {
            return None;
        }
        let items = statement.tables_of(&statement.select_around(at))?;
        let alias = |chain: &Chain| (chain.parts.len() > 1).then(|| chain.parts[0].name.clone());
        let (alias, bare) = match (alias(one), alias(two)) {
            (Some(alias), None) => (alias, Some(two)),
            (None, Some(alias)) => (alias, Some(one)),
            (Some(alias), Some(other)) if is_same([&alias, &other]) => (alias, None),
            _ => return None,
        };
        let item = items.iter().find(|item| is_same([&item.name, &alias]))?;
        let range = left.start..right.end;
        let bare = bare.map_or_else(String::new, |bare| {
            format!(
                "; {} is that of {}: write the other table and a dot before it",
                &statement.sql[bare.range()],
                item.name
            )
        });
        Some(format!("{} compares a column with itself{bare}", &statement.sql[range]))
    })
}
