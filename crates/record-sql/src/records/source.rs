//! A file of records, as a statement may name it.

use crate::error::SqlError;
use crate::limits::Clock;
use crate::records::fields::{Paths, Shape, scan};
use crate::records::wanted::Wanted;

/// The longest text whose values are kept for the whole run, and the parts of longer ones, in
/// bytes: the places of small values take more memory than their text.
const MAX_KEPT: usize = 32 * 1024 * 1024;
const PART: usize = 2 * 1024 * 1024;

/// Records, one JSON value on each line, and the names that a statement may give them.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The names; the first one is shown in messages.
    pub names: Vec<String>,
    /// The records.
    pub lines: &'a str,
}

/// A source that was scanned.
#[derive(Debug)]
pub(crate) struct Scanned<'a> {
    pub(crate) names: Vec<String>,
    pub(crate) lines: &'a str,
    pub(crate) shape: Shape<'a>,
}

impl<'a> Scanned<'a> {
    /// Scans a source, and keeps the values of the wanted columns unless they are too many.
    ///
    /// # Errors
    ///
    /// Fails at a line that is not JSON, or at the end of the time.
    pub(crate) fn new(
        source: &Source<'a>,
        wanted: &Wanted,
        clock: &Clock,
    ) -> Result<Self, SqlError> {
        let none = Wanted::named(std::iter::empty());
        let wanted = if source.lines.len() <= MAX_KEPT { wanted } else { &none };
        let shape = checked(source.lines, wanted, clock)?;
        Ok(Self { names: source.names.clone(), lines: source.lines, shape })
    }

    /// Calls `each` with the records: all of them, or again in parts with the values of columns
    /// that are not kept.
    ///
    /// # Errors
    ///
    /// Fails if `each` does, or at the end of the time.
    pub(crate) fn each_part(
        &self,
        unkept: Option<&Wanted>,
        clock: &Clock,
        mut each: impl FnMut(&Shape<'a>) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let Some(wanted) = unkept else { return each(&self.shape) };
        let mut parts = raw_json::parts(self.lines, PART);
        parts.try_for_each(|part| each(&checked(part, wanted, clock)?))
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the nested paths.
    pub(crate) fn paths(&self) -> &Paths<'a> {
        &self.shape.paths
    }
}

fn checked<'a>(lines: &'a str, wanted: &Wanted, clock: &Clock) -> Result<Shape<'a>, SqlError> {
    scan(lines, wanted, &|| clock.is_over()).map_err(|fault| match fault {
        None => SqlError::Deadline,
        Some((line, fault)) => SqlError::BadInput { line, expected: fault.expected.to_owned() },
    })
}
