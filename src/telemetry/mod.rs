//! Logs on standard error or in a file: a sentence and stable fields, as text or JSON. Ids, sizes,
//! counts and route names only: no bodies, no message texts, no secrets.

mod log_writer;
pub mod metrics;
mod process;
pub(crate) mod traces;

use std::fs::File;
use std::io::IsTerminal;
use std::sync::Arc;

use log_writer::LogWriter;
use redact::Redact;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, FilterExt, FilterFn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Filter, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::util::SubscriberInitExt;

use self::traces::Traces;
use crate::config::{Config, LogFormat};

/// Maximum log levels of crates that log conversations or keys, whatever is requested.
const MAX_LEVELS: [(&str, LevelFilter); 6] = [
    ("async_openai", LevelFilter::OFF),
    ("reqwest", LevelFilter::OFF),
    ("rmcp", LevelFilter::OFF),
    ("hyper", LevelFilter::WARN),
    ("hyper_util", LevelFilter::WARN),
    ("rustls", LevelFilter::WARN),
];

/// Starts logs, metrics and traces; traces end when the result is dropped. `RUST_LOG` sets the
/// filter, `NO_COLOR` turns colors off. A `file` that takes the log in place of standard error gets
/// warnings only, unless `RUST_LOG` asks for more, because nothing rotates it.
///
/// # Errors
///
/// Fails if the endpoint of traces is not a URL.
pub(crate) fn start(config: &Config, file: Option<File>) -> Result<Option<Traces>, String> {
    let redact: Redact = config.privacy.into();
    metrics::start();
    let level = if file.is_some() { "warn" } else { "info" };
    let requested = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let terminal = file.is_none() && std::io::stderr().is_terminal();
    let file = file.map(Arc::new);
    // A line that cannot be written is lost: reporting it on a full disk or a closed pipe
    // would panic.
    let base = fmt::layer()
        .with_writer(move || LogWriter { redact, file: file.clone() })
        .log_internal_errors(false);
    let as_text = match config.log.format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let lines: Box<dyn Layer<Registry> + Send + Sync> = if as_text {
        let colours = terminal && std::env::var_os("NO_COLOR").is_none();
        Box::new(base.with_ansi(colours).with_filter(filter(requested)))
    } else {
        // The list of spans would only repeat the current one.
        let json = base.json().flatten_event(true).with_span_list(false);
        Box::new(json.with_filter(filter(requested)))
    };
    let (traces, spans) = traces::start(&config.traces)?.unzip();
    // A second start, as in tests, has no effect.
    let _ = match spans {
        Some(spans) => tracing_subscriber::registry().with(vec![lines, spans]).try_init(),
        None => tracing_subscriber::registry().with(lines).try_init(),
    };
    std::panic::set_hook(Box::new(log_panic));
    Ok(traces)
}

/// Returns the requested filter, limited by [`MAX_LEVELS`].
pub fn filter<S: Subscriber + for<'a> LookupSpan<'a>>(requested: EnvFilter) -> impl Filter<S> {
    // A directive for a module would override limits that are directives.
    let heard = FilterFn::new(|about| {
        let of = |name: &str| {
            let rest = about.target().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        // Spans of traces are not the context of log lines.
        about.target() != traces::TARGET
            && MAX_LEVELS.iter().all(|(name, most)| !of(name) || *about.level() <= *most)
    });
    requested.and(heard.with_max_level_hint(LevelFilter::TRACE))
}

/// Logs the place of a panic, but not its message, which may quote a text.
fn log_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(at, "a thread panicked");
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn log_of(requested: &str, work: impl FnOnce()) -> String {
        let (captured, filter) = (Captured::default(), filter(EnvFilter::new(requested)));
        let writer = captured.clone();
        let lines = fmt::layer().with_writer(move || writer.clone()).with_filter(filter);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
        String::from_utf8(captured.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn no_one_can_ask_for_what_goes_over_the_wire() {
        let log = log_of("trace,rmcp::service=trace,reqwest=trace,hyper::proto=trace", || {
            tracing::error!(target: "rmcp::service", "a message");
            tracing::trace!(target: "reqwest", "a request");
            tracing::debug!(target: "hyper::proto", "a body");
            tracing::warn!(target: "hyper::proto", "a warning");
            tracing::trace!(target: "rmcpish", "another crate");
        });
        let heard = |text: &str| log.contains(text);
        assert!(heard("a warning") && heard("another crate"), "{log}");
        assert!(!heard("a message") && !heard("a request") && !heard("a body"), "{log}");
    }

    #[test]
    fn a_panic_is_told_by_its_place() {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(log_panic));
        let log = log_of("info", || {
            let text = "a canary of some length";
            assert!(std::panic::catch_unwind(|| panic!("{text}")).is_err());
        });
        std::panic::set_hook(before);
        assert!(
            log.contains("a thread panicked") && log.contains("src/telemetry/mod.rs:"),
            "{log}"
        );
        assert!(!log.contains("canary"), "{log}");
    }
}
