//! The errors of an offload.

use chat_history::HistoryError;

use context_store::StoreError;

/// The error of a refused offload; nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OffloadError {
    /// The messages.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The folder.
    #[error(transparent)]
    Store(#[from] StoreError),
}
