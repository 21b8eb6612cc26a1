//! A proxy session: the settings and state that both directions share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::filter::Filter;
use super::pending::PendingRequests;
use super::tools_from::ToolsFrom;
use super::upstream::Upstream;
use super::upstream_tools::UpstreamTools;
use crate::interfaces::lock::lock;
use crate::service::Service;

/// Settings of the proxy.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// False passes every message through unchanged and declares nothing.
    pub enabled: bool,
    /// The tools whose results are offloaded.
    pub filter: Filter,
    /// The server that offers the retrieval tools.
    pub tools: ToolsFrom,
    /// Size in tokens above which a text is offloaded.
    pub threshold_tokens: u64,
    /// Longest message, in bytes.
    pub message_bytes: usize,
    /// Local calls that run at a time.
    pub concurrent_calls: usize,
    /// Longest time for offloading a result; after that it passes unchanged.
    pub result_timeout: Duration,
}

/// The state that both directions share.
pub(super) struct ProxyState {
    pub(super) service: Arc<Service>,
    pub(super) settings: Settings,
    pub(super) upstream: Upstream,
    pub(super) pending: PendingRequests,
    pub(super) upstream_tools: UpstreamTools,
    /// Permits for local calls.
    pub(super) call_permits: Arc<Semaphore>,
    /// Permits for offloading: as many as there are processors.
    pub(super) offload_permits: Arc<Semaphore>,
    /// True if the client is a proxy itself and accepts whole results.
    pub(super) client_is_proxy: AtomicBool,
    pub(super) output: mpsc::Sender<Vec<u8>>,
    pub(super) tasks: Mutex<JoinSet<()>>,
}

impl ProxyState {
    /// Creates a session that sends to the client through `output`.
    pub(super) fn new(
        service: Arc<Service>,
        settings: Settings,
        upstream: Upstream,
        output: mpsc::Sender<Vec<u8>>,
    ) -> ProxyState {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        ProxyState {
            service,
            upstream,
            pending: PendingRequests::default(),
            upstream_tools: UpstreamTools::new(settings.tools.fixed_names()),
            call_permits: Arc::new(Semaphore::new(settings.concurrent_calls.max(1))),
            offload_permits: Arc::new(Semaphore::new(processors)),
            settings,
            client_is_proxy: AtomicBool::new(false),
            output,
            tasks: Mutex::default(),
        }
    }

    /// Queues a message for the client.
    pub(super) async fn send_to_client(&self, message: Vec<u8>) {
        let _ = self.output.send(message).await;
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        lock(&self.tasks)
    }

    /// Runs slow work in a task of its own.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Returns true if results of the upstream are processed.
    pub(super) fn is_active(&self) -> bool {
        self.settings.enabled && !self.client_is_proxy.load(Ordering::Relaxed)
    }
}
