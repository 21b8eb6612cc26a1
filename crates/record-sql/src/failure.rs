//! The errors of SQLite.

use rusqlite::{Error, ErrorCode};

use crate::error::SqlError;

/// Returns the error of a statement that was prepared.
pub(crate) fn of_run(error: &Error) -> SqlError {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => SqlError::Deadline,
        Some(ErrorCode::OutOfMemory) => SqlError::Memory,
        Some(ErrorCode::TooBig) => SqlError::statement(
            "SQL: a value is too large: select fewer columns, or cut texts with substr(x, 1, 200)",
        ),
        _ => SqlError::statement(format!("SQL: {}", message(error))),
    }
}

/// Returns SQLite's own words, at most 300 characters of them.
pub(crate) fn message(error: &Error) -> String {
    let text = match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    let short: String = text.chars().take(300).map(|c| if c == '\n' { ' ' } else { c }).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
