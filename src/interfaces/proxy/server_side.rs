//! Messages from the upstream: checked, edited where necessary, and forwarded. An answer passes
//! only if the upstream got the request and has not answered it before.

use std::sync::Arc;

use raw_json as raw;

use super::pending::AnswerKind;
use super::result::{ResultOffloader, UpstreamCall};
use super::state::ProxyState;
use super::tools_list::ToolsPage;
use crate::interfaces::mcp::edit::map_member;
use crate::interfaces::mcp::message::{
    Answering, Id, Message, UPSTREAM_FAILED, error, id_at_the_edges, member,
};

impl ProxyState {
    /// Handles a message or the messages of a batch.
    pub(super) async fn from_upstream(self: &Arc<Self>, message: Vec<u8>) {
        if self.is_active() && message.trim_ascii_start().first() == Some(&b'[') {
            let batch = std::str::from_utf8(&message).ok().map(raw::elements);
            if let Some(Ok(batch)) = batch {
                for message in batch {
                    self.handle_upstream_message(message.as_bytes().to_vec()).await;
                }
                return;
            }
        }
        self.handle_upstream_message(message).await;
    }

    async fn handle_upstream_message(self: &Arc<Self>, message: Vec<u8>) {
        let read = std::str::from_utf8(&message).ok().and_then(Message::read);
        let Some(read) = read else { return self.unreadable(message).await };
        let id = match read.answering() {
            Answering::Request(id) => id,
            Answering::Ambiguous if self.is_active() => return log_dropped("its id is ambiguous"),
            Answering::Nothing | Answering::Ambiguous => return self.send_to_client(message).await,
        };
        let failed = read.member("result").is_none();
        if self.upstream_tools.resolve(&id, &message) {
            return;
        }
        if self.is_active() && !self.pending.is_sent_upstream(&id) {
            return log_dropped("no request is pending for it");
        }
        let (kind, cancelled) = self.pending.get(&id).unwrap_or((AnswerKind::PassThrough, false));
        match kind {
            AnswerKind::ToolList { first_page } if !cancelled && !failed => {
                let proxy = Arc::clone(self);
                self.spawn(async move { proxy.forward_tool_list(id, message, first_page).await });
            }
            AnswerKind::ToolResult(call) if !cancelled && !failed && self.is_active() => {
                let proxy = Arc::clone(self);
                self.spawn(async move { proxy.forward_result(id, message, call).await });
            }
            _ => self.forward_answer(&id, message).await,
        }
    }

    /// Drops a line that is not a message, because lenient clients would accept some of these. The
    /// request that it seems to answer gets an error.
    async fn unreadable(&self, message: Vec<u8>) {
        if !self.is_active() {
            return self.send_to_client(message).await;
        }
        log_dropped("it is not a JSON object in UTF-8");
        let text = String::from_utf8_lossy(&message);
        let Some(id) = id_at_the_edges(&text, &text) else { return };
        if let Some(key) = Id::of(&id).filter(|key| self.pending.is_sent_upstream(key)) {
            let why = "the server's answer is not JSON; accepted is a JSON-RPC message";
            self.forward_answer(&key, error(&id, UPSTREAM_FAILED, why)).await;
        }
    }

    /// Forwards an answer if the client still wants it.
    async fn forward_answer(&self, id: &Id, message: Vec<u8>) {
        if self.pending.remove(id).unwrap_or(!self.is_active()) {
            self.send_to_client(message).await;
        }
    }

    /// Forwards a page of the tool list.
    async fn forward_tool_list(self: Arc<Self>, id: Id, message: Vec<u8>, first_page: bool) {
        let new = self.changed_page(&message, first_page).await;
        self.forward_answer(&id, new.map_or(message, String::into_bytes)).await;
    }

    async fn changed_page(&self, message: &[u8], first_page: bool) -> Option<String> {
        let text = std::str::from_utf8(message).ok()?;
        let page = ToolsPage::read(Message::read(text)?.member("result")?)?;
        let names = if first_page && page.next_cursor.is_none() {
            // The only page has all names.
            self.upstream_tools.names_from(page.colliding_names().collect()).await
        } else {
            self.upstream_tools.names(&self.upstream).await
        };
        let new = page.for_client(&self.settings.filter, &names)?;
        map_member(text, "result", |_| Some(new))
    }

    /// Forwards a tool result after its large texts were offloaded on a blocking thread. If
    /// that fails, the result passes unchanged.
    async fn forward_result(self: Arc<Self>, id: Id, message: Vec<u8>, call: UpstreamCall) {
        // A token has at least one byte.
        if message.len() as u64 <= self.settings.threshold_tokens {
            return self.forward_answer(&id, message).await;
        }
        let names = self.upstream_tools.names(&self.upstream).await;
        let message = Arc::new(message);
        let (proxy, whole) = (Arc::clone(&self), Arc::clone(&message));
        let offloaded = async {
            // An offload that timed out keeps its permit until its thread ends.
            let permit = Arc::clone(&self.offload_permits).acquire_owned().await;
            // Cancelled while it waited for a permit.
            if self.pending.remove_cancelled(&id) {
                return None;
            }
            let work = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                proxy.offload(&whole, &call, &names.reload_tools)
            });
            Some(work.await)
        };
        let new = match tokio::time::timeout(self.settings.result_timeout, offloaded).await {
            Ok(None) => return,
            Ok(Some(Ok(Ok(new)))) => new,
            Ok(Some(Ok(Err(why)))) => log_unchanged(&why),
            Ok(Some(Err(_))) => log_unchanged("offloading failed"),
            Err(_) => log_unchanged("offloading timed out"),
        };
        let message = new.map_or_else(|| Arc::unwrap_or_clone(message), String::into_bytes);
        self.forward_answer(&id, message).await;
    }

    fn offload(
        &self,
        message: &[u8],
        call: &UpstreamCall,
        reload_tools: &str,
    ) -> Result<Option<String>, String> {
        let offloader = ResultOffloader {
            service: &self.service,
            threshold: self.settings.threshold_tokens,
            reload_tools,
        };
        let Ok(text) = std::str::from_utf8(message) else { return Ok(None) };
        let Some(result) = member(text, "result") else { return Ok(None) };
        let new = offloader.result(result, call)?;
        Ok(new.and_then(|new| map_member(text, "result", |_| Some(new))))
    }
}

fn log_unchanged(why: &str) -> Option<String> {
    tracing::warn!(why, "a large result was not offloaded");
    None
}

fn log_dropped(why: &str) {
    tracing::warn!(why, "a message of the server was dropped");
}
