//! The layout of records in a text: all of the text that is not a record, and the conversion
//! between the text and lines of one record each.

mod bounded_text;
mod escape;
mod lines;
mod shape;
mod source;
mod spacing;
mod wrap;

pub(crate) use escape::EscapeStyle;
pub(crate) use lines::{RebuildError, Region, flatten, members, unflatten};
pub(crate) use shape::Shape;
pub(crate) use source::Source;
pub(crate) use wrap::Wrap;
