//! The service: one method per operation, shared by every interface.

pub(crate) mod budget;
pub(crate) mod concurrency_limit;
mod count;
mod deletion;
mod extract;
mod failure;
mod large;
mod lifecycle;
mod offload;
mod open_error;
mod outline;
mod reload;
pub(crate) mod requests;
mod shared_resources;
mod state;
mod stored;
mod stored_file;
mod tenants;
mod tool_result;
mod validate;

pub use failure::Failure;
pub(crate) use offload::{nothing_written, offload_answer};
pub use open_error::OpenError;
pub(crate) use shared_resources::use_tls;
pub use state::Service;
pub use tenants::{Tenant, open_all};
