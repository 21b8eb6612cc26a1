//! The errors of a jq filter.

use serde::{Deserialize, Serialize};

use crate::worker_error::WorkerError;

/// Why a run failed. Positions count the characters of the filter from 0; `near` is an excerpt of
/// it with a caret below the position.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub enum JqError {
    /// The filter does not parse.
    #[error("the jq filter does not parse at character {position}: {what}\n{near}")]
    Syntax {
        /// The position of the error.
        position: usize,
        /// The token expected and the one found.
        what: String,
        /// The excerpt.
        near: String,
    },
    /// The filter uses an undefined name.
    #[error("{name} is not defined (character {position} of the jq filter){}\n{near}", suggestion(.nearest))]
    Undefined {
        /// A function with its number of arguments as in `map/1`, a `$variable`
        /// or a label.
        name: String,
        /// At most three similar names that are defined, the best first.
        nearest: Vec<String>,
        /// The position of the name.
        position: usize,
        /// The excerpt.
        near: String,
    },
    /// The filter failed on a record.
    #[error("jq: {message}{}", at_record(.record))]
    Runtime {
        /// The message of jq.
        message: String,
        /// The position of the record, from 0; None with `slurp`.
        record: Option<u64>,
    },
    /// The filter is too long.
    #[error("the jq filter has {found} bytes, accepted are at most {accepted}")]
    FilterTooLong {
        /// The bytes found.
        found: usize,
        /// The most bytes accepted.
        accepted: usize,
    },
    /// The filter uses a part of jq that is not supported.
    #[error("not supported in this jq: {what}")]
    Unsupported {
        /// The part, and its replacement if there is one.
        what: String,
    },
    /// A variable cannot be bound.
    #[error("the jq variable ${name} cannot be bound: {why}")]
    Variable {
        /// The name found, without `$`.
        name: String,
        /// The value found and the values accepted.
        why: String,
    },
    /// The worker gave no answer.
    #[error("{}", of_worker(.0))]
    Worker(#[from] WorkerError),
    /// A line of the input is not JSON.
    #[error("line {line} of the records is not one JSON value: {what}")]
    BadInput {
        /// The line, from 1.
        line: u64,
        /// The message of the parser.
        what: String,
    },
}

fn suggestion(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; nearest: {}", names.join(", ")),
    }
}

fn at_record(record: &Option<u64>) -> String {
    match record {
        Some(record) => format!(" (at record {record}, counted from 0)"),
        None => " (on the array of all records; with `slurp: false` on each)".to_owned(),
    }
}

fn of_worker(error: &WorkerError) -> String {
    match error {
        WorkerError::Deadline { ms } => format!(
            "the jq filter did not end within {ms} ms: give it fewer records (`select` first, \
             `limit`) or a simpler filter"
        ),
        WorkerError::Memory { bytes } => format!(
            "the jq filter needs more than {bytes} bytes of memory: let it work record by record \
             (`slurp: false`), or build smaller values"
        ),
        WorkerError::Crashed { how } => format!("the jq filter broke its worker: {how}"),
        other => other.to_string(),
    }
}
