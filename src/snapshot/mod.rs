//! Snapshots: summaries that replace older messages. Pure strategies; the pipeline
//! decides when a model is called and when files are written.
//!
//! A [`region`] is the part of a history that may be summarized, cut into [`group`]s;
//! each is read as a [`transcript`]. A model is asked by [`prompt`], and its reply is
//! verified by [`acceptance`]; without a model, [`extractive`] writes, and [`mending`] puts its
//! extracts where much of a reply fell. [`format`] writes
//! and reads the result; [`retention`] measures how much of the messages it kept.

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
