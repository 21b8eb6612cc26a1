//! The format of snapshots: a `block` of sections under a `seal`, with the lines that
//! name the files of its `originals`, in its `place` in a history.

pub mod block;
pub mod bridge;
pub mod originals;
pub mod place;
pub mod seal;
pub mod summary;
pub mod tags;
