//! Settings of traces.

use serde::{Deserialize, Serialize};

/// Settings of traces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TracesConfig {
    /// URL of an OpenTelemetry collector, to which `/v1/traces` is added; by default that of the
    /// environment, as OpenTelemetry's exporters read it. Without one nothing is sent.
    pub endpoint: Option<String>,
}

impl TracesConfig {
    /// Returns the URL that spans are posted to; `None` if there is none.
    pub(crate) fn url(&self) -> Option<String> {
        let named = |name: &str| std::env::var(name).ok().filter(|url| !url.is_empty());
        let base = self.endpoint.clone();
        let of_traces = || named("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        if let Some(url) = of_traces().filter(|_| base.is_none()) {
            return Some(url);
        }
        let base = base.or_else(|| named("OTEL_EXPORTER_OTLP_ENDPOINT"))?;
        Some(format!("{}/v1/traces", base.trim_end_matches('/')))
    }
}
