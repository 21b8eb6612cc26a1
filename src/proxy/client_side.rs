//! What the client says: noted, declared, routed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use chat_history::raw;
use chat_history::splice::quote;
use tokio::io::{AsyncRead, BufReader};

use super::Proxy;
use super::declare::{declared, declares};
use super::edit::changed;
use super::lines::{self, Line};
use super::message::{INVALID_REQUEST, Id, Message, PARSE_ERROR, answer, error, text};
use super::names::{Names, is_disputed};
use super::open::Kind;
use super::own::OwnCall;
use super::result::Call;

impl Proxy {
    /// Passes on what the client says until it says no more.
    pub(super) async fn from_client(
        self: &Arc<Self>,
        mut input: BufReader<impl AsyncRead + Unpin>,
    ) {
        let limit = self.settings.message_bytes;
        loop {
            match lines::next(&mut input, limit).await {
                Ok(Some(Line::Whole(line))) => self.said(line).await,
                Ok(Some(Line::TooLong { head, tail, bytes })) => {
                    let (head, tail) =
                        (String::from_utf8_lossy(&head), String::from_utf8_lossy(&tail));
                    let id = super::message::id_at_the_edges(&head, &tail);
                    let why = format!(
                        "the message has {bytes} bytes; accepted are up to {limit} \
                         (server.body_limit_bytes)"
                    );
                    let id = id.as_deref().unwrap_or("null");
                    self.tell(error(id, INVALID_REQUEST, &why)).await;
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "reading from the client failed");
                    return;
                }
            }
        }
    }

    /// One message, or those of a batch, as an older protocol has it.
    async fn said(self: &Arc<Self>, line: Vec<u8>) {
        let Some(said) = std::str::from_utf8(&line).ok().filter(|said| is_json(said)) else {
            let why = "the line is no JSON; accepted is a message of JSON-RPC on a line";
            return self.tell(error("null", PARSE_ERROR, why)).await;
        };
        match raw::elements(said) {
            Ok(batch) if self.works() => {
                for message in batch {
                    self.asked(message.as_bytes().to_vec()).await;
                }
            }
            _ => self.asked(line).await,
        }
    }

    async fn asked(self: &Arc<Self>, line: Vec<u8>) {
        let said = std::str::from_utf8(&line).unwrap_or_default();
        let Some(message) = Message::read(said) else {
            return self.upstream.send(line).await;
        };
        let (id, method) = (message.id(), message.method());
        let (Some(id), Some(method)) = (id, method.as_deref()) else {
            if method.as_deref() == Some("notifications/cancelled") && self.cancelled(&message) {
                return;
            }
            return self.upstream.send(line).await;
        };
        if method == "initialize" || message.meta("clientInfo").is_some() {
            self.whole.store(declares(&message), Ordering::Relaxed);
        }
        if !self.works() {
            self.open.add(id, Kind::passing(method));
            return self.upstream.send(line).await;
        }
        let declared = declared(said, &message);
        if let Some(declared) = declared.as_deref().and_then(Message::read) {
            self.asking.remember(&declared);
        }
        match method {
            "tools/list" => {
                let cursor = message.param("cursor").filter(|cursor| *cursor != "null");
                self.open.add(id, Kind::List { first_page: cursor.is_none() });
            }
            "tools/call" => {
                let line = declared.as_deref().unwrap_or(said);
                let Some(line) = self.called(id, &message, line).await else { return };
                return self.upstream.send(line.into_bytes()).await;
            }
            _ => self.open.add(id, Kind::passing(method)),
        }
        self.upstream.send(declared.map_or(line, String::into_bytes)).await;
    }

    /// Notes that an answer is not wanted any more; true where the upstream need
    /// not hear of it.
    fn cancelled(&self, message: &Message<'_>) -> bool {
        let id = message.param("requestId").and_then(Id::of);
        id.and_then(|id| self.open.cancel(&id)) == Some(Kind::Own)
    }

    /// Notes a call. The message for the upstream, where it is known to go there; else
    /// it is ours, or goes when the names are known.
    async fn called(
        self: &Arc<Self>,
        id: &str,
        message: &Message<'_>,
        line: &str,
    ) -> Option<String> {
        let name = message.param_text("name").unwrap_or_default().into_owned();
        let arguments = message.param("arguments").filter(|arguments| *arguments != "null");
        let key = Id::of(id).filter(|_| is_disputed(&name));
        let names = self.asking.known();
        let theirs = names.as_ref().is_some_and(|names| names.tool(&name).is_none());
        let Some(key) = key.filter(|_| !theirs) else {
            let name = names.as_ref().map_or(&*name, |names| names.upstream(&name));
            self.open.add(id, self.kind_of_call(name, arguments));
            return Some(named(line, name).unwrap_or_else(|| line.to_owned()));
        };
        self.open.add(id, Kind::Own);
        let call = Routed {
            key,
            id: id.to_owned(),
            name,
            arguments: arguments.map(str::to_owned),
            modern: message.meta("protocolVersion").and_then(text).is_some(),
            line: line.to_owned(),
        };
        let proxy = Arc::clone(self);
        self.aside(async move { proxy.route(call).await });
        None
    }

    /// The kind of a call of the upstream's tool.
    fn kind_of_call(&self, tool: &str, arguments: Option<&str>) -> Kind {
        if self.settings.filter.takes(tool) {
            Kind::Call(Call::new(tool, arguments))
        } else {
            Kind::Other
        }
    }

    /// A call under a disputed name goes where the client's names say.
    async fn route(self: Arc<Self>, call: Routed) {
        let names = self.asking.names(&self.upstream).await;
        if names.tool(&call.name).is_some() {
            return self.own(call, &names).await;
        }
        if self.open.look(&call.key).is_some_and(|(_, cancelled)| cancelled) {
            self.open.close(&call.key);
            return;
        }
        let name = names.upstream(&call.name);
        self.open.decide(&call.key, self.kind_of_call(name, call.arguments.as_deref()));
        let line = named(&call.line, name).unwrap_or(call.line.clone());
        self.upstream.send(line.into_bytes()).await;
    }

    /// Answers a call of ours, on a thread that may block.
    async fn own(&self, call: Routed, names: &Names) {
        let Some(tool) = names.tool(&call.name) else { return };
        let own = OwnCall {
            tool,
            name: call.name,
            arguments: call.arguments.unwrap_or_else(|| "{}".to_owned()),
            reload_tools: names.reload_tools(),
            modern: call.modern,
        };
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let (service, tokens) = (Arc::clone(&self.service), self.settings.answer_tokens);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            own.result(&service, tokens)
        });
        let said = match done.await {
            Ok(result) => answer(&call.id, &result),
            Err(_) => error(&call.id, -32603, "the call failed within the proxy"),
        };
        if self.open.close(&call.key) == Some(true) {
            self.tell(said).await;
        }
    }
}

/// A call on its way.
struct Routed {
    key: Id,
    /// The id as it was spelled.
    id: String,
    name: String,
    arguments: Option<String>,
    modern: bool,
    /// The message for the upstream.
    line: String,
}

/// The call under this name of the tool; None where it has it already.
fn named(line: &str, name: &str) -> Option<String> {
    let named = |old: &str| (text(old).as_deref() != Some(name)).then(|| quote(name));
    changed(line, "params", |params| changed(params, "name", named))
}

fn is_json(line: &str) -> bool {
    serde_json::from_str::<&serde_json::value::RawValue>(line.trim_ascii()).is_ok()
}
