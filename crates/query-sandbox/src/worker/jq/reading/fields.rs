//! The fields that a filter reads.

use std::rc::Rc;

use super::{
    comparison::Comparison, contained::Contained, input_use::InputUse, ordered::Ordered,
    part::PartOf, shape::Step,
};

/// The fields that a filter reads, and how it uses its input.
#[derive(Debug, Default)]
pub(in crate::worker::jq) struct Reading {
    /// The fields that are read at a known path from the array of all records.
    pub(in crate::worker::jq) paths: Vec<Vec<Step>>,
    /// The names of the fields that are read of unknown values.
    pub(in crate::worker::jq) names: Vec<Rc<str>>,
    /// The names of the fields that the filter makes, and its texts.
    pub(in crate::worker::jq) made: Vec<Rc<str>>,
    /// The fields that are read of objects without them, which the filter makes.
    pub(in crate::worker::jq) unmade: Vec<String>,
    /// The conditions that are constants.
    pub(super) constant_conditions: Vec<String>,
    /// The arrays that must contain texts.
    pub(super) contained: Vec<Contained>,
    /// The parts that texts must have.
    pub(super) parts: Vec<PartOf>,
    /// The comparisons of fields with constants.
    pub(super) comparisons: Vec<Comparison>,
    /// The fields whose values are put into an order.
    pub(super) ordered: Vec<Ordered>,
    /// The use of the input, if that is a record.
    pub(in crate::worker::jq) input: InputUse,
}
