//! Standard output for results, standard error for everything else.

use std::fmt::Display;
use std::io::{self, Write};

use super::error::CliError;
use crate::envelope::Answer;

/// Writes a result to standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    out.write_all(text.as_bytes())
        .and_then(|()| out.write_all(end.as_bytes()))
        .and_then(|()| out.flush())
        .map_err(CliError::io("writing to standard output"))
}

/// Writes an answer to standard output: its text, or all of it as JSON.
pub(super) fn print_answer(answer: Answer, json: bool) -> Result<(), CliError> {
    if json { print(&answer.into_json()) } else { print(answer.answer()) }
}

/// Writes a line to standard error; ignores errors.
pub(super) fn print_status(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
