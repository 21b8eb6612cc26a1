//! `unburden serve`: the HTTP server until SIGTERM or SIGINT, or, if it is shared, until no
//! process needs it.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use context_store::Coverage;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::Config;
use crate::interfaces::cli::arguments::Serve;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::landlock::confine_process;
use crate::interfaces::cli::output::print;
use crate::interfaces::cli::roots;
use crate::interfaces::cli::runtime;
use crate::interfaces::cli::sharing::{self, Part, Tenure};
use crate::interfaces::cli::small_pages;
use crate::interfaces::cli::tenants::tenant_entries;
use crate::interfaces::http::{AppState, TenantEntry, bind, serve, serve_metrics};
use crate::service::Service;
use crate::telemetry;

pub(crate) fn run(options: Serve) -> Result<Exit, CliError> {
    let shared = options.shared;
    let config = configured(options)?;
    if !shared {
        return serve_until_stopped(&config, None);
    }
    match sharing::join(&config.store.roots)? {
        Part::Service(tenure) => serve_until_stopped(&config, Some(tenure)),
        Part::User(membership) => {
            print_where(membership.address, Some(&membership.log))?;
            sharing::wait_for_end_of_input();
            Ok(Exit::Success)
        }
    }
}

fn serve_until_stopped(config: &Config, mut tenure: Option<Tenure>) -> Result<Exit, CliError> {
    let log = tenure.as_ref().map(Tenure::open_log).transpose()?;
    let _traces = telemetry::start(config, log).map_err(|reason| CliError::traces(&reason))?;
    small_pages::use_small_pages();
    let entries = tenant_entries(config)?;
    let protected = entries.iter().all(|entry| entry.token.is_some()) || config.server.no_auth;
    confine_process(config, entries.iter().map(|entry| &*entry.service))?;
    for entry in &entries {
        sweep_on_schedule(&entry.service, Coverage::Roots, config.store.sweep_seconds);
    }
    runtime::run(async {
        let stop = shutdown_signal();
        let listener = bind(config.server.listen, protected).await?;
        let address = listener.local_addr().map_err(CliError::io("listening"))?;
        if let Some(tenure) = &mut tenure {
            tenure.announce(address)?;
        }
        print_where(address, tenure.as_ref().map(|tenure| tenure.log.as_path()))?;
        for TenantEntry { name: tenant, service, .. } in &entries {
            let (roots, memory_bytes) = (service.roots(), service.budget().total());
            tracing::info!(%address, tenant, roots, memory_bytes, "ready");
        }
        let state = AppState::for_tenants(entries, &config.server);
        if let Some(address) = config.server.metrics_listen {
            // The operator who sets the address chooses who can reach it.
            let listener = bind(address, true).await?;
            let address = listener.local_addr().map_err(CliError::io("listening"))?;
            print(&format!("metrics on http://{address}/metrics"))?;
            tokio::spawn(serve_metrics(listener, state.clone()));
        }
        serve(listener, state, stopped(stop, tenure.as_ref())).await;
        Ok(Exit::Success)
    })
}

fn print_where(address: SocketAddr, log: Option<&Path>) -> Result<(), CliError> {
    let log = log.map(|log| format!("\nlogging to {}", log.display())).unwrap_or_default();
    print(&format!("listening on http://{address}{log}"))
}

/// Waits for a signal, or until no process needs a shared service.
async fn stopped(signal: impl Future<Output = ()>, tenure: Option<&Tenure>) {
    let Some(tenure) = tenure else { return signal.await };
    tokio::select! {
        () = tenure.abandoned() => {}
        () = signal => {}
    }
}

/// Returns the configuration with the options applied.
fn configured(options: Serve) -> Result<Config, CliError> {
    let mut config = Config::load(options.config.as_deref())?;
    if let Some(listen) = options.listen {
        config.server.listen = listen;
    }
    roots::choose(&mut config, &options.root)?;
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
pub(super) fn sweep_on_schedule(service: &Arc<Service>, coverage: Coverage, seconds: u64) {
    if seconds == 0 {
        return;
    }
    let service = Arc::clone(service);
    std::thread::spawn(move || {
        loop {
            service.sweep_on_schedule(coverage);
            std::thread::sleep(Duration::from_secs(seconds));
        }
    });
}

/// Catches SIGTERM and SIGINT from the call on, and returns a future that waits for one of them. A
/// server calls it before it prints its address: an earlier signal ends the process.
pub(super) fn shutdown_signal() -> impl Future<Output = ()> {
    let terminate = signal(SignalKind::terminate());
    let interrupt = signal(SignalKind::interrupt());
    async {
        tokio::select! {
            () = received(terminate) => {}
            () = received(interrupt) => {}
        }
    }
}

/// Waits for a signal. A signal that could not be caught is never received here: it ends the
/// process.
async fn received(signal: io::Result<Signal>) {
    match signal {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}
