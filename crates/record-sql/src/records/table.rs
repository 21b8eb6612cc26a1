//! The tables of a run: made empty with the columns of a source, then filled with those columns
//! that the statement reads.

use rusqlite::{Connection, Statement};

use crate::error::SqlError;
use crate::failure;
use crate::limits::Clock;
use crate::records::column::{Column, From};
use crate::records::filler::Filler;
use crate::records::profile::{Profile, Type};
use crate::records::source::Scanned;
use crate::sql::quoting;

/// The most parameters, and the most rows, of one insertion.
const MAX_PARAMETERS: usize = 400;
const MAX_BATCH: usize = 100;

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
            self.columns.push(Column { name, from });
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
            format!("{}{kind}", quoting::name(&column.name))
        });
        let columns: Vec<String> = columns.collect();
        let table = quoting::name(&self.name);
        db.execute_batch(&format!(
            "DROP TABLE IF EXISTS {table}; CREATE TABLE {table}({})",
            columns.join(",")
        ))
    }

    /// Fills the columns of these names with the records of the source.
    pub(crate) fn fill(
        &self,
        db: &Connection,
        scanned: &Scanned<'_>,
        read: &[String],
        clock: &Clock,
    ) -> Result<(), SqlError> {
        let is_read = |column: &&Column| read.contains(&column.name);
        let columns: Vec<&Column> = self.columns.iter().filter(is_read).collect();
        db.execute_batch("BEGIN").map_err(|error| failure::of_run(&error))?;
        let filled =
            self.insert(db, scanned, &columns, clock).map_err(|error| failure::of_run(&error))?;
        db.execute_batch("COMMIT").map_err(|error| failure::of_run(&error))?;
        if filled { Ok(()) } else { Err(SqlError::Deadline) }
    }

    /// Inserts all records; returns false if the time was over before the last one.
    fn insert(
        &self,
        db: &Connection,
        scanned: &Scanned<'_>,
        columns: &[&Column],
        clock: &Clock,
    ) -> rusqlite::Result<bool> {
        let batch = (MAX_PARAMETERS / columns.len().max(1)).clamp(1, MAX_BATCH);
        let mut whole = self.insertion(db, columns, batch)?;
        let filler = Filler::new(columns, scanned);
        let lines = raw_json::lines(scanned.lines).map(str::trim_ascii);
        let mut waiting = 0;
        for (number, line) in lines.filter(|line| !line.is_empty()).enumerate() {
            if number % 1_024 == 0 && clock.is_over() {
                return Ok(false);
            }
            filler.bind(line, &mut whole, waiting * columns.len())?;
            waiting += 1;
            if waiting == batch {
                whole.raw_execute()?;
                waiting = 0;
            }
        }
        // The rest, one by one.
        let mut single = self.insertion(db, columns, 1)?;
        let rest = scanned.lines.rsplit('\n').map(str::trim_ascii);
        let mut rest: Vec<&str> = rest.filter(|line| !line.is_empty()).take(waiting).collect();
        rest.reverse();
        for line in rest {
            filler.bind(line, &mut single, 0)?;
            single.raw_execute()?;
        }
        Ok(true)
    }

    /// Prepares the insertion of some rows; without columns, of empty ones.
    fn insertion<'d>(
        &self,
        db: &'d Connection,
        columns: &[&Column],
        rows: usize,
    ) -> rusqlite::Result<Statement<'d>> {
        let names: Vec<String> = columns.iter().map(|column| quoting::name(&column.name)).collect();
        let (names, row) = match names.as_slice() {
            [] => ("rowid".to_owned(), "(NULL)".to_owned()),
            names => (names.join(","), format!("({})", vec!["?"; names.len()].join(","))),
        };
        let rows = vec![row; rows].join(",");
        db.prepare(&format!("INSERT INTO {}({names}) VALUES{rows}", quoting::name(&self.name)))
    }
}
