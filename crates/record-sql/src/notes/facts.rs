//! A run that gave its rows, and questions to its tables.

use std::ops::Range;

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};

use crate::prepare::Prepared;
use crate::records::column::Column;
use crate::records::profile::Profile;
use crate::records::source::Scanned;
use crate::records::table::Table;
use crate::sql::quoting;
use crate::sql::statement::{Chain, Statement};

/// The tables of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Db<'r>(pub(crate) &'r Connection);

impl Db<'_> {
    /// Returns the first row of a query; None if it fails.
    pub(crate) fn row(self, sql: &str) -> Option<Vec<Value>> {
        self.rows(sql).and_then(|rows| rows.into_iter().next())
    }

    /// Returns the rows of a query; None if it fails.
    pub(crate) fn rows(self, sql: &str) -> Option<Vec<Vec<Value>>> {
        let mut statement = self.0.prepare(sql).ok()?;
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get(at)).collect();
        statement.query_map([], row).ok()?.collect::<Result<_, _>>().ok()
    }

    /// Returns the whole numbers of the first row; null is 0.
    pub(crate) fn counts<const N: usize>(self, sql: &str) -> Option<[i64; N]> {
        let row: [Value; N] = self.row(sql)?.try_into().ok()?;
        Some(row.map(|value| if let Value::Integer(number) = value { number } else { 0 }))
    }

    /// Returns true if a query has no row, false if it has one; None if it fails.
    pub(crate) fn is_empty(self, sql: &str) -> Option<bool> {
        let mut statement = self.0.prepare(sql).ok()?;
        statement.exists([]).ok().map(|found| !found)
    }

    /// Returns true if a query can be prepared.
    pub(crate) fn prepares(self, sql: &str) -> bool {
        self.0.prepare(sql).is_ok()
    }
}

/// A run that gave its rows.
pub(crate) struct Facts<'r> {
    pub(crate) db: Db<'r>,
    pub(crate) sources: &'r [Scanned<'r>],
    pub(crate) prepared: &'r Prepared,
}

/// A column that the statement reads.
#[derive(Clone, Copy)]
pub(crate) struct Read<'r> {
    pub(crate) db: Db<'r>,
    pub(crate) table: &'r Table,
    pub(crate) column: &'r Column,
    pub(crate) profile: &'r Profile,
    /// The number of records of its table.
    pub(crate) records: u64,
}

impl<'r> Facts<'r> {
    pub(crate) fn statement(&self) -> &'r Statement {
        &self.prepared.statement
    }

    pub(crate) fn reads(&self) -> impl Iterator<Item = Read<'r>> {
        let (db, sources, prepared) = (self.db, self.sources, self.prepared);
        prepared.reads.iter().filter_map(move |(table, column)| {
            let table = prepared.tables.iter().find(|known| known.name == *table)?;
            let column = table.column(column)?;
            let source = &sources[table.source];
            let profile = column.profile(source)?;
            Some(Read { db, table, column, profile, records: source.shape.records })
        })
    }

    /// Returns the column that a chain names; of several tables that have it, that of the alias.
    pub(crate) fn column(&self, chain: &Chain) -> Option<Read<'r>> {
        let name = &chain.parts.last()?.name;
        let mut reads: Vec<Read<'r>> =
            self.reads().filter(|read| read.column.name.eq_ignore_ascii_case(name)).collect();
        match chain.parts.as_slice() {
            _ if reads.len() < 2 => {}
            [alias, _] => reads.retain(|read| self.is_called(&read.table.name, &alias.name)),
            _ => reads.retain(|read| self.is_around(&read.table.name, chain)),
        }
        let [one] = reads.as_slice() else { return None };
        Some(*one)
    }

    /// Returns true if a table is one of the SELECT around a chain.
    fn is_around(&self, table: &str, chain: &Chain) -> bool {
        let statement = self.statement();
        let Some(places) = statement.places(&chain.range()) else { return false };
        let tables = statement.tables_of(&statement.select_around(places.start));
        let mut tables = tables.unwrap_or_default().into_iter();
        tables.any(|item| statement.is_name(item.places.start, table))
    }

    /// Returns true if `alias` is a table's name, or comes after it.
    fn is_called(&self, table: &str, alias: &str) -> bool {
        let statement = self.statement();
        table.eq_ignore_ascii_case(alias)
            || (1..statement.tokens.len()).any(|at| {
                let before = at - 1 - usize::from(at > 1 && statement.is(at - 1, "as"));
                statement.is_name(at, alias) && statement.is_name(before, table)
            })
    }

    /// Returns the chain that is exactly these bytes of the statement.
    pub(crate) fn chain(&self, bytes: &Range<usize>) -> Option<Chain> {
        self.statement().chains().into_iter().find(|chain| chain.range() == *bytes)
    }

    /// Returns the column that is exactly these places of the statement.
    pub(crate) fn column_at(&self, places: Range<usize>) -> Option<Read<'r>> {
        self.column(&self.chain(&self.statement().bytes(places))?)
    }

    /// Returns the FROM clause of the SELECT around a place of the statement. A function of it may
    /// read a table of the SELECT around, which then comes first.
    pub(crate) fn from(&self, place: usize) -> Option<String> {
        let statement = self.statement();
        let select = statement.select_around(place);
        let places = statement.clause_places(&select, "from")?;
        let own = statement.text(places.clone());
        let prepares =
            |from: &str| self.db.prepares(&format!("{}SELECT 1 {from}", statement.with()));
        let outer = || {
            let outer = self.from(statement.enclosing(select.start)?)?;
            let tables = statement.text(places.start + 1..places.end);
            Some(format!("{outer}, {tables}")).filter(|from| prepares(from))
        };
        if prepares(own) { Some(own.to_owned()) } else { outer().or_else(|| Some(own.to_owned())) }
    }

    /// Returns the FROM clause of the SELECT around a place, of the rows that its WHERE keeps. For
    /// a place in WHERE itself, it is of all rows.
    pub(crate) fn kept_from(&self, place: usize) -> Option<String> {
        let statement = self.statement();
        let select = statement.select_around(place);
        let from = self.from(place)?;
        let condition = statement.clause_places(&select, "where");
        let kept = condition.filter(|places| !places.contains(&place)).map(|places| {
            let condition = statement.text(places.start + 1..places.end);
            format!("{from} JOIN (SELECT 1) ON ({condition})")
        });
        // WHERE may name columns of the result, or of a SELECT around it.
        let prepares =
            |from: &String| self.db.prepares(&format!("{}SELECT 1 {from}", statement.with()));

        Some(kept.filter(prepares).unwrap_or(from))
    }
}

impl Read<'_> {
    /// Returns the number of records in which the column is null.
    pub(crate) fn nulls(&self) -> u64 {
        self.records.saturating_sub(self.profile.values())
    }
}

/// Returns a value as a text.
pub(crate) fn plain(value: &Value) -> String {
    match ValueRef::from(value) {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

/// Returns a value as SQL spells it: text in quotes.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => quoting::text(text),
        other => plain(other),
    }
}
