//! Errors of the model. None holds the key, a part of the conversation, the body of an answer,
//! or the query of a URL.

use std::time::Duration;

use super::completion::Finish;

/// Errors of a completion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ModelError {
    /// A setting is invalid. Checked when the client is built.
    #[error("the model's {what} is {found}; accepted is {accepted}")]
    BadSettings {
        /// The setting.
        what: &'static str,
        /// The value; described, not quoted, if it could be a secret.
        found: String,
        /// The accepted values.
        accepted: &'static str,
    },
    /// The system lacks what a client needs: root certificates, a thread.
    #[error("the model's client cannot be built: {reason}")]
    CannotStart {
        /// The operating system's error.
        reason: String,
    },
    /// No connection, or one that broke before the answer was complete.
    #[error("the model's endpoint cannot be reached: {reason}")]
    Unreachable {
        /// The operating system's error, at most 200 characters.
        reason: String,
    },
    /// No complete answer in time: within one call with none left, or before the deadline,
    /// including the wait for a permit.
    #[error("the model gave no complete answer within {:.1} s, in {calls} calls", waited.as_secs_f64())]
    Timeout {
        /// The time waited, over all calls.
        waited: Duration,
        /// The HTTP calls made in that time; 0 if none got a permit.
        calls: u32,
    },
    /// A status other than 2xx, including redirects, or an `error` in place of the completion.
    #[error("the model's endpoint answered {status}{}", bracketed(code.as_deref()))]
    Status {
        /// The HTTP status, or the code of an `error` in a 200.
        status: u16,
        /// The error's `code` or `type`, if it is a short word.
        code: Option<String>,
        /// The delay that the endpoint asks for.
        retry_after: Option<Duration>,
    },
    /// The endpoint asks to wait beyond the deadline; the client does not wait.
    #[error(
        "the model's endpoint answered {status} and asks to wait {} s, but {:.1} s are left",
        retry_after.as_secs(),
        left.as_secs_f64()
    )]
    RetryTooLate {
        /// The HTTP status.
        status: u16,
        /// How long the endpoint asks to wait.
        retry_after: Duration,
        /// The time left until the deadline.
        left: Duration,
    },
    /// The answer is too long.
    #[error("the model's answer is longer than {limit} bytes")]
    TooLarge {
        /// Maximum number of bytes of one answer.
        limit: usize,
    },
    /// A 2xx answer is not JSON in UTF-8.
    #[error("the model's answer is not JSON")]
    NotJson,
    /// The answer has no text: empty, null or missing.
    #[error("the model's answer holds no text{}", bracketed(finished.as_ref().map(finish_word)))]
    NoText {
        /// Why it ended; `None` without a completion.
        finished: Option<Finish>,
    },
    /// No call is left for the snapshot.
    #[error("no call to the model is left for this snapshot")]
    NoCallsLeft,
}

impl ModelError {
    /// Returns true if the same call may succeed later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            ModelError::Unreachable { .. } | ModelError::Timeout { .. } => true,
            ModelError::Status { status, code, .. } => {
                let out_of_quota = code.as_deref() == Some("insufficient_quota");
                matches!(status, 408 | 409 | 429 | 500..=599) && !out_of_quota
            }
            ModelError::BadSettings { .. }
            | ModelError::CannotStart { .. }
            | ModelError::RetryTooLate { .. }
            | ModelError::TooLarge { .. }
            | ModelError::NotJson
            | ModelError::NoText { .. }
            | ModelError::NoCallsLeft => false,
        }
    }
}

fn bracketed(word: Option<&str>) -> String {
    word.map(|word| format!(" ({word})")).unwrap_or_default()
}

fn finish_word(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Filtered => "content_filter",
        Finish::Refused => "refusal",
        Finish::Other(word) => word,
    }
}
