//! A column of a table.

use crate::records::profile::Profile;
use crate::records::source::Scanned;

/// The value of a column in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// The top-level field at this place.
    Field(usize),
    /// The nested path at this place.
    Path(usize),
    /// The whole record.
    Record,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) from: From,
}

impl Column {
    /// Returns the profile of the column's values; None for the whole record.
    pub(crate) fn profile<'s>(&self, scanned: &'s Scanned<'_>) -> Option<&'s Profile> {
        match self.from {
            From::Field(place) => Some(scanned.shape.fields.profile(place)),
            From::Path(place) => Some(scanned.paths().plain.profile(place)),
            From::Record => None,
        }
    }
}
