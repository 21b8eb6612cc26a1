//! What stands around every handler: an id, a log line, a time limit, and the
//! last resort for a panic.

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderName;
use axum::middleware::{self, Next};
use axum::response::Response;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{
    MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tracing::Instrument;
use ulid::Ulid;

use super::{Door, error};

const ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Copy)]
struct Ulids;

impl MakeRequestId for Ulids {
    fn make_request_id<B>(&mut self, _: &axum::http::Request<B>) -> Option<RequestId> {
        Ulid::generate().to_string().parse().ok().map(RequestId::new)
    }
}

/// Wraps the routes; the first layer named is the innermost.
pub(super) fn wrap(routes: Router<Door>, door: &Door) -> Router<Door> {
    routes
        .layer(CatchPanicLayer::custom(caught))
        .layer(middleware::from_fn_with_state(door.clone(), watch))
        .layer(PropagateRequestIdLayer::new(ID))
        .layer(SetRequestIdLayer::new(ID, Ulids))
}

/// One line a request: method, route, status, size and time; never a body, never
/// a query, never a path that is no route.
async fn watch(State(door): State<Door>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let id = request.headers().get(ID).and_then(|id| id.to_str().ok()).unwrap_or("none");
    let id: String = id.chars().filter(char::is_ascii_graphic).take(64).collect();
    let span = tracing::info_span!("request", id, method = %request.method(), route);
    let seconds = door.limits.request_timeout_seconds;
    async move {
        let start = std::time::Instant::now();
        let limit = Duration::from_secs(seconds);
        let response = match tokio::time::timeout(limit, next.run(request)).await {
            Ok(response) => response,
            Err(_) => error::timed_out(seconds),
        };
        let status = response.status().as_u16();
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(status, ms, "answered");
        response
    }
    .instrument(span)
    .await
}

/// A panic is a bug: it gets an id that is in the log and in the answer.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands the panic over")]
fn caught(panic: Box<dyn Any + Send>) -> Response {
    let id = Ulid::generate().to_string();
    let what = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(panic_id = id, what, "a request panicked");
    error::panicked(id)
}
