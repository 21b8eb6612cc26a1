//! Logs: a readable sentence and stable fields, on standard error. JSON where
//! no person looks at a terminal. Ids, sizes, counts and names of routes only:
//! no bodies, no message texts, no secrets.

mod lines;
pub mod metrics;

use std::io::IsTerminal;

use lines::Lines;
use redact::Redact;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{EnvFilter, FilterExt, FilterFn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Filter, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::util::SubscriberInitExt;

/// Crates that log what goes over the wire – conversations, and keys – and how much of
/// them is heard, whatever is asked for.
const QUIET: [(&str, LevelFilter); 6] = [
    ("async_openai", LevelFilter::OFF),
    ("reqwest", LevelFilter::OFF),
    ("rmcp", LevelFilter::OFF),
    ("hyper", LevelFilter::WARN),
    ("hyper_util", LevelFilter::WARN),
    ("rustls", LevelFilter::WARN),
];

/// Starts logging and counting; `RUST_LOG` chooses what, `NO_COLOR` how.
pub fn start(redact: Redact) {
    metrics::start();
    let asked = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = std::io::stderr().is_terminal();
    // A line that cannot be written is lost. Saying so would be another line, and to
    // print that on a full disk or a closed pipe is a panic.
    let base = fmt::layer().with_writer(move || Lines(redact)).log_internal_errors(false);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = if terminal {
        Box::new(base.with_ansi(std::env::var_os("NO_COLOR").is_none()).with_filter(filter(asked)))
    } else {
        Box::new(base.json().flatten_event(true).with_filter(filter(asked)))
    };
    // A second start, as in tests of one process, changes nothing.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    std::panic::set_hook(Box::new(panicked));
}

/// What is asked for, without what no one may ask for.
pub fn filter<S: Subscriber + for<'a> LookupSpan<'a>>(asked: EnvFilter) -> impl Filter<S> {
    // Not as directives beside the others: one for a module would win over these.
    let heard = FilterFn::new(|about| {
        let of = |name: &str| {
            let rest = about.target().strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        QUIET.iter().all(|(name, most)| !of(name) || *about.level() <= *most)
    });
    asked.and(heard.with_max_level_hint(LevelFilter::TRACE))
}

/// Says where a thread panicked, and not what it said: a message may quote a text.
fn panicked(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(at, "a thread panicked");
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn logged(asked: &str, work: impl FnOnce()) -> String {
        let (kept, filter) = (Kept::default(), filter(EnvFilter::new(asked)));
        let writer = kept.clone();
        let lines = fmt::layer().with_writer(move || writer.clone()).with_filter(filter);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
        String::from_utf8(kept.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn no_one_can_ask_for_what_goes_over_the_wire() {
        let log = logged("trace,rmcp::service=trace,reqwest=trace,hyper::proto=trace", || {
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
        std::panic::set_hook(Box::new(panicked));
        let log = logged("info", || {
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
