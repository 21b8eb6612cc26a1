//! jq: filters of agents over the records of a file, run by `jaq` in a worker
//! process without this one's environment and with limits on time, memory and output.
//! Whatever a filter does, it ends with an answer or an error, and this process
//! lives.

mod child;
pub mod client;
mod compile;
mod complaint;
mod confine;
pub mod error;
mod excerpt;
mod fields;
pub mod job;
pub mod limits;
pub mod line;
mod natives;
mod nearest;
mod patterns;
mod record;
mod refused;
mod remove;
mod sink;
mod text;
pub mod worker;

pub use client::Jq;
pub use error::JqError;
pub use job::{Cut, Job, Outcome, Tried};
pub use limits::Limits;
