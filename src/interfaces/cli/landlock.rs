//! Landlock for `serve` and `mcp`, with the permissions that the configuration needs.

use super::error::CliError;
use crate::config::{Config, LandlockConfig};
use crate::confine::{Confined, Permissions, confine, this_program};
use crate::service::Service;

/// Confines this thread and all threads that it starts to the roots of the services, and logs
/// the result. Must run before other threads start.
pub(super) fn confine_process<'a>(
    config: &Config,
    services: impl Iterator<Item = &'a Service>,
) -> Result<(), CliError> {
    if config.store.landlock == LandlockConfig::Off {
        tracing::info!("store.landlock is off: only directory handles confine the roots");
        return Ok(());
    }
    let worker = config.extract.worker.trim();
    let worker = if worker.is_empty() { this_program() } else { Some(worker.into()) };
    let permissions = Permissions {
        roots: services.flat_map(Service::root_folders).collect(),
        programs: worker.into_iter().collect(),
        connects: config.llm.model.is_some()
            || config.store.url.is_some()
            || config.traces.url().is_some(),
    };
    let required = config.store.landlock == LandlockConfig::Required;
    match confine(&permissions) {
        Ok(Confined::Unavailable) if required => {
            Err(CliError::Landlock { found: Confined::Unavailable.sentence().to_owned() })
        }
        Ok(confined) => {
            tracing::info!("{}", confined.sentence());
            Ok(())
        }
        Err(error) if required => Err(CliError::Landlock { found: error.to_string() }),
        Err(error) => {
            tracing::warn!(%error, "Landlock failed: only directory handles confine the roots");
            Ok(())
        }
    }
}
