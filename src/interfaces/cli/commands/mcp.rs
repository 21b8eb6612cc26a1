//! `unburden mcp`: the MCP server on standard input and output, until the input ends.

use std::sync::Arc;
use std::time::Duration;

use context_store::Coverage;

use super::serve::{shutdown_signal, sweep_on_schedule};
use crate::config::Config;
use crate::interfaces::cli::arguments::Mcp as Options;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::landlock::confine_process;
use crate::interfaces::cli::roots;
use crate::interfaces::cli::runtime;
use crate::interfaces::cli::small_pages;
use crate::interfaces::mcp::{Mcp, stdio};
use crate::service::Service;
use crate::service::concurrency_limit::ConcurrencyLimit;
use crate::telemetry;

pub(crate) fn run(options: &Options) -> Result<Exit, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    roots::choose(&mut config, &options.root)?;
    options.privacy.enter(&mut config);
    let _traces = telemetry::start(&config, None).map_err(|reason| CliError::traces(&reason))?;
    small_pages::use_small_pages();
    let service = Arc::new(Service::open(&config)?);
    confine_process(&config, std::iter::once(&*service))?;
    sweep_on_schedule(&service, Coverage::Roots, config.store.sweep_seconds);
    let wait = Duration::from_secs(config.server.request_timeout_seconds);
    let limit = ConcurrencyLimit::new(config.server.concurrent_requests, 1, wait);
    let mcp = Mcp::new(service, limit, config.server.tool_prefix.text());
    runtime::run(async {
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        tokio::select! {
            ended = stdio::serve(mcp, input, output, config.server.body_limit_bytes) => ended?,
            () = shutdown_signal() => {}
        }
        Ok(Exit::Success)
    })
}
