//! The tools of an agent: definitions written for models (`prompts/tools`), their
//! spelling in each provider's form, and how a call of one becomes a request to
//! the service. MCP, the proxy and `GET /tools` share them.

mod arguments;
mod call;
mod definition;
mod form;
mod next_call;

pub use call::{Called, Manner, call};
pub use definition::{CONTEXT_OFFLOAD, Definition, RELOAD, every, named};
pub use form::{Form, UnknownForm};
