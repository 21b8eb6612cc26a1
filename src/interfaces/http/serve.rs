//! The HTTP server: accepts connections until told to stop, then drains. The accept loop is our
//! own because the framework's has no timeouts.

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

use super::connections::{self, ConnectionSlot, Connections};
use super::router::{metrics_router, router};
use super::state::AppState;
use super::timeout_stream::{ConnectionState, TimeoutStream, Timeouts};
use crate::config::ServerConfig;
use crate::telemetry::metrics::fold_samples;

/// Maximum length of a head of a request, and size of the read buffer, in bytes.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Maximum number of connections of the listener for monitoring.
const MAX_MONITORS: usize = 64;
/// Delay after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Errors of the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The address is reachable from other machines, and there is no token.
    #[error(
        "{address} can be reached from other machines; accepted is a loopback address, \
         a token (--token-file FILE) or an explicit --no-auth"
    )]
    Unprotected {
        /// The address.
        address: SocketAddr,
    },
}

/// Binds the address. Fails if it is reachable from other machines and `protected` is false.
pub(crate) async fn bind(address: SocketAddr, protected: bool) -> Result<TcpListener, ServeError> {
    if !address.ip().is_loopback() && !protected {
        return Err(ServeError::Unprotected { address });
    }
    TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })
}

/// Serves until `stop` is ready, then drains requests in flight for at most the configured
/// drain time.
pub(crate) async fn serve(listener: TcpListener, state: AppState, stop: impl Future<Output = ()>) {
    let config = Arc::clone(&state.config);
    let most = connections::max_connections();
    tokio::select! {
        () = accept_until(stop, listener, router(state), (&config, most)) => {}
        () = fold_samples() => {}
    }
}

/// Serves the probes and `/metrics` without a token, until it is dropped.
pub(crate) async fn serve_metrics(listener: TcpListener, state: AppState) {
    let listen = listener.local_addr().unwrap_or(state.config.listen);
    let config = ServerConfig { listen, ..(*state.config).clone() };
    let app = metrics_router(state.listening_as(&config));
    accept_until(std::future::pending(), listener, app, (&config, MAX_MONITORS)).await;
}

async fn accept_until(
    stop: impl Future<Output = ()>,
    listener: TcpListener,
    app: Router,
    (config, most_connections): (&ServerConfig, usize),
) {
    let drain = Duration::from_secs(config.drain_seconds);
    let timeouts = timeouts_of(config);
    let connections = Connections::new(most_connections);
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let (stream, slot) = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &connections) => accepted,
        };
        tokio::spawn(answer(stream, slot, app.clone(), timeouts, graceful.watcher()));
    }
    drop(listener);
    tracing::info!("stopping: no new connections, draining requests in flight");
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(seconds = drain.as_secs(), "stopped with requests in flight");
    }
}

fn timeouts_of(config: &ServerConfig) -> Timeouts {
    Timeouts {
        head: Duration::from_secs(config.header_timeout_seconds),
        idle: Duration::from_secs(config.idle_timeout_seconds),
        write: Duration::from_secs(config.request_timeout_seconds),
    }
}

/// Accepts the next client and a slot for it. Errors of single clients, and too many open
/// files, do not end the server.
async fn accept(listener: &TcpListener, connections: &Connections) -> (TcpStream, ConnectionSlot) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, connections.acquire().await),
            Err(error) if is_client_gone(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

fn is_client_gone(error: &io::Error) -> bool {
    use io::ErrorKind as E;
    matches!(error.kind(), E::ConnectionAborted | E::ConnectionReset | E::ConnectionRefused)
}

/// Serves one connection until the client leaves, times out, or the service stops.
async fn answer(
    stream: TcpStream,
    slot: ConnectionSlot,
    app: Router,
    timeouts: Timeouts,
    watcher: Watcher,
) {
    // Without it responses are sent later, but still sent.
    let _ = stream.set_nodelay(true);
    let connection = Arc::new(ConnectionState::new(slot));
    let stream = TimeoutStream::new(stream, Arc::clone(&connection), timeouts);
    let evicted = Arc::clone(&connection);
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, connection) = (app.clone(), Arc::clone(&connection));
        connection.request_started();
        async move {
            let response = app.oneshot(request.map(Body::new)).await;
            connection.response_ready();
            response
        }
    });
    let mut http = http1::Builder::new();
    // The stream has the timeouts; the library's own must be longer, and makes it poll the
    // stream between requests.
    let beyond = timeouts.idle.max(timeouts.head) + Duration::from_secs(5);
    http.timer(TokioTimer::new()).header_read_timeout(beyond).max_buf_size(MAX_HEAD_BYTES);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // Errors of a connection concern its client only.
        _ = watcher.watch(connection) => {}
        () = evicted.evicted() => {}
    }
}
