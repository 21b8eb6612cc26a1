//! `/mcp`: the MCP door over streamable HTTP. No sessions are kept, so any replica
//! answers any request, and every answer is plain JSON.

use std::sync::Arc;

use axum::body::Body as AxumBody;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::call::Call;
use super::{Door, Tenant, error, held};
use crate::config::ServerConfig;
use crate::mcp::Mcp;
use crate::mcp::original::Sent;
use crate::service::budget::weight;

/// The library's half of the door.
pub(super) type McpService = StreamableHttpService<Mcp, NeverSessionManager>;

/// The MCP server under the limits of `config`.
pub(super) fn service(mcp: Mcp, config: &ServerConfig) -> McpService {
    let sessions = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(mcp.clone()), sessions, settings(config))
}

/// Host and Origin are asked in front of every route, so also of this one.
fn settings(config: &ServerConfig) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(config.body_limit_bytes)
        .disable_allowed_hosts()
}

/// Answers a message of MCP; its bytes stay beside what the library parses.
pub(super) async fn answer(door: Door, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let Call { service, bytes, mut reserved } = match Call::from_request(request, &door).await {
        Ok(call) => call,
        Err(refused) => return refused,
    };
    // The library's tree of the message, and the message itself beside it.
    if let Err(unheld) = service.budget().hold(&mut reserved, weight(&bytes).saturating_mul(2)) {
        return error::failed(&unheld.into());
    }
    let Some(tenant) = parts.extensions.get::<Arc<Tenant>>().cloned() else {
        return error::unauthorized();
    };
    what_a_client_means(&mut parts.headers);
    parts.extensions.insert(Sent(bytes.as_slice().into()));
    let request = Request::from_parts(parts, AxumBody::from(bytes));
    let (head, body) = tenant.mcp.handle(request).await.into_response().into_parts();
    Response::from_parts(head, held::each(body, reserved))
}

/// Clients of MCP must name both content types; a person with `curl` names none.
fn what_a_client_means(headers: &mut HeaderMap) {
    let any = |value: &HeaderValue| value.as_bytes() == b"*/*";
    if headers.get(header::ACCEPT).is_none_or(any) {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
    let form = |value: &HeaderValue| value.as_bytes() == b"application/x-www-form-urlencoded";
    if headers.get(header::CONTENT_TYPE).is_none_or(form) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
}
