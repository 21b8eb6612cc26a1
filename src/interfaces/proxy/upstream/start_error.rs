//! Errors that keep the proxy from starting its upstream.

use super::client::HttpError;
use super::environment::EnvironmentError;

/// Errors that keep the upstream from starting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The command cannot be started.
    #[error("the server {command:?} cannot be started: {source}")]
    Command {
        /// The program.
        command: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// An `--env` option is invalid.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The URL, a header or the HTTP client is invalid.
    #[error(transparent)]
    Http(#[from] HttpError),
}
