//! The body of a request: its bytes, whatever the content type says, or the
//! envelope that tells why not.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;

use super::Door;
use super::error;

/// The bytes of a request's body.
pub(super) struct Body {
    pub(super) bytes: Bytes,
}

impl FromRequest<Door> for Body {
    type Rejection = Response;

    async fn from_request(request: Request, door: &Door) -> Result<Body, Response> {
        match Bytes::from_request(request, door).await {
            Ok(bytes) => Ok(Body { bytes }),
            Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(error::too_large(door.limits.body_limit_bytes))
            }
            Err(_) => Err(error::broken_body()),
        }
    }
}
