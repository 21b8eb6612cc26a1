//! Probes for orchestrators. They need no token, read no history and call no model.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::authenticate;
use super::state::{AppState, TenantState};

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

/// Answers that the process runs.
pub(super) async fn healthz() -> Response {
    plain(StatusCode::OK, &Status { status: "ok", reason: None })
}

/// Answers whether every root can be read and written. A caller with a token sees which of its
/// roots cannot; others see only that there is one.
pub(super) async fn readyz(State(state): State<AppState>, headers: HeaderMap) -> Response {
    let caller = authenticate::tenant_of(&state.tenants, &headers);
    let look = move || {
        let unready = |tenant: &TenantState| {
            let reason = tenant.service.unready();
            reason.inspect(|reason| tracing::warn!(reason, "not ready"))
        };
        let own = caller.and_then(|caller| unready(&caller));
        own.or_else(|| {
            state.tenants.iter().find_map(|tenant| unready(tenant))?;
            Some(
                "a root is not readable and writable; the log names it, and so does this probe with \
                  the tenant's token"
                    .to_owned(),
            )
        })
    };
    let looked = tokio::task::spawn_blocking(look).await;
    let reason = looked.unwrap_or_else(|_| Some("the roots could not be checked".to_owned()));
    match reason {
        None => plain(StatusCode::OK, &Status { status: "ready", reason: None }),
        Some(reason) => {
            let status = Status { status: "not ready", reason: Some(reason) };
            plain(StatusCode::SERVICE_UNAVAILABLE, &status)
        }
    }
}

/// Returns the metrics for Prometheus.
pub(super) async fn metrics() -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    match tokio::task::spawn_blocking(crate::telemetry::metrics::render).await {
        Ok(page) => (kind, page).into_response(),
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

/// Returns the name and version.
pub(super) async fn version() -> Response {
    let version = Version { name: "unburden", version: env!("CARGO_PKG_VERSION") };
    plain(StatusCode::OK, &version)
}

fn plain(status: StatusCode, value: &impl Serialize) -> Response {
    // Structs of strings always serialise.
    let json = serde_json::to_string(value).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], json).into_response()
}
