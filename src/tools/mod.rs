//! The tools for agents: definitions written for models (`prompts/tools`), provider formats,
//! and calls converted to requests. MCP, the proxy and `GET /tools` share them.

mod arguments;
mod call;
mod definition;
mod format;
mod next_call;

pub(crate) use call::{CallContext, ToolOutput, call};
pub(crate) use definition::{CONTEXT_OFFLOAD, Definition, RETRIEVAL, all, find};
pub(crate) use format::{ToolFormat, UnknownFormat};
