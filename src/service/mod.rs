//! The service: one method an operation, shared by every interface.

pub mod budget;
pub mod concurrency_limit;
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
pub mod requests;
mod shared_resources;
mod state;
mod stored_file;
mod tenants;
mod tool_result;
mod validate;

pub use failure::Failure;
pub use offload::offload_answer;
pub use open_error::OpenError;
pub use state::Service;
pub use tenants::{Tenant, open_all};
