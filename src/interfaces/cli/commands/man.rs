//! `unburden man`: writes the manual pages.

use clap::CommandFactory;

use crate::interfaces::cli::arguments::{Arguments, Man};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;

pub(crate) fn run(options: &Man) -> Result<Exit, CliError> {
    // The commands of a page that a package ships; `help` and its copies are none of them.
    let command = Arguments::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, &options.folder)
        .map_err(CliError::io(format_args!("writing to {}", options.folder.display())))?;
    Ok(Exit::Success)
}
