//! Messages of the upstream: passed on, some of them edited before. An answer is
//! believed only where the upstream was asked: not one to a call of ours, not one ahead
//! of its request, not a second one.

use std::sync::Arc;

use chat_history::raw;

use super::Proxy;
use super::edit::changed;
use super::message::{Answering, Id, Message, UPSTREAM_FAILED, error, id_at_the_edges};
use super::open::Kind;
use super::result::{Call, Materialiser};
use super::tools_list::Page;

impl Proxy {
    /// Passes on one message, or those of a batch; what takes time is done beside.
    pub(super) async fn from_upstream(self: &Arc<Self>, message: Vec<u8>) {
        if self.works() && message.trim_ascii_start().first() == Some(&b'[') {
            let batch = std::str::from_utf8(&message).ok().map(raw::elements);
            if let Some(Ok(batch)) = batch {
                for message in batch {
                    self.heard(message.as_bytes().to_vec()).await;
                }
                return;
            }
        }
        self.heard(message).await;
    }

    async fn heard(self: &Arc<Self>, message: Vec<u8>) {
        let read = std::str::from_utf8(&message).ok().and_then(Message::read);
        let Some(read) = read else { return self.unreadable(message).await };
        let id = match read.answering() {
            Answering::Request(id) => id,
            Answering::Doubtful if self.works() => return dropped("its id is in doubt"),
            Answering::Nothing | Answering::Doubtful => return self.tell(message).await,
        };
        let failed = read.member("result").is_none();
        if self.asking.take(&id, &message) {
            return;
        }
        if self.works() && !self.open.is_asked(&id) {
            return dropped("the server was not asked");
        }
        let (kind, cancelled) = self.open.look(&id).unwrap_or((Kind::Other, false));
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

    /// A line that is no message. Lenient clients read some of these, so that it cannot
    /// pass; the request that it seems to answer gets an error.
    async fn unreadable(&self, message: Vec<u8>) {
        if !self.works() {
            return self.tell(message).await;
        }
        dropped("it is no JSON object in UTF-8");
        let text = String::from_utf8_lossy(&message);
        let Some(id) = id_at_the_edges(&text, &text) else { return };
        if let Some(key) = Id::of(&id).filter(|key| self.open.is_asked(key)) {
            let why = "the server's answer is no JSON; accepted is a message of JSON-RPC";
            self.answered(&key, error(&id, UPSTREAM_FAILED, why)).await;
        }
    }

    /// The answer to a request, where it is still wanted.
    async fn answered(&self, id: &Id, message: Vec<u8>) {
        if self.open.close(id).unwrap_or(!self.works()) {
            self.tell(message).await;
        }
    }

    /// A page of the list of tools.
    async fn listed(self: Arc<Self>, id: Id, message: Vec<u8>, first_page: bool) {
        let new = self.page(&message, first_page).await;
        self.answered(&id, new.map_or(message, String::into_bytes)).await;
    }

    async fn page(&self, message: &[u8], first_page: bool) -> Option<String> {
        let text = std::str::from_utf8(message).ok()?;
        let page = Page::read(Message::read(text)?.member("result")?)?;
        let names = if first_page && page.next.is_none() {
            // The only page says all.
            self.asking.names_beside(page.rivals().collect()).await
        } else {
            self.asking.names(&self.upstream).await
        };
        let new = page.changed(&self.settings.filter, &names)?;
        changed(text, "result", |_| Some(new))
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

fn dropped(why: &str) {
    tracing::warn!(why, "a message of the server is dropped");
}
