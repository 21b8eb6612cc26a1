//! The tables of a run: made empty with the columns of a source, then filled with those columns
//! that the statement reads.

use rusqlite::Connection;

use crate::error::SqlError;
use crate::failure;
use crate::letter_order::TextKind;
use crate::limits::Clock;
use crate::records::column::{Column, From};
use crate::records::profile::{Profile, Type};
use crate::records::rows::{Filled, Rows, unkept};
use crate::records::source::Scanned;
use crate::sql::quoting;

/// A table of a source.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) source: usize,
    pub(crate) columns: Vec<Column>,
}

impl Table {
    /// Returns the table of a source with its top-level fields. Of names that differ only in case
    /// the first one is a column.
    pub(crate) fn new(name: String, source: usize, scanned: &Scanned<'_>) -> Self {
        let mut table = Self { name, source, columns: Vec::new() };
        for (place, name) in scanned.shape.fields.names().iter().enumerate() {
            table.add(name.clone(), From::Field(place));
        }
        if table.columns.is_empty() {
            table.add("record".to_owned(), From::Record);
        }
        table
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// Adds a column; returns false if there is one of this name.
    pub(crate) fn add(&mut self, name: String, from: From) -> bool {
        let new = self.column(&name).is_none();
        if new {
            self.columns.push(Column { name, from, order: None });
        }
        new
    }

    /// Makes the table anew, empty.
    pub(crate) fn create(&self, db: &Connection, scanned: &Scanned<'_>) -> rusqlite::Result<()> {
        let columns = self.columns.iter().map(|column| {
            let kind = match column.profile(scanned).map(Profile::kind) {
                Some(Type::Integer) => " INTEGER",
                Some(Type::Real) => " REAL",
                Some(Type::Text) => " TEXT",
                Some(Type::Mixed) | None => "",
            };
            let order = column.order.and_then(TextKind::collation);
            let order = order.map_or_else(String::new, |name| format!(" COLLATE {name}"));
            format!("{}{kind}{order}", quoting::name(&column.name))
        });
        let columns: Vec<String> = columns.collect();
        let table = quoting::name(&self.name);
        db.execute_batch(&format!(
            "DROP TABLE IF EXISTS {table}; CREATE TABLE {table}({})",
            columns.join(",")
        ))
    }

    /// Fills the columns of these names with the records of the source.
    ///
    /// # Errors
    ///
    /// Fails at the end of the time or the memory.
    pub(crate) fn fill(
        &self,
        db: &Connection,
        scanned: &Scanned<'_>,
        read: &[String],
        clock: &Clock,
    ) -> Result<(), SqlError> {
        let columns = self.columns.iter().filter(|column| read.contains(&column.name));
        let columns: Vec<Filled<'_>> = columns.map(|column| Filled::new(column, scanned)).collect();
        let of_run = |error| failure::of_run(&error);
        db.execute_batch("BEGIN").map_err(of_run)?;
        let unkept = unkept(&columns, scanned);
        let mut rows = Rows::new(db, &self.name, columns).map_err(of_run)?;
        scanned.each_part(unkept.as_ref(), clock, |part| rows.insert(part, clock))?;
        drop(rows);
        db.execute_batch("COMMIT").map_err(of_run)
    }
}
