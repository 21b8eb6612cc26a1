//! Leases: how long a stored file is readable. A file's lease runs from its modification time for
//! its lifetime; using the file again renews it.

pub(crate) mod lifetimes;
pub(crate) mod recorded;
pub(crate) mod renewal;
