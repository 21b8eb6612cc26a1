//! `unburden serve`: the HTTP door until SIGTERM or SIGINT.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::arguments::Serve;
use super::{CliError, Exit, print};
use crate::config::Config;
use crate::http::{Door, Token, bind, serve};
use crate::service::Service;
use crate::{telemetry, tokens};

pub(super) fn run(options: Serve) -> Result<Exit, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    if let Some(listen) = options.listen {
        config.server.listen = listen;
    }
    if !options.root.is_empty() {
        config.store.roots = options.root;
    }
    if options.token_file.is_some() {
        config.server.token_file = options.token_file;
    }
    telemetry::start();
    let token = match &config.server.token_file {
        Some(path) => Some(
            Token::read(path)
                .map_err(CliError::io(format_args!("reading the token file {}", path.display())))?,
        ),
        None => None,
    };
    let protected = token.is_some() || options.no_auth;
    let service = Arc::new(Service::open(&config)?);
    std::thread::spawn(tokens::warm_up);
    sweep_on_schedule(&service, config.store.sweep_seconds);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    runtime.block_on(async {
        let listener = bind(config.server.listen, protected).await?;
        let address = listener.local_addr().map_err(CliError::io("listening"))?;
        print(&format!("listening on http://{address}"))?;
        tracing::info!(%address, roots = service.roots(), "ready");
        serve(listener, Door::new(service, token, &config.server), stop()).await?;
        Ok::<(), CliError>(())
    })?;
    // Work that outlived its request must not keep the process.
    runtime.shutdown_background();
    Ok(Exit::Success)
}

/// Sweeps now and then again each `seconds`; 0 never. The thread ends with the
/// process: a file is deleted after its end was noted, or is still there.
pub(super) fn sweep_on_schedule(service: &Arc<Service>, seconds: u64) {
    if seconds == 0 {
        return;
    }
    let service = Arc::clone(service);
    std::thread::spawn(move || {
        loop {
            service.sweep_on_schedule();
            std::thread::sleep(Duration::from_secs(seconds));
        }
    });
}

/// SIGTERM from an orchestrator, SIGINT from a person.
pub(super) async fn stop() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        // No handler for SIGINT leaves SIGTERM as the only way to stop.
        Ok(()) = tokio::signal::ctrl_c() => {}
    }
}
