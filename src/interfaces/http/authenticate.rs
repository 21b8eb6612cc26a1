//! Authentication: the tenant of a request's bearer token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use super::drain::drain;
use super::error;
use super::state::{AppState, TenantState};
use super::token::Token;

/// Accepts a request with a valid token and adds its tenant; without tenants and token it
/// accepts every request.
pub(super) async fn authenticate(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(tenant) = tenant_of(&state.tenants, request.headers()) else {
        drain(request.into_body());
        return error::unauthorized();
    };
    if let Some(name) = &tenant.name {
        tracing::Span::current().record("tenant", name);
    }
    request.extensions_mut().insert(tenant);
    next.run(request).await
}

/// Returns the tenant of the request's token. Every token is compared, so that the time does
/// not reveal a near match.
pub(super) fn tenant_of(
    tenants: &[Arc<TenantState>],
    headers: &HeaderMap,
) -> Option<Arc<TenantState>> {
    let given = bearer_token(headers).map(Token::new);
    let mut found = None;
    for tenant in tenants {
        let opens = match (&tenant.token, &given) {
            (None, _) => tenants.len() == 1,
            (Some(token), Some(given)) => token == given,
            (Some(_), None) => false,
        };
        if opens {
            found = Some(Arc::clone(tenant));
        }
    }
    found
}

fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, given) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(given.trim())
}
