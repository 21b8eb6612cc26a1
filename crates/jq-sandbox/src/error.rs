//! Why a filter gave no answer, in words that help to mend it.

use serde::{Deserialize, Serialize};

/// Why a filter gave no answer. Positions count characters of the filter from
/// 0; a `near` is a piece of it with a caret below the position.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub enum JqError {
    /// The filter does not parse.
    #[error("the jq filter does not parse at character {position}: {what}\n{near}")]
    Syntax {
        /// Where.
        position: usize,
        /// What was expected and what was found.
        what: String,
        /// The place.
        near: String,
    },
    /// The filter names what is not defined.
    #[error("{name} is not defined (character {position} of the jq filter){}\n{near}", meant(.nearest))]
    Undefined {
        /// A function with its number of arguments as in `map/1`, a `$variable`
        /// or a label.
        name: String,
        /// The nearest names that are defined, best first; 3 at most.
        nearest: Vec<String>,
        /// Where it is named.
        position: usize,
        /// The place.
        near: String,
    },
    /// The filter failed on its input.
    #[error("jq: {message}{}", at_record(.record))]
    Runtime {
        /// What jq says.
        message: String,
        /// Index of the record among the records, from 0; none with `slurp`.
        record: Option<u64>,
    },
    /// The filter ran out of time.
    #[error(
        "the jq filter did not end within {ms} ms: give it fewer records (`select` first, `limit`) or a simpler filter"
    )]
    Deadline {
        /// The time it had.
        ms: u64,
    },
    /// Every worker was at work all the time.
    #[error("no jq worker was free within {ms} ms: ask again later, or with `where`")]
    Busy {
        /// The time that was waited.
        ms: u64,
    },
    /// The filter ran out of memory.
    #[error(
        "the jq filter needs more than {bytes} bytes of memory: let it work record by record, or build smaller values"
    )]
    Memory {
        /// The memory it had.
        bytes: u64,
    },
    /// The worker died of the filter.
    #[error("the jq filter broke its worker: {how}")]
    Crashed {
        /// What is known of its death.
        how: String,
    },
    /// The filter is longer than a filter may be.
    #[error("the jq filter has {found} bytes, accepted are at most {accepted}")]
    FilterTooLong {
        /// Bytes found.
        found: usize,
        /// Bytes accepted.
        accepted: usize,
    },
    /// The filter uses what is left out of jq here.
    #[error("not supported in this jq: {what}")]
    Unsupported {
        /// What it is, and what to use in its place.
        what: String,
    },
    /// A variable cannot be bound.
    #[error("the jq variable ${name} cannot be bound: {why}")]
    Variable {
        /// Its name as given, without `$`.
        name: String,
        /// What was found and what is accepted.
        why: String,
    },
    /// No worker could be started or talked to.
    #[error("the jq worker cannot be started")]
    #[serde(skip)]
    Spawn {
        /// Why.
        source: std::io::Error,
    },
    /// A line of the input is not JSON.
    #[error("line {line} of the records is not one JSON value: {what}")]
    BadInput {
        /// The line, from 1, among the lines given.
        line: u64,
        /// What the reader says.
        what: String,
    },
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; nearest: {}", names.join(", ")),
    }
}

fn at_record(record: &Option<u64>) -> String {
    record.map_or_else(String::new, |record| format!(" (at record {record}, counted from 0)"))
}
