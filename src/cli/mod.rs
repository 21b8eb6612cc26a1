//! The command line: what was typed ([`arguments`]), then what it means (one file
//! a command). Standard output carries results, standard error talk.

pub mod arguments;
mod completions;
mod confinement;
mod count;
mod demo;
mod entries;
mod extract;
mod healthcheck;
mod input;
mod lifecycle;
mod mcp;
mod memory;
mod offload;
mod progress;
mod proxy;
mod reload;
mod serve;
mod table;
mod validate;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use arguments::{Arguments, Command, Privacy, Reach};

use crate::config::{Config, ConfigError, SummariserConfig};
use crate::service::{Failure, OpenError, Service};

/// How a command ended, after ripgrep's custom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, found.
    Success,
    /// Nothing found, or not healthy.
    Nothing,
    /// An error, told on standard error.
    Error,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Nothing => 1,
            Exit::Error => 2,
        })
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The service refused.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The roots or the summariser.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The HTTP door.
    #[error(transparent)]
    Serve(#[from] crate::http::ServeError),
    /// MCP on standard input and output.
    #[error(transparent)]
    Mcp(#[from] crate::mcp::stdio::StdioError),
    /// The server behind the proxy.
    #[error(transparent)]
    Upstream(#[from] crate::proxy::StartError),
    /// A file or a stream.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Somebody without a token, where only tokens tell who is who.
    #[error(
        "{section} has no token; accepted is one in {section}.token, {section}.token_file, or in \
         the environment"
    )]
    NoToken {
        /// The section of the configuration.
        section: String,
    },
    /// A token that can be guessed.
    #[error(
        "{section} has a token of {found} characters; accepted are {least} or more, such as \
         `openssl rand -hex 32` gives"
    )]
    ShortToken {
        /// The section of the configuration.
        section: String,
        /// The token's length.
        found: usize,
        /// The shortest that is accepted.
        least: usize,
    },
    /// Landlock was required.
    #[error(
        "store.landlock is \"required\", but {found}; accepted is \"auto\" there, or a kernel with \
         Landlock"
    )]
    Landlock {
        /// What the kernel said.
        found: String,
    },
    /// Two with one token.
    #[error("{one} and {other} have the same token; accepted is one of its own for each")]
    OneToken {
        /// A section of the configuration.
        one: String,
        /// Another.
        other: String,
    },
    /// An input that is no history.
    #[error("{what}: {found}")]
    Input {
        /// Where it came from.
        what: String,
        /// What is wrong with it.
        found: String,
    },
}

impl CliError {
    fn io(what: impl Display) -> impl FnOnce(io::Error) -> CliError {
        let what = what.to_string();
        move |source| CliError::Io { what, source }
    }
}

/// Runs what was typed.
pub fn run(arguments: Arguments) -> Exit {
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
        Command::Mcp(options) => mcp::run(options),
        Command::Proxy(options) => proxy::run(options),
        Command::Demo(options) => demo::run(&options),
        Command::Healthcheck(options) => healthcheck::run(&options),
        Command::Completions(options) => completions::run(&options),
    };
    match result {
        Ok(exit) => exit,
        // Whoever reads our output may stop early; that is no error.
        Err(CliError::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Success
        }
        Err(error) => {
            say(format_args!("error: {error}"));
            Exit::Error
        }
    }
}

/// A service for one command. Its user can reach every file anyway, so the whole
/// file system is a root, unless the user asks for the configured ones only.
fn service(reach: &Reach, privacy: Privacy) -> Result<Service, CliError> {
    let mut config = Config::load(reach.config.as_deref())?;
    privacy.enter(&mut config);
    open(reach, config)
}

/// The same for a command that only reads: no model is prepared for it.
fn reader(reach: &Reach) -> Result<Service, CliError> {
    let mut config = Config::load(reach.config.as_deref())?;
    config.compression.summariser = SummariserConfig::Extractive;
    open(reach, config)
}

fn open(reach: &Reach, mut config: Config) -> Result<Service, CliError> {
    if !reach.root.is_empty() {
        config.store.roots.clone_from(&reach.root);
    }
    if !reach.confined {
        config.store.roots.push("/".to_owned());
    }
    Ok(Service::open(&config)?)
}

/// Writes a result to standard output.
fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    out.write_all(text.as_bytes())
        .and_then(|()| out.write_all(end.as_bytes()))
        .and_then(|()| out.flush())
        .map_err(CliError::io("writing to standard output"))
}

/// Talks to the person; nobody may listen, and that is fine.
fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
