//! Errors of the command line.

use std::fmt::Display;
use std::io;

use crate::config::ConfigError;
use crate::service::{Failure, OpenError};

/// Errors of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The service returned a failure.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The service cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The HTTP server failed.
    #[error(transparent)]
    Serve(#[from] crate::interfaces::http::ServeError),
    /// The MCP server failed.
    #[error(transparent)]
    Mcp(#[from] crate::interfaces::mcp::stdio::StdioError),
    /// The proxy's upstream cannot be started.
    #[error(transparent)]
    Upstream(#[from] crate::interfaces::proxy::StartError),
    /// A file or stream cannot be read or written.
    #[error("{what}: {source}")]
    Io {
        /// The action.
        what: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A tenant has no token.
    #[error(
        "{section} has no token; accepted is one in {section}.token, {section}.token_file, or in \
         the environment"
    )]
    NoToken {
        /// The section of the configuration.
        section: String,
    },
    /// A tenant has no folders.
    #[error(
        "{section} has no roots, so that its token opens nothing; accepted are folders in \
         {section}.roots"
    )]
    NoRoots {
        /// The section of the configuration.
        section: String,
    },
    /// A token is too short.
    #[error(
        "{section} has a token of {found} characters; accepted are {min} or more, such as \
         `openssl rand -hex 32` gives"
    )]
    ShortToken {
        /// The section of the configuration.
        section: String,
        /// The token's length.
        found: usize,
        /// The shortest length accepted.
        min: usize,
    },
    /// Landlock is required but not available.
    #[error(
        "store.landlock is \"required\", but {found}; accepted is \"auto\" there, or a kernel with \
         Landlock"
    )]
    Landlock {
        /// The kernel's answer.
        found: String,
    },
    /// Two tenants have the same token.
    #[error("{one} and {other} have the same token; accepted is one of its own for each")]
    SharedToken {
        /// A section of the configuration.
        one: String,
        /// Another section.
        other: String,
    },
    /// An input is invalid.
    #[error("{what}: {found}")]
    Input {
        /// The input.
        what: String,
        /// The problem.
        found: String,
    },
}

impl CliError {
    pub(super) fn traces(reason: &str) -> CliError {
        let accepted = "accepted is the URL of a collector, such as \"http://localhost:4318\"";
        CliError::Input {
            what: "traces.endpoint".to_owned(),
            found: format!("{reason}; {accepted}"),
        }
    }

    pub(super) fn io(what: impl Display) -> impl FnOnce(io::Error) -> CliError {
        let what = what.to_string();
        move |source| CliError::Io { what, source }
    }
}
