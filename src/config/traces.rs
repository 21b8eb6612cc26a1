//! Settings of traces.

use serde::{Deserialize, Serialize};

/// Settings of traces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TracesConfig {
    /// URL of an OpenTelemetry collector, to which `/v1/traces` is added; by default
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`. Without one nothing is sent.
    pub endpoint: Option<String>,
}
