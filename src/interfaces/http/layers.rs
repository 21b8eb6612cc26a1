//! Layers around every handler: request id, log line, time limit, panic handler, origin check.

use std::any::Any;
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;
use tracing::field::Empty;
use ulid::Ulid;

use super::drain::drain;
use super::error;
use super::origin::Refused;
use super::state::AppState;
use super::trace_context::TraceContext;
use crate::telemetry::metrics::{IN_FLIGHT, REQUEST_SECONDS, REQUESTS};
use crate::telemetry::traces::{self, PROBES};

const ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a caller's request id that is accepted, in bytes.
const ID_BYTES: usize = 64;

/// Adds the layers; the first one is the innermost.
pub(super) fn add(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    routes
        .layer(middleware::from_fn_with_state(state.clone(), check_origin))
        .layer(CatchPanicLayer::custom(mark_panic))
        .layer(middleware::from_fn_with_state(state.clone(), trace_request))
}

/// Rejects requests from web pages that are not allowed, and requests that name another host.
async fn check_origin(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let refused = match state.names.check(request.uri(), request.headers()) {
        Ok(()) => return next.run(request).await,
        // An orchestrator's probe names the container's address. A page whose name resolves to this
        // machine names no address.
        Err(Refused::Host(host)) if is_probe(request.uri().path()) && is_address(&host) => {
            return next.run(request).await;
        }
        Err(refused) => refused,
    };
    drain(request.into_body());
    let shown = |text: &str| text.chars().take(100).collect::<String>();
    match refused {
        Refused::Host(host) => error::foreign_host(&shown(&host)),
        Refused::Origin(origin) => error::foreign_origin(&shown(&origin)),
    }
}

fn is_probe(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

/// Returns true for an IP address, with or without a port.
fn is_address(host: &str) -> bool {
    host.parse::<SocketAddr>().is_ok() || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

/// Logs one line per request, probes at DEBUG, and measures it. Bodies, queries and unknown paths
/// are never logged. The service adds the chat and the tokens to the span.
async fn trace_request(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let id = request_id(request.headers());
    let span = tracing::info_span!(
        "request",
        id,
        method = %request.method(),
        route,
        tenant = Empty,
        chat = Empty,
        tokens_before = Empty,
        tokens_after = Empty,
        trace_id = Empty,
        parent_id = Empty,
        status_code = Empty,
    );
    if let Some(trace) = TraceContext::of(request.headers()) {
        span.record("trace_id", trace.trace_id).record("parent_id", trace.parent_id);
        traces::set_parent(&span, trace.trace_id, trace.parent_id, trace.flags);
    }
    let answer = async {
        let (start, _in_flight) = (Instant::now(), InFlight::start());
        let seconds = state.config.request_timeout_seconds;
        let limit = Duration::from_secs(seconds);
        let response = match tokio::time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => error::timed_out(seconds),
        };
        let response = match response.extensions().get::<Panicked>() {
            Some(Panicked) => {
                // A panic message may quote a text; the panic hook logs the place.
                tracing::error!("the request panicked");
                error::panicked(id.clone())
            }
            None => response,
        };
        answered(&route, response.status().as_u16(), start.elapsed());
        response
    };
    let mut response = answer.instrument(span.clone()).await;
    // After the log line, which has its own status.
    traces::set_status(&span, response.status().as_u16());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(ID, id);
    }
    response
}

/// Logs and counts an answer.
fn answered(route: &str, status: u16, time: Duration) {
    let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    if PROBES.contains(&route) {
        tracing::debug!(status, us, "answered");
    } else {
        tracing::info!(status, us, "answered");
    }
    let labels = [("route", route.to_owned()), ("status", status.to_string())];
    metrics::counter!(REQUESTS, &labels).increment(1);
    metrics::histogram!(REQUEST_SECONDS, &labels[..1]).record(time.as_secs_f64());
}

/// A request in flight, until it is dropped, also because the client left.
struct InFlight;

impl InFlight {
    fn start() -> InFlight {
        metrics::gauge!(IN_FLIGHT).increment(1.0);
        InFlight
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        metrics::gauge!(IN_FLIGHT).decrement(1.0);
    }
}

/// Returns the caller's id if it is short and printable, otherwise a new one.
fn request_id(headers: &HeaderMap) -> String {
    let plain =
        |id: &&str| (1..=ID_BYTES).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
    let given = headers.get(ID).and_then(|id| id.to_str().ok()).filter(plain);
    given.map_or_else(|| Ulid::generate().to_string(), str::to_owned)
}

/// Marks a response after a panic, for the layer that knows the request id.
#[derive(Clone)]
struct Panicked;

fn mark_panic(_: Box<dyn Any + Send>) -> Response {
    let mut response = ().into_response();
    response.extensions_mut().insert(Panicked);
    response
}
