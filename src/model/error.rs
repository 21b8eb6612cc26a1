//! Why there is no completion: facts with names. None holds the key, a part of
//! the conversation, the body of an answer, or the query of a URL.

use std::time::Duration;

use super::Finish;

/// Why the model gave no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A setting that cannot be used. Found once, when the client is built.
    #[error("the model's {what} is {found}; accepted is {accepted}")]
    BadSettings {
        /// The setting.
        what: &'static str,
        /// What it is; described and not quoted where it could be a secret.
        found: String,
        /// What it takes.
        accepted: &'static str,
    },
    /// The system lacks what a client needs: root certificates, a thread.
    #[error("the model's client cannot be built: {reason}")]
    CannotStart {
        /// What is missing, in the system's words.
        reason: String,
    },
    /// No connection, or one that broke before the answer was whole.
    #[error("the model's endpoint cannot be reached: {reason}")]
    Unreachable {
        /// The system's reason, at most 200 characters.
        reason: String,
    },
    /// No whole answer in time: in one call's time with no call left, or before
    /// the deadline, waits for a turn included.
    #[error("the model gave no whole answer within {:.1} s, in {calls} calls", waited.as_secs_f64())]
    Timeout {
        /// How long it was waited for, over all calls.
        waited: Duration,
        /// The HTTP calls made in that time; 0 where none got its turn.
        calls: u32,
    },
    /// A status other than 2xx, a redirect included, or an answer that says
    /// `error` where the completion belongs.
    #[error("the model's endpoint answered {status}{}", bracketed(code.as_deref()))]
    Status {
        /// The HTTP status, or what an `error` in a 200 gives as its code.
        status: u16,
        /// The error's `code` or `type`, where that is a short word.
        code: Option<String>,
        /// How long the endpoint asks to wait.
        retry_after: Option<Duration>,
    },
    /// The endpoint asks to wait beyond the deadline. It was not waited for.
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
        /// What was left until the deadline.
        left: Duration,
    },
    /// An answer longer than is read.
    #[error("the model's answer is longer than {limit} bytes")]
    TooLarge {
        /// Most bytes of one answer.
        limit: usize,
    },
    /// A 2xx answer that is no JSON in UTF-8.
    #[error("the model's answer is not JSON")]
    NotJson,
    /// An answer without a text: empty, null, or none at all.
    #[error("the model's answer holds no text{}", bracketed(finished.as_ref().map(finish_word)))]
    NoText {
        /// Why it ended; None where there was no completion in it.
        finished: Option<Finish>,
    },
    /// All calls of the snapshot were made before.
    #[error("no call to the model is left for this snapshot")]
    NoCallsLeft,
}

impl ModelError {
    /// A short name that stays the same, for reports and counters.
    pub fn word(&self) -> &'static str {
        match self {
            ModelError::BadSettings { .. } => "bad_settings",
            ModelError::CannotStart { .. } => "cannot_start",
            ModelError::Unreachable { .. } => "unreachable",
            ModelError::Timeout { .. } => "timeout",
            ModelError::Status { .. } => "status",
            ModelError::RetryTooLate { .. } => "retry_too_late",
            ModelError::TooLarge { .. } => "too_large",
            ModelError::NotJson => "not_json",
            ModelError::NoText { .. } => "no_text",
            ModelError::NoCallsLeft => "no_calls_left",
        }
    }

    /// True where the same call may work a moment later.
    pub(super) fn passes(&self) -> bool {
        match self {
            ModelError::Unreachable { .. } | ModelError::Timeout { .. } => true,
            ModelError::Status { status, code, .. } => {
                let empty_purse = code.as_deref() == Some("insufficient_quota");
                matches!(status, 408 | 409 | 429 | 500..=599) && !empty_purse
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
