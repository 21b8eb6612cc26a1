//! Leases: how long a stored file is readable. A file's lease runs from its modification
//! time for its lifetime; a file that is used again is renewed.

pub(crate) mod lifetimes;
pub(crate) mod recorded;
pub(crate) mod renewal;
