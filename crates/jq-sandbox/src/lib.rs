//! Runs jq filters of strangers over records in confined worker processes.
//!
//! A filter is a program, so it runs by `jaq` in a process of its own: without this
//! process's environment, and with limits on time, memory and output. Whatever a filter
//! does, [`Jq::run`] ends with an answer or an error, and the calling process lives.
//!
//! Workers are copies of the calling program, which hands them over before all else:
//!
//! ```standalone_crate
//! use std::process::ExitCode;
//!
//! use jq_sandbox::{Job, Jq, Limits, worker};
//!
//! fn main() -> ExitCode {
//!     if std::env::args().nth(1).is_some_and(|word| word == worker::ARGUMENT) {
//!         return worker::main();
//!     }
//!     let jq = Jq::this_program(Limits::default());
//!     let records = "{\"size\":1}\n{\"size\":20}\n";
//!     let outcome = jq.run(&Job::new("select(.size > 9) | .size"), records).unwrap();
//!     assert_eq!(outcome.values, ["20"]);
//!     ExitCode::SUCCESS
//! }
//! ```

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
