//! Unburden: a context manager for LLM agents. A framework posts its whole message history between
//! turns and gets a smaller, valid one back; large tool results move to files, and everything that
//! was removed can be read again.
//!
//! It uses library crates: `chat_history` (messages as raw bytes, dialects), `token_count`,
//! `context_store`, `record_files`, `record_sql`, `query_sandbox`, `fair_share` (resources shared
//! by tenants), `redact` (secrets).
//!
//! The modules in reading order, floor by floor; each uses only those above it:
//!
//! - words: `params`, `envelope`
//! - measure: `measure`
//! - effects: `model`
//! - strategies: `compaction`, `snapshot`, `descriptor`
//! - read back: `reading`
//! - decide: `pipeline`, `offload_result`
//! - serve: `service`, `tools`, with `config`, `confine` and `telemetry`
//! - interfaces: `interfaces` (HTTP, MCP, the proxy, the command line)

mod params;

pub mod envelope;

mod measure;

mod model;

mod compaction;
mod descriptor;
mod snapshot;

mod reading;

mod offload_result;
mod pipeline;

pub mod config;
mod confine;
pub mod service;
pub mod telemetry;
mod tools;

pub mod interfaces;

#[doc(hidden)]
pub mod fuzz;

#[cfg(test)]
mod tests;
