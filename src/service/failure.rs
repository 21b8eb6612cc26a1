//! Failures of an operation.

use chat_history::HistoryError;

use super::budget::{BudgetError, Full, TooHeavy};
use crate::params::{HistoryOrParam, ParamError};
use crate::pipeline::OffloadError;
use crate::reading::error::ReloadError;
use crate::reading::extract::ExtractError;
use context_store::StoreError;

/// Failures of an operation. `interfaces::http::error` maps them to statuses, the command line
/// to exit codes.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request is invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The messages are invalid.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A path cannot be used.
    #[error("{field}: {source}")]
    Store {
        /// The field that holds the path.
        field: &'static str,
        /// Why.
        source: StoreError,
    },
    /// A query of records failed.
    #[error("{0}")]
    Extract(#[from] ExtractError),
    /// A file cannot be searched or read.
    #[error("{source}")]
    Reload {
        /// The field that holds the path.
        field: &'static str,
        /// Why.
        source: ReloadError,
    },
    /// The request exceeds the memory budget.
    #[error(transparent)]
    TooHeavy(#[from] TooHeavy),
    /// Too little memory is free now.
    #[error(transparent)]
    Full(#[from] Full),
    /// No permit was free in time.
    #[error("too many requests are in flight; none ended within {seconds} seconds")]
    Overloaded {
        /// The time waited, in seconds.
        seconds: u64,
    },
}

impl From<BudgetError> for Failure {
    fn from(error: BudgetError) -> Failure {
        match error {
            BudgetError::TooHeavy(error) => error.into(),
            BudgetError::Full(error) => error.into(),
        }
    }
}

impl From<HistoryOrParam> for Failure {
    fn from(error: HistoryOrParam) -> Failure {
        match error {
            HistoryOrParam::Param(error) => error.into(),
            HistoryOrParam::History(error) => error.into(),
        }
    }
}

impl From<OffloadError> for Failure {
    fn from(error: OffloadError) -> Failure {
        match error {
            OffloadError::History(error) => error.into(),
            OffloadError::Store(source) => Failure::Store { field: "store_dir", source },
        }
    }
}
