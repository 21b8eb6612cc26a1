//! What the upstream says: passed on, or worked on and then passed on.

use std::collections::HashSet;
use std::sync::Arc;

use super::Proxy;
use super::edit::changed;
use super::message::{Id, Message};
use super::open::Kind;
use super::result::{Call, Materialiser};
use super::tools_list::Page;

impl Proxy {
    /// Passes on one message; what takes time is done beside.
    pub(super) async fn from_upstream(self: &Arc<Self>, message: Vec<u8>) {
        let read = std::str::from_utf8(&message).ok().and_then(Message::read);
        let Some(read) = read else { return self.tell(message).await };
        let Some(id) = read.id().and_then(Id::of).filter(|_| read.method().is_none()) else {
            if read.method().as_deref() == Some("notifications/tools/list_changed") {
                self.asking.list_changed();
            }
            return self.tell(message).await;
        };
        if self.asking.take(&id, &message) {
            return;
        }
        let (kind, cancelled) = self.open.look(&id).unwrap_or((Kind::Other, false));
        let failed = read.member("result").is_none();
        match kind {
            Kind::List { first_page } if !cancelled && !failed => {
                let proxy = Arc::clone(self);
                self.aside(async move { proxy.listed(id, message, first_page).await });
            }
            Kind::Call(call) if !cancelled && !failed && self.works() => {
                let proxy = Arc::clone(self);
                self.aside(async move { proxy.returned(id, message, call).await });
            }
            _ => self.answered(&id, message).await,
        }
    }

    /// The answer to a request, where it is still wanted.
    async fn answered(&self, id: &Id, message: Vec<u8>) {
        if self.open.close(id) {
            self.tell(message).await;
        }
    }

    /// A page of the list of tools.
    async fn listed(self: Arc<Self>, id: Id, message: Vec<u8>, first_page: bool) {
        let page = std::str::from_utf8(&message).ok().and_then(|text| {
            let page = Page::read(Message::read(text)?.member("result")?)?;
            Some((page.next.is_none(), page.names().collect::<HashSet<String>>()))
        });
        let names = match page {
            // The only page says all; of several the client may not ask for each.
            Some((true, taken)) if first_page => Some(self.asking.settle(&taken)),
            Some((true, _)) => Some(self.asking.names(&self.upstream).await),
            _ => None,
        };
        let filter = &self.settings.filter;
        let new = std::str::from_utf8(&message).ok().and_then(|text| {
            changed(text, "result", |result| Page::read(result)?.changed(filter, names.as_deref()))
        });
        self.answered(&id, new.map_or(message, String::into_bytes)).await;
    }

    /// The result of a tool: large texts become files on a thread that may block.
    /// Whatever goes wrong there, the result passes as it came.
    async fn returned(self: Arc<Self>, id: Id, message: Vec<u8>, call: Call) {
        // No token is less than a byte.
        if message.len() as u64 <= self.settings.threshold_tokens {
            return self.answered(&id, message).await;
        }
        let names = match self.asking.known() {
            Some(names) => names,
            None => self.asking.names(&self.upstream).await,
        };
        let reload_tools = names.reload_tools();
        let message = Arc::new(message);
        let turn = Arc::clone(&self.large_turns).acquire_owned().await;
        // Cancelled while it waited.
        if self.open.look(&id).is_some_and(|(_, cancelled)| cancelled) {
            self.open.close(&id);
            return;
        }
        let (proxy, whole) = (Arc::clone(&self), Arc::clone(&message));
        let work = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            proxy.materialised(&whole, &call, &reload_tools)
        });
        let new = match tokio::time::timeout(self.settings.patience, work).await {
            Ok(Ok(Ok(new))) => new,
            Ok(Ok(Err(why))) => unaltered(&why),
            Ok(Err(_)) => unaltered("the work on it failed"),
            Err(_) => unaltered("the work on it took too long"),
        };
        let message = new.map_or_else(|| Arc::unwrap_or_clone(message), String::into_bytes);
        self.answered(&id, message).await;
    }

    fn materialised(
        &self,
        message: &[u8],
        call: &Call,
        reload_tools: &str,
    ) -> Result<Option<String>, String> {
        let materialiser = Materialiser {
            service: &self.service,
            threshold: self.settings.threshold_tokens,
            reload_tools,
        };
        let Ok(text) = std::str::from_utf8(message) else { return Ok(None) };
        let Some(result) = super::message::member(text, "result") else { return Ok(None) };
        let new = materialiser.result(result, call)?;
        Ok(new.and_then(|new| changed(text, "result", |_| Some(new))))
    }
}

fn unaltered(why: &str) -> Option<String> {
    tracing::warn!(why, "a large result stays in the conversation");
    None
}
