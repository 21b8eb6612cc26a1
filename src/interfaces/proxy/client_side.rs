//! Messages from the client: recorded, declared as proxied, and routed to the upstream or to a
//! local tool.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use raw_json as raw;
use raw_json::quote;
use tokio::io::{AsyncRead, BufReader};

use super::handshake::{is_declared, with_declaration};
use super::local_call::LocalCall;
use super::names::{ToolNames, may_collide};
use super::pending::AnswerKind;
use super::result::UpstreamCall;
use super::state::ProxyState;
use crate::interfaces::mcp::edit::map_member;
use crate::interfaces::mcp::lines;
use crate::interfaces::mcp::message::{INTERNAL_ERROR, Id, Message, answer, error, text};

impl ProxyState {
    /// Handles the client's messages until its input ends.
    pub(super) async fn from_client(
        self: &Arc<Self>,
        mut input: BufReader<impl AsyncRead + Unpin>,
    ) {
        let limit = self.settings.message_bytes;
        loop {
            match lines::next(&mut input, limit).await {
                Ok(Some(line)) => match line.json(limit) {
                    Ok(line) => self.handle_line(line).await,
                    Err(error) => self.send_to_client(error).await,
                },
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "reading from the client failed");
                    return;
                }
            }
        }
    }

    /// Handles a line: one message, or the messages of a batch in older protocol versions.
    async fn handle_line(self: &Arc<Self>, line: Vec<u8>) {
        match raw::elements(std::str::from_utf8(&line).unwrap_or_default()) {
            Ok(batch) if self.is_active() => {
                for message in batch {
                    self.handle_client_message(message.as_bytes().to_vec()).await;
                }
            }
            _ => self.handle_client_message(line).await,
        }
    }

    async fn handle_client_message(self: &Arc<Self>, line: Vec<u8>) {
        let line_text = std::str::from_utf8(&line).unwrap_or_default();
        let Some(message) = Message::read(line_text) else {
            return self.upstream.send(line).await;
        };
        let (id, method) = (message.id(), message.method());
        let (Some(id), Some(method)) = (id, method.as_deref()) else {
            if method.as_deref() == Some("notifications/cancelled") && self.note_cancelled(&message)
            {
                return;
            }
            return self.upstream.send(line).await;
        };
        if method == "initialize" || message.meta("clientInfo").is_some() {
            self.client_is_proxy.store(is_declared(&message), Ordering::Relaxed);
        }
        if !self.is_active() {
            self.pending.add(id, AnswerKind::for_method(method));
            return self.upstream.send(line).await;
        }
        let declared = with_declaration(line_text, &message);
        if let Some(declared) = declared.as_deref().and_then(Message::read) {
            self.upstream_tools.remember_meta(&declared);
        }
        match method {
            "tools/list" => {
                let cursor = message.param("cursor").filter(|cursor| *cursor != "null");
                self.pending.add(id, AnswerKind::ToolList { first_page: cursor.is_none() });
            }
            "tools/call" => {
                let line = declared.as_deref().unwrap_or(line_text);
                let Some(line) = self.handle_tool_call(id, &message, line).await else { return };
                return self.upstream.send(line.into_bytes()).await;
            }
            _ => self.pending.add(id, AnswerKind::for_method(method)),
        }
        self.upstream.send(declared.map_or(line, String::into_bytes)).await;
    }

    /// Marks a request as cancelled. Returns true if the upstream never got the request.
    fn note_cancelled(&self, message: &Message<'_>) -> bool {
        let id = message.param("requestId").and_then(Id::of);
        id.and_then(|id| self.pending.cancel(&id)) == Some(AnswerKind::Local)
    }

    /// Records a tool call. Returns the message for the upstream, or `None` if the call is local or
    /// cannot be routed until the names are known.
    async fn handle_tool_call(
        self: &Arc<Self>,
        id: &str,
        message: &Message<'_>,
        line: &str,
    ) -> Option<String> {
        let name = message.param_text("name").unwrap_or_default().into_owned();
        let arguments = message.param("arguments").filter(|arguments| *arguments != "null");
        let key = Id::of(id).filter(|_| may_collide(&name));
        let names = self.upstream_tools.known_names();
        let theirs = names.as_ref().is_some_and(|names| names.local_tool(&name).is_none());
        let Some(key) = key.filter(|_| !theirs) else {
            let name = names.as_ref().map_or(&*name, |names| names.upstream_name(&name));
            self.pending.add(id, self.answer_kind(name, arguments));
            return Some(with_tool_name(line, name).unwrap_or_else(|| line.to_owned()));
        };
        self.pending.add(id, AnswerKind::Local);
        let call = UnroutedCall {
            key,
            id: id.to_owned(),
            name,
            arguments: arguments.map(str::to_owned),
            modern: message.meta("protocolVersion").and_then(text).is_some(),
            line: line.to_owned(),
        };
        let proxy = Arc::clone(self);
        self.spawn(async move { proxy.route_call(call).await });
        None
    }

    /// Returns the answer kind of a call that goes to the upstream.
    fn answer_kind(&self, tool: &str, arguments: Option<&str>) -> AnswerKind {
        if self.settings.filter.takes(tool) {
            AnswerKind::ToolResult(UpstreamCall::new(tool, arguments))
        } else {
            AnswerKind::PassThrough
        }
    }

    /// Routes a call whose name could be local or upstream, once the names are known.
    async fn route_call(self: Arc<Self>, call: UnroutedCall) {
        let names = self.upstream_tools.names(&self.upstream).await;
        if names.local_tool(&call.name).is_some() {
            return self.run_local_call(call, &names).await;
        }
        if self.pending.remove_cancelled(&call.key) {
            return;
        }
        let name = names.upstream_name(&call.name);
        self.pending.set_kind(&call.key, self.answer_kind(name, call.arguments.as_deref()));
        let line = with_tool_name(&call.line, name).unwrap_or(call.line.clone());
        self.upstream.send(line.into_bytes()).await;
    }

    /// Runs a local call on a blocking thread and answers it.
    async fn run_local_call(&self, call: UnroutedCall, names: &ToolNames) {
        let Some(tool) = names.local_tool(&call.name) else { return };
        let call_here = LocalCall {
            tool,
            arguments: call.arguments.unwrap_or_else(|| "{}".to_owned()),
            reload_tools: names.reload_tools.clone(),
            modern: call.modern,
        };
        let turn = Arc::clone(&self.call_permits).acquire_owned().await;
        let service = Arc::clone(&self.service);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            call_here.result(&service)
        });
        let reply = match done.await {
            Ok(result) => answer(&call.id, &result),
            Err(_) => error(&call.id, INTERNAL_ERROR, "the call failed within the proxy"),
        };
        if self.pending.remove(&call.key) == Some(true) {
            self.send_to_client(reply).await;
        }
    }
}

/// A call that waits until the names are known.
struct UnroutedCall {
    key: Id,
    /// The id in the client's spelling.
    id: String,
    name: String,
    arguments: Option<String>,
    modern: bool,
    /// The message for the upstream.
    line: String,
}

/// Returns the call with another tool name, or `None` if it already has that name.
fn with_tool_name(line: &str, name: &str) -> Option<String> {
    let renamed = |old: &str| (text(old).as_deref() != Some(name)).then(|| quote(name));
    map_member(line, "params", |params| map_member(params, "name", renamed))
}
