//! `unburden sweep` and `unburden verify`: what became of stored files.

use super::arguments::{Reach, Sweep, Verify};
use super::input::Members;
use super::{CliError, Exit, print, reader};
use crate::config::{Config, SummariserConfig};
use crate::history::splice::quote;
use crate::service::Service;

/// Sweeps as the service would: always under the configured roots only, since it
/// deletes.
pub(super) fn sweep(options: &Sweep) -> Result<Exit, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    config.compression.summariser = SummariserConfig::Extractive;
    if !options.root.is_empty() {
        config.store.roots.clone_from(&options.root);
    }
    let service = Service::open(&config)?;
    let folders: Vec<String> = options.folders.iter().map(|folder| quote(folder)).collect();
    let body = Members::default()
        .json("folders", (!folders.is_empty()).then(|| format!("[{}]", folders.join(","))))
        .flag("dry_run", options.dry_run)
        .body();
    let answer = service.sweep(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(Exit::Success)
}

/// Exit status 1 where a file is missing or not what was written.
pub(super) fn verify(options: &Verify) -> Result<Exit, CliError> {
    let reach: &Reach = &options.reach;
    let body = Members::default().text("store_dir", Some(&options.store)).body();
    let (answer, sound) = reader(reach)?.verify(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(if sound { Exit::Success } else { Exit::Nothing })
}
