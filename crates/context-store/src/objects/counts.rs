//! Requests to an object store, counted like they are billed.

use std::sync::atomic::{AtomicU64, Ordering};

/// Kinds of requests, as they are billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Put,
    Get,
    Head,
    List,
    Delete,
}

/// The names of the kinds in the metrics.
const KINDS: [&str; 5] = ["put", "get", "head", "list", "delete"];

/// The requests of a process so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Objects written.
    pub put: u64,
    /// Objects read, whole or in part.
    pub get: u64,
    /// Objects whose metadata was read.
    pub head: u64,
    /// Listings started.
    pub list: u64,
    /// Objects deleted.
    pub delete: u64,
}

/// The counts of a process.
#[derive(Debug, Default)]
pub(super) struct Counts([AtomicU64; 5]);

impl Counts {
    /// Counts a request.
    pub(super) fn add(&self, kind: Kind) {
        self.0[kind as usize].fetch_add(1, Ordering::Relaxed);
        metrics::counter!("unburden_store_requests_total", "kind" => KINDS[kind as usize])
            .increment(1);
    }

    /// Returns the requests so far.
    pub(super) fn so_far(&self) -> RequestCounts {
        let [put, get, head, list, delete] =
            [0, 1, 2, 3, 4].map(|kind: usize| self.0[kind].load(Ordering::Relaxed));
        RequestCounts { put, get, head, list, delete }
    }
}
