//! Events that an upstream sends to the proxy.

/// An event from the upstream.
#[derive(Debug)]
pub(crate) enum Event {
    /// A message, on one line.
    Message(Vec<u8>),
    /// The upstream ended; the reason.
    Ended(String),
}
