//! The data of filters.

use jaq_core::data::JustLut;
use jaq_json::Val;

/// The data of a filter: values, and nothing else.
pub(super) type Data = JustLut<Val>;
