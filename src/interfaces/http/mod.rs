//! The HTTP interface: the API of `openapi.yaml`, and MCP over streamable HTTP.

mod authenticate;
mod connections;
mod delete_chat;
mod drain;
mod error;
mod guarded_body;
mod layers;
mod mcp;
mod mcp_service;
mod origin;
mod probe;
mod request_body;
mod response;
mod router;
mod serve;
mod state;
mod timeout_stream;
mod token;
mod trace_context;

pub use router::router;
pub(crate) use serve::{ServeError, bind, serve, serve_metrics};
pub use state::{AppState, TenantEntry};
pub use token::Token;

#[cfg(test)]
mod concurrency_tests;
