//! The proxy: an MCP server on standard input and output in front of another MCP server, the
//! upstream. It offloads large results of the upstream's tools to files, adds the retrieval
//! tools to the tool list, and passes everything else through unchanged.
//!
//! The upstream is not trusted: an answer passes only if it belongs to a pending request, and
//! no upstream tool takes a name that the client knows as another tool (`names`).
//!
//! Messages are lines of raw JSON ([`crate::interfaces::mcp::message`]). Those from the client
//! go through `client_side`, those from the upstream through `server_side`. Neither side waits
//! for slow work, such as writing a file or fetching the tool list: that runs in tasks of its
//! own.

mod blocks;
mod client_side;
mod filter;
mod handshake;
mod json_eq;
mod local_call;
mod names;
mod pending;
pub(crate) mod result;
mod server_side;
mod state;
mod tools_from;
mod tools_list;
mod upstream;
mod upstream_tools;

pub(crate) use filter::Filter;
pub(crate) use state::Settings;
pub(crate) use tools_from::ToolsFrom;
pub(crate) use upstream::{Environment, Headers, StartError, Target};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use self::state::ProxyState;
use self::upstream::{Event, Upstream};
use crate::interfaces::mcp::message::{UPSTREAM_FAILED, error, on_one_line};
use crate::service::Service;

/// Capacity of the queue to the client, in messages.
const CHANNEL_CAPACITY: usize = 64;
/// Maximum wait for pending answers after the client's last message.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum wait for the client to read the last messages.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which pending answers are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Read buffer, in bytes.
const READ_BUFFER: usize = 256 * 1024;

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The client closed its input, or `stop` was ready.
    Done,
    /// The upstream ended; the reason.
    Upstream(String),
}

/// Runs the proxy between `input`, `output` and the upstream until one of them ends or `stop`
/// is ready.
///
/// # Errors
///
/// Returns [`StartError`] if the upstream cannot be started.
pub(crate) async fn run(
    service: Arc<Service>,
    settings: Settings,
    target: Target,
    (input, output): (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static),
    stop: impl Future<Output = ()>,
) -> Result<Ended, StartError> {
    let (upstream, incoming) = Upstream::start(target, settings.message_bytes)?;
    let (sender, receiver) = mpsc::channel(CHANNEL_CAPACITY);
    let mut writing = tokio::spawn(write_lines(receiver, output));
    let proxy = Arc::new(ProxyState::new(service, settings, upstream, sender));
    let input = BufReader::with_capacity(READ_BUFFER, input);
    let ended = tokio::select! {
        ended = proxy.serve(input, incoming) => ended,
        // The client closed its output.
        _ = &mut writing => Ended::Done,
        () = stop => Ended::Done,
    };
    proxy.upstream.close().await;
    drop(std::mem::take(&mut *proxy.tasks()));
    drop(proxy);
    // Flushes the queued messages if the client still reads.
    if !writing.is_finished() {
        let _ = tokio::time::timeout(FLUSH_TIMEOUT, writing).await;
    }
    Ok(ended)
}

impl ProxyState {
    /// Forwards in both directions until the client or the upstream ends.
    async fn serve(
        self: &Arc<Self>,
        input: BufReader<impl AsyncRead + Unpin>,
        mut incoming: mpsc::Receiver<Event>,
    ) -> Ended {
        let client_done = AtomicBool::new(false);
        let from_client = async {
            self.from_client(input).await;
            client_done.store(true, Ordering::Relaxed);
            self.drain_pending().await;
        };
        let from_upstream = async {
            while let Some(event) = incoming.recv().await {
                match event {
                    Event::Message(message) => self.from_upstream(message).await,
                    Event::Ended(why) => return why,
                }
            }
            "the server ended".to_owned()
        };
        let why = tokio::select! {
            () = from_client => return Ended::Done,
            why = from_upstream => why,
        };
        self.fail_pending(&why).await;
        if client_done.into_inner() { Ended::Done } else { Ended::Upstream(why) }
    }

    /// Waits for answers that the client still expects.
    async fn drain_pending(&self) {
        let over = tokio::time::Instant::now() + DRAIN_TIMEOUT;
        while self.pending.has_waiting() && tokio::time::Instant::now() < over {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Answers the requests that the upstream left unanswered with an error.
    async fn fail_pending(&self, why: &str) {
        self.upstream_tools.abandon();
        // Answers that arrived before the upstream ended may still be processed.
        let mut tasks = std::mem::take(&mut *self.tasks());
        let work = async { while tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, work).await;
        for id in self.pending.drain_upstream() {
            self.send_to_client(error(&id, UPSTREAM_FAILED, why)).await;
        }
    }
}

/// Writes each message as a line until the queue closes or the client stops reading.
async fn write_lines(mut lines: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(mut line) = lines.recv().await {
        // Messages may span lines, and some libraries end a line at a lone carriage return.
        if memchr::memchr2(b'\n', b'\r', &line).is_some() {
            line = on_one_line(line);
        }
        line.push(b'\n');
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
