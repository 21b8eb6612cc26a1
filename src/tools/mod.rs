//! The tools for agents: definitions written for models (`prompts/tools`), provider formats,
//! and calls converted to requests. MCP, the proxy and `GET /tools` share them.

mod arguments;
mod call;
mod definition;
mod format;
mod next_call;

pub(crate) use call::{ToolOutput, call};
pub(crate) use definition::{CONTEXT_OFFLOAD, Definition, RETRIEVAL, all};
pub(crate) use definition::{find, prefixed, reload_tools};
pub(crate) use format::{ToolFormat, UnknownFormat};
