//! What the proxy asks the upstream for itself: the list of tools, so that it
//! knows which names are free before it gives one of them to a tool of its own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chat_history::raw;
use chat_history::splice::quote;
use tokio::sync::{OnceCell, oneshot};

use super::message::{Id, Message, protocol_name};
use super::names::Names;
use super::tools_list::Page;
use super::upstream::Upstream;

/// Longest wait for the whole list.
const WAIT: Duration = Duration::from_secs(10);
/// Most pages of a list: a cursor that never ends must not be followed for ever.
const PAGES: usize = 1_000;

/// Questions of the proxy, and what it knows from their answers.
#[derive(Default)]
pub(super) struct Asking {
    waiting: Mutex<HashMap<Id, oneshot::Sender<Vec<u8>>>>,
    /// Given once: what the client was told stays true while the session lasts.
    names: OnceCell<Arc<Names>>,
    /// The protocol's own members of the last request's `_meta`: in the generation
    /// without sessions every request has to carry them.
    meta: Mutex<Option<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asking {
    /// Keeps what a request says of its client, for requests of ours.
    pub(super) fn remember(&self, declared: &Message<'_>) {
        let Some(meta) = declared.param("_meta").and_then(|meta| raw::fields(meta).ok()) else {
            return;
        };
        let own = protocol_name("");
        let members = meta.iter().filter(|(name, _)| name.starts_with(&own));
        let members: Vec<String> = members.map(|(n, v)| format!("{}:{v}", quote(n))).collect();
        if !members.is_empty() {
            *locked(&self.meta) = Some(format!("{{{}}}", members.join(",")));
        }
    }

    /// Takes the answer to a question of ours; false where it is none.
    pub(super) fn take(&self, id: &Id, answer: &[u8]) -> bool {
        let Some(asker) = locked(&self.waiting).remove(id) else { return false };
        let _ = asker.send(answer.to_vec());
        true
    }

    /// Nothing will be answered any more.
    pub(super) fn give_up(&self) {
        locked(&self.waiting).clear();
    }

    /// The names, where they are given.
    pub(super) fn known(&self) -> Option<Arc<Names>> {
        self.names.get().map(Arc::clone)
    }

    /// The names; given now, beside those of a whole list, where they are not yet.
    pub(super) async fn names_beside(&self, taken: HashSet<String>) -> Arc<Names> {
        Arc::clone(self.names.get_or_init(|| async { Arc::new(Names::beside(&taken)) }).await)
    }

    /// The names; the upstream is asked for its own where they are not given yet. One
    /// that gives no list has no names that could be taken.
    pub(super) async fn names(&self, upstream: &Upstream) -> Arc<Names> {
        let ask = async {
            let taken = tokio::time::timeout(WAIT, self.ask(upstream)).await;
            Arc::new(Names::beside(&taken.ok().flatten().unwrap_or_default()))
        };
        Arc::clone(self.names.get_or_init(|| ask).await)
    }

    /// The names of all pages that could be in the way.
    async fn ask(&self, upstream: &Upstream) -> Option<HashSet<String>> {
        let mut taken = HashSet::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let answer = self.page(upstream, cursor.as_deref()).await?;
            let answer = Message::read(&answer)?.member("result")?;
            let page = Page::read(answer)?;
            taken.extend(page.rivals());
            match page.next {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Some(taken),
            }
        }
        None
    }

    async fn page(&self, upstream: &Upstream, cursor: Option<&str>) -> Option<String> {
        let id = unguessable()?;
        let (asker, answer) = oneshot::channel();
        let key = Id::of_text(&id);
        locked(&self.waiting).insert(key.clone(), asker);
        let _forgotten = Waiting { asking: self, key };
        let meta = locked(&self.meta).clone();
        let members = [("_meta", meta.as_deref()), ("cursor", cursor)];
        let members = members.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let params: Vec<String> =
            members.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let params = params.join(",");
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/list","params":{{{params}}}}}"#
        );
        upstream.send(request.into_bytes()).await;
        String::from_utf8(answer.await.ok()?).ok()
    }
}

/// A question that waits for its answer, until this goes out of scope.
struct Waiting<'a> {
    asking: &'a Asking,
    key: Id,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        locked(&self.asking.waiting).remove(&self.key);
    }
}

/// An id of 128 random bits: neither a client's nor known before it is sent. None where
/// the system has no randomness to give.
fn unguessable() -> Option<String> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).ok()?;
    Some(format!("unburden-proxy-{:032x}", u128::from_le_bytes(bits)))
}
