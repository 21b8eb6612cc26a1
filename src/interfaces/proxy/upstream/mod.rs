//! The upstream: a child process or an HTTP server.

mod child;
mod client;
mod endpoint;
mod environment;
mod event;
mod failure;
mod headers;
mod http;
mod listen;
mod sse;
mod start_error;

pub(crate) use client::Headers;
pub(crate) use environment::Environment;
pub(super) use event::Event;
pub(crate) use start_error::StartError;

use std::sync::Arc;

use tokio::sync::mpsc;

use self::child::Child;
use self::http::Http;

/// Capacity of the queue from the upstream, in messages.
const CHANNEL_CAPACITY: usize = 64;

/// The upstream to start.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// A child process that speaks MCP on standard input and output.
    Command {
        /// The program and its arguments.
        command: Vec<String>,
        /// Its complete environment.
        environment: Environment,
    },
    /// A server over streamable HTTP.
    Url {
        /// The URL.
        url: String,
        /// Headers of every request.
        headers: Headers,
    },
}

/// A running upstream.
#[derive(Clone)]
pub(super) enum Upstream {
    Child(Child),
    Http(Arc<Http>),
}

impl Upstream {
    /// Starts the upstream. Returns it and the events that it sends.
    pub(super) fn start(
        target: Target,
        limit: usize,
    ) -> Result<(Upstream, mpsc::Receiver<Event>), StartError> {
        let (events, incoming) = mpsc::channel(CHANNEL_CAPACITY);
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

    /// Sends a message; the answer arrives as an event. Waits for a handshake to finish.
    pub(super) async fn send(&self, message: Vec<u8>) {
        match self {
            Upstream::Child(child) => child.send(message).await,
            Upstream::Http(http) => http.send(message).await,
        }
    }

    /// Ends the upstream; no more events follow.
    pub(super) async fn close(&self) {
        match self {
            Upstream::Child(child) => child.close().await,
            Upstream::Http(http) => http.close().await,
        }
    }
}
