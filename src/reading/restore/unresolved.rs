//! References that could not be put back.

/// A reference that could not be followed; its message is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Unresolved {
    /// The message, counted from 0.
    pub index: usize,
    /// The path in the reference.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// The reason where a text would exceed the allowed bytes.
pub(crate) const TOO_LARGE: &str = "it would make the answer too large";
