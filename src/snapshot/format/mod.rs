//! The format of snapshots: a `block` of sections with a `seal`, the lines that name the files of
//! its `originals`, and its `place` in a history.

pub(crate) mod block;
pub(crate) mod bridge;
pub(crate) mod originals;
pub(crate) mod place;
pub(crate) mod seal;
pub(crate) mod summary;
pub(crate) mod tags;
