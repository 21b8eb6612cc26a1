//! JSON responses.

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Returns an envelope as a response.
pub(super) fn json(status: StatusCode, envelope: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], envelope.into()).into_response()
}
