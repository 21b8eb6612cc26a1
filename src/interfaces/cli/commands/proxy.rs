//! `unburden proxy`: an MCP server on standard input and output in front of another one, until
//! either ends.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use context_store::Coverage;

use super::serve::{shutdown_signal, sweep_on_schedule};
use crate::config::{Config, SummariserConfig};
use crate::interfaces::cli::arguments::Proxy as Options;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::output::print_status;
use crate::interfaces::cli::roots;
use crate::interfaces::cli::runtime;
use crate::interfaces::proxy::{
    self, Ended, Environment, Filter, Headers, Settings, StartError, Target, ToolsFrom,
};
use crate::service::Service;
use crate::telemetry;

/// The option that names the output folder.
const OUTPUT_DIR: &str = "--output-dir";

pub(crate) fn run(options: Options) -> Result<Exit, CliError> {
    let target = target(&options)?;
    let (config, settings) = settings(options)?;
    let _traces = telemetry::start(&config, None).map_err(|reason| CliError::traces(&reason))?;
    let service = Arc::new(Service::open(&config)?);
    if settings.enabled {
        sweep_on_schedule(&service, Coverage::Folders, config.store.sweep_seconds);
    }
    let ended = runtime::run(async {
        let ends = (tokio::io::stdin(), tokio::io::stdout());
        Ok(proxy::run(service, settings, target, ends, shutdown_signal()).await?)
    })?;
    match ended {
        Ended::Done => Ok(Exit::Success),
        Ended::Upstream(why) => {
            print_status(format_args!("error: {why}"));
            Ok(Exit::Negative)
        }
    }
}

/// Returns the upstream that the options name.
fn target(options: &Options) -> Result<Target, CliError> {
    let wrong =
        |found: &str| CliError::Input { what: "the server".to_owned(), found: found.into() };
    let accepted = "accepted is --url URL, or a command behind --";
    match (&options.url, options.command.is_empty()) {
        (Some(_), false) => Err(wrong(&format!("both an address and a command; {accepted}"))),
        (None, true) => Err(wrong(&format!("neither an address nor a command; {accepted}"))),
        (None, false) if !options.header.is_empty() => Err(wrong(
            "--header is for --url; a command gets what it needs as arguments or by --env",
        )),
        (Some(_), true) if !options.env.is_empty() => {
            Err(wrong("--env is for a command; accepted for --url is --header 'NAME: VALUE'"))
        }
        (None, false) => {
            let environment = Environment::of(&options.env).map_err(StartError::from)?;
            Ok(Target::Command { command: options.command.clone(), environment })
        }
        (Some(url), true) => {
            let headers = Headers::parse(&options.header).map_err(StartError::from)?;
            Ok(Target::Url { url: url.clone(), headers })
        }
    }
}

fn settings(options: Options) -> Result<(Config, Settings), CliError> {
    if options.tools != ToolsFrom::Here && !options.root.is_empty() {
        let found = "opens a folder to the retrieval tools, which this proxy does not list; \
                     accepted with --tools elsewhere and --tools none is --output-dir DIR";
        return Err(CliError::Input { what: "--root".to_owned(), found: found.to_owned() });
    }
    let mut config = Config::load(options.config.as_deref())?;
    options.privacy.enter(&mut config);
    // The proxy compresses no histories, and deletes no files of histories of other services.
    config.compression.summariser = SummariserConfig::Extractive;
    config.store.ttl_seconds = 0;
    let large = &mut config.prompt.offload;
    let enabled = large.enabled && !options.off;
    if enabled {
        if let Some(folder) = options.output_dir {
            large.output_dir = folder;
        }
        config.store.roots = open_folders(&mut large.output_dir, options.root)?;
    }
    let filter = Filter {
        allow: options.allow.into_iter().collect(),
        deny: options.deny.into_iter().collect(),
    };
    let settings = Settings {
        enabled,
        filter,
        tools: options.tools,
        threshold_tokens: options.threshold.unwrap_or(large.threshold_tokens),
        message_bytes: config.server.body_limit_bytes,
        concurrent_calls: config.server.concurrent_requests,
        result_timeout: Duration::from_secs(config.server.request_timeout_seconds),
    };
    Ok((config, settings))
}

/// Returns the allowed folders: the output folder, which a search without a path searches, then
/// those of `--root`. The working directory is not among them, because the model that calls the
/// retrieval tools was given the server's tools, not the files here.
fn open_folders(output: &mut String, mut open: Vec<String>) -> Result<Vec<String>, CliError> {
    if output.trim().is_empty() {
        if let Some(root) = open.first() {
            // `SEEN=REAL`: callers use the first path.
            root.split_once('=').map_or(&**root, |(seen, _)| seen).clone_into(output);
            return Ok(open);
        }
        *output = roots::user_folder(OUTPUT_DIR)?;
    } else {
        roots::create_private(Path::new(output.as_str()), OUTPUT_DIR)?;
    }
    open.insert(0, output.clone());
    Ok(open)
}
