//! Metrics: counters for Prometheus, rendered at `GET /metrics`. Names, routes and
//! numbers only; no label takes a caller's words. One recorder a process.

use std::sync::OnceLock;

use metrics::describe_counter;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Starts counting; a second start changes nothing.
pub fn start() {
    let _ = handle();
}

/// Everything counted since the start, as Prometheus reads it.
pub fn render() -> String {
    handle().map_or_else(String::new, PrometheusHandle::render)
}

fn handle() -> Option<&'static PrometheusHandle> {
    let install = || {
        // Where a host of this library counts already, its recorder has them.
        let handle = PrometheusBuilder::new().install_recorder().ok()?;
        for (name, meaning) in COUNTERS {
            describe_counter!(*name, *meaning);
            // Zero is an answer, too: a counter that is absent cannot be watched.
            metrics::counter!(*name).absolute(0);
        }
        describe_counter!(REQUESTS, "Requests answered, by route and status");
        Some(handle)
    };
    RECORDER.get_or_init(install).as_ref()
}

/// Requests answered, by `route` and `status`.
pub const REQUESTS: &str = "unburden_requests_total";

const COUNTERS: &[(&str, &str)] = &[
    ("unburden_offload_file_expired_total", "Files deleted by a sweep after their time was over"),
    ("unburden_offload_write_failed_total", "Results that stayed inline because a write failed"),
    ("unburden_files_written_total", "Files written"),
    ("unburden_tokens_before_total", "Tokens of the histories that came"),
    ("unburden_tokens_after_total", "Tokens of the histories that left"),
];
