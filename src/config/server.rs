//! The doors: where they listen, how much they take, who may come in.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

/// The HTTP door, and what it shares with MCP on standard input.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Address and port; port 0 picks a free one.
    pub listen: SocketAddr,
    /// File with the bearer token that every request but the probes must carry.
    pub token_file: Option<PathBuf>,
    /// Host names under which `/mcp` may be asked; none: those of loopback where it
    /// listens there, else any. Separated by commas in the environment.
    #[serde(deserialize_with = "words")]
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may ask `/mcp`, such as `https://example.com:443`;
    /// none: no web page. Separated by commas in the environment.
    #[serde(deserialize_with = "words")]
    pub allowed_origins: Vec<String>,
    /// Largest request body, and largest message of MCP, in bytes.
    pub body_limit_bytes: usize,
    /// Longest time for one request, body included, in seconds.
    pub request_timeout_seconds: u64,
    /// Requests worked on at a time; more wait for their turn.
    pub concurrent_requests: usize,
    /// After SIGTERM or SIGINT, longest wait for requests under way, in seconds.
    pub drain_seconds: u64,
    /// Largest answer of a reload tool over MCP, in tokens.
    pub mcp_answer_tokens: u64,
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from(([127, 0, 0, 1], 8002)),
            token_file: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            body_limit_bytes: 64 * 1024 * 1024,
            request_timeout_seconds: 120,
            concurrent_requests: 64,
            drain_seconds: 20,
            mcp_answer_tokens: 10_000,
        }
    }
}

/// A list, or one text with commas in it.
fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Given::deserialize(from)? {
        Given::List(list) => list,
        Given::Text(text) => text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect(),
    })
}
