//! Runs untrusted queries over records in confined worker processes: jq filters and SQL
//! statements.
//!
//! A query is a program, so a separate process runs it, with `jaq` or SQLite: without this
//! process's environment, and with limits on time, memory and output. Whatever a query does,
//! [`Workers::run`] and [`Workers::sql`] return an outcome or an error, and the calling process
//! survives.
//!
//! A worker is the calling program, started again. Its `main` must check for that first:
//!
//! ```standalone_crate
//! use std::process::ExitCode;
//!
//! use query_sandbox::{Job, Limits, Workers, worker};
//!
//! fn main() -> ExitCode {
//!     if std::env::args().nth(1).is_some_and(|word| word == worker::ARGUMENT) {
//!         return worker::main();
//!     }
//!     let workers = Workers::this_program(Limits::default());
//!     let records = "{\"size\":1}\n{\"size\":20}\n";
//!     let outcome = workers.run(&Job::new("select(.size > 9) | .size"), records).unwrap();
//!     assert_eq!(outcome.values, ["20"]);
//!     ExitCode::SUCCESS
//! }
//! ```

mod client;
mod job;
mod jq_error;
mod limits;
pub mod protocol;
mod request;
mod sql_error;
pub mod worker;
mod worker_error;

pub use client::{StartedWorker, Workers};
pub use job::{Cut, Job, Outcome, Trial};
pub use jq_error::JqError;
pub use limits::Limits;
pub use sql_error::SqlError;
pub use worker_error::WorkerError;
