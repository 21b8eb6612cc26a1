//! The rows of a table.

use rusqlite::{Connection, Statement};

use crate::error::SqlError;
use crate::failure;
use crate::limits::Clock;
use crate::records::cell::Cell;
use crate::records::column::Column;
use crate::records::fields::Shape;
use crate::records::source::Scanned;
use crate::records::values::Values;
use crate::records::wanted::Wanted;
use crate::sql::quoting;

/// The most parameters, and the most rows, of one insertion.
const MAX_PARAMETERS: usize = 400;
const MAX_BATCH: usize = 100;

/// Inserts rows into a table.
pub(crate) struct Rows<'d> {
    columns: Vec<Filled<'d>>,
    batch: usize,
    /// Inserts as many rows as `batch`, and one row.
    many: Statement<'d>,
    one: Statement<'d>,
}

/// A column that gets values.
pub(crate) struct Filled<'d> {
    pub(crate) column: &'d Column,
    /// The name of its values in a scan.
    pub(crate) source: &'d str,
    /// True if its texts are numbers.
    numeric: bool,
}

impl<'d> Filled<'d> {
    pub(crate) fn new(column: &'d Column, scanned: &'d Scanned<'_>) -> Self {
        let numeric = column.is_numeric(scanned);
        Self { column, source: column.source(scanned), numeric }
    }

    /// Returns its values in a scan of some of the records; None if the scan has none.
    pub(crate) fn values<'v, 'a>(&self, shape: &'v Shape<'a>) -> Option<&'v Values<'a>> {
        self.column.values(self.source, shape)
    }
}

/// Returns the columns if a scan has to find their values again; None if they are kept.
pub(crate) fn unkept(columns: &[Filled<'_>], scanned: &Scanned<'_>) -> Option<Wanted> {
    let are_kept = columns.iter().all(|filled| filled.values(&scanned.shape).is_some());
    (!are_kept).then(|| Wanted::named(columns.iter().map(|filled| filled.source)))
}

impl<'d> Rows<'d> {
    /// Prepares the insertion of values into these columns; without columns, of empty rows.
    pub(crate) fn new(
        db: &'d Connection,
        table: &str,
        columns: Vec<Filled<'d>>,
    ) -> rusqlite::Result<Self> {
        let batch = (MAX_PARAMETERS / columns.len().max(1)).clamp(1, MAX_BATCH);
        let names: Vec<String> =
            columns.iter().map(|filled| quoting::name(&filled.column.name)).collect();
        let (names, row) = match names.as_slice() {
            [] => ("rowid".to_owned(), "(NULL)".to_owned()),
            names => (names.join(","), format!("({})", vec!["?"; names.len()].join(","))),
        };
        let insertion = |rows: usize| {
            let rows = vec![row.as_str(); rows].join(",");
            db.prepare(&format!("INSERT INTO {}({names}) VALUES{rows}", quoting::name(table)))
        };
        let (many, one) = (insertion(batch)?, insertion(1)?);
        Ok(Self { columns, batch, many, one })
    }

    /// Inserts the records of a scan. A column without values there is null.
    ///
    /// # Errors
    ///
    /// Fails at the end of the time or the memory.
    pub(crate) fn insert(&mut self, shape: &Shape<'_>, clock: &Clock) -> Result<(), SqlError> {
        let Self { columns, batch, many, one } = self;
        let none = Values::default();
        let mut cells: Vec<_> = columns
            .iter()
            .map(|filled| (filled.numeric, filled.values(shape).unwrap_or(&none).each()))
            .collect();
        let mut bind = |statement: &mut Statement<'_>, row: usize| {
            let first = row * cells.len() + 1;
            cells.iter_mut().zip(first..).try_for_each(|((numeric, values), at)| {
                let value = values.next().unwrap_or("null");
                statement.raw_bind_parameter(at, Cell { value, numeric: *numeric })
            })
        };
        let (batches, rest) = (shape.records / *batch as u64, shape.records % *batch as u64);
        let mut insert = || {
            for number in 0..batches {
                if number % 10 == 0 && clock.is_over() {
                    return Ok(false);
                }
                (0..*batch).try_for_each(|row| bind(many, row))?;
                many.raw_execute()?;
            }
            for _ in 0..rest {
                bind(one, 0)?;
                one.raw_execute()?;
            }
            Ok(true)
        };
        match insert() {
            Ok(true) => Ok(()),
            Ok(false) => Err(SqlError::Deadline),
            Err(error) => Err(failure::of_run(&error)),
        }
    }
}
