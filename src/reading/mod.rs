//! Reading offloaded text back. `grep` finds lines in stored files, `read_file` returns
//! them page by page, `tool_result` returns a part of one result, and `extract` queries
//! records. `restore` recognises references and puts the original text back.
//!
//! Queries get a confined folder handle and never see an ambient path or HTTP; the
//! service decides which folder a caller may read. Every query ends within its limits,
//! and an answer that a limit cut says so.

pub(crate) mod error;
pub(crate) mod extract;
pub(crate) mod grep;
pub(crate) mod limit;
pub(crate) mod read_file;
pub(crate) mod regular_file;
pub(crate) mod restore;
pub(crate) mod target;
pub(crate) mod tool_result;

mod fit;
mod watch;

#[cfg(test)]
mod tests;
