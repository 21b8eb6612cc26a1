//! Queries of the proxy to the upstream: the tool list, from which the free names for the
//! retrieval tools are chosen.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use raw_json as raw;
use raw_json::quote;
use tokio::sync::{OnceCell, oneshot};

use super::names::ToolNames;
use super::tools_list::ToolsPage;
use super::upstream::Upstream;
use crate::interfaces::lock::lock;
use crate::interfaces::mcp::message::{Id, Message, protocol_name};

/// Maximum wait for the whole tool list.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of pages of a tool list, in case the cursors never end.
const MAX_PAGES: usize = 1_000;

/// Pending queries, and the names chosen from their answers.
#[derive(Default)]
pub(super) struct UpstreamTools {
    queries: Mutex<HashMap<Id, oneshot::Sender<Vec<u8>>>>,
    /// Set once: a name keeps its meaning for the whole session.
    names: OnceCell<Arc<ToolNames>>,
    /// The protocol's members of the last request's `_meta`. Stateless protocol versions
    /// require them on every request.
    meta: Mutex<Option<String>>,
}

impl UpstreamTools {
    /// Creates a session's queries, with the names if they do not depend on the upstream's.
    pub(super) fn new(names: Option<ToolNames>) -> UpstreamTools {
        let names = OnceCell::new_with(names.map(Arc::new));
        UpstreamTools { names, ..UpstreamTools::default() }
    }

    /// Keeps the client's description for queries of the proxy.
    pub(super) fn remember_meta(&self, declared: &Message<'_>) {
        let Some(meta) = declared.param("_meta").and_then(|meta| raw::fields(meta).ok()) else {
            return;
        };
        let own = protocol_name("");
        let members = meta.iter().filter(|(name, _)| name.starts_with(&own));
        let members: Vec<String> = members.map(|(n, v)| format!("{}:{v}", quote(n))).collect();
        if !members.is_empty() {
            *lock(&self.meta) = Some(format!("{{{}}}", members.join(",")));
        }
    }

    /// Delivers the answer to a query. Returns false if no query has this id.
    pub(super) fn resolve(&self, id: &Id, answer: &[u8]) -> bool {
        let Some(asker) = lock(&self.queries).remove(id) else { return false };
        let _ = asker.send(answer.to_vec());
        true
    }

    /// Drops all pending queries.
    pub(super) fn abandon(&self) {
        lock(&self.queries).clear();
    }

    /// Returns the names if they are set.
    pub(super) fn known_names(&self) -> Option<Arc<ToolNames>> {
        self.names.get().map(Arc::clone)
    }

    /// Returns the names; sets them from a complete tool list if they are not set.
    pub(super) async fn names_from(&self, taken: HashSet<String>) -> Arc<ToolNames> {
        Arc::clone(self.names.get_or_init(|| async { Arc::new(ToolNames::avoiding(&taken)) }).await)
    }

    /// Returns the names; fetches the upstream's tool list if they are not set. An upstream without
    /// a list counts as using no names.
    pub(super) async fn names(&self, upstream: &Upstream) -> Arc<ToolNames> {
        let ask = async {
            let taken = tokio::time::timeout(LIST_TIMEOUT, self.fetch_names(upstream)).await;
            Arc::new(ToolNames::avoiding(&taken.ok().flatten().unwrap_or_default()))
        };
        Arc::clone(self.names.get_or_init(|| ask).await)
    }

    /// Fetches all pages and returns the names that could collide.
    async fn fetch_names(&self, upstream: &Upstream) -> Option<HashSet<String>> {
        let mut taken = HashSet::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let answer = self.fetch_page(upstream, cursor.as_deref()).await?;
            let answer = Message::read(&answer)?.member("result")?;
            let page = ToolsPage::read(answer)?;
            taken.extend(page.colliding_names());
            match page.next_cursor {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Some(taken),
            }
        }
        None
    }

    async fn fetch_page(&self, upstream: &Upstream, cursor: Option<&str>) -> Option<String> {
        let id = random_id()?;
        let (asker, answer) = oneshot::channel();
        let key = Id::of_text(&id);
        lock(&self.queries).insert(key.clone(), asker);
        let _guard = QueryGuard { owner: self, key };
        let meta = lock(&self.meta).clone();
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

/// Removes a pending query when dropped.
struct QueryGuard<'a> {
    owner: &'a UpstreamTools,
    key: Id,
}

impl Drop for QueryGuard<'_> {
    fn drop(&mut self) {
        lock(&self.owner.queries).remove(&self.key);
    }
}

/// Returns an id of 128 random bits, which no client uses and the upstream cannot guess. `None` if
/// the system has no randomness.
fn random_id() -> Option<String> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).ok()?;
    Some(format!("unburden-proxy-{:032x}", u128::from_le_bytes(bits)))
}
