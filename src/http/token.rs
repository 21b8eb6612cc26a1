//! Bearer tokens: one word each, which opens one tenant's folders; without any the
//! operator's own are open to whoever reaches the service.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{Door, Tenant, error, refuse};

/// A token, kept as its hash only, so that neither a log nor a dump shows it.
/// Comparing takes the same time whatever is compared, as that of `blake3::Hash` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(blake3::Hash);

impl Token {
    /// A token from its text.
    pub fn new(token: &str) -> Token {
        Token(blake3::hash(token.as_bytes()))
    }
}

/// Lets a request pass that carries a token, as the tenant that the token is of; all
/// where there is no token.
pub(super) async fn require(
    State(door): State<Door>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(tenant) = tenant(&door.tenants, request.headers()) else {
        refuse::forget(request.into_body());
        return error::unauthorized();
    };
    if let Some(name) = &tenant.name {
        tracing::Span::current().record("tenant", name);
    }
    request.extensions_mut().insert(tenant);
    next.run(request).await
}

/// The tenant that the request's token is of. Every token is compared, so that the time tells nothing of which was near.
pub(super) fn tenant(tenants: &[Arc<Tenant>], headers: &HeaderMap) -> Option<Arc<Tenant>> {
    let given = given(headers).map(Token::new);
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

fn given(headers: &HeaderMap) -> Option<&str> {
    let (scheme, given) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(given.trim())
}
