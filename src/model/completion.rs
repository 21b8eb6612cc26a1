//! The model's answer.

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion {
    /// The text, never empty unless `finished` is [`Finish::Refused`]. Separate reasoning is
    /// omitted.
    pub text: String,
    /// Why it ended.
    pub finished: Finish,
}

/// Why a completion ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finish {
    /// Complete, or no reason given.
    Stop,
    /// Truncated by a token limit.
    Length,
    /// Filtered by the endpoint.
    Filtered,
    /// Refused by the model; its text is dropped.
    Refused,
    /// Another reason, as the endpoint names it: lower case, at most 64 bytes, `unnamed` if it
    /// is no such name.
    Other(String),
}
