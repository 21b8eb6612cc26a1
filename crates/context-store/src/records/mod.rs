//! The records of a file: pure data, no file system.

pub(crate) mod origin;
pub(crate) mod record;
pub(crate) mod timestamp;
