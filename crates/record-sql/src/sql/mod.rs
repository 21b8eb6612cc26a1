//! The text of a statement, before SQLite sees it.

pub(crate) mod bare;
pub(crate) mod comparison;
pub(crate) mod condition;
pub(crate) mod expression;
pub(crate) mod from;
pub(crate) mod quoting;
mod refused;
mod results;
pub(crate) mod statement;
pub(crate) mod token;
