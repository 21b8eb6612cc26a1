//! A file of records, as a statement may name it.

use crate::error::SqlError;
use crate::limits::Clock;
use crate::records::fields::{Paths, Shape, scan};

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
    pub(crate) shape: Shape,
}

impl<'a> Scanned<'a> {
    pub(crate) fn new(source: &Source<'a>, clock: &Clock) -> Result<Self, SqlError> {
        let shape = scan(source.lines, &|| clock.is_over()).map_err(|fault| match fault {
            None => SqlError::Deadline,
            Some((line, fault)) => SqlError::BadInput { line, expected: fault.expected.to_owned() },
        })?;
        let (names, lines) = (source.names.clone(), source.lines);
        Ok(Self { names, lines, shape })
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the nested paths.
    pub(crate) fn paths(&self) -> &Paths {
        &self.shape.paths
    }
}
