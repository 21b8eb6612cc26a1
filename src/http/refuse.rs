//! Refusing: an answer at once, without the body that it refuses. What the client
//! still sends is read and forgotten for a while: one that is in the middle of
//! sending sees an answer only if somebody listens to the end.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

/// Longest time that is listened, and most that is listened to, in bytes.
const PATIENCE: Duration = Duration::from_secs(5);
const LISTENED: usize = 256 * 1024 * 1024;

/// Reads `body` to its end beside the answer, and keeps nothing of it.
pub(super) fn forget(mut body: Body) {
    tokio::spawn(async move {
        let listen = async {
            let mut heard = 0;
            while let Some(Ok(frame)) = body.frame().await {
                heard += frame.data_ref().map_or(0, Bytes::len);
                if heard > LISTENED {
                    break;
                }
            }
        };
        // An end without a whole body is as good as any other.
        let _ = tokio::time::timeout(PATIENCE, listen).await;
    });
}
