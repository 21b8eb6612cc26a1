//! The requests of the client that wait for their answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::message::Id;
use super::result::Call;

/// What an answer will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The upstream's list of tools.
    List {
        /// True where the request names no cursor.
        first_page: bool,
    },
    /// The result of a tool of the upstream whose texts may become files.
    Call(Call),
    /// Ours: the upstream never hears of it.
    Own,
    /// A stream of what the server says: its answer is its end.
    Stream,
    /// Whatever it is, it passes.
    Other,
}

#[derive(Debug)]
struct Request {
    /// Its id as the client spelled it.
    id: String,
    kind: Kind,
    cancelled: bool,
}

/// The open requests by their id.
#[derive(Debug, Default)]
pub(super) struct Open(Mutex<HashMap<Id, Request>>);

impl Kind {
    /// Of a request that passes.
    pub(super) fn passing(method: &str) -> Kind {
        if method == "subscriptions/listen" { Kind::Stream } else { Kind::Other }
    }
}

impl Open {
    fn all(&self) -> MutexGuard<'_, HashMap<Id, Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request; its id is raw.
    pub(super) fn add(&self, id: &str, kind: Kind) {
        if let Some(key) = Id::of(id) {
            let request = Request { id: id.to_owned(), kind, cancelled: false };
            self.all().insert(key, request);
        }
    }

    /// Says what became of a request whose kind was not clear.
    pub(super) fn decide(&self, id: &Id, kind: Kind) {
        if let Some(request) = self.all().get_mut(id) {
            request.kind = kind;
        }
    }

    /// What the answer to `id` will be, and whether anybody waits for it still.
    pub(super) fn look(&self, id: &Id) -> Option<(Kind, bool)> {
        self.all().get(id).map(|request| (request.kind.clone(), request.cancelled))
    }

    /// True where the upstream was asked this.
    pub(super) fn is_asked(&self, id: &Id) -> bool {
        self.all().get(id).is_some_and(|request| request.kind != Kind::Own)
    }

    /// Ends a request: whether its answer is still wanted; None where nobody asked.
    pub(super) fn close(&self, id: &Id) -> Option<bool> {
        self.all().remove(id).map(|request| !request.cancelled)
    }

    /// The client takes no answer any more; the kind of what it waited for.
    pub(super) fn cancel(&self, id: &Id) -> Option<Kind> {
        let mut all = self.all();
        let request = all.get_mut(id)?;
        request.cancelled = true;
        Some(request.kind.clone())
    }

    /// True where an answer is awaited that is not the end of a stream.
    pub(super) fn waits(&self) -> bool {
        self.all().values().any(|request| !request.cancelled && request.kind != Kind::Stream)
    }

    /// Ends every request that the upstream will not answer; their ids, raw.
    pub(super) fn close_all(&self) -> Vec<String> {
        let all = std::mem::take(&mut *self.all());
        let waits = |request: &Request| !request.cancelled && request.kind != Kind::Own;
        all.into_values().filter(waits).map(|request| request.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_request_takes_no_answer() {
        let open = Open::default();
        open.add("1", Kind::Other);
        open.add("\"b\"", Kind::Own);
        let id = Id::of("1.0").unwrap();
        assert_eq!(open.look(&id), Some((Kind::Other, false)));
        assert_eq!(open.cancel(&id), Some(Kind::Other));
        assert!(open.waits(), "the other one");
        open.add("2", Kind::passing("subscriptions/listen"));
        assert!(open.is_asked(&id) && !open.is_asked(&Id::of_text("b")));
        assert_eq!(open.close(&id), Some(false));
        assert_eq!(open.close(&id), None);
        open.cancel(&Id::of_text("b"));
        assert!(!open.waits(), "a stream ends with its client");
        assert_eq!(open.close_all(), ["2"], "ours is answered by us");
    }
}
