//! Queries over the records of a file, for agents that should not have to write a jq program.
//! [`Query::parse`] reads one from the members of a request, [`run`] applies it to the lines
//! of a file, and [`answer::render`] writes the outcome for a model.
//!
//! A record stays text: one pass checks it and finds the values that the query names, and an
//! answer shows its bytes unchanged.
//!
//! ```
//! use record_files::query::{Query, run};
//!
//! let request = r#"{"where": {"status": "open"}, "select": ["id"]}"#;
//! let query = Query::parse(&raw_json::fields(request)?)?;
//! let lines = "{\"id\":1,\"status\":\"open\"}\n{\"id\":2,\"status\":\"done\"}\n";
//! let outcome = run(&query, lines, &|| false)?;
//! assert_eq!(outcome.records, [r#"{"id":1}"#]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod answer;
mod chunk;
mod condition;
mod error;
mod explain;
mod group;
mod ids;
mod json;
mod misfit;
mod near_ids;
mod nearest;
mod plan;
mod request;
mod run;
mod sort;
mod spellings;
mod typed;
mod values;
mod watch;

pub use error::QueryError;
pub use group::Group;
pub use request::Query;
pub use run::{Outcome, run};
