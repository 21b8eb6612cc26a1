//! `unburden completions`: a script for the shell.

use clap::CommandFactory;

use super::arguments::{Arguments, Completions};
use super::{CliError, Exit, print};

pub(super) fn run(options: &Completions) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "unburden", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
