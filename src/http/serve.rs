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
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use super::line::{Line, Patience, Traffic};
use super::lines::{self, Lines, Slot};
use super::{Door, router};
use crate::config::ServerConfig;

/// Longest head of a request, and most that is read ahead of one, in bytes.
const HEAD: usize = 32 * 1024;
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
    let lines = Lines::new(lines::most());
    let (app, graceful) = (router(door), GracefulShutdown::new());
    let mut stop = pin!(stop);
    loop {
        let (stream, slot) = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &lines) => accepted,
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

/// The next client, and room for it. What the system refuses (no more
/// files, a client that is gone already) is no reason to end.
async fn accept(listener: &TcpListener, lines: &Lines) -> (TcpStream, Slot) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, lines.room().await),
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
async fn answer(stream: TcpStream, slot: Slot, app: Router, patience: Patience, watcher: Watcher) {
    // An answer leaves when it is ready; where that cannot be set it leaves later.
    let _ = stream.set_nodelay(true);
    let traffic = Arc::new(Traffic::new(slot));
    let line = Line::new(stream, Arc::clone(&traffic), patience);
    let closes = Arc::clone(&traffic);
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
    tokio::select! {
        // How a client left is its own affair.
        _ = watcher.watch(connection) => {}
        () = closes.closes() => {}
    }
}
