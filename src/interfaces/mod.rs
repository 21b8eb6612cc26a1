//! The interfaces through which callers reach the service. Each parses its input, calls one method
//! of [`crate::service::Service`], and prints the answer; none makes decisions.
//!
//! | module | interface |
//! |---|---|
//! | [`http`] | the HTTP API, and MCP over streamable HTTP |
//! | `mcp` | the MCP server, on standard input and output or over `http` |
//! | `proxy` | an MCP server in front of another one |
//! | [`cli`] | the command line |

mod blocking;
pub mod cli;
pub mod http;
mod lock;
pub(crate) mod mcp;
pub(crate) mod proxy;
