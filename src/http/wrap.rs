//! What stands around every handler: an id, a log line, a time limit, and the
//! last resort for a panic.

use std::any::Any;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;
use ulid::Ulid;

use super::{Door, error, origin};
use crate::telemetry::metrics::REQUESTS;

const ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is taken over from a caller, in bytes.
const ID_BYTES: usize = 64;

/// Wraps the routes; the first layer named is the innermost.
pub(super) fn wrap(routes: Router<Door>, door: &Door) -> Router<Door> {
    routes
        .layer(middleware::from_fn_with_state(door.clone(), origin::require))
        .layer(CatchPanicLayer::custom(caught))
        .layer(middleware::from_fn_with_state(door.clone(), watch))
}

/// One line a request: method, route, status and time; never a body, never a
/// query, never a path that is no route.
async fn watch(State(door): State<Door>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let id = request_id(request.headers());
    let tenant = tracing::field::Empty;
    let span = tracing::info_span!("request", id, method = %request.method(), route, tenant);
    let answer = async {
        let start = Instant::now();
        let seconds = door.limits.request_timeout_seconds;
        let limit = Duration::from_secs(seconds);
        let response = match tokio::time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => error::timed_out(seconds),
        };
        let response = match response.extensions().get::<Panicked>() {
            Some(Panicked) => {
                // What it said may quote a text; where it was, the process's hook says.
                tracing::error!("the request panicked");
                error::panicked(id.clone())
            }
            None => response,
        };
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        tracing::info!(status, ms, "answered");
        let labels = [("route", route.to_owned()), ("status", status.to_string())];
        metrics::counter!(REQUESTS, &labels).increment(1);
        response
    };
    let mut response = answer.instrument(span).await;
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(ID, id);
    }
    response
}

/// The caller's id where it is short and plain, or a new one.
fn request_id(headers: &HeaderMap) -> String {
    let plain =
        |id: &&str| (1..=ID_BYTES).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
    let given = headers.get(ID).and_then(|id| id.to_str().ok()).filter(plain);
    given.map_or_else(|| Ulid::generate().to_string(), str::to_owned)
}

/// That there was a panic, on its way to the layer that knows the request's id.
#[derive(Clone)]
struct Panicked;

fn caught(_: Box<dyn Any + Send>) -> Response {
    let mut response = ().into_response();
    response.extensions_mut().insert(Panicked);
    response
}
