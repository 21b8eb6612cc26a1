//! The service that a command works on.

use super::arguments::{Privacy, Reach};
use super::error::CliError;
use super::roots;
use crate::config::{Config, SummariserConfig};
use crate::service::Service;

/// Opens the service for a command. The user can read every file anyway, so the whole file
/// system is a root unless `--root` or `--confined` is given.
pub(super) fn service(reach: &Reach, privacy: Privacy) -> Result<Service, CliError> {
    let mut config = Config::load(reach.config.as_deref())?;
    privacy.enter(&mut config);
    open(reach, config)
}

/// Opens the service for a command that only reads; prepares no model.
pub(super) fn reader(reach: &Reach) -> Result<Service, CliError> {
    let mut config = Config::load(reach.config.as_deref())?;
    config.compression.summariser = SummariserConfig::Extractive;
    open(reach, config)
}

fn open(reach: &Reach, mut config: Config) -> Result<Service, CliError> {
    if reach.root.is_empty() && !reach.confined {
        config.store.roots.push("/".to_owned());
    }
    roots::choose(&mut config, &reach.root)?;
    Ok(Service::open(&config)?)
}
