//! An MCP server over streamable HTTP: sends requests and tracks the session, protocol version
//! and header arguments that its answers announce.

use std::sync::Mutex;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use reqwest::{RequestBuilder, Response, Url};
use tokio::sync::mpsc;

use super::super::handshake;
use super::client::{Headers, HttpError, client};
use super::event::Event;
use super::failure::{Refusal, public_url, reason};
use super::headers::{MarkedArguments, add_message_headers, marked_arguments};
use super::sse::Reader;
use crate::interfaces::lock::lock;
use crate::interfaces::mcp::message::{Id, Message, member, on_one_line, text};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Maximum wait for the server to acknowledge the end of the session.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum wait for the end of a stream after its answer, so that the connection can be reused.
const STREAM_END_TIMEOUT: Duration = Duration::from_millis(200);
/// Maximum number of attempts to resume a stream that broke before its answer.
const MAX_RESUMES: u32 = 5;
/// Maximum number of bytes to read of a rejected request's body.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// Session state that the server assigned.
#[derive(Debug, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// True for stateless protocol versions, whose requests carry everything.
    modern: bool,
}

/// The id and method of a sent message.
pub(super) struct SentMessage {
    /// The id of a request, raw; `None` for a notification.
    pub(super) id: Option<String>,
    pub(super) method: String,
}

/// An MCP server over streamable HTTP.
pub(super) struct Endpoint {
    client: reqwest::Client,
    url: Url,
    public_url: String,
    headers: HeaderMap,
    limit: usize,
    events: mpsc::Sender<Event>,
    session: Mutex<Session>,
    marked: Mutex<MarkedArguments>,
}

impl Endpoint {
    pub(super) fn new(
        url: &str,
        headers: Headers,
        limit: usize,
        events: mpsc::Sender<Event>,
    ) -> Result<Endpoint, HttpError> {
        let bad = || HttpError::Url { found: url.chars().take(200).collect() };
        let url = Url::parse(url).map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad());
        }
        let mut headers = headers.into_map();
        headers.insert(handshake::HEADER, HeaderValue::from_static(handshake::VALUE));
        let public_url = public_url(&url);
        let (session, marked) = (Mutex::default(), Mutex::default());
        let client = client(&url)?;
        Ok(Endpoint { client, url, public_url, headers, limit, events, session, marked })
    }

    /// Records the protocol version that a message names. Returns true for stateless versions.
    pub(super) fn note_version(&self, message: &Message<'_>) -> bool {
        let mut session = lock(&self.session);
        if let Some(version) = message.meta("protocolVersion").and_then(text) {
            session.version = HeaderValue::from_str(&version).ok();
            session.modern = true;
        }
        session.modern
    }

    /// Forwards a message of the server to the proxy.
    pub(super) async fn forward(&self, message: Vec<u8>) {
        let _ = self.events.send(Event::Message(message)).await;
    }

    /// Posts a message; the answer arrives as an event.
    pub(super) async fn post(&self, message: Vec<u8>, sent: &SentMessage) -> Result<(), String> {
        let mut headers = self.session_headers(sent.method != "initialize");
        if lock(&self.session).modern
            && let Some(message) = std::str::from_utf8(&message).ok().and_then(Message::read)
        {
            add_message_headers(&message, &lock(&self.marked), &mut headers);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        let request = self.client.post(self.url.clone()).headers(headers).body(message);
        let response = self.send_request(request).await?;
        if !response.status().is_success() {
            return self.handle_refusal(response, sent).await;
        }
        if sent.method == "initialize" {
            lock(&self.session).id = response.headers().get(SESSION).cloned();
        }
        let Some(id) = &sent.id else { return Ok(()) };
        if has_content_type(&response, "text/event-stream") {
            return self.follow_stream(response, id, sent).await;
        }
        if has_content_type(&response, "application/json") {
            let answer = self.body(response, self.limit).await?;
            self.learn_from(sent, &answer);
            let is_answered = answers(&answer, Id::of(id).as_ref());
            self.forward(on_one_line(answer)).await;
            let other = || {
                let url = &self.public_url;
                format!("{url} answered with JSON that does not answer this request's id")
            };
            return if is_answered { Ok(()) } else { Err(other()) };
        }
        let status = response.status();
        Err(format!("{} answered {status} without JSON or an event stream", self.public_url))
    }

    /// Follows an event stream until the answer, and resumes it if it breaks.
    async fn follow_stream(
        &self,
        response: Response,
        id: &str,
        sent: &SentMessage,
    ) -> Result<(), String> {
        let mut reader = Reader::default();
        let mut response = Some(response);
        let mut tries = 0;
        loop {
            let before = reader.last_id.clone();
            if let Some(response) = response.take()
                && self.forward_events(response, &mut reader, Some((id, sent))).await?
            {
                return Ok(());
            }
            tries = if reader.last_id == before { tries + 1 } else { 1 };
            let broken = || format!("{} ended its stream before the answer", self.public_url);
            let last =
                reader.last_id.clone().filter(|_| tries <= MAX_RESUMES).ok_or_else(broken)?;
            tokio::time::sleep(reader.retry.unwrap_or(Duration::from_millis(500))).await;
            let again = self.open_stream(Some(&last)).await;
            response = again
                .ok()
                .filter(|r| r.status().is_success() && has_content_type(r, "text/event-stream"));
        }
    }

    /// Forwards the messages of a stream. Returns true if they include the answer to `request`.
    ///
    /// # Errors
    ///
    /// Returns an error if a message is too long.
    pub(super) async fn forward_events(
        &self,
        mut response: Response,
        reader: &mut Reader,
        request: Option<(&str, &SentMessage)>,
    ) -> Result<bool, String> {
        let key = request.and_then(|(id, _)| Id::of(id));
        reader.begin();
        let mut answered = false;
        loop {
            let chunk = response.chunk();
            // A broken stream is treated as ended.
            let Ok(Ok(Some(chunk))) = (if answered {
                tokio::time::timeout(STREAM_END_TIMEOUT, chunk).await
            } else {
                Ok(chunk.await)
            }) else {
                return Ok(answered);
            };
            let too_long =
                || format!("a message of {} has over {} bytes", self.public_url, self.limit);
            for event in reader.read(&chunk, self.limit).map_err(|_| too_long())? {
                if event.is_empty() {
                    continue;
                }
                if let Some((_, sent)) = request.filter(|_| answers(&event, key.as_ref())) {
                    self.learn_from(sent, &event);
                    answered = true;
                }
                self.forward(on_one_line(event)).await;
            }
        }
    }

    /// Opens the server's event stream, after the event `last` if given.
    pub(super) async fn open_stream(&self, last: Option<&str>) -> Result<Response, String> {
        let mut headers = self.session_headers(true);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(last) = last.and_then(|last| HeaderValue::from_str(last).ok()) {
            headers.insert(LAST_EVENT, last);
        }
        self.send_request(self.client.get(self.url.clone()).headers(headers)).await
    }

    /// Ends the session at the server.
    pub(super) async fn close(&self) {
        if lock(&self.session).id.is_none() {
            return;
        }
        let request = self.client.delete(self.url.clone()).headers(self.session_headers(true));
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, request.send()).await;
    }

    async fn send_request(&self, request: RequestBuilder) -> Result<Response, String> {
        let sent = request.send().await;
        sent.map_err(|error| format!("{} cannot be reached: {}", self.public_url, reason(error)))
    }

    fn session_headers(&self, in_session: bool) -> HeaderMap {
        let mut headers = self.headers.clone();
        let session = lock(&self.session);
        for (name, value) in [(SESSION, &session.id), (VERSION, &session.version)] {
            if let Some(value) = value.as_ref().filter(|_| in_session) {
                headers.insert(name, value.clone());
            }
        }
        headers
    }

    /// Records what answers announce for later requests: the protocol version and header
    /// arguments.
    fn learn_from(&self, sent: &SentMessage, answer: &[u8]) {
        let answer = std::str::from_utf8(answer).ok().and_then(Message::read);
        let Some(result) = answer.and_then(|answer| answer.member("result")) else { return };
        if sent.method == "initialize" {
            let version = member(result, "protocolVersion").and_then(text);
            let version = version.and_then(|version| HeaderValue::from_str(&version).ok());
            lock(&self.session).version = version;
        }
        if sent.method == "tools/list" {
            lock(&self.marked).extend(marked_arguments(result));
        }
    }

    /// Forwards a JSON-RPC answer whatever its status; otherwise returns the rejection as an
    /// error.
    async fn handle_refusal(&self, response: Response, sent: &SentMessage) -> Result<(), String> {
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let location = location.map(str::to_owned);
        let body = self.body(response, MAX_REFUSAL_BYTES).await.unwrap_or_default();
        if sent.id.is_some() && answers(&body, sent.id.as_deref().and_then(Id::of).as_ref()) {
            self.forward(on_one_line(body)).await;
            return Ok(());
        }
        let in_session = lock(&self.session).id.is_some() && sent.method != "initialize";
        let authorized = self.headers.contains_key(AUTHORIZATION);
        let (url, location) = (self.public_url.as_str(), location.as_deref());
        let body = String::from_utf8_lossy(&body);
        Err(Refusal { url, status, in_session, authorized, location, body: &body }.message())
    }

    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        let broken = |e| format!("{} ended within its answer: {}", self.public_url, reason(e));
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > limit {
                return Err(format!("an answer of {} has over {limit} bytes", self.public_url));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Returns true if the message answers the request.
fn answers(message: &[u8], key: Option<&Id>) -> bool {
    let message = std::str::from_utf8(message).ok().and_then(Message::read);
    message.is_some_and(|message| {
        let has = message.member("result").or_else(|| message.member("error")).is_some();
        has && message.method().is_none() && message.id().and_then(Id::of).as_ref() == key
    })
}

fn has_content_type(response: &Response, kind: &str) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with(kind))
}
