//! `unburden serve`: the HTTP server until SIGTERM or SIGINT.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::config::Config;
use crate::interfaces::cli::arguments::Serve;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::landlock::confine_process;
use crate::interfaces::cli::output::print;
use crate::interfaces::cli::runtime;
use crate::interfaces::cli::small_pages;
use crate::interfaces::cli::tenants::tenant_entries;
use crate::interfaces::http::{AppState, TenantEntry, bind, serve};
use crate::service::Service;
use crate::telemetry;

pub(crate) fn run(options: Serve) -> Result<Exit, CliError> {
    let config = configured(options)?;
    telemetry::start(config.privacy.into());
    small_pages::use_small_pages();
    let entries = tenant_entries(&config)?;
    let protected = entries.iter().all(|entry| entry.token.is_some()) || config.server.no_auth;
    confine_process(&config, entries.iter().map(|entry| &*entry.service))?;
    for entry in &entries {
        sweep_on_schedule(&entry.service, config.store.sweep_seconds);
    }
    runtime::run(async {
        let listener = bind(config.server.listen, protected).await?;
        let address = listener.local_addr().map_err(CliError::io("listening"))?;
        print(&format!("listening on http://{address}"))?;
        for TenantEntry { name: tenant, service, .. } in &entries {
            let (roots, memory_bytes) = (service.roots(), service.budget().total());
            tracing::info!(%address, tenant, roots, memory_bytes, "ready");
        }
        serve(listener, AppState::for_tenants(entries, &config.server), shutdown_signal()).await;
        Ok(Exit::Success)
    })
}

/// Returns the configuration with the options applied.
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

/// Sweeps now and every `seconds`; 0 never sweeps. The thread ends with the process: a file is
/// deleted after its end was recorded, or still exists.
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

/// Waits for SIGTERM or SIGINT.
pub(super) async fn shutdown_signal() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        // Without a handler for SIGINT only SIGTERM stops the process.
        Ok(()) = tokio::signal::ctrl_c() => {}
    }
}
