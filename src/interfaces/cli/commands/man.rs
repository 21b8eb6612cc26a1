//! `unburden man`: writes the manual pages.

use clap::CommandFactory;

use crate::interfaces::cli::arguments::{Arguments, Man};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;

pub(crate) fn run(options: &Man) -> Result<Exit, CliError> {
    // Omits pages for `help` and its copies of the commands.
    let command = Arguments::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, &options.folder)
        .map_err(CliError::io(format_args!("writing to {}", options.folder.display())))?;
    Ok(Exit::Success)
}
