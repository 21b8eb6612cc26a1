//! Exit statuses.

use std::process::ExitCode;

/// How a command ended, with ripgrep's exit statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, or found.
    Success,
    /// Nothing found, or not healthy.
    Negative,
    /// An error, reported on standard error.
    Error,
    /// Ended by Ctrl-C, with the status that shells give it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Negative => 1,
            Exit::Error => 2,
            Exit::Interrupted => 130,
        })
    }
}
