//! What the proxy asks the upstream for itself: the list of tools, so that it
//! knows which names are free before a call under one of them is routed.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use super::message::{Id, Message, protocol_name};
use super::tools_list::{Names, Page};
use super::upstream::Upstream;
use crate::history::raw;
use crate::history::splice::quote;

/// Longest wait for a page of the list.
const WAIT: Duration = Duration::from_secs(10);
/// Most pages of a list: a cursor that never ends must not be followed for ever.
const PAGES: usize = 1_000;

/// Questions of the proxy, and what it knows from their answers.
pub(super) struct Asking {
    /// What no id of a client begins with.
    prefix: String,
    count: AtomicU64,
    waiting: Mutex<HashMap<Id, oneshot::Sender<Vec<u8>>>>,
    /// Counts the changes of the upstream's list.
    generation: AtomicU64,
    known: Mutex<Option<(u64, Arc<Names>)>>,
    /// One asks, the others wait for what comes of it.
    turn: tokio::sync::Mutex<()>,
    /// The protocol's own members of the last request's `_meta`: in the generation
    /// without sessions every request has to carry them.
    meta: Mutex<Option<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Asking {
    pub(super) fn new() -> Asking {
        let random = RandomState::new().hash_one(std::process::id());
        Asking {
            prefix: format!("unburden-proxy-{random:016x}-"),
            count: AtomicU64::new(0),
            waiting: Mutex::default(),
            generation: AtomicU64::new(0),
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            meta: Mutex::default(),
        }
    }

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

    /// The upstream's list is another now.
    pub(super) fn list_changed(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// The names, where they are known.
    pub(super) fn known(&self) -> Option<Arc<Names>> {
        let now = self.generation.load(Ordering::Relaxed);
        locked(&self.known).as_ref().filter(|(then, _)| *then == now).map(|(_, n)| Arc::clone(n))
    }

    /// Learns them from a list that is whole.
    pub(super) fn settle(&self, taken: &HashSet<String>) -> Arc<Names> {
        let names = Arc::new(Names::beside(taken));
        let now = self.generation.load(Ordering::Relaxed);
        *locked(&self.known) = Some((now, Arc::clone(&names)));
        names
    }

    /// The names; the upstream is asked where they are not known. One that gives no
    /// list has no names that could be taken.
    pub(super) async fn names(&self, upstream: &Upstream) -> Arc<Names> {
        let _turn = self.turn.lock().await;
        if let Some(names) = self.known() {
            return names;
        }
        let before = self.generation.load(Ordering::Relaxed);
        let Some(taken) = self.ask(upstream).await else {
            return Arc::new(Names::beside(&HashSet::new()));
        };
        let names = self.settle(&taken);
        if before != self.generation.load(Ordering::Relaxed) {
            // It changed meanwhile: the next one asks again.
            locked(&self.known).take();
        }
        names
    }

    /// The names of all pages.
    async fn ask(&self, upstream: &Upstream) -> Option<HashSet<String>> {
        let mut taken = HashSet::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let answer = self.page(upstream, cursor.as_deref()).await?;
            let answer = Message::read(&answer)?.member("result")?;
            let page = Page::read(answer)?;
            taken.extend(page.names());
            match page.next {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Some(taken),
            }
        }
        None
    }

    async fn page(&self, upstream: &Upstream, cursor: Option<&str>) -> Option<String> {
        let id = format!("{}{}", self.prefix, self.count.fetch_add(1, Ordering::Relaxed));
        let (asker, answer) = oneshot::channel();
        let key = Id::of_text(&id);
        locked(&self.waiting).insert(key.clone(), asker);
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
        let answer = tokio::time::timeout(WAIT, answer).await;
        locked(&self.waiting).remove(&key);
        String::from_utf8(answer.ok()?.ok()?).ok()
    }
}
