//! References that could not be restored.

/// A reference that could not be restored; its message stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Unresolved {
    /// The message, counted from 0.
    pub index: usize,
    /// The path in the reference.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// The reason if a text would exceed the allowed bytes.
pub(crate) const TOO_LARGE: &str = "it would make the answer too large";
