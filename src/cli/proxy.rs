//! `unburden proxy`: an MCP server on standard input and output in front of
//! another, until either ends.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::arguments::Proxy as Options;
use super::serve::{stop, sweep_on_schedule};
use super::{CliError, Exit, say};
use crate::config::{Config, SummariserConfig};
use crate::proxy::{self, Ended, Environment, Filter, Headers, Settings, StartError, Target};
use crate::service::Service;
use crate::telemetry;

pub(super) fn run(options: Options) -> Result<Exit, CliError> {
    let target = target(&options)?;
    let (config, settings) = settings(options)?;
    telemetry::start(config.privacy.into());
    let service = Arc::new(Service::open(&config)?);
    if settings.on {
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
    let mut config = Config::load(options.config.as_deref())?;
    options.privacy.enter(&mut config);
    // No history is compressed here.
    config.compression.summariser = SummariserConfig::Extractive;
    let large = &mut config.prompt.offload;
    let on = large.enabled && !options.off;
    if on {
        if let Some(folder) = options.output_dir {
            large.output_dir = folder;
        }
        config.store.roots = folders(&mut large.output_dir, options.root)?;
    }
    let filter = Filter {
        allow: options.allow.into_iter().collect(),
        deny: options.deny.into_iter().collect(),
    };
    let settings = Settings {
        on,
        filter,
        threshold_tokens: options.threshold.unwrap_or(large.threshold_tokens),
        message_bytes: config.server.body_limit_bytes,
        answer_tokens: config.server.mcp_answer_tokens,
        turns: config.server.concurrent_requests,
        patience: Duration::from_secs(config.server.request_timeout_seconds),
    };
    Ok((config, settings))
}

/// The folders that are open: the one that files go to, which a search without a path
/// looks through, then those of `--root`. The working directory is not among them: the
/// model that calls the reading tools was given the server's tools, not the files here.
fn folders(output: &mut String, mut roots: Vec<String>) -> Result<Vec<String>, CliError> {
    if output.trim().is_empty() {
        if let Some(root) = roots.first() {
            // `SEEN=REAL`: named as callers see it.
            root.split_once('=').map_or(&**root, |(seen, _)| seen).clone_into(output);
            return Ok(roots);
        }
        *output = own_folder()?;
    } else {
        make(Path::new(output.as_str()))?;
    }
    roots.insert(0, output.clone());
    Ok(roots)
}

/// The folder of this user's proxies, the same for each, so that a conversation that
/// goes on finds its files. Its name can be guessed, so it is used only where nobody else
/// can have put anything there.
fn own_folder() -> Result<String, CliError> {
    let user = rustix::process::geteuid().as_raw();
    let folder = std::env::temp_dir().join(format!("unburden-{user}"));
    make(&folder)?;
    let found = std::fs::symlink_metadata(&folder).map_err(CliError::io("the output folder"))?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o077 != 0 {
        let found = format!(
            "{} is no folder of this user's alone (mode 0700); accepted is another one by --output-dir",
            folder.display()
        );
        return Err(CliError::Input { what: "the output folder".to_owned(), found });
    }
    Ok(folder.display().to_string())
}

/// Makes the folder private, unless it is there.
fn make(folder: &Path) -> Result<(), CliError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| CliError::Input {
        what: "the output folder".to_owned(),
        found: format!(
            "{} is no folder and cannot be made one ({error}); accepted is a folder by --output-dir",
            folder.display()
        ),
    })
}
