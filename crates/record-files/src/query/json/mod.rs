//! The JSON of records: fields are found by path and values compared without building a
//! tree of the record.

pub(super) mod path;
pub(super) mod path_set;
pub(super) mod value;
