//! The records, and the tables that are made of them.

pub(crate) mod cell;
pub(crate) mod column;
pub(crate) mod date;
pub(crate) mod fields;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod profile;
pub(crate) mod rows;
pub(crate) mod source;
pub(crate) mod table;
pub(crate) mod values;
pub(crate) mod wanted;
