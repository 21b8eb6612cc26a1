//! What the service logs while it is tested: one subscriber for the whole binary, at
//! TRACE, with the product's own filter. After each body that the harness posts, no
//! line may hold a piece of it, and no line a secret of a test's configuration.
//!
//! Members that are places – `store_dir`, `path` and their like – are no content: a
//! failing disk is told with them. Nor are the words of the system for an error: tests run in
//! parallel, and real histories have these words, too.

use std::collections::{HashSet, VecDeque};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use raw_json::{elements, fields, unescape};
use regex::Regex;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::{EnvFilter, fmt, registry};
use unburden::telemetry;

/// Lines that are kept.
const KEPT: usize = 8_192;
/// A piece of so many bytes is long enough to be told; a longer one is found at each
/// of its first [`STEP`] places.
const PIECE: usize = 20;
const STEP: usize = 4;
/// A piece of fewer different bytes is a line of dashes.
const DIFFERENT: usize = 6;
const PLACES: [&str; 7] =
    ["store_dir", "output_dir", "path", "absolute_path", "file_path", "result_id", "folders"];

#[derive(Default)]
struct Log {
    lines: VecDeque<String>,
    /// Lines since the start, those that are no longer kept among them.
    total: usize,
    secrets: Vec<String>,
}

static LOG: LazyLock<Mutex<Log>> = LazyLock::new(|| {
    let filter = telemetry::filter(EnvFilter::new("trace,wiremock=off"));
    let lines = fmt::layer().with_ansi(false).with_writer(|| Line).with_filter(filter);
    tracing::subscriber::set_global_default(registry().with(lines)).unwrap();
    Mutex::default()
});
static BODIES: AtomicUsize = AtomicUsize::new(0);
static CHECKED: AtomicUsize = AtomicUsize::new(0);
/// Paths in a line.
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?:/workspace|/tmp)[^\s"]*"#).unwrap());

/// The end of the system's words for an error.
static OS_ERROR: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\(os error (\d+)\)").unwrap());

/// The subscriber hands on whole lines.
struct Line;

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        log.total += 1;
        log.lines.push_back(String::from_utf8_lossy(line).into_owned());
        if log.lines.len() > KEPT {
            log.lines.pop_front();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Begins to watch, if nobody has; the lines so far.
pub(crate) fn lines() -> usize {
    LOG.lock().unwrap_or_else(PoisonError::into_inner).total
}

/// A text that no line may ever hold, such as a key.
pub(crate) fn never(secret: &str) {
    let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    if !log.secrets.iter().any(|known| known == secret) {
        log.secrets.push(secret.to_owned());
    }
}

/// Bodies that were checked, and lines that they were checked against.
pub(crate) fn seen() -> (usize, usize) {
    (BODIES.load(Ordering::Relaxed), CHECKED.load(Ordering::Relaxed))
}

/// Runs `work` on a body; then no line since may hold a piece of it.
pub(crate) fn posting<T>(body: &[u8], work: impl FnOnce() -> T) -> T {
    let since = lines();
    let done = work();
    check(since, body);
    done
}

/// Fails where a line after the first `since` holds a piece of a body.
pub(crate) fn check(since: usize, body: &[u8]) {
    BODIES.fetch_add(1, Ordering::Relaxed);
    let (new, secrets): (Vec<String>, Vec<String>) = {
        let log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
        let new = log.total.saturating_sub(since).min(log.lines.len());
        (log.lines.range(log.lines.len() - new..).cloned().collect(), log.secrets.clone())
    };
    CHECKED.fetch_add(new.len(), Ordering::Relaxed);
    let line = holder(&new, &secrets);
    assert!(line.is_none(), "a secret is in the log: {line:?}");
    if let Some((piece, line)) = leak(&new, body) {
        panic!("a piece of a body is in the log: {piece:?} in {line}");
    }
}

/// A piece of a body in a text that is for operators, such as `/metrics`.
pub(crate) fn absent(text: &str, body: &[u8]) {
    if let Some((piece, _)) = leak(&[text.to_owned()], body) {
        panic!("a piece of a body is shown: {piece:?} in {text}");
    }
}

/// A line that holds a secret.
fn holder<'a>(lines: &'a [String], secrets: &[String]) -> Option<&'a String> {
    lines.iter().find(|line| secrets.iter().any(|secret| line.contains(secret.as_str())))
}

/// The part of a line that may be content: no paths, and no words of the system.
fn content_of(line: &str) -> String {
    let codes = OS_ERROR.captures_iter(line).filter_map(|code| code[1].parse().ok());
    let errors = codes.map(|code| std::io::Error::from_raw_os_error(code).to_string());
    let rest = errors.fold(line.to_owned(), |rest, error| rest.replace(&error, "(os error)"));
    PATH.replace_all(&rest, "").into_owned()
}

/// A piece of the body's strings, and the line that holds it.
fn leak(lines: &[String], body: &[u8]) -> Option<(String, String)> {
    let lines: Vec<String> = lines.iter().map(|line| content_of(line)).collect();
    let held: HashSet<&[u8]> =
        lines.iter().flat_map(|line| line.as_bytes().windows(PIECE)).collect();
    if held.is_empty() {
        return None;
    }
    let body = String::from_utf8_lossy(body);
    let mut raws = vec![body.as_ref()];
    while let Some(raw) = raws.pop() {
        let inner = match raw.trim_start().as_bytes().first() {
            Some(b'{') => fields(raw).ok().map(|members| {
                let content = members.into_iter().filter(|(name, _)| !PLACES.contains(&&**name));
                content.map(|(_, value)| value).collect()
            }),
            Some(b'[') => elements(raw).ok(),
            Some(b'"') => None,
            _ => None,
        };
        if let Some(inner) = inner {
            raws.extend::<Vec<&str>>(inner);
            continue;
        }
        let text = if raw.starts_with('"') { unescape(raw).text } else { raw.into() };
        let found = text.as_bytes().windows(PIECE).step_by(STEP).find(|piece| {
            held.contains(piece) && piece.iter().collect::<HashSet<_>>().len() >= DIFFERENT
        });
        if let Some(piece) = found {
            let line = lines.iter().find(|line| line.as_bytes().windows(PIECE).any(|w| w == piece));
            let piece = String::from_utf8_lossy(piece).into_owned();
            return Some((piece, line.cloned().unwrap_or_default()));
        }
    }
    None
}

#[test]
fn a_piece_is_found_wherever_it_stands() {
    let body = r#"{"messages":[{"content":[{"text":"the heron eats \"marmalade\" at the river today"}]}],
        "path":"/workspace/a-folder-of-a-rather-long-name"}"#;
    let found = |line: &str| leak(&[line.to_owned()], body.as_bytes()).is_some();
    assert!(found("ERROR failed: eats \"marmalade\" at the river"));
    assert!(!found("ERROR failed: the heron"));
    assert!(!found("ERROR cannot write /workspace/a-folder-of-a-rather-long-name"));
    assert!(!found("ERROR cannot write a-folder-of-a-rather-long-name"));
    let error = std::io::Error::from_raw_os_error(2);
    let body = format!(r#"{{"text":"cat: a.txt: {error}, says the shell of the user"}}"#);
    let found = |line: String| leak(&[line], body.as_bytes()).is_some();
    assert!(!found(format!("WARN not ready: {error}")));
    assert!(found(format!("WARN not ready: {error}, says the shell of the user")));
    assert!(found("WARN not ready: No such file or directory".to_owned()));
    let broken = br#"{"messages": "an unfinished body of some length"#;
    assert!(leak(&["said an unfinished body of some length".to_owned()], broken).is_some());
    assert!(leak(&["-".repeat(40)], format!("\"{}\"", "-".repeat(40)).as_bytes()).is_none());
}

/// The watch sees what the process logs: a line with a piece of a body fails.
#[test]
fn a_line_with_a_piece_of_a_body_fails() {
    let body = br#"{"pattern":"a kingfisher dives for the watch of this test"}"#;
    let fails = |say: fn()| {
        let posted = || posting(body, say);
        std::panic::catch_unwind(posted).is_err()
    };
    assert!(!fails(|| tracing::info!("nothing of it")));
    assert!(fails(|| tracing::trace!(pattern = "a kingfisher dives for the watch", "searching")));
}

/// Not by way of the log: every other test would find it there.
#[test]
fn a_line_with_a_secret_is_found() {
    let lines = ["calls".to_owned(), "calls with the-key".to_owned()];
    assert_eq!(holder(&lines, &["the-key".to_owned()]), Some(&lines[1]));
    assert_eq!(holder(&lines, &["another".to_owned()]), None);
}
