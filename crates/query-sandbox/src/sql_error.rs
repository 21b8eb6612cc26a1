//! The errors of an SQL statement.

use crate::limits::Limits;
use crate::worker_error::WorkerError;

/// Why a statement gave no rows.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The statement is refused, or failed.
    #[error("{message}")]
    Statement {
        /// The message of SQLite, the position, and what to send instead.
        message: String,
    },
    /// The statement is too long.
    #[error("the SQL statement has {found} bytes, accepted are at most {accepted}")]
    TooLong {
        /// The bytes found.
        found: usize,
        /// The most bytes accepted.
        accepted: usize,
    },
    /// A line of the records is not JSON.
    #[error("line {line} of the records is not one JSON value: expected {expected}")]
    BadInput {
        /// The line, from 1.
        line: u64,
        /// The token that would have been accepted.
        expected: String,
    },
    /// The worker gave no answer.
    #[error("{}", of_worker(.0))]
    Worker(#[from] WorkerError),
}

impl SqlError {
    /// Returns the error of the engine, with the limit that it met.
    pub(crate) fn of(error: record_sql::SqlError, limits: &Limits) -> Self {
        match error {
            record_sql::SqlError::Statement { message } => Self::Statement { message },
            record_sql::SqlError::BadInput { line, expected } => Self::BadInput { line, expected },
            record_sql::SqlError::Deadline => Self::Worker(limits.deadline_error()),
            record_sql::SqlError::Memory => {
                Self::Worker(WorkerError::Memory { bytes: limits.memory_bytes })
            }
        }
    }
}

fn of_worker(error: &WorkerError) -> String {
    match error {
        WorkerError::Deadline { ms } => format!(
            "the SQL statement did not end within {ms} ms: join on equal columns, let a recursive \
             WITH end, read fewer columns"
        ),
        WorkerError::Memory { bytes } => format!(
            "the SQL statement needs more than {bytes} bytes of memory: select fewer columns, \
             group or filter first"
        ),
        WorkerError::Crashed { how } => format!("the SQL statement broke its worker: {how}"),
        other => other.to_string(),
    }
}
