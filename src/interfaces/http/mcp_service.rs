//! The MCP library's HTTP service.

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::config::ServerConfig;
use crate::interfaces::mcp::Mcp;

/// The library's service for one tenant.
pub(super) type McpService = StreamableHttpService<Mcp, NeverSessionManager>;

/// Creates the service with the limits of `config`.
pub(super) fn start(mcp: Mcp, config: &ServerConfig) -> McpService {
    let sessions = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(mcp.clone()), sessions, settings(config))
}

/// Host and Origin are checked by a layer around every route.
fn settings(config: &ServerConfig) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(config.body_limit_bytes)
        .disable_allowed_hosts()
}
