//! The state that every handler shares.

use std::sync::Arc;
use std::time::Duration;

use super::mcp_service::{self, McpService};
use super::origin::AllowedNames;
use super::token::Token;
use crate::config::ServerConfig;
use crate::interfaces::mcp::Mcp;
use crate::service::Service;
use crate::service::concurrency_limit::ConcurrencyLimit;

/// State of the HTTP interface; clones share it.
#[derive(Clone)]
pub struct AppState {
    pub(super) tenants: Arc<[Arc<TenantState>]>,
    pub(super) concurrency: ConcurrencyLimit,
    pub(super) config: Arc<ServerConfig>,
    pub(super) names: Arc<AllowedNames>,
}

/// A tenant at run time.
pub(super) struct TenantState {
    pub(super) name: Option<String>,
    pub(super) token: Option<Token>,
    pub(super) service: Arc<Service>,
    pub(super) mcp: McpService,
}

/// A tenant of the configuration: its name for logs, its token, and its service.
pub struct TenantEntry {
    /// The name in logs; `None` for the operator.
    pub name: Option<String>,
    /// The bearer token that selects this tenant; `None` accepts requests without one.
    pub token: Option<Token>,
    /// The service of the token.
    pub service: Arc<Service>,
}

impl AppState {
    /// Creates a state with one tenant. With a token, only the probes work without it.
    pub fn new(service: Arc<Service>, token: Option<Token>, config: &ServerConfig) -> AppState {
        AppState::for_tenants(vec![TenantEntry { name: None, token, service }], config)
    }

    /// Creates a state for several tenants, selected by token. An entry without a token is
    /// reachable only if it is the only one.
    pub fn for_tenants(entries: Vec<TenantEntry>, config: &ServerConfig) -> AppState {
        let longest = Duration::from_secs(config.queue_seconds);
        let concurrency = ConcurrencyLimit::new(config.concurrent_requests, entries.len(), longest);
        let tenant = |TenantEntry { name, token, service }: TenantEntry| {
            let mcp =
                Mcp::new(Arc::clone(&service), concurrency.clone(), config.tool_prefix.text());
            Arc::new(TenantState { name, token, service, mcp: mcp_service::start(mcp, config) })
        };
        let tenants = entries.into_iter().map(tenant).collect();
        let names = Arc::new(AllowedNames::of(config));
        AppState { tenants, concurrency, config: Arc::new(config.clone()), names }
    }

    /// Returns the state for another listener, whose address decides which hosts requests may
    /// name.
    pub(super) fn listening_as(self, config: &ServerConfig) -> AppState {
        AppState { names: Arc::new(AllowedNames::of(config)), ..self }
    }
}
