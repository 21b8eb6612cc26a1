//! Serving: bind, answer until told to stop, finish what is under way.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;

use super::{Door, router};

/// Why the service did not start or ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
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
    /// The accept loop ended.
    #[error("serving ended: {0}")]
    Ended(std::io::Error),
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
pub async fn serve(
    listener: TcpListener,
    door: Door,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let drain = Duration::from_secs(door.limits.drain_seconds);
    let (stopped, mut overdue) = tokio::sync::watch::channel(false);
    let stop = async move {
        stop.await;
        tracing::info!("stopping: no new connections, finishing what is under way");
        let _ = stopped.send(true);
    };
    let serving = axum::serve(listener, router(door)).with_graceful_shutdown(stop);
    let deadline = async {
        // An error means that serving ended and took the sender with it.
        if overdue.wait_for(|stopped| *stopped).await.is_err() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(drain).await;
    };
    tokio::select! {
        ended = serving => ended.map_err(ServeError::Ended),
        () = deadline => {
            tracing::warn!(seconds = drain.as_secs(), "stopping with requests under way");
            Ok(())
        }
    }
}
