//! `unburden mcp`: the MCP door on standard input and output, until the input ends.

use std::sync::Arc;
use std::time::Duration;

use super::arguments::Mcp as Options;
use super::confinement::settle;
use super::serve::{stop, sweep_on_schedule};
use super::{CliError, Exit, memory};
use crate::config::Config;
use crate::mcp::{Mcp, stdio};
use crate::service::Service;
use crate::service::turns::Turns;
use crate::telemetry;

pub(super) fn run(options: Options) -> Result<Exit, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    if !options.root.is_empty() {
        config.store.roots = options.root;
    }
    options.privacy.enter(&mut config);
    telemetry::start(config.privacy.into());
    memory::use_small_pages();
    let service = Arc::new(Service::open(&config)?);
    settle(&config, std::iter::once(&*service))?;
    std::thread::spawn(token_count::warm_up);
    sweep_on_schedule(&service, config.store.sweep_seconds);
    let wait = Duration::from_secs(config.server.request_timeout_seconds);
    let turns = Turns::new(config.server.concurrent_requests, 1, wait);
    let mcp = Mcp::new(service, turns, config.server.mcp_answer_tokens);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    runtime.block_on(async {
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        tokio::select! {
            ended = stdio::serve(mcp, input, output, config.server.body_limit_bytes) => ended,
            () = stop() => Ok(()),
        }
    })?;
    // A read of standard input that never ends must not keep the process.
    runtime.shutdown_background();
    Ok(Exit::Success)
}
