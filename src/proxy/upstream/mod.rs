//! The server behind the proxy: a child process, or an address.

mod child;
mod client;
mod environment;
mod failure;
mod headers;
mod http;
mod listen;
mod sse;

pub use client::{Headers, HttpError};
pub use environment::{Environment, EnvironmentError};

use std::sync::Arc;

use tokio::sync::mpsc;

use self::child::Child;
use self::http::Http;

/// Messages that wait between the upstream and the client.
const WAITING: usize = 64;

/// What stands behind the proxy.
#[derive(Debug, Clone)]
pub enum Target {
    /// A process, spoken to by its standard input and output.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
        /// All that it has as environment.
        environment: Environment,
    },
    /// A server over streamable HTTP.
    Url {
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: Headers,
    },
}

/// Why there is no upstream.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The command.
    #[error("the server {command:?} cannot be started: {source}")]
    Command {
        /// Its name.
        command: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Its environment.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The address.
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// What comes from it.
#[derive(Debug)]
pub(super) enum Event {
    /// A message, on one line.
    Message(Vec<u8>),
    /// There is nothing more to come, and why.
    Ended(String),
}

/// The way to it.
#[derive(Clone)]
pub(super) enum Upstream {
    Child(Child),
    Http(Arc<Http>),
}

impl Upstream {
    /// Starts the process, or prepares the client; then what comes from it.
    pub(super) fn start(
        target: Target,
        limit: usize,
    ) -> Result<(Upstream, mpsc::Receiver<Event>), StartError> {
        let (events, incoming) = mpsc::channel(WAITING);
        let upstream = match target {
            Target::Command { command, environment } => {
                Upstream::Child(Child::start(&command, &environment, limit, events)?)
            }
            Target::Url { url, headers } => {
                Upstream::Http(Arc::new(Http::new(&url, headers, limit, events)?))
            }
        };
        Ok((upstream, incoming))
    }

    /// Sends a message; its answer comes as an event. Where the beginning of a
    /// session must come first, its end is waited for.
    pub(super) async fn send(&self, message: Vec<u8>) {
        match self {
            Upstream::Child(child) => child.send(message).await,
            Upstream::Http(http) => http.send(message).await,
        }
    }

    /// Ends the upstream: nothing comes from it any more.
    pub(super) async fn close(&self) {
        match self {
            Upstream::Child(child) => child.close().await,
            Upstream::Http(http) => http.close().await,
        }
    }
}
