//! Resources that the services of all tenants share.

use std::sync::Arc;

use super::budget::Budget;
use super::open_error::OpenError;
use crate::config::Config;
use crate::pipeline::Summariser;
use context_store::Objects;
use query_sandbox::Workers;

/// Resources that the services of all tenants share.
pub(super) struct SharedResources {
    pub(super) summariser: Summariser,
    pub(super) workers: Workers,
    pub(super) budget: Budget,
    /// The object store that keeps all files; `None` for local folders.
    pub(super) objects: Option<Arc<Objects>>,
}

impl SharedResources {
    /// Prepares the model's client, which makes no call, and tests the object store, if there
    /// is one.
    pub(super) fn prepare(config: &Config) -> Result<SharedResources, OpenError> {
        use_tls();
        let turns = config.server.concurrent_requests as u64;
        let budget = match config.server.memory_bytes {
            0 => Budget::of_this_machine(config.cache.bytes(), turns),
            bytes => Budget::new(bytes),
        };
        let summariser = config.llm.summariser(config.compression.summariser)?;
        let workers = workers(config, &budget).shared(config.callers());
        let objects = config.store.objects().map(|settings| Objects::open(&settings));
        Ok(SharedResources { summariser, workers, budget, objects: objects.transpose()? })
    }
}

/// Sets the TLS provider of the process, which every HTTP client requires, even for plain HTTP. If
/// another provider is set, it serves as well.
pub(crate) fn use_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Returns the pool of query workers. Together they may take a third as much memory as the
/// requests, in addition to it, and at least two fit.
fn workers(config: &Config, budget: &Budget) -> Workers {
    let mut limits = config.extract.worker_limits();
    let share = budget.total() / 3;
    limits.memory_bytes = limits.memory_bytes.min(share / 2);
    limits.workers = usize::try_from(share / limits.memory_bytes.max(1)).unwrap_or(usize::MAX);
    match config.extract.worker.trim() {
        "" => Workers::this_program(limits),
        program => Workers::new(program.into(), limits),
    }
}
