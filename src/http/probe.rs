//! Probes: what an orchestrator asks. None of them needs a token, reads a
//! history or calls a model.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::{Door, token};

#[derive(Serialize)]
struct Status<'a> {
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Version {
    name: &'static str,
    version: &'static str,
}

/// The process runs.
pub(super) async fn healthz() -> Response {
    plain(StatusCode::OK, &Status { status: "ok", reason: None })
}

/// Work can be done: every root can be read and written. Which one cannot is told to who
/// may use it; others hear that there is one.
pub(super) async fn readyz(State(door): State<Door>, headers: HeaderMap) -> Response {
    let caller = token::tenant(&door.tenants, &headers);
    let look = move || {
        let own = caller.and_then(|caller| caller.service.unready());
        own.or_else(|| {
            let reason = door.tenants.iter().find_map(|tenant| tenant.service.unready())?;
            tracing::warn!(reason, "not ready");
            Some(
                "a root cannot be read and written; the log says which, and so does this to a \
                  request with its token"
                    .to_owned(),
            )
        })
    };
    let looked = tokio::task::spawn_blocking(look).await;
    let reason = looked.unwrap_or_else(|_| Some("the roots could not be looked at".to_owned()));
    match reason {
        None => plain(StatusCode::OK, &Status { status: "ready", reason: None }),
        Some(reason) => {
            let status = Status { status: "not ready", reason: Some(reason) };
            plain(StatusCode::SERVICE_UNAVAILABLE, &status)
        }
    }
}

/// What was counted, for Prometheus.
pub(super) async fn metrics() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, crate::telemetry::metrics::render()).into_response()
}

/// What runs.
pub(super) async fn version() -> Response {
    let version = Version { name: "unburden", version: env!("CARGO_PKG_VERSION") };
    plain(StatusCode::OK, &version)
}

fn plain(status: StatusCode, value: &impl Serialize) -> Response {
    // Plain structs of words: they cannot fail to serialise.
    let json = serde_json::to_string(value).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], json).into_response()
}
