//! A column of a table.

use crate::letter_order::TextKind;
use crate::records::fields::{Fields, Shape};
use crate::records::profile::{Profile, Type};
use crate::records::source::Scanned;
use crate::records::values::Values;
use crate::records::wanted::RECORD;

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
    /// The kind of its texts, which orders them; None for the order of their letters.
    pub(crate) order: Option<TextKind>,
}

impl Column {
    /// Returns the fields or paths of a scan that it is one of, and its place; None for the whole
    /// record.
    fn fields<'s, 'a>(&self, shape: &'s Shape<'a>) -> Option<(&'s Fields<'a>, usize)> {
        match self.from {
            From::Field(place) => Some((&shape.fields, place)),
            From::Path(place) => Some((&shape.paths.plain, place)),
            From::Record => None,
        }
    }

    /// Returns the profile of the column's values; None for the whole record.
    pub(crate) fn profile<'s>(&self, scanned: &'s Scanned<'_>) -> Option<&'s Profile> {
        self.fields(&scanned.shape).map(|(fields, place)| fields.profile(place))
    }

    /// Returns true if texts of the column are numbers.
    pub(crate) fn is_numeric(&self, scanned: &Scanned<'_>) -> bool {
        let kind = self.profile(scanned).map(Profile::kind);
        matches!(kind, Some(Type::Integer | Type::Real))
    }

    /// Returns the name that its values have in a scan.
    pub(crate) fn source<'s>(&self, scanned: &'s Scanned<'_>) -> &'s str {
        self.fields(&scanned.shape).map_or(RECORD, |(fields, place)| &fields.names()[place])
    }

    /// Returns its values in a scan of some of the records, under the name of
    /// [`Column::source`]; None if the scan does not have them.
    pub(crate) fn values<'v, 'a>(
        &self,
        source: &str,
        shape: &'v Shape<'a>,
    ) -> Option<&'v Values<'a>> {
        match self.fields(shape) {
            Some((fields, _)) => fields.values(source),
            None => shape.whole.as_ref(),
        }
    }
}
