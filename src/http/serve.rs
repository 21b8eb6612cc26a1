//! Serving: bind, answer until told to stop, finish what is under way. The accept
//! loop is our own, for its deadlines: the framework's waits for any client for ever.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

use super::line::{Line, Patience, Traffic};
use super::{Door, router};
use crate::config::ServerConfig;

/// Longest head of a request, and most that is read ahead of one, in bytes.
const HEAD: usize = 32 * 1024;
/// Open files that are not connections: stored ones, workers, the log.
const FILES: u64 = 512;
/// Most connections where open files have no limit.
const CONNECTIONS: u64 = 16 * 1024;
/// How long accepting rests after the system refused it.
const REST: Duration = Duration::from_millis(100);

/// Why the service did not start or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// Beyond loopback without a token.
    #[error(
        "{address} can be reached from other machines; accepted is a loopback address, \
         a token (--token-file FILE) or an explicit --no-auth"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
}

/// Binds; refuses to be open to other machines by accident.
pub async fn bind(address: SocketAddr, protected: bool) -> Result<TcpListener, ServeError> {
    if !address.ip().is_loopback() && !protected {
        return Err(ServeError::Unprotected { address });
    }
    TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })
}

/// Answers until `stop` is ready, then finishes the requests under way, but
/// waits no longer for them than the configured drain time.
pub async fn serve(listener: TcpListener, door: Door, stop: impl Future<Output = ()>) {
    let drain = Duration::from_secs(door.limits.drain_seconds);
    let patience = patience(&door.limits);
    let slots = Arc::new(Semaphore::new(connections()));
    let (app, graceful) = (router(door), GracefulShutdown::new());
    let mut stop = pin!(stop);
    loop {
        let (stream, slot) = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        tokio::spawn(answer(stream, slot, app.clone(), patience, graceful.watcher()));
    }
    drop(listener);
    tracing::info!("stopping: no new connections, finishing what is under way");
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(seconds = drain.as_secs(), "stopping with requests under way");
    }
}

fn patience(config: &ServerConfig) -> Patience {
    Patience {
        head: Duration::from_secs(config.header_timeout_seconds),
        idle: Duration::from_secs(config.idle_timeout_seconds),
        answer: Duration::from_secs(config.request_timeout_seconds),
    }
}

/// The next client, when there is room for one. What the system refuses (no more
/// files, a client that is gone already) is no reason to end.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // Never closed; were it, clients would be let in without a count.
    let slot = Arc::clone(slots).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, slot),
            Err(error) if gone(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

fn gone(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    matches!(error.kind(), E::ConnectionAborted | E::ConnectionReset | E::ConnectionRefused)
}

/// Answers one client until it leaves, is too slow, or the service stops.
async fn answer(
    stream: TcpStream,
    _slot: Option<OwnedSemaphorePermit>,
    app: Router,
    patience: Patience,
    watcher: Watcher,
) {
    // An answer leaves when it is ready; where that cannot be set it leaves later.
    let _ = stream.set_nodelay(true);
    let traffic = Arc::new(Traffic::default());
    let line = Line::new(stream, Arc::clone(&traffic), patience);
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, traffic) = (app.clone(), Arc::clone(&traffic));
        traffic.begins();
        async move {
            let response = app.oneshot(request.map(Body::new)).await;
            traffic.ends();
            response
        }
    });
    let mut http = http1::Builder::new();
    // The line has the deadlines; with a longer one of its own the library asks the
    // line between requests, too.
    let beyond = patience.idle.max(patience.head) + Duration::from_secs(5);
    http.timer(TokioTimer::new()).header_read_timeout(beyond).max_buf_size(HEAD);
    let connection = http.serve_connection(TokioIo::new(line), service);
    // How a client left is its own affair.
    let _ = watcher.watch(connection).await;
}

/// As many connections as open files allow; the limit on those is raised first.
fn connections() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(CONNECTIONS + FILES, |most| most.min(CONNECTIONS + FILES));
    let more = current.is_some_and(|current| current < wanted);
    let raised =
        more && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    let files = if raised { wanted } else { current.unwrap_or(wanted) };
    let connections = files.saturating_sub(FILES).clamp(64, CONNECTIONS);
    usize::try_from(connections).unwrap_or(usize::MAX)
}
