//! Logs: a readable sentence and stable fields, on standard error. JSON where
//! no person looks at a terminal. Ids, sizes, counts and names of routes only:
//! no bodies, no message texts, no secrets.

pub mod metrics;

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

/// Starts logging and counting; `RUST_LOG` chooses what, `NO_COLOR` how.
pub fn start() {
    metrics::start();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    // These log what goes over the wire: conversations, and keys.
    let silent = [
        "async_openai=off",
        "reqwest=off",
        "rmcp=off",
        "hyper=warn",
        "hyper_util=warn",
        "rustls=warn",
    ];
    let filter =
        silent.iter().filter_map(|rule| rule.parse().ok()).fold(filter, EnvFilter::add_directive);
    let terminal = std::io::stderr().is_terminal();
    // A line that cannot be written is lost. Saying so would be another line, and to
    // print that on a full disk or a closed pipe is a panic.
    let base =
        fmt().with_env_filter(filter).with_writer(std::io::stderr).log_internal_errors(false);
    // A second start, as in tests of one process, changes nothing.
    let _ = if terminal {
        base.with_ansi(std::env::var_os("NO_COLOR").is_none()).try_init()
    } else {
        base.json().flatten_event(true).try_init()
    };
}
