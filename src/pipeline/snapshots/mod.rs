//! Snapshots: the stretch of a history that may be compressed, the snapshots that stand for
//! it, and the history put together with them.

pub(crate) mod assemble;
pub(crate) mod cached;
mod earlier;
mod fit;
pub(crate) mod make;
pub(crate) mod plan;
pub(crate) mod region;
mod saved;
pub(crate) mod set;
pub(crate) mod standing;
mod summarise;
mod transcribe;
mod whole_history;
