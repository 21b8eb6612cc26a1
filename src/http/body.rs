//! The body of a request: its bytes, whatever the content type says, or the
//! envelope that tells why not.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use axum::response::Response;
use http_body_util::BodyExt;

use super::Door;
use super::error;

/// How much of a body that is too large is still read, in limits. A client that
/// is in the middle of sending sees an answer only if somebody listens to the end.
const PATIENCE: usize = 4;

/// The bytes of a request's body.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
}

impl FromRequest<Door> for Body {
    type Rejection = Response;

    async fn from_request(request: Request, door: &Door) -> Result<Body, Response> {
        let limit = door.limits.body_limit_bytes;
        let announced = request.headers().get(header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
        let mut bytes = Vec::with_capacity(announced.unwrap_or(0).min(limit));
        let mut body = request.into_body();
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| error::broken_body())?;
            let Ok(data) = frame.into_data() else { continue };
            read += data.len();
            if read <= limit {
                bytes.extend_from_slice(&data);
            } else if read > limit.saturating_mul(PATIENCE) {
                break;
            }
        }
        if read > limit { Err(error::too_large(limit)) } else { Ok(Body { bytes }) }
    }
}
