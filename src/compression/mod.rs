//! Compression: what a summary of older messages is made of. Pure strategies;
//! who calls a model, and who writes files, is decided above.
//!
//! What may leave is a `region`, cut into `group`s; each is read as a
//! `transcript`. A model is asked by `prompt`, its answer is read by `reply` and
//! held to the messages by `acceptance`; without one, `extractive` writes. The
//! service adds `directives` and `files`; all of it stands as a `block` in its
//! `place`, under a `seal`. `retention` measures what a snapshot kept.

pub mod acceptance;
pub mod block;
pub mod bridge;
pub mod directives;
pub mod extractive;
pub mod files;
pub mod group;
pub mod identifiers;
pub mod language;
pub mod originals;
pub mod place;
pub mod prompt;
pub mod region;
pub mod rejection;
pub mod reply;
pub mod retention;
pub mod seal;
pub mod snapshot;
pub mod tags;
pub mod transcript;

mod claims;
mod content_words;
mod grounding;
mod haystack;
mod markers;
mod negation;
mod reports;
mod sentences;
mod words;
