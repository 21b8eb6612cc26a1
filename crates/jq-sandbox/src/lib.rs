//! Runs untrusted jq filters over records in confined worker processes.
//!
//! A filter is a program, so `jaq` runs it in a separate process: without this process's
//! environment, and with limits on time, memory and output. Whatever a filter does,
//! [`Jq::run`] returns an outcome or an error, and the calling process survives.
//!
//! A worker is the calling program, started again. Its `main` must check for that first:
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

mod client;
mod error;
mod job;
mod limits;
mod nearest;
pub mod protocol;
pub mod worker;

pub use client::Jq;
pub use error::JqError;
pub use job::{Cut, Job, Outcome, Trial};
pub use limits::Limits;
