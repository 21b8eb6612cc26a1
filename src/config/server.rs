//! The doors: where they listen, how much they take, who may come in.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use super::Key;

/// The HTTP door, and what it shares with MCP on standard input.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// The bearer token that every request but the probes must carry; or the file
    /// below.
    pub token: Option<Key>,
    /// File with that token; white space around it is dropped.
    pub token_file: Option<PathBuf>,
    /// True lets it listen beyond loopback without a token.
    pub no_auth: bool,
    /// Host names under which the service may be asked, with a port or for all
    /// ports; none: those of loopback where it listens there, else any. Separated by
    /// commas in the environment.
    #[serde(deserialize_with = "words")]
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may ask, such as `https://example.com:443`; none: no
    /// web page. Separated by commas in the environment.
    #[serde(deserialize_with = "words")]
    pub allowed_origins: Vec<String>,
    /// Largest request body, and largest message of MCP, in bytes.
    pub body_limit_bytes: usize,
    /// Longest time for one request, body included, in seconds; also for a client to
    /// take its answer.
    pub request_timeout_seconds: u64,
    /// Longest time for the head of a request to arrive, in seconds.
    pub header_timeout_seconds: u64,
    /// Longest pause within a body, in seconds.
    pub body_timeout_seconds: u64,
    /// Longest time that a connection is kept between requests, in seconds.
    pub idle_timeout_seconds: u64,
    /// Histories and results worked on at a time, and as many reads beside them; more
    /// wait for their turn.
    pub concurrent_requests: usize,
    /// Longest wait for a turn, in seconds; then the answer is 503.
    pub queue_seconds: u64,
    /// Memory that requests under way may take together, in bytes; a request that
    /// finds too little is answered with 503. 0: what the container or half the
    /// machine has, less what the process needs itself.
    pub memory_bytes: u64,
    /// After SIGTERM or SIGINT, longest wait for requests under way, in seconds.
    pub drain_seconds: u64,
    /// Largest answer of a reload tool over MCP, in tokens.
    pub mcp_answer_tokens: u64,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 8002)),
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
            mcp_answer_tokens: 10_000,
        }
    }
}

/// A list, or one text with commas in it.
fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    separated(from, ',')
}

/// A list, or one text with colons in it, as paths stand in an environment.
pub(super) fn paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    separated(from, ':')
}

fn separated<'de, D: Deserializer<'de>>(from: D, by: char) -> Result<Vec<String>, D::Error> {
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
