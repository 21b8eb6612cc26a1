//! The rows of a statement.

use rusqlite::types::ValueRef;
use rusqlite::{Row, Rows};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

use crate::limits::Clock;

/// The longest time that rows are only counted, after the last one that is returned.
const MAX_COUNTING: Duration = Duration::from_millis(300);

/// The characters of a cell of a row that alone is too large for the output.
const CUT_CELL: usize = 2_000;

/// The bytes that part a row or a name from the next one, whoever writes them.
const BETWEEN: usize = 2;

/// The answer to a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows of the page: JSON arrays of one value for each column.
    #[serde(skip)]
    pub rows: Vec<String>,
    /// The number of rows, also of those outside of the page.
    pub total: u64,
    /// False if the time was over before the last row: there are at least `total`.
    pub complete: bool,
    /// The LIMIT of the statement itself, if it has as many rows.
    pub own_limit: Option<u64>,
    /// Facts that may make the rows mislead: sentences without a full stop.
    pub notes: Vec<String>,
}

/// The rows that are wanted.
pub(crate) struct Page<'a> {
    pub(crate) offset: u64,
    pub(crate) limit: u64,
    pub(crate) output_bytes: usize,
    pub(crate) clock: &'a Clock,
}

impl Outcome {
    /// Reads the rows of a page and counts the others.
    ///
    /// # Errors
    ///
    /// Fails with an error of SQLite before the page is full.
    pub(crate) fn read(&mut self, rows: &mut Rows<'_>, page: &Page<'_>) -> rusqlite::Result<()> {
        let names = self.columns.iter().map(|name| raw_json::quote(name).len() + BETWEEN);
        let mut room = page.output_bytes.saturating_sub(names.sum());
        let mut full = page.limit == 0;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => {
                    self.complete = true;
                    return Ok(());
                }
                Err(_) if full => return Ok(()),
                Err(_) if page.clock.is_over() && !self.rows.is_empty() => return Ok(()),
                Err(error) => return Err(error),
            };
            self.total += 1;
            if full || self.total <= page.offset {
                continue;
            }
            let mut text = json(row, self.columns.len(), usize::MAX)?;
            if text.len() + BETWEEN > room && self.rows.is_empty() {
                text = json(row, self.columns.len(), CUT_CELL)?;
            }
            full = text.len() + BETWEEN > room;
            if !full {
                room -= text.len() + BETWEEN;
                self.rows.push(text);
                full = self.rows.len() as u64 >= page.limit;
            }
            if full {
                page.clock.end_within(MAX_COUNTING);
            }
        }
    }

    /// Returns true if there is no row, or one with nothing but zeros and nulls.
    pub(crate) fn is_nothing(&self) -> bool {
        let zeros = |row: &String| {
            let cells = row.trim_start_matches('[').trim_end_matches(']');
            cells.split(',').all(|cell| matches!(cell, "0" | "0.0" | "null"))
        };
        self.complete && (self.total == 0 || (self.total == 1 && self.rows.iter().all(zeros)))
    }
}

/// Returns a row as a JSON array with at most `max` characters of each text.
fn json(row: &Row<'_>, columns: usize, max: usize) -> rusqlite::Result<String> {
    let mut text = String::from("[");
    for at in 0..columns {
        if at > 0 {
            text.push(',');
        }
        match row.get_ref(at)? {
            ValueRef::Null => text.push_str("null"),
            ValueRef::Integer(number) => _ = write!(text, "{number}"),
            ValueRef::Real(number) if number.is_finite() => _ = write!(text, "{number:?}"),
            ValueRef::Real(number) => _ = write!(text, "\"{number}\""),
            ValueRef::Text(bytes) => {
                text.push_str(&raw_json::quote(&cut(&String::from_utf8_lossy(bytes), max)));
            }
            ValueRef::Blob(bytes) => _ = write!(text, "\"{} bytes\"", bytes.len()),
        }
    }
    text.push(']');
    Ok(text)
}

/// Returns at most `max` characters of a text, with the number of all others.
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => {
            format!("{}… [{} more characters]", &text[..at], text[at..].chars().count())
        }
    }
}
