//! Stores in an object store: files, records and markers are objects under a prefix. Reading and
//! writing them needs no state of this process, so any number of replicas can share one store.
//!
//! | key below the store's folder | object |
//! |---|---|
//! | `.unburden/files/DAY/NAME` | the content of a file; `NAME!2` in its third life |
//! | `.unburden/files/own-lifetime/NAME` | the same, if its lifetime may be its own |
//! | `.unburden/names/NAME.json` | the record, which decides whether the file lives |
//! | `.unburden/chats/CHAT/generation` | which generation of the chat's markers is the current one |
//! | `.unburden/chats/CHAT/GENERATION/NAME` and other kinds | markers |
//! | `.unburden/key`, `.unburden/format` | created once |
//!
//! `.unburden-stores/FOLDER` at the top of the prefix registers a folder as a store.
//! `.unburden-sweep` is the lock of the replica that sweeps.

pub(crate) mod client;
pub(crate) mod content_cache;
pub(crate) mod counts;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod health;
pub(crate) mod key_path;
pub(crate) mod listing;
pub(crate) mod open;
pub(crate) mod patience;
pub(crate) mod range_reader;
pub(crate) mod self_test;
pub(crate) mod series;
pub(crate) mod server_clock;
pub(crate) mod settings;
pub(crate) mod sweep_lock;

#[cfg(test)]
mod race_tests;
#[cfg(test)]
mod tests;
