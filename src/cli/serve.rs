//! `unburden serve`: the HTTP door until SIGTERM or SIGINT.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::arguments::Serve;
use super::confinement::settle;
use super::entries::entries;
use super::{CliError, Exit, memory, print};
use crate::config::Config;
use crate::http::{Door, bind, serve};
use crate::service::Service;
use crate::telemetry;

pub(super) fn run(options: Serve) -> Result<Exit, CliError> {
    let config = configured(options)?;
    telemetry::start(config.privacy.into());
    memory::use_small_pages();
    let entries = entries(&config)?;
    let protected = entries.iter().all(|(_, token, _)| token.is_some()) || config.server.no_auth;
    settle(&config, entries.iter().map(|(_, _, service)| &**service))?;
    std::thread::spawn(token_count::warm_up);
    for (_, _, service) in &entries {
        sweep_on_schedule(service, config.store.sweep_seconds);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    runtime.block_on(async {
        let listener = bind(config.server.listen, protected).await?;
        let address = listener.local_addr().map_err(CliError::io("listening"))?;
        print(&format!("listening on http://{address}"))?;
        for (tenant, _, service) in &entries {
            let (roots, memory_bytes) = (service.roots(), service.budget().total());
            tracing::info!(%address, tenant, roots, memory_bytes, "ready");
        }
        serve(listener, Door::to_all(entries, &config.server), stop()).await;
        Ok::<(), CliError>(())
    })?;
    // Work that outlived its request must not keep the process.
    runtime.shutdown_background();
    Ok(Exit::Success)
}

/// The configuration with what was typed over it.
fn configured(options: Serve) -> Result<Config, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    if let Some(listen) = options.listen {
        config.server.listen = listen;
    }
    if !options.root.is_empty() {
        config.store.roots = options.root;
    }
    if options.token_file.is_some() {
        config.server.token_file = options.token_file;
        config.server.token = None;
    }
    config.server.no_auth |= options.no_auth;
    options.privacy.enter(&mut config);
    Ok(config)
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
