//! Errors that keep the service from opening.

use crate::config::SummariserError;
use context_store::{MIN_SECRET_BYTES, StoreError};

/// Errors that keep the service from opening.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A root cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The summariser's settings are invalid.
    #[error("{0}")]
    Summariser(String),
    /// The key file is invalid.
    #[error(
        "store.key_file {path}: {found}; accepted is a file with at least {MIN_SECRET_BYTES} \
             characters (openssl rand -hex 32)"
    )]
    Key {
        /// The file's path.
        path: String,
        /// The problem.
        found: String,
    },
    /// Two tenants share files.
    #[error(
        "the tenants \"{one}\" and \"{other}\" share the folder {folder}; accepted are separate \
         folders"
    )]
    Shared {
        /// One tenant.
        one: String,
        /// Another tenant.
        other: String,
        /// The folder within the roots of both.
        folder: String,
    },
}

impl From<SummariserError> for OpenError {
    fn from(error: SummariserError) -> OpenError {
        OpenError::Summariser(error.to_string())
    }
}
