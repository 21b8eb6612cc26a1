//! The health of an object store: the outcome of this process's last request, and the meaning of
//! errors. Only readiness depends on the last request: every operation depends on its own requests.

use std::error::Error as StdError;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

/// The store's name in errors of `object_store`.
pub(super) const STORE: &str = "S3";

/// Why the last request of this process failed; `None` if it succeeded.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<Option<String>>);

impl Health {
    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns why the last request failed; `None` if it succeeded.
    pub(super) fn failure(&self) -> Option<String> {
        self.lock().clone()
    }

    /// Records the outcome of a request.
    pub(super) fn note<T>(&self, done: &object_store::Result<T>) {
        let failure = done.as_ref().err().filter(|error| is_failure(error)).map(words);
        let mut failing = self.lock();
        if let Some(reason) = failure.as_ref().filter(|_| failing.is_none()) {
            tracing::warn!(reason, "the object store fails");
        }
        *failing = failure;
    }
}

/// A request got no answer within this time.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {0:?}")]
pub(super) struct Late(pub(super) Duration);

/// Returns true for the error of an object store that is not available at the moment.
pub fn is_away(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::HostUnreachable | io::ErrorKind::ConnectionRefused)
}

/// Returns true for an error of the store, and not of the request.
fn is_failure(error: &Error) -> bool {
    !matches!(
        error,
        Error::NotFound { .. }
            | Error::AlreadyExists { .. }
            | Error::Precondition { .. }
            | Error::NotModified { .. }
    )
}

/// Returns true for an error that the same request may not cause again.
pub(super) fn may_pass(error: &Error) -> bool {
    matches!(error, Error::Generic { .. })
}

/// Returns the text of an error, without names of the server, its bucket or objects. These are
/// useless to an agent, and keys contain the names of calls.
pub(super) fn words(error: &Error) -> String {
    let mut found = Some(error as &dyn StdError);
    let mut last = error as &dyn StdError;
    while let Some(cause) = found {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return transport_words(http);
        }
        if let Some(late) = cause.downcast_ref::<Late>() {
            return late.to_string();
        }
        last = cause;
        found = cause.source();
    }
    status_words(&last.to_string()).unwrap_or_else(|| {
        let words = match error {
            Error::PermissionDenied { .. } => "the credentials do not allow it",
            Error::Unauthenticated { .. } => "there are no valid credentials",
            _ => "it gave an answer that cannot be used",
        };
        words.to_owned()
    })
}

fn transport_words(error: &HttpError) -> String {
    let words = match error.kind() {
        HttpErrorKind::Connect => "no connection to it could be made",
        HttpErrorKind::Timeout => "no answer came in time",
        HttpErrorKind::Decode => "its answer cannot be read",
        _ => "the connection to it broke",
    };
    words.to_owned()
}

/// Returns the status of an answer, such as `503 Service Unavailable (SlowDown)`, from a text such
/// as `…status code: 503 Service Unavailable: <Error><Code>SlowDown</Code>…`.
fn status_words(words: &str) -> Option<String> {
    let (_, rest) = words.split_once("status code: ")?;
    let (status, body) = rest.split_once(": ").unwrap_or((rest, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let code = body.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let code = code.filter(|(code, _)| plain(code) && code.len() <= 64);
    let code = code.map(|(code, _)| format!(" ({code})")).unwrap_or_default();
    plain(status).then(|| format!("{status}{code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_no_server_and_no_object() {
        let of = |source: &str| words(&Error::Generic { store: STORE, source: source.into() });
        let said = "Server returned non-2xx status code: 503 Service Unavailable: \
                    <Error><Code>SlowDown</Code><Key>a/tool_call_1.txt</Key></Error>";
        assert_eq!(of(said), "503 Service Unavailable (SlowDown)");
        for said in [
            "Server returned non-2xx status code: 400 Bad Request: <Code>a/b</Code>",
            "Server returned non-2xx status code: 400 Bad Request",
        ] {
            assert_eq!(of(said), "400 Bad Request");
        }
        for said in ["Error performing GET http://host/bucket/key", "code: http://x: y", ""] {
            assert_eq!(of(said), "it gave an answer that cannot be used");
        }
        let late = Error::Generic { store: STORE, source: Late(Duration::from_secs(3)).into() };
        assert_eq!(words(&late), "no answer within 3s");
        let source: Box<dyn StdError + Send + Sync> = "http://host/bucket".into();
        let http = HttpError::new_boxed(HttpErrorKind::Interrupted, source);
        let error = Error::Generic { store: STORE, source: http.into() };
        assert_eq!(words(&error), "the connection to it broke");
    }
}
