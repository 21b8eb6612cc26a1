//! Answers that hold the memory of their request until the last of them has left.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;

use crate::service::budget::Reserved;

/// Bytes and the memory that is taken for them. It is given back with the bytes, not with
/// the body: what a client does not take waits for it in the buffers of its connection,
/// which has taken all of the body by then.
struct Held<T> {
    bytes: T,
    _reserved: Arc<Reserved>,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Held<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// `text` as a body.
pub(super) fn body(text: String, reserved: Reserved) -> Body {
    let held = Held { bytes: text, _reserved: Arc::new(reserved) };
    Body::from(Bytes::from_owner(held))
}

/// The same for each piece of `body`.
pub(super) fn each(body: Body, reserved: Reserved) -> Body {
    let reserved = Arc::new(reserved);
    Body::new(body.map_frame(move |frame| {
        let hold = |bytes| Held { bytes, _reserved: Arc::clone(&reserved) };
        frame.map_data(|bytes| Bytes::from_owner(hold(bytes)))
    }))
}
