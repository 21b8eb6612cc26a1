//! The errors of a statement.

use serde::{Deserialize, Serialize};

/// Why a statement gave no rows. A message says what to send instead, and has at most about 1,200
/// characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum SqlError {
    /// The statement is refused, or failed.
    #[error("{message}")]
    Statement {
        /// The message of SQLite, the position, and what to send instead.
        message: String,
    },
    /// The time was over before the first row.
    #[error("the statement did not end in time")]
    Deadline,
    /// SQLite ran out of memory.
    #[error("the statement needs too much memory")]
    Memory,
    /// A line of the records is not JSON.
    #[error("line {line} of the records is not one JSON value: expected {expected}")]
    BadInput {
        /// The line, from 1.
        line: u64,
        /// The token that would have been accepted.
        expected: String,
    },
}

/// The most characters of a message.
const MAX_MESSAGE: usize = 1_200;

impl SqlError {
    /// Returns an error of the statement.
    pub(crate) fn statement(message: impl Into<String>) -> Self {
        let message: String = message.into();
        let message = match message.char_indices().nth(MAX_MESSAGE) {
            Some((at, _)) => format!("{}…", &message[..at]),
            None => message,
        };
        Self::Statement { message }
    }
}
