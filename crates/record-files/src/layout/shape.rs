//! The shape of records in their text.

use serde::{Deserialize, Serialize};

/// The form of records in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// The elements of an array.
    Array,
    /// JSON values on lines of their own.
    Lines,
    /// The members of an object; a record is `{"key":…,"value":…}`.
    Entries,
    /// The rows of a table, each an array of values; a record is an object of them by column.
    Rows,
    /// The lines of a text that holds no records, each as a JSON string.
    Text,
}

impl Shape {
    /// Returns the brackets around the records.
    pub(super) fn brackets(self) -> (&'static str, &'static str) {
        match self {
            Shape::Array | Shape::Rows => ("[", "]"),
            Shape::Entries => ("{", "}"),
            Shape::Lines | Shape::Text => ("", ""),
        }
    }

    /// Returns the shortest separator of two records.
    pub(super) fn separator(self) -> &'static str {
        match self {
            Shape::Array | Shape::Entries | Shape::Rows => ",",
            Shape::Lines | Shape::Text => "\n",
        }
    }
}
