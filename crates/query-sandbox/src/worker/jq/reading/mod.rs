//! The fields that a filter reads, found in its text without running it. Where a term is not a
//! plain path from the input, its value is unknown, and nothing is said of it.

mod calls;
mod comparison;
mod constants;
mod contained;
mod field_check;
mod fields;
mod first;
mod input_use;
mod known_fields;
mod ordered;
mod part;
mod reader;
mod shape;
mod trail;
mod uses;

use jaq_core::load::parse;

pub(super) use field_check::FieldCheck;
pub(super) use fields::Reading;
pub(super) use input_use::Meant;

/// Reads a filter that runs on the array of all records, or on each record. A filter that does
/// not parse reads nothing.
pub(super) fn read(filter: &str, slurp: bool) -> Reading {
    let term = parse(filter, |parser| parser.term());
    term.map_or_else(Reading::default, |term| reader::read(&term, slurp))
}
