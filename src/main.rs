//! The binary `unburden`: parse, run, exit status.

use std::process::ExitCode;

use clap::Parser;
use unburden::cli::{self, arguments::Arguments};
use unburden::jq::worker;

/// Large request bodies cost half as much with it as with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A worker's limits must stand before anything else is read.
    if std::env::args_os().nth(1).is_some_and(|word| word == worker::ARGUMENT) {
        return worker::main();
    }
    cli::run(Arguments::parse()).into()
}
