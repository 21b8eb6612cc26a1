//! `unburden sweep`, `unburden delete` and `unburden verify`: what becomes of stored
//! files.

use std::path::Path;

use chat_history::splice::quote;

use super::arguments::{Delete, Reach, Sweep, Verify};
use super::input::Members;
use super::{CliError, Exit, print, reader, say};
use crate::config::{Config, SummariserConfig};
use crate::service::Service;

/// Sweeps as the service would: always under the configured roots only, since it
/// deletes.
pub(super) fn sweep(options: &Sweep) -> Result<Exit, CliError> {
    let service = confined(options.config.as_deref(), &options.root)?;
    let body = Members::default()
        .json("folders", list(&options.folders))
        .flag("dry_run", options.dry_run)
        .body();
    let answer = service.sweep(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(Exit::Success)
}

/// Deletes a chat; under the configured roots only, as a sweep does. Exit status 2
/// where something of it could not be deleted.
pub(super) fn delete(options: &Delete) -> Result<Exit, CliError> {
    let service = confined(options.config.as_deref(), &options.root)?;
    let body = Members::default()
        .text("chat_id", Some(&options.chat))
        .json("folders", list(&options.stores))
        .flag("dry_run", options.dry_run)
        .body();
    let (answer, whole) = service.delete_chat(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    if !whole {
        say("error: not everything of the chat was deleted; the same command again goes on");
        return Ok(Exit::Error);
    }
    Ok(Exit::Success)
}

/// A service that reaches the configured roots, or those that were typed.
fn confined(file: Option<&Path>, roots: &[String]) -> Result<Service, CliError> {
    let mut config = Config::load(file)?;
    config.compression.summariser = SummariserConfig::Extractive;
    if !roots.is_empty() {
        config.store.roots = roots.to_vec();
    }
    Ok(Service::open(&config)?)
}

/// Folders as a JSON array; None where none was typed.
fn list(folders: &[String]) -> Option<String> {
    let folders: Vec<String> = folders.iter().map(|folder| quote(folder)).collect();
    (!folders.is_empty()).then(|| format!("[{}]", folders.join(",")))
}

/// Exit status 1 where a file is missing or not what was written.
pub(super) fn verify(options: &Verify) -> Result<Exit, CliError> {
    let reach: &Reach = &options.reach;
    let body = Members::default().text("store_dir", Some(&options.store)).body();
    let (answer, sound) = reader(reach)?.verify(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(if sound { Exit::Success } else { Exit::Nothing })
}
