//! The binary `unburden`: parse, run, exit status.

use std::process::ExitCode;

use query_sandbox::worker;
use unburden::interfaces::cli;

/// jemalloc is fast for large bodies, and returns the memory of idle threads to the system
/// (`.cargo/config.toml`).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A worker's limits must be set before anything else is read.
    if std::env::args_os().nth(1).is_some_and(|word| word == worker::ARGUMENT) {
        return worker::main();
    }
    cli::main()
}
