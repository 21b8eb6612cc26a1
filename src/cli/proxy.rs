//! `unburden proxy`: an MCP server on standard input and output in front of
//! another, until either ends.

use std::sync::Arc;
use std::time::Duration;

use super::arguments::Proxy as Options;
use super::serve::{stop, sweep_on_schedule};
use super::{CliError, Exit, say};
use crate::config::{Config, SummariserConfig};
use crate::proxy::{self, Ended, Filter, Headers, Settings, StartError, Target};
use crate::service::Service;
use crate::telemetry;

pub(super) fn run(options: Options) -> Result<Exit, CliError> {
    let target = target(&options)?;
    let (config, settings) = settings(options)?;
    telemetry::start(config.privacy.into());
    let service = Arc::new(Service::open(&config)?);
    if settings.on {
        folder(&service, &config)?;
        sweep_on_schedule(&service, config.store.sweep_seconds);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    let ended = runtime.block_on(async {
        let ends = (tokio::io::stdin(), tokio::io::stdout());
        proxy::run(service, settings, target, ends, stop()).await
    });
    // A read of standard input that never ends must not keep the process.
    runtime.shutdown_background();
    match ended? {
        Ended::Done => Ok(Exit::Success),
        Ended::Upstream(why) => {
            say(format_args!("error: {why}"));
            Ok(Exit::Nothing)
        }
    }
}

/// What was given as the server.
fn target(options: &Options) -> Result<Target, CliError> {
    let wrong =
        |found: &str| CliError::Input { what: "the server".to_owned(), found: found.into() };
    let accepted = "accepted is --url URL, or a command behind --";
    match (&options.url, options.command.is_empty()) {
        (Some(_), false) => Err(wrong(&format!("both an address and a command; {accepted}"))),
        (None, true) => Err(wrong(&format!("neither an address nor a command; {accepted}"))),
        (None, false) if !options.header.is_empty() => Err(wrong(
            "--header is for --url; a command gets what it needs as arguments or environment",
        )),
        (None, false) => Ok(Target::Command(options.command.clone())),
        (Some(url), true) => {
            let headers = Headers::parse(&options.header).map_err(StartError::from)?;
            Ok(Target::Url { url: url.clone(), headers })
        }
    }
}

fn settings(options: Options) -> Result<(Config, Settings), CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    options.privacy.enter(&mut config);
    // No history is compressed here.
    config.compression.summariser = SummariserConfig::Extractive;
    if !options.root.is_empty() {
        config.store.roots = options.root;
    }
    let large = &mut config.prompt.offload;
    if let Some(folder) = options.output_dir {
        large.output_dir = folder;
    }
    let filter = Filter {
        allow: options.allow.into_iter().collect(),
        deny: options.deny.into_iter().collect(),
    };
    let settings = Settings {
        on: large.enabled && !options.off,
        filter,
        threshold_tokens: options.threshold.unwrap_or(large.threshold_tokens),
        message_bytes: config.server.body_limit_bytes,
        answer_tokens: config.server.mcp_answer_tokens,
        turns: config.server.concurrent_requests,
        patience: Duration::from_secs(config.server.request_timeout_seconds),
    };
    Ok((config, settings))
}

/// Said at the start, and not by each result that could not be written.
fn folder(service: &Service, config: &Config) -> Result<(), CliError> {
    if service.large_folder().is_some() {
        return Ok(());
    }
    let folder = &config.prompt.offload.output_dir;
    let found = format!(
        "{folder:?} is outside the allowed folders ({}); accepted is a folder in one of them",
        service.roots()
    );
    Err(CliError::Input { what: "the output folder".to_owned(), found })
}
