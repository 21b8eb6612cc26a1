//! Snapshots: summaries that replace older messages. These are pure strategies; the pipeline
//! decides when a model is called and when files are written.
//!
//! A [`region`] is the part of a history that may be summarised. It is split into [`group`]s, and
//! each is parsed into a [`transcript`]. [`prompt`] asks a model for a summary, and [`acceptance`]
//! verifies the reply. Without a model, [`extractive`] writes the summary. [`mending`] replaces
//! what was removed from a reply with extracts. [`format`] writes and parses snapshots, and
//! [`retention`] measures how much of the messages they kept.

pub(crate) mod acceptance;
pub(crate) mod extractive;
pub(crate) mod format;
pub(crate) mod group;
pub(crate) mod mending;
pub(crate) mod prompt;
pub(crate) mod region;
pub(crate) mod retention;
pub(crate) mod text;
pub(crate) mod transcript;

#[cfg(test)]
mod any_text_tests;
#[cfg(test)]
mod retention_tests;
