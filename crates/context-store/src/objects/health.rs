//! Whether an object store is there: what its last requests say, and what their errors mean.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The health of the store by its last requests.
#[derive(Debug, Default)]
struct Failing {
    /// Why the last request failed; None if it did not.
    reason: Option<String>,
    /// Requests that failed since one did not.
    count: u32,
    /// Until when no request is tried.
    until: Option<Instant>,
}

/// Failures in a row after which requests are not tried for a moment: a history can name
/// hundreds of files, and each would wait.
const FAILURES: u32 = 3;

/// The least time of that moment.
const BREAK: Duration = Duration::from_secs(1);

/// The health of an object store, as far as this process knows.
#[derive(Debug, Default)]
pub(super) struct Health(Mutex<Failing>);

impl Health {
    fn lock(&self) -> MutexGuard<'_, Failing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns why no request should be tried at the moment.
    pub(super) fn broken(&self) -> Option<String> {
        let failing = self.lock();
        let is_broken = failing.until.is_some_and(|until| Instant::now() < until);
        is_broken.then(|| failing.reason.clone().unwrap_or_default())
    }

    /// Returns why the last request failed; None if it did not fail.
    pub(super) fn reason(&self) -> Option<String> {
        self.lock().reason.clone()
    }

    /// Returns why the last request failed, and lets the next one be tried; None if it did not
    /// fail.
    pub(super) fn failure(&self) -> Option<String> {
        let mut failing = self.lock();
        failing.until = None;
        failing.reason.clone()
    }

    /// Notes the outcome of a request that took that long, of a time that it may take.
    pub(super) fn note<T>(
        &self,
        done: &object_store::Result<T>,
        (took, most): (Duration, Duration),
    ) {
        let mut failing = self.lock();
        match done {
            Err(error) if is_failure(error) => {
                let reason = words(error);
                if failing.reason.is_none() {
                    tracing::warn!(reason, "the object store fails");
                }
                failing.reason = Some(reason);
                failing.count = failing.count.saturating_add(1);
                if failing.count >= FAILURES || took > most / 2 {
                    // Whoever waited that long does not wait again.
                    failing.until = Some(Instant::now() + BREAK.max(took));
                }
            }
            Ok(_) | Err(_) => *failing = Failing::default(),
        }
    }
}

/// Returns true for an error of an object store that cannot be asked at the moment.
pub fn is_away(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::HostUnreachable | io::ErrorKind::ConnectionRefused)
}

/// Returns true for an error of the store, and not of the request.
fn is_failure(error: &object_store::Error) -> bool {
    use object_store::Error;
    !matches!(
        error,
        Error::NotFound { .. }
            | Error::AlreadyExists { .. }
            | Error::Precondition { .. }
            | Error::NotModified { .. }
    )
}

/// Returns the words of an error without those of objects, which may hold names of chats.
pub(super) fn words(error: &object_store::Error) -> String {
    use object_store::Error;
    let source: &dyn std::error::Error = match error {
        Error::Generic { source, .. }
        | Error::PermissionDenied { source, .. }
        | Error::Unauthenticated { source, .. } => source.as_ref(),
        other => other,
    };
    let words = source.to_string();
    // Of "Error performing GET http://… - reason" only the reason.
    let reason = words.split_once(" - ").filter(|_| words.starts_with("Error performing"));
    reason.map_or(words.as_str(), |(_, reason)| reason).chars().take(300).collect()
}
