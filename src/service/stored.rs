//! The counts of the last sweep, for the metrics of all tenants together.

use std::sync::{Mutex, PoisonError};

use crate::telemetry::metrics::{STORE_BYTES, STORE_FILES};

/// The stored files of one service, as its last sweep counted them.
#[derive(Debug, Default)]
pub(super) struct Stored(Mutex<(u64, u64)>);

impl Stored {
    /// Replaces the service's part of the metrics.
    pub(super) fn set(&self, files: u64, bytes: u64) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        metrics::gauge!(STORE_FILES).increment(files as f64 - last.0 as f64);
        metrics::gauge!(STORE_BYTES).increment(bytes as f64 - last.1 as f64);
        *last = (files, bytes);
    }
}
