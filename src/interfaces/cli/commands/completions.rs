//! `unburden completions`: prints a shell completion script.

use clap::CommandFactory;

use crate::interfaces::cli::arguments::{Arguments, Completions};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::output::print;

pub(crate) fn run(options: &Completions) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "unburden", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
