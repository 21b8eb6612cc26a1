//! Resources that the services of all tenants share.

use super::budget::Budget;
use super::open_error::OpenError;
use crate::config::Config;
use crate::pipeline::Summariser;
use jq_sandbox::Jq;

/// Resources that the services of all tenants share.
pub(super) struct SharedResources {
    pub(super) summariser: Summariser,
    pub(super) jq: Jq,
    pub(super) budget: Budget,
}

impl SharedResources {
    /// Prepares the model's client; makes no call.
    pub(super) fn prepare(config: &Config) -> Result<SharedResources, OpenError> {
        let turns = config.server.concurrent_requests as u64;
        let budget = match config.server.memory_bytes {
            0 => Budget::of_this_machine(config.cache.bytes(), turns),
            bytes => Budget::new(bytes),
        };
        let summariser = config.llm.summariser(config.compression.summariser)?;
        let jq = jq(config, &budget).shared(config.callers());
        Ok(SharedResources { summariser, jq, budget })
    }
}

/// Returns the pool of jq workers. Together they may take a third of the requests' memory, next
/// to it, and at least two fit.
fn jq(config: &Config, budget: &Budget) -> Jq {
    let mut limits = config.extract.jq();
    let share = budget.total() / 3;
    limits.memory_bytes = limits.memory_bytes.min(share / 2);
    limits.workers = usize::try_from(share / limits.memory_bytes.max(1)).unwrap_or(usize::MAX);
    match config.extract.worker.trim() {
        "" => Jq::this_program(limits),
        program => Jq::new(program.into(), limits),
    }
}
