//! What the client says: noted, declared, routed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::io::{AsyncRead, BufReader};

use super::Proxy;
use super::declare::{declared, declares};
use super::lines::{self, Line};
use super::message::{INVALID_REQUEST, Id, Message, PARSE_ERROR, answer, error, text};
use super::open::Kind;
use super::own::OwnCall;
use super::result::Call;
use super::tools_list::{Names, may_be_ours};

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

    async fn said(self: &Arc<Self>, line: Vec<u8>) {
        let whole = std::str::from_utf8(&line).ok();
        let Some(said) = whole.filter(|said| is_json(said)) else {
            let why = "the line is no JSON; accepted is a message of JSON-RPC on a line";
            return self.tell(error("null", PARSE_ERROR, why)).await;
        };
        let Some(message) = Message::read(said) else {
            // A batch of messages, as an older protocol has it.
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
                if self.called(id, &message, declared.as_deref().unwrap_or(said)).await {
                    return;
                }
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

    /// Notes a call; true where it needs no upstream, or the list decides where it
    /// goes.
    async fn called(self: &Arc<Self>, id: &str, message: &Message<'_>, line: &str) -> bool {
        let name = message.param_text("name").unwrap_or_default().into_owned();
        let arguments = message.param("arguments").filter(|arguments| *arguments != "null");
        let theirs = if self.settings.filter.takes(&name) {
            Kind::Call(Call::new(&name, arguments))
        } else {
            Kind::Other
        };
        let Some(key) = Id::of(id).filter(|_| may_be_ours(&name)) else {
            self.open.add(id, theirs);
            return false;
        };
        if let Some(names) = self.asking.known()
            && names.tool(&name).is_none()
        {
            self.open.add(id, theirs);
            return false;
        }
        self.open.add(id, Kind::Own);
        let call = Routed {
            key,
            id: id.to_owned(),
            name,
            arguments: arguments.unwrap_or("{}").to_owned(),
            modern: message.meta("protocolVersion").and_then(text).is_some(),
            theirs,
            line: line.to_owned(),
        };
        let proxy = Arc::clone(self);
        self.aside(async move { proxy.route(call).await });
        true
    }

    /// A call whose name could be ours goes where the list says.
    async fn route(self: Arc<Self>, call: Routed) {
        let names = match self.asking.known() {
            Some(names) => names,
            None => self.asking.names(&self.upstream).await,
        };
        if names.tool(&call.name).is_some() {
            return self.own(call, &names).await;
        }
        if self.open.look(&call.key).is_some_and(|(_, cancelled)| cancelled) {
            self.open.close(&call.key);
            return;
        }
        self.open.decide(&call.key, call.theirs);
        self.upstream.send(call.line.into_bytes()).await;
    }

    /// Answers a call of ours, on a thread that may block.
    async fn own(&self, call: Routed, names: &Names) {
        let Some(tool) = names.tool(&call.name) else { return };
        let own = OwnCall {
            tool,
            name: call.name,
            arguments: call.arguments,
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
        if self.open.close(&call.key) {
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
    arguments: String,
    modern: bool,
    /// What it is to the upstream, if it goes there.
    theirs: Kind,
    /// The message for the upstream.
    line: String,
}

fn is_json(line: &str) -> bool {
    serde_json::from_str::<&serde_json::value::RawValue>(line.trim_ascii()).is_ok()
}
