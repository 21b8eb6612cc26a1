//! Draining of rejected request bodies: a client that is still sending sees the response only
//! if the server reads to the end of the body.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

/// Maximum time for draining, and maximum number of bytes drained.
const MAX_DRAIN_TIME: Duration = Duration::from_secs(5);
const MAX_DRAIN_BYTES: usize = 256 * 1024 * 1024;

/// Reads `body` to its end in the background and discards it.
pub(super) fn drain(mut body: Body) {
    tokio::spawn(async move {
        let read_all = async {
            let mut bytes = 0;
            while let Some(Ok(frame)) = body.frame().await {
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > MAX_DRAIN_BYTES {
                    break;
                }
            }
        };
        // The result does not matter: the response is sent either way.
        let _ = tokio::time::timeout(MAX_DRAIN_TIME, read_all).await;
    });
}
