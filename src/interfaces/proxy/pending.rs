//! Pending requests of the client.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use super::result::UpstreamCall;
use crate::interfaces::lock::lock;
use crate::interfaces::mcp::message::Id;

/// Kinds of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerKind {
    /// The upstream's tool list.
    ToolList {
        /// True if the request has no cursor.
        first_page: bool,
    },
    /// The result of an upstream tool whose texts may be offloaded.
    ToolResult(UpstreamCall),
    /// Answered by the proxy; the upstream does not get the request.
    Local,
    /// A stream of notifications, which ends with its answer.
    Stream,
    /// Any other answer; it passes through unchanged.
    PassThrough,
}

#[derive(Debug)]
struct PendingRequest {
    /// The id in the client's spelling.
    id: String,
    kind: AnswerKind,
    cancelled: bool,
}

/// The pending requests by id.
#[derive(Debug, Default)]
pub(super) struct PendingRequests(Mutex<HashMap<Id, PendingRequest>>);

impl AnswerKind {
    /// Returns the kind of a request that passes through.
    pub(super) fn for_method(method: &str) -> AnswerKind {
        if method == "subscriptions/listen" { AnswerKind::Stream } else { AnswerKind::PassThrough }
    }
}

impl PendingRequests {
    fn all(&self) -> MutexGuard<'_, HashMap<Id, PendingRequest>> {
        lock(&self.0)
    }

    /// Adds a request; `id` is raw JSON.
    pub(super) fn add(&self, id: &str, kind: AnswerKind) {
        if let Some(key) = Id::of(id) {
            let request = PendingRequest { id: id.to_owned(), kind, cancelled: false };
            self.all().insert(key, request);
        }
    }

    /// Sets the kind of a request that was added before it was routed.
    pub(super) fn set_kind(&self, id: &Id, kind: AnswerKind) {
        if let Some(request) = self.all().get_mut(id) {
            request.kind = kind;
        }
    }

    /// Returns the kind of a request, and whether it is cancelled.
    pub(super) fn get(&self, id: &Id) -> Option<(AnswerKind, bool)> {
        self.all().get(id).map(|request| (request.kind.clone(), request.cancelled))
    }

    /// Returns true if the upstream got this request.
    pub(super) fn is_sent_upstream(&self, id: &Id) -> bool {
        self.all().get(id).is_some_and(|request| request.kind != AnswerKind::Local)
    }

    /// Removes a request. Returns whether its answer is still wanted, or `None` if there is no such
    /// request.
    pub(super) fn remove(&self, id: &Id) -> Option<bool> {
        self.all().remove(id).map(|request| !request.cancelled)
    }

    /// Removes a request if it is cancelled. Returns true if it was.
    pub(super) fn remove_cancelled(&self, id: &Id) -> bool {
        let mut all = self.all();
        let cancelled = all.get(id).is_some_and(|request| request.cancelled);
        if cancelled {
            all.remove(id);
        }
        cancelled
    }

    /// Cancels a request and returns its kind.
    pub(super) fn cancel(&self, id: &Id) -> Option<AnswerKind> {
        let mut all = self.all();
        let request = all.get_mut(id)?;
        request.cancelled = true;
        Some(request.kind.clone())
    }

    /// Returns true if an answer other than the end of a stream is pending.
    pub(super) fn has_waiting(&self) -> bool {
        self.all().values().any(|request| !request.cancelled && request.kind != AnswerKind::Stream)
    }

    /// Removes all requests. Returns the raw ids of those that the upstream leaves unanswered.
    pub(super) fn drain_upstream(&self) -> Vec<String> {
        let all = std::mem::take(&mut *self.all());
        let waits =
            |request: &PendingRequest| !request.cancelled && request.kind != AnswerKind::Local;
        all.into_values().filter(waits).map(|request| request.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_request_takes_no_answer() {
        let pending = PendingRequests::default();
        pending.add("1", AnswerKind::PassThrough);
        pending.add("\"b\"", AnswerKind::Local);
        let id = Id::of("1.0").unwrap();
        assert_eq!(pending.get(&id), Some((AnswerKind::PassThrough, false)));
        assert_eq!(pending.cancel(&id), Some(AnswerKind::PassThrough));
        assert!(pending.has_waiting(), "the other one");
        pending.add("2", AnswerKind::for_method("subscriptions/listen"));
        assert!(pending.is_sent_upstream(&id) && !pending.is_sent_upstream(&Id::of_text("b")));
        assert_eq!(pending.remove(&id), Some(false));
        assert_eq!(pending.remove(&id), None);
        pending.cancel(&Id::of_text("b"));
        assert!(!pending.has_waiting(), "a stream ends with its client");
        assert_eq!(pending.drain_upstream(), ["2"], "ours is answered by us");
    }
}
