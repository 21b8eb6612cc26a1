//! `POST /mcp`: MCP over streamable HTTP. No sessions are kept, so any replica can answer, and
//! every answer is plain JSON.

use std::sync::{Arc, Mutex};

use axum::body::{Body as AxumBody, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::request_body::RequestBody;
use super::state::{AppState, TenantState};
use super::{error, guarded_body};
use crate::interfaces::mcp::SharedReservation;
use crate::interfaces::mcp::message::{self, INVALID_REQUEST, NO_MESSAGE, PARSE_ERROR};
use crate::interfaces::mcp::raw_arguments::wrapped;
use crate::service::budget::weight;

/// Answers an MCP message.
pub(super) async fn answer(state: AppState, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let RequestBody { service, bytes, mut reserved } =
        match RequestBody::from_request(request, &state).await {
            Ok(call) => call,
            Err(refused) => return refused,
        };
    // Memory for the message, and for the library's parsed form.
    if let Err(refusal) = service.budget().hold(&mut reserved, weight(&bytes).saturating_mul(2)) {
        return error::failed(&refusal.into());
    }
    let Some(tenant) = parts.extensions.get::<Arc<TenantState>>().cloned() else {
        return error::unauthorized();
    };
    set_missing_headers(&mut parts.headers);
    let reserved = Arc::new(Mutex::new(reserved));
    let is_json = is_json(&parts.headers);
    parts.extensions.insert(SharedReservation(Arc::clone(&reserved)));
    let sent = Bytes::from(wrapped(&bytes).map_or(bytes, String::into_bytes));
    let request = Request::from_parts(parts, AxumBody::from(sent.clone()));
    let (head, body) = tenant.mcp.handle(request).await.into_response().into_parts();
    // The library reports a wrong content type for a body that is not a message.
    if head.status == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
        return unreadable(&sent);
    }
    Response::from_parts(head, guarded_body::frames(body, reserved))
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.starts_with("application/json"))
}

/// Answers a body that is not a message with a JSON-RPC error.
fn unreadable(body: &[u8]) -> Response {
    let is_json = std::str::from_utf8(body).is_ok_and(message::is_json);
    let (code, why) = match is_json {
        true => (INVALID_REQUEST, format!("the body is {NO_MESSAGE}")),
        false => (PARSE_ERROR, "the body is not JSON; accepted is one JSON-RPC message".to_owned()),
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, json, message::error("null", code, &why)).into_response()
}

/// MCP clients must name both content types; `curl` names neither.
fn set_missing_headers(headers: &mut HeaderMap) {
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
