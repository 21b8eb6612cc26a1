//! Snapshots: summaries that replace older messages. Pure strategies; the pipeline
//! decides when a model is called and when files are written.
//!
//! A [`region`] is the part of a history that may be summarized, cut into [`group`]s;
//! each is read as a [`transcript`]. A model is asked by [`prompt`], and its reply is
//! verified by [`acceptance`]; without a model, [`extractive`] writes. [`format`] writes
//! and reads the result; [`retention`] measures how much of the messages it kept.

pub mod acceptance;
pub mod extractive;
pub mod format;
pub mod group;
pub mod prompt;
pub mod region;
pub mod retention;
pub mod text;
pub mod transcript;
