//! The JSON of records: finds fields by path and compares values without building a tree of the
//! record.

pub(super) mod path;
pub(super) mod path_set;
pub(super) mod value;
