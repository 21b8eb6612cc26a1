//! The command line. Standard output carries results, standard error everything else.

mod arguments;
mod commands;
mod error;
mod exit;
mod input;
mod landlock;
mod open;
mod output;
mod page;
mod progress;
mod roots;
mod runtime;
mod sharing;
mod small_pages;
mod table;
mod tenants;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use rustix::process::Signal;

use self::arguments::{Arguments, Command};
use self::commands::{
    completions, count, demo, extract, healthcheck, lifecycle, man, mcp, offload, proxy, reload,
    serve, validate,
};
use self::error::CliError;
use self::exit::Exit;
use self::output::print_status;
use crate::service::use_tls;

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    // A write beyond a limit on file sizes then fails like one on a full disk. Unhandled, the
    // signal ends the process; worker processes do not inherit the handler.
    if let Err(error) = signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default()) {
        print_status(format!("limits on file sizes cannot be handled: {error}"));
    }
    use_tls();
    run(Arguments::parse()).into()
}

/// Runs a command. Errors go to standard error.
fn run(arguments: Arguments) -> Exit {
    let result = match arguments.command {
        Command::Serve(options) => serve::run(options),
        Command::Offload(options) => offload::run(&options),
        Command::Grep(options) => reload::grep(&options),
        Command::Read(options) => reload::read(&options),
        Command::Extract(options) => extract::run(&options),
        Command::Count(options) => count::run(&options),
        Command::Validate(options) => validate::run(&options),
        Command::Sweep(options) => lifecycle::sweep(&options),
        Command::Delete(options) => lifecycle::delete(&options),
        Command::Verify(options) => lifecycle::verify(&options),
        Command::Mcp(options) => mcp::run(&options),
        Command::Proxy(options) => proxy::run(options),
        Command::Demo(options) => demo::run(&options),
        Command::Healthcheck(options) => healthcheck::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    };
    match result {
        Ok(exit) => exit,
        // A reader of our output may stop early; that is not an error.
        Err(CliError::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Success
        }
        Err(error) => {
            print_status(format_args!("error: {error}"));
            Exit::Error
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
