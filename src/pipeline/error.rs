//! The errors of an offload.

use chat_history::HistoryError;

use context_store::StoreError;

/// The error of a rejected offload; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OffloadError {
    /// The messages are invalid.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
