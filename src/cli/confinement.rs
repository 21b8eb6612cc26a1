//! The second wall of `serve` and `mcp`: what the configuration leaves to them.

use super::CliError;
use crate::config::{Config, LandlockConfig};
use crate::confine::{Confined, Reach, confine, this_program};
use crate::service::Service;

/// Confines this thread, and all that are started from it, to the roots of the
/// services; says in the log what came of it. Called before any other thread runs.
pub(super) fn settle<'a>(
    config: &Config,
    services: impl Iterator<Item = &'a Service>,
) -> Result<(), CliError> {
    if config.store.landlock == LandlockConfig::Off {
        tracing::info!("store.landlock is off: directory handles alone confine the roots");
        return Ok(());
    }
    let worker = config.extract.worker.trim();
    let worker = if worker.is_empty() { this_program() } else { Some(worker.into()) };
    let reach = Reach {
        roots: services.flat_map(Service::root_folders).collect(),
        programs: worker.into_iter().collect(),
        calls: config.llm.model.is_some(),
    };
    let required = config.store.landlock == LandlockConfig::Required;
    match confine(&reach) {
        Ok(Confined::NotAtAll) if required => {
            Err(CliError::Landlock { found: Confined::NotAtAll.sentence().to_owned() })
        }
        Ok(confined) => {
            tracing::info!("{}", confined.sentence());
            Ok(())
        }
        Err(error) if required => Err(CliError::Landlock { found: error.to_string() }),
        Err(error) => {
            tracing::warn!(%error, "Landlock could not be set: directory handles alone confine");
            Ok(())
        }
    }
}
