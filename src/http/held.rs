//! An answer that holds the memory of its request until the last of it has left.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::Full;

use crate::service::budget::Reserved;

/// A body and what it holds.
struct Held {
    text: Full<Bytes>,
    _reserved: Reserved,
}

/// `text` as a body; `reserved` is given back when the body is.
pub(super) fn body(text: String, reserved: Reserved) -> Body {
    Body::new(Held { text: Full::from(text), _reserved: reserved })
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.text).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.text.size_hint()
    }
}
