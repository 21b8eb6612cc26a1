//! Traces: each request and each use of the model is a span that goes to an OpenTelemetry
//! collector, by OTLP over HTTP. Without an endpoint there is no layer, and spans are only the
//! context of log lines. Attributes have the names of OpenTelemetry's HTTP and GenAI conventions
//! where they have one, otherwise `unburden.*`; like log lines they hold no texts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId, TraceState,
    TracerProvider,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_otlp::{SpanExporter as OtlpExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, SdkTracerProvider, SpanData, SpanExporter, SpanProcessor,
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::Registry;

use crate::config::TracesConfig;

/// The span of a request.
const REQUEST: &str = "request";
/// The span of one use of the model, retries included.
const MODEL: &str = "model";
/// The target of spans that are not the context of log lines.
pub(super) const TARGET: &str = "unburden::traces";

/// Maximum wait for the last spans when the process ends.
const LAST_SPANS: Duration = Duration::from_secs(2);
/// The attribute of each field of a span, and whether it is a number: the layer takes unsigned
/// numbers for texts. Other fields are not sent.
const NAMES: [(&str, &str, bool); 13] = [
    ("method", "http.request.method", false),
    ("route", "http.route", false),
    ("status_code", "http.response.status_code", true),
    ("id", "unburden.request.id", false),
    ("tenant", "unburden.tenant", false),
    ("chat", "unburden.chat", false),
    ("tokens_before", "unburden.tokens.before", true),
    ("tokens_after", "unburden.tokens.after", true),
    ("model", "gen_ai.request.model", false),
    ("input_tokens", "gen_ai.usage.input_tokens", true),
    ("output_tokens", "gen_ai.usage.output_tokens", true),
    ("calls", "unburden.model.calls", true),
    ("error", "error.type", false),
];
/// Routes that machines request every few seconds: they get no span.
pub(crate) const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// A layer of the registry.
type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// True once spans are sent; until then, nothing is recorded for them.
static SENDING: AtomicBool = AtomicBool::new(false);

/// Sends the remaining spans when it is dropped.
pub(crate) struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        let _ = self.0.shutdown_with_timeout(LAST_SPANS);
    }
}

/// Starts sending spans, if an endpoint is set.
///
/// # Errors
///
/// Fails if the endpoint is not a URL.
pub(super) fn start(config: &TracesConfig) -> Result<Option<(Traces, BoxedLayer)>, String> {
    let Some(url) = config.url() else { return Ok(None) };
    let is_url = |url: &reqwest::Url| url.has_host() && ["http", "https"].contains(&url.scheme());
    if !reqwest::Url::parse(&url).is_ok_and(|url| is_url(&url)) {
        return Err(format!("\"{}\" is no URL", config.endpoint.as_deref().unwrap_or(&url)));
    }
    let mut resource = Resource::builder();
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("unburden");
    }
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = resource.with_attribute(version).build();
    let batches = Batches { url, resource: resource.clone(), begun: OnceLock::new() };
    let provider =
        SdkTracerProvider::builder().with_span_processor(batches).with_resource(resource).build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("unburden"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_context_activation(false)
        .with_filter(FilterFn::new(|about| {
            about.is_span() && [REQUEST, MODEL].contains(&about.name())
        }));
    SENDING.store(true, Ordering::Relaxed);
    Ok(Some((Traces(provider), Box::new(layer))))
}

/// Sends spans in batches. Starts with the first span: threads that start before Landlock confines
/// the process would not be confined.
#[derive(Debug)]
struct Batches {
    url: String,
    resource: Resource,
    begun: OnceLock<Option<BatchSpanProcessor>>,
}

impl Batches {
    fn begin(&self) -> Option<BatchSpanProcessor> {
        let exporter = OtlpExporter::builder().with_http().with_endpoint(&self.url).build();
        let exporter =
            exporter.inspect_err(|error| tracing::error!(%error, "spans cannot be sent")).ok()?;
        let mut logged = Logged { exporter, failing: AtomicBool::new(false) };
        logged.set_resource(&self.resource);
        Some(BatchSpanProcessor::builder(logged).build())
    }

    fn of_begun(&self, run: impl Fn(&BatchSpanProcessor) -> OTelSdkResult) -> OTelSdkResult {
        self.begun.get().and_then(Option::as_ref).map_or(Ok(()), run)
    }
}

impl SpanProcessor for Batches {
    fn on_start(&self, _: &mut opentelemetry_sdk::trace::Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if let Some(span) = named(span)
            && let Some(batches) = self.begun.get_or_init(|| self.begin())
        {
            batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.of_begun(SpanProcessor::force_flush)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.of_begun(|batches| batches.shutdown_with_timeout(timeout))
    }
}

/// Makes a span part of a caller's trace; no-op if spans are not sent. The ids are those of a
/// `traceparent` header, in hex.
pub(crate) fn set_parent(span: &Span, trace_id: &str, parent_id: &str, flags: u8) {
    if !SENDING.load(Ordering::Relaxed) {
        return;
    }
    let (Ok(trace_id), Ok(parent_id)) = (TraceId::from_hex(trace_id), SpanId::from_hex(parent_id))
    else {
        return;
    };
    let (flags, state) = (TraceFlags::new(flags), TraceState::default());
    let parent = SpanContext::new(trace_id, parent_id, flags, true, state);
    // Fails if the span is not sent.
    let _ = span.set_parent(Context::new().with_remote_span_context(parent));
}

/// Records the status of an answer on its request's span; no-op if spans are not sent.
pub(crate) fn set_status(span: &Span, status: u16) {
    if SENDING.load(Ordering::Relaxed) {
        span.record("status_code", status);
    }
}

/// Sends spans, and logs the first failure.
#[derive(Debug)]
struct Logged<E> {
    exporter: E,
    /// True if the last spans were not sent. A failure is logged once, until sending works again.
    failing: AtomicBool,
}

impl<E: SpanExporter> SpanExporter for Logged<E> {
    async fn export(&self, spans: Vec<SpanData>) -> OTelSdkResult {
        let sent = self.exporter.export(spans).await;
        let was_failing = self.failing.swap(sent.is_err(), Ordering::Relaxed);
        if let Err(error) = sent.as_ref().map_err(ToString::to_string)
            && !was_failing
        {
            tracing::warn!(error, "spans were not sent; is the collector there?");
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// Returns a span with the names of the conventions; `None` for a probe.
fn named(mut span: SpanData) -> Option<SpanData> {
    let value = |field: &str| {
        let found = span.attributes.iter().find(|given| given.key.as_str() == field);
        found.map(|given| given.value.clone())
    };
    let text = |field: &str| value(field).map(|value| value.as_str().into_owned());
    if span.name == REQUEST {
        let route = text("route").unwrap_or_default();
        if PROBES.contains(&route.as_str()) {
            return None;
        }
        let is_error = text("status_code").is_some_and(|status| status.starts_with('5'));
        span.name = format!("{} {route}", text("method").unwrap_or_default()).into();
        span.span_kind = SpanKind::Server;
        span.status = if is_error { Status::error("") } else { Status::Unset };
    } else {
        span.span_kind = SpanKind::Client;
        span.status = if value("error").is_some() { Status::error("") } else { Status::Unset };
        span.name = format!("chat {}", text("model").unwrap_or_default()).into();
    }
    let is_model = span.span_kind == SpanKind::Client;
    span.attributes = std::mem::take(&mut span.attributes)
        .into_iter()
        .filter_map(|given| {
            let known = NAMES.iter().find(|(field, ..)| given.key.as_str() == *field);
            let (_, name, is_number) = known?;
            let number = is_number.then(|| given.value.as_str().parse().ok()).flatten();
            Some(KeyValue::new(*name, number.map_or(given.value, Value::I64)))
        })
        .chain(is_model.then(|| KeyValue::new("gen_ai.operation.name", "chat")))
        .collect();
    Some(span)
}
