//! Restores offloaded text: `proof` checks references and snapshots, `recognise` finds text that a
//! tool read from a stored file, and `rehydrate` puts the original text and messages back.

pub(crate) mod proof;
pub(crate) mod read_back;
pub(crate) mod recognise;
pub(crate) mod rehydrate;

mod grep_answer;
mod grep_files;
mod numbered;
mod part;
mod ranges;
mod records_again;
pub(crate) mod regroup;
mod unresolved;
