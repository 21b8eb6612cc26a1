//! Metrics: counters for Prometheus, rendered at `GET /metrics`. Labels hold routes and
//! statuses only, never a caller's text. One recorder a process.

use std::sync::OnceLock;

use metrics::describe_counter;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts counting; a second start has no effect.
pub(crate) fn start() {
    let _ = handle();
}

/// Returns all counters in Prometheus' format.
pub fn render() -> String {
    handle().map_or_else(String::new, PrometheusHandle::render)
}

fn handle() -> Option<&'static PrometheusHandle> {
    let install = || {
        // If a host application installed a recorder, that one counts.
        let handle = PrometheusBuilder::new().install_recorder().ok()?;
        for (name, meaning) in COUNTERS {
            describe_counter!(*name, *meaning);
            // A counter that is absent cannot be monitored.
            metrics::counter!(*name).absolute(0);
        }
        describe_counter!(REQUESTS, "Requests answered, by route and status");
        Some(handle)
    };
    RECORDER.get_or_init(install).as_ref()
}

/// Requests answered, by `route` and `status`.
pub(crate) const REQUESTS: &str = "unburden_requests_total";

const COUNTERS: &[(&str, &str)] = &[
    ("unburden_offload_file_expired_total", "Expired files deleted by a sweep"),
    ("unburden_offload_write_failed_total", "Results that stayed inline because a write failed"),
    ("unburden_files_written_total", "Files written"),
    ("unburden_tokens_before_total", "Tokens of histories received"),
    ("unburden_tokens_after_total", "Tokens of histories returned"),
];
