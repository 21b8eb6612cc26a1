//! Response bodies that hold their request's memory reservation until all bytes are sent.

use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

use crate::service::budget::Reserved;

/// Bytes with their memory reservation. The reservation ends with the bytes, not with the body:
/// a slow client leaves the bytes in the connection's buffers after the body is consumed.
struct GuardedBytes<T, R> {
    bytes: T,
    _reserved: R,
}

impl<T: AsRef<[u8]>, R> AsRef<[u8]> for GuardedBytes<T, R> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Returns `text` as a body.
pub(super) fn text(text: String, reserved: Reserved) -> Body {
    let held = GuardedBytes { bytes: text, _reserved: reserved };
    Body::from(Bytes::from_owner(held))
}

/// Returns `body` with the reservation attached to each frame.
pub(super) fn frames(body: Body, reserved: Arc<Mutex<Reserved>>) -> Body {
    Body::new(body.map_frame(move |frame| {
        let guard = |bytes| GuardedBytes { bytes, _reserved: Arc::clone(&reserved) };
        frame.map_data(|bytes| Bytes::from_owner(guard(bytes)))
    }))
}
