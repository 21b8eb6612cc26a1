//! Snapshots: selects the messages to summarise, makes their snapshots, and assembles the history
//! with these.

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
