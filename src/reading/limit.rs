//! The limits of an answer: how its tokens are counted, and which limit truncated it.

use serde::Serialize;

/// Counts the tokens of a text, as the caller's model does.
pub(crate) type CountTokens<'a> = &'a dyn Fn(&str) -> u64;

/// The limit that truncated an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TruncatedBy {
    /// The caller's own `limit`.
    Limit,
    /// `max_tokens`, either the caller's own or the service's default.
    MaxTokens,
    /// The service's ceiling on matches.
    MaxMatches,
    /// The service's ceiling on the size of an answer.
    AnswerBytes,
    /// The service's ceiling on the files that one query visits.
    Files,
    /// The service's ceiling on time.
    Deadline,
}

impl TruncatedBy {
    /// Returns the reason as a clause of a sentence.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Limit => "limit is reached",
            Self::MaxTokens => "max_tokens is reached",
            Self::MaxMatches => "no answer holds more matches",
            Self::AnswerBytes => "no answer holds more bytes",
            Self::Files => "no search visits more files",
            Self::Deadline => "the time for one search is over",
        }
    }
}
