//! Settings of the interfaces: addresses, limits, access.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use super::address::{address, optional_address};
use super::key::Key;
use super::tool_prefix::ToolPrefix;

/// The HTTP interface, and the settings that it shares with MCP on standard input.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port; port 0 picks a free one.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// Address and port of a listener that answers only the probes and `/metrics`, without a token;
    /// `None` for no such listener.
    #[serde(deserialize_with = "optional_address")]
    pub metrics_listen: Option<SocketAddr>,
    /// The bearer token that every request except probes must carry; or the file below.
    pub token: Option<Key>,
    /// File with that token; white space around it is dropped.
    pub token_file: Option<PathBuf>,
    /// True allows listening beyond loopback without a token.
    pub no_auth: bool,
    /// Host names that requests may name, with a port or for all ports. If empty: those of
    /// loopback if the service listens there, otherwise any. Separated by commas in the
    /// environment.
    #[serde(deserialize_with = "comma_list")]
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may send requests, such as `https://example.com:443`. If
    /// empty: none. Separated by commas in the environment.
    #[serde(deserialize_with = "comma_list")]
    pub allowed_origins: Vec<String>,
    /// Largest request body and largest MCP message, in bytes.
    pub body_limit_bytes: usize,
    /// Time limit for one request including its body, in seconds; also for a client to read the
    /// response.
    pub request_timeout_seconds: u64,
    /// Longest time for the head of a request to arrive, in seconds.
    pub header_timeout_seconds: u64,
    /// Longest pause within a body, in seconds.
    pub body_timeout_seconds: u64,
    /// Longest time that an idle connection is kept, in seconds.
    pub idle_timeout_seconds: u64,
    /// Maximum number of histories and results in process, and of reads in addition; more wait.
    pub concurrent_requests: usize,
    /// Longest wait in the queue, in seconds; then the answer is 503.
    pub queue_seconds: u64,
    /// Memory budget of requests in flight, in bytes; a request that does not fit gets 503. 0:
    /// the memory of the container or half of the machine's, less what the process needs.
    pub memory_bytes: u64,
    /// Longest drain after SIGTERM or SIGINT, in seconds.
    pub drain_seconds: u64,
    /// Prefix of the names of the tools over MCP and at `/tools`.
    pub(crate) tool_prefix: ToolPrefix,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 8002)),
            metrics_listen: None,
            token: None,
            token_file: None,
            no_auth: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            body_limit_bytes: 64 * 1024 * 1024,
            request_timeout_seconds: 120,
            header_timeout_seconds: 10,
            body_timeout_seconds: 10,
            idle_timeout_seconds: 60,
            concurrent_requests: 16,
            queue_seconds: 2,
            memory_bytes: 0,
            drain_seconds: 20,
            tool_prefix: ToolPrefix::default(),
        }
    }
}

/// Reads a list, or one text with commas.
fn comma_list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    split_list(from, ',')
}

/// Reads a list, or one text with colons, as paths in an environment variable.
pub(super) fn colon_list<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    split_list(from, ':')
}

fn split_list<'de, D: Deserializer<'de>>(from: D, by: char) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Given::deserialize(from)? {
        Given::List(list) => list,
        Given::Text(text) => text
            .split(by)
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect(),
    })
}
