//! The proxy: an MCP server on standard input and output in front of any other.
//! Large results of the other's tools become files and descriptors, the reload
//! tools stand beside its own, and everything else passes as it came.
//!
//! The upstream is a stranger: an answer of it passes only where it was asked that very
//! request, and no tool of it takes a name that the client has for another (`names`).
//!
//! Messages are lines of bytes ([`crate::mcp::message`]); what comes from the client goes
//! through `client_side`, what comes from the upstream through `server_side`. Each
//! looks at a message without waiting for anything; what takes time (a file, a
//! list that must be asked for) runs beside.

mod asking;
mod blocks;
mod client_side;
mod declare;
pub mod edit;
mod filter;
mod names;
mod open;
mod own;
pub mod result;
mod same;
mod server_side;
mod tools_list;
mod upstream;

pub use filter::Filter;
pub use upstream::{Environment, EnvironmentError, Headers, HttpError, StartError, Target};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use self::asking::Asking;
use self::message::{UPSTREAM_FAILED, error, on_one_line};
use self::open::Open;
use self::upstream::{Event, Upstream};
use crate::mcp::{lines, message};
use crate::service::Service;

/// Messages that wait for the client to read.
const WAITING: usize = 64;
/// After the client's last message, longest wait for what is still under way.
const LAST_ANSWERS: Duration = Duration::from_secs(30);
/// Longest wait for the last messages to be read.
const GOODBYE: Duration = Duration::from_secs(2);
/// How often that wait looks.
const LOOK: Duration = Duration::from_millis(10);
/// Room for reading, in bytes.
const BUFFER: usize = 256 * 1024;

/// How the proxy works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// False passes every message as it came, and declares nothing.
    pub on: bool,
    /// Whose results become files.
    pub filter: Filter,
    /// Above this a text becomes a file, in tokens.
    pub threshold_tokens: u64,
    /// Longest message, in bytes.
    pub message_bytes: usize,
    /// Largest answer of a reload tool, in tokens.
    pub answer_tokens: u64,
    /// Calls of reload tools worked on at a time.
    pub turns: usize,
    /// Longest work on a result; then it passes as it came.
    pub patience: Duration,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The client is done, or we were asked to stop.
    Done,
    /// The upstream is gone, and why.
    Upstream(String),
}

/// What both sides share.
struct Proxy {
    service: Arc<Service>,
    settings: Settings,
    upstream: Upstream,
    open: Open,
    asking: Asking,
    /// Calls of ours.
    turns: Arc<Semaphore>,
    /// Results that become files: as many at a time as there are processors, so that
    /// the first is not as late as the last.
    large_turns: Arc<Semaphore>,
    /// The client takes results whole: it is a proxy itself.
    whole: AtomicBool,
    output: mpsc::Sender<Vec<u8>>,
    beside: Mutex<JoinSet<()>>,
}

/// Stands between `input`, `output` and the upstream until one of them, or `stop`,
/// ends it.
///
/// # Errors
///
/// [`StartError`], where there is no upstream.
pub async fn run(
    service: Arc<Service>,
    settings: Settings,
    target: Target,
    (input, output): (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static),
    stop: impl Future<Output = ()>,
) -> Result<Ended, StartError> {
    let (upstream, incoming) = Upstream::start(target, settings.message_bytes)?;
    let (sender, lines) = mpsc::channel(WAITING);
    let processors = std::thread::available_parallelism().map_or(2, usize::from);
    let mut writing = tokio::spawn(write(lines, output));
    let proxy = Arc::new(Proxy {
        service,
        upstream,
        open: Open::default(),
        asking: Asking::default(),
        turns: Arc::new(Semaphore::new(settings.turns.max(1))),
        large_turns: Arc::new(Semaphore::new(processors)),
        settings,
        whole: AtomicBool::new(false),
        output: sender,
        beside: Mutex::default(),
    });
    let input = BufReader::with_capacity(BUFFER, input);
    let ended = tokio::select! {
        ended = proxy.serve(input, incoming) => ended,
        // Nobody reads any more.
        _ = &mut writing => Ended::Done,
        () = stop => Ended::Done,
    };
    proxy.upstream.close().await;
    drop(std::mem::take(&mut *proxy.beside()));
    drop(proxy);
    // What was said already is written out, if anybody reads it.
    let _ = tokio::time::timeout(GOODBYE, &mut writing).await;
    Ok(ended)
}

impl Proxy {
    /// Both directions at once, until the client is done or the upstream gone.
    async fn serve(
        self: &Arc<Self>,
        input: BufReader<impl AsyncRead + Unpin>,
        mut incoming: mpsc::Receiver<Event>,
    ) -> Ended {
        let client_done = AtomicBool::new(false);
        let from_client = async {
            self.from_client(input).await;
            client_done.store(true, Ordering::Relaxed);
            self.last_answers().await;
        };
        let from_upstream = async {
            while let Some(event) = incoming.recv().await {
                match event {
                    Event::Message(message) => self.from_upstream(message).await,
                    Event::Ended(why) => return why,
                }
            }
            "the server is gone".to_owned()
        };
        let why = tokio::select! {
            () = from_client => return Ended::Done,
            why = from_upstream => why,
        };
        self.close_open(&why).await;
        if client_done.into_inner() { Ended::Done } else { Ended::Upstream(why) }
    }

    /// Waits for what the client may still wait for.
    async fn last_answers(&self) {
        let over = tokio::time::Instant::now() + LAST_ANSWERS;
        while self.open.waits() && tokio::time::Instant::now() < over {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Answers what the upstream left open.
    async fn close_open(&self, why: &str) {
        self.asking.give_up();
        // Answers that came before its end are under way still.
        let mut beside = std::mem::take(&mut *self.beside());
        let work = async { while beside.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_ANSWERS, work).await;
        for id in self.open.close_all() {
            self.tell(error(&id, UPSTREAM_FAILED, why)).await;
        }
    }

    /// A message for the client.
    async fn tell(&self, message: Vec<u8>) {
        let _ = self.output.send(message).await;
    }

    fn beside(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs what takes time beside the two directions.
    fn aside(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut beside = self.beside();
        while beside.try_join_next().is_some() {}
        beside.spawn(work);
    }

    /// True where results of the upstream are worked on.
    fn works(&self) -> bool {
        self.settings.on && !self.whole.load(Ordering::Relaxed)
    }
}

/// Writes messages, a line each, until there are no more or nobody reads.
async fn write(mut lines: mpsc::Receiver<Vec<u8>>, mut output: impl AsyncWrite + Unpin) {
    while let Some(mut line) = lines.recv().await {
        // As definitions of ours are spelled; and some libraries end a line at either.
        if memchr::memchr2(b'\n', b'\r', &line).is_some() {
            line = on_one_line(line);
        }
        line.push(b'\n');
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
