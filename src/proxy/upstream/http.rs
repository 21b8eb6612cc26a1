//! A server over streamable HTTP as upstream: each message is a POST of its own,
//! and they run beside one another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use reqwest::{RequestBuilder, Response, Url};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use super::super::declare;
use super::super::message::{Id, Message, UPSTREAM_FAILED, error, member, on_one_line, text};
use super::Event;
use super::client::{Headers, HttpError, client};
use super::failure::{Refusal, reason, shown};
use super::headers::{Marked, describe, marked};
use super::listen::listen;
use super::sse::Reader;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Longest wait for the beginning of a session before what follows is sent.
const BEGINNING: Duration = Duration::from_secs(30);
/// Longest wait for a server to hear of the end.
const GOODBYE: Duration = Duration::from_secs(2);
/// After an answer, longest wait for the end of its stream, so that the connection
/// can be used again.
const TAIL: Duration = Duration::from_millis(200);
/// Tries to go on with a stream that broke before its answer came.
const TRIES: u32 = 5;
/// Most that is read of a refusal, in bytes.
const REFUSAL: usize = 64 * 1024;

/// What the server has given us to send along.
#[derive(Debug, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// The generation without sessions, in which requests carry everything.
    modern: bool,
}

/// What is known of a message that is sent.
pub(super) struct Sent {
    /// The id of a request, raw.
    id: Option<String>,
    method: String,
}

/// The server.
pub(in crate::proxy) struct Http {
    client: reqwest::Client,
    url: Url,
    shown: String,
    headers: HeaderMap,
    limit: usize,
    events: mpsc::Sender<Event>,
    session: Mutex<Session>,
    marked: Mutex<Marked>,
    under_way: Mutex<HashMap<Id, AbortHandle>>,
    tasks: Mutex<JoinSet<()>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Http {
    pub(super) fn new(
        url: &str,
        headers: Headers,
        limit: usize,
        events: mpsc::Sender<Event>,
    ) -> Result<Http, HttpError> {
        let bad = || HttpError::Url { found: url.chars().take(200).collect() };
        let url = Url::parse(url).map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad());
        }
        let mut headers = headers.into_map();
        headers.insert(declare::HEADER, HeaderValue::from_static(declare::VALUE));
        let shown = shown(&url);
        let (session, marked) = (Mutex::default(), Mutex::default());
        let (under_way, tasks) = (Mutex::default(), Mutex::default());
        let client = client(&url)?;
        Ok(Http { client, url, shown, headers, limit, events, session, marked, under_way, tasks })
    }

    /// Posts the message; the beginning of a session is waited for, since what
    /// follows needs what it brings.
    pub(super) async fn send(self: &Arc<Self>, message: Vec<u8>) {
        let Some(sent) = self.look_at(&message) else { return };
        let first = matches!(&*sent.method, "initialize" | "notifications/initialized");
        let key = sent.id.as_deref().and_then(Id::of);
        let (done, ended) = oneshot::channel::<()>();
        let (http, id) = (Arc::clone(self), key.clone());
        let handle = locked(&self.tasks).spawn(async move {
            http.exchange(message, &sent).await;
            if let Some(id) = id {
                locked(&http.under_way).remove(&id);
            }
            drop(done);
        });
        if let Some(id) = key.filter(|_| !handle.is_finished()) {
            locked(&self.under_way).insert(id, handle);
        }
        // What ended leaves nothing behind.
        while locked(&self.tasks).try_join_next().is_some() {}
        if first {
            let _ = tokio::time::timeout(BEGINNING, ended).await;
        }
    }

    /// Notes what a message says of its session; None where it is not to be sent.
    fn look_at(&self, message: &[u8]) -> Option<Sent> {
        let message = std::str::from_utf8(message).ok().and_then(Message::read);
        let Some(message) = message else {
            return Some(Sent { id: None, method: String::new() });
        };
        let method = message.method().unwrap_or_default().into_owned();
        let mut session = locked(&self.session);
        if let Some(version) = message.meta("protocolVersion").and_then(text) {
            session.version = HeaderValue::from_str(&version).ok();
            session.modern = true;
        }
        if session.modern && method == "notifications/cancelled" {
            // There the end of its connection cancels a request.
            let id = message.param("requestId").and_then(Id::of)?;
            if let Some(handle) = locked(&self.under_way).remove(&id) {
                handle.abort();
            }
            return None;
        }
        let id = message.id().filter(|_| !method.is_empty()).map(str::to_owned);
        Some(Sent { id, method })
    }

    async fn exchange(self: &Arc<Self>, message: Vec<u8>, sent: &Sent) {
        match (self.post(message, sent).await, &sent.id) {
            (Ok(()), _) if sent.method == "notifications/initialized" => {
                let listening = listen(Arc::clone(self));
                locked(&self.tasks).spawn(listening);
            }
            (Ok(()), _) => {}
            (Err(why), Some(id)) => self.pass(error(id, UPSTREAM_FAILED, &why)).await,
            (Err(why), None) => tracing::warn!(method = sent.method, why, "a message was not sent"),
        }
    }

    async fn pass(&self, message: Vec<u8>) {
        let _ = self.events.send(Event::Message(message)).await;
    }

    async fn post(&self, message: Vec<u8>, sent: &Sent) -> Result<(), String> {
        let mut headers = self.own_headers(sent.method != "initialize");
        if locked(&self.session).modern
            && let Some(message) = std::str::from_utf8(&message).ok().and_then(Message::read)
        {
            describe(&message, &locked(&self.marked), &mut headers);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        let request = self.client.post(self.url.clone()).headers(headers).body(message);
        let response = self.answered(request).await?;
        if !response.status().is_success() {
            return self.refused(response, sent).await;
        }
        if sent.method == "initialize" {
            locked(&self.session).id = response.headers().get(SESSION).cloned();
        }
        let Some(id) = &sent.id else { return Ok(()) };
        if is(&response, "text/event-stream") {
            return self.stream(response, id, sent).await;
        }
        if is(&response, "application/json") {
            let answer = self.body(response, self.limit).await?;
            self.learn(sent, &answer);
            self.pass(on_one_line(answer)).await;
            return Ok(());
        }
        let status = response.status();
        Err(format!("{} answered {status} without JSON or an event stream", self.shown))
    }

    /// The answer on a stream of events, which goes on where it breaks.
    async fn stream(&self, response: Response, id: &str, sent: &Sent) -> Result<(), String> {
        let mut reader = Reader::default();
        let mut response = Some(response);
        let mut tries = 0;
        loop {
            let before = reader.last_id.clone();
            if let Some(response) = response.take()
                && self.events_of(response, &mut reader, Some((id, sent))).await?
            {
                return Ok(());
            }
            tries = if reader.last_id == before { tries + 1 } else { 1 };
            let broken = || format!("{} ended its stream before the answer", self.shown);
            let last = reader.last_id.clone().filter(|_| tries <= TRIES).ok_or_else(broken)?;
            tokio::time::sleep(reader.retry.unwrap_or(Duration::from_millis(500))).await;
            let again = self.get(Some(&last)).await;
            response = again.ok().filter(|r| r.status().is_success() && is(r, "text/event-stream"));
        }
    }

    /// Passes the messages of a stream; true where the answer to the request was
    /// among them. An error is a message that is too long.
    pub(super) async fn events_of(
        &self,
        mut response: Response,
        reader: &mut Reader,
        request: Option<(&str, &Sent)>,
    ) -> Result<bool, String> {
        let key = request.and_then(|(id, _)| Id::of(id));
        reader.begin();
        let mut answered = false;
        loop {
            let chunk = response.chunk();
            // A stream that broke is one that ended.
            let Ok(Ok(Some(chunk))) =
                (if answered { tokio::time::timeout(TAIL, chunk).await } else { Ok(chunk.await) })
            else {
                return Ok(answered);
            };
            let too_long = || format!("a message of {} has over {} bytes", self.shown, self.limit);
            for event in reader.read(&chunk, self.limit).map_err(|_| too_long())? {
                if event.data.is_empty() {
                    continue;
                }
                if let Some((_, sent)) = request.filter(|_| answers(&event.data, key.as_ref())) {
                    self.learn(sent, &event.data);
                    answered = true;
                }
                self.pass(on_one_line(event.data)).await;
            }
        }
    }

    /// Opens a stream of what the server says, from an event on.
    pub(super) async fn get(&self, last: Option<&str>) -> Result<Response, String> {
        let mut headers = self.own_headers(true);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(last) = last.and_then(|last| HeaderValue::from_str(last).ok()) {
            headers.insert(LAST_EVENT, last);
        }
        self.answered(self.client.get(self.url.clone()).headers(headers)).await
    }

    /// Tells the server that the session is over, and lets everything go.
    pub(super) async fn close(&self) {
        let tasks = std::mem::take(&mut *locked(&self.tasks));
        drop(tasks);
        if locked(&self.session).id.is_none() {
            return;
        }
        let request = self.client.delete(self.url.clone()).headers(self.own_headers(true));
        let _ = tokio::time::timeout(GOODBYE, request.send()).await;
    }

    async fn answered(&self, request: RequestBuilder) -> Result<Response, String> {
        let sent = request.send().await;
        sent.map_err(|error| format!("{} cannot be reached: {}", self.shown, reason(error)))
    }

    fn own_headers(&self, in_session: bool) -> HeaderMap {
        let mut headers = self.headers.clone();
        let session = locked(&self.session);
        for (name, value) in [(SESSION, &session.id), (VERSION, &session.version)] {
            if let Some(value) = value.as_ref().filter(|_| in_session) {
                headers.insert(name, value.clone());
            }
        }
        headers
    }

    /// What the answers to some requests teach about the next ones.
    fn learn(&self, sent: &Sent, answer: &[u8]) {
        let answer = std::str::from_utf8(answer).ok().and_then(Message::read);
        let Some(result) = answer.and_then(|answer| answer.member("result")) else { return };
        if sent.method == "initialize" {
            let version = member(result, "protocolVersion").and_then(text);
            let version = version.and_then(|version| HeaderValue::from_str(&version).ok());
            locked(&self.session).version = version;
        }
        if sent.method == "tools/list" {
            locked(&self.marked).extend(marked(result));
        }
    }

    /// An answer of JSON-RPC passes whatever its status; else the refusal in words.
    async fn refused(&self, response: Response, sent: &Sent) -> Result<(), String> {
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let location = location.map(str::to_owned);
        let body = self.body(response, REFUSAL).await.unwrap_or_default();
        if sent.id.is_some() && answers(&body, sent.id.as_deref().and_then(Id::of).as_ref()) {
            self.pass(on_one_line(body)).await;
            return Ok(());
        }
        let in_session = locked(&self.session).id.is_some() && sent.method != "initialize";
        let authorized = self.headers.contains_key(AUTHORIZATION);
        let (url, location) = (self.shown.as_str(), location.as_deref());
        let body = String::from_utf8_lossy(&body);
        Err(Refusal { url, status, in_session, authorized, location, body: &body }.sentence())
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        let broken = |e| format!("{} ended within its answer: {}", self.shown, reason(e));
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > limit {
                return Err(format!("an answer of {} has over {limit} bytes", self.shown));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// True where the message answers the request.
fn answers(message: &[u8], key: Option<&Id>) -> bool {
    let message = std::str::from_utf8(message).ok().and_then(Message::read);
    message.is_some_and(|message| {
        let has = message.member("result").or_else(|| message.member("error")).is_some();
        has && message.method().is_none() && message.id().and_then(Id::of).as_ref() == key
    })
}

fn is(response: &Response, kind: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with(kind))
}
