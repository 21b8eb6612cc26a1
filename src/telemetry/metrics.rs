//! Metrics for Prometheus, rendered at `GET /metrics`. Labels hold routes, statuses and outcomes
//! only, never a caller's text. There is one recorder per process.

use std::sync::OnceLock;
use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::process;

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Requests answered, by `route` and `status`.
pub(crate) const REQUESTS: &str = "unburden_requests_total";
/// The time from a request's head to its answer, by `route`.
pub(crate) const REQUEST_SECONDS: &str = "unburden_request_seconds";
/// Requests that have begun and are not answered.
pub(crate) const IN_FLIGHT: &str = "unburden_requests_in_flight";
/// Calls of the model, by `outcome`: `completed` or `failed`.
pub(crate) const MODEL_CALLS: &str = "unburden_model_calls_total";
/// Stored files, as the last sweep counted them.
pub(crate) const STORE_FILES: &str = "unburden_store_files";
/// Their size, as the last sweep counted it.
pub(crate) const STORE_BYTES: &str = "unburden_store_bytes";

const COUNTERS: &[(&str, &str)] = &[
    ("unburden_offload_file_expired_total", "Expired files deleted by a sweep"),
    (
        "unburden_offload_write_failed_total",
        "Histories and results that came back without files because a write failed",
    ),
    ("unburden_files_written_total", "Files written"),
    ("unburden_written_bytes_total", "Bytes of files written"),
    ("unburden_tokens_before_total", "Tokens of histories received"),
    ("unburden_tokens_after_total", "Tokens of histories returned"),
];
const GAUGES: &[(&str, &str)] = &[
    (IN_FLIGHT, "Requests in flight"),
    (STORE_FILES, "Files in local stores, counted by the last sweep"),
    (STORE_BYTES, "Bytes of files in local stores, counted by the last sweep"),
];
/// Upper bounds of the buckets of [`REQUEST_SECONDS`].
const SECONDS: [f64; 15] =
    [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];
/// Time between two moves of histogram samples into their buckets. Samples stay in memory until
/// then.
const FOLD_INTERVAL: Duration = Duration::from_secs(5);

/// Starts counting; a second start has no effect.
pub(crate) fn start() {
    let _ = handle();
}

/// Returns all metrics in Prometheus' format. Reads files in `/proc`.
pub fn render() -> String {
    let Some(handle) = handle() else { return String::new() };
    process::measure();
    handle.render()
}

/// Moves samples into buckets until the future is dropped. Without it and without calls of
/// [`render`], samples accumulate in memory.
pub(crate) async fn fold_samples() {
    let mut ticks = tokio::time::interval(FOLD_INTERVAL);
    loop {
        ticks.tick().await;
        if let Some(handle) = handle() {
            handle.run_upkeep();
        }
    }
}

fn handle() -> Option<&'static PrometheusHandle> {
    let install = || {
        let seconds = Matcher::Full(REQUEST_SECONDS.to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &SECONDS).ok()?;
        // If a host application installed a recorder, that one counts.
        let handle = builder.install_recorder().ok()?;
        describe();
        Some(handle)
    };
    RECORDER.get_or_init(install).as_ref()
}

/// Describes all metrics, and sets those without labels: an absent metric cannot be monitored.
fn describe() {
    for (name, meaning) in COUNTERS {
        describe_counter!(*name, *meaning);
        counter!(*name).absolute(0);
    }
    for (name, meaning) in GAUGES {
        describe_gauge!(*name, *meaning);
        gauge!(*name).set(0.0);
    }
    describe_counter!(REQUESTS, "Requests answered, by route and status");
    describe_histogram!(REQUEST_SECONDS, Unit::Seconds, "Time to answer a request, by route");
    describe_counter!(MODEL_CALLS, "Calls of the model that writes snapshots, by outcome");
    for outcome in ["completed", "failed"] {
        counter!(MODEL_CALLS, "outcome" => outcome).absolute(0);
    }
    describe_counter!(
        "unburden_store_requests_total",
        "Requests to the object store that keeps the files, by kind"
    );
    describe_gauge!("unburden_build_info", "1; the labels describe the build");
    let labels = [("version", env!("CARGO_PKG_VERSION")), ("target", std::env::consts::ARCH)];
    gauge!("unburden_build_info", &labels).set(1.0);
    process::describe();
}
