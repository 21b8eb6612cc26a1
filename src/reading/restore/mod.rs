//! Restoring offloaded text: references and snapshots are proven by `proof`, text that a
//! tool read from a stored file is found by `recognise`, and `rehydrate` puts the
//! original text and messages back.

pub mod proof;
pub mod read_back;
pub mod recognise;
pub mod rehydrate;

mod grep_answer;
mod grep_files;
mod ranges;
mod records_again;
mod regroup;
mod unresolved;

pub use unresolved::Unresolved;
