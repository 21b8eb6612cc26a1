//! `unburden sweep`, `unburden delete` and `unburden verify`: operations on stored files.

use std::path::Path;

use crate::config::{Config, SummariserConfig};
use crate::interfaces::cli::arguments::{Delete, Reach, Sweep, Verify};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{BodyMembers, list};
use crate::interfaces::cli::open::reader;
use crate::interfaces::cli::output::{print_answer, print_status};
use crate::interfaces::cli::roots;
use crate::service::Service;

/// Sweeps as the service does: under the configured roots only, since it deletes. Exit status 2
/// if something could not be swept.
pub(crate) fn sweep(options: &Sweep) -> Result<Exit, CliError> {
    let service = confined(options.config.as_deref(), &options.root)?;
    let body = BodyMembers::default()
        .json("folders", list(&options.folders))
        .flag("dry_run", options.dry_run)
        .body();
    let (answer, whole) = service.sweep(body.as_bytes())?;
    print_answer(answer, options.json)?;
    Ok(unless_failed(whole, "was swept"))
}

/// Deletes a chat under the configured roots. Exit status 2 if something could not be deleted.
pub(crate) fn delete(options: &Delete) -> Result<Exit, CliError> {
    let service = confined(options.config.as_deref(), &options.root)?;
    let body = BodyMembers::default()
        .text("chat_id", Some(&options.chat))
        .json("folders", list(&options.stores))
        .flag("dry_run", options.dry_run)
        .body();
    let (answer, whole) = service.delete_chat(body.as_bytes())?;
    print_answer(answer, options.json)?;
    Ok(unless_failed(whole, "of the chat was deleted"))
}

/// Reports if not everything was `done`; the report names the causes.
fn unless_failed(whole: bool, done: &str) -> Exit {
    if whole {
        return Exit::Success;
    }
    print_status(format_args!(
        "error: not everything {done}; once the causes that the report names are gone, the same \
         command goes on"
    ));
    Exit::Error
}

/// Opens a service for the configured roots, or the given ones.
fn confined(file: Option<&Path>, given: &[String]) -> Result<Service, CliError> {
    let mut config = Config::load(file)?;
    config.compression.summariser = SummariserConfig::Extractive;
    roots::choose(&mut config, given)?;
    Ok(Service::open(&config)?)
}

/// Exit status 1 if a file is missing or changed.
pub(crate) fn verify(options: &Verify) -> Result<Exit, CliError> {
    let reach: &Reach = &options.reach;
    let body = BodyMembers::default().text("store_dir", Some(&options.store)).body();
    let (answer, sound) = reader(reach)?.verify(body.as_bytes())?;
    print_answer(answer, options.json)?;
    Ok(if sound { Exit::Success } else { Exit::Negative })
}
