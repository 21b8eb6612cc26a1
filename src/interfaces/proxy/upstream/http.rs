//! An MCP server over streamable HTTP as upstream: each message is a POST, and requests run in
//! parallel.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use super::client::{Headers, HttpError};
use super::endpoint::{Endpoint, SentMessage};
use super::event::Event;
use super::listen::listen;
use crate::interfaces::lock::lock;
use crate::interfaces::mcp::message::{Id, Message, UPSTREAM_FAILED, error};

/// Maximum wait for the handshake before later messages are sent.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);

/// An HTTP upstream and its requests in flight.
pub(crate) struct Http {
    endpoint: Arc<Endpoint>,
    in_flight: Mutex<HashMap<Id, AbortHandle>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Http {
    pub(super) fn new(
        url: &str,
        headers: Headers,
        limit: usize,
        events: mpsc::Sender<Event>,
    ) -> Result<Http, HttpError> {
        let endpoint = Arc::new(Endpoint::new(url, headers, limit, events)?);
        Ok(Http { endpoint, in_flight: Mutex::default(), tasks: Mutex::default() })
    }

    /// Posts a message. Waits for the handshake to finish, since later messages need the
    /// session that it creates.
    pub(super) async fn send(self: &Arc<Self>, message: Vec<u8>) {
        let Some(sent) = self.inspect(&message) else { return };
        let first = matches!(&*sent.method, "initialize" | "notifications/initialized");
        let key = sent.id.as_deref().and_then(Id::of);
        let (done, ended) = oneshot::channel::<()>();
        let (http, id) = (Arc::clone(self), key.clone());
        let handle = lock(&self.tasks).spawn(async move {
            http.post_and_report(message, &sent).await;
            if let Some(id) = id {
                lock(&http.in_flight).remove(&id);
            }
            drop(done);
        });
        if let Some(id) = key.filter(|_| !handle.is_finished()) {
            lock(&self.in_flight).insert(id, handle);
        }
        // Removes finished tasks.
        while lock(&self.tasks).try_join_next().is_some() {}
        if first {
            let _ = tokio::time::timeout(HANDSHAKE_TIMEOUT, ended).await;
        }
    }

    /// Reads the id and method of a message. Returns `None` if the message is not to be sent.
    fn inspect(&self, message: &[u8]) -> Option<SentMessage> {
        let message = std::str::from_utf8(message).ok().and_then(Message::read);
        let Some(message) = message else {
            return Some(SentMessage { id: None, method: String::new() });
        };
        let method = message.method().unwrap_or_default().into_owned();
        let modern = self.endpoint.note_version(&message);
        if modern && method == "notifications/cancelled" {
            // Stateless versions cancel a request by closing its connection.
            let id = message.param("requestId").and_then(Id::of)?;
            if let Some(handle) = lock(&self.in_flight).remove(&id) {
                handle.abort();
            }
            return None;
        }
        let id = message.id().filter(|_| !method.is_empty()).map(str::to_owned);
        Some(SentMessage { id, method })
    }

    async fn post_and_report(self: &Arc<Self>, message: Vec<u8>, sent: &SentMessage) {
        match (self.endpoint.post(message, sent).await, &sent.id) {
            (Ok(()), _) if sent.method == "notifications/initialized" => {
                let listening = listen(Arc::clone(&self.endpoint));
                lock(&self.tasks).spawn(listening);
            }
            (Ok(()), _) => {}
            (Err(why), Some(id)) => self.endpoint.forward(error(id, UPSTREAM_FAILED, &why)).await,
            (Err(why), None) => tracing::warn!(method = sent.method, why, "a message was not sent"),
        }
    }

    /// Cancels all requests and ends the session.
    pub(super) async fn close(&self) {
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        drop(tasks);
        self.endpoint.close().await;
    }
}
