//! Outcomes: whether a call failed, and a description on one line.

use super::call_record::CallRecord;
use super::failure::{failing_line, is_warning, states_failure};
use super::labels::Labels;
use super::result_text::{headed_by, printed, readable, says_failure, windows, with_line};
use crate::snapshot::text::markers::{exit_code, is_error, is_status, is_table_head};
use crate::snapshot::text::sentences::cut;

/// Maximum characters of a shown outcome.
const OUTCOME: usize = 120;
/// Maximum characters of a shown last line of an output.
const LAST_LINE: usize = 80;
/// Number of first lines of a result that state how a change went.
const HEAD: usize = 2;
/// Maximum number of lines of a result that states the outcome only.
const SHORT: usize = 3;

/// Returns true if the format or the result says that the call failed.
pub(super) fn is_failed(call: &CallRecord<'_>) -> bool {
    let Some((_, _, result)) = call.result else { return false };
    if result.failed {
        return true;
    }
    if let Some(code) = code(call, &result.text) {
        return code != "0";
    }
    if let Some(failed) = says_failure(result.text.trim()) {
        return failed;
    }
    let text = readable(&result.text);
    if !call.reads() && failing_line(of_the_call(call, &text)).is_some() {
        return true;
    }
    let first = text.trim_start().lines().next().unwrap_or_default();
    if is_warning(first) {
        return false;
    }
    let is_short = text.trim().lines().take(SHORT + 1).count() <= SHORT;
    if is_short && states_failure(first) {
        return true;
    }
    // A text that was read may mention errors; a failed read says so immediately.
    let most = if call.reads() { 24 } else { 160 };
    let first = &first[..first.floor_char_boundary(most)];
    let prose = ["//", "#", "/*", "--", "<!--"].iter().any(|mark| first.starts_with(mark))
        || is_table_head(first);
    first.starts_with("Traceback")
        || (is_error(first) && !prose && !first.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the part of a result about the call itself: for a change, the first lines.
fn of_the_call<'t>(call: &CallRecord<'_>, text: &'t str) -> &'t str {
    let end = || text.match_indices('\n').nth(HEAD - 1).map_or(text.len(), |(at, _)| at);
    if call.changes_file() { &text[..end()] } else { text }
}

/// Returns true if a change succeeded but the checks of its tool failed.
pub(super) fn checks_failed(call: &CallRecord<'_>) -> bool {
    let result = call.result.filter(|_| call.changes_file() && !call.failed);
    result.is_some_and(|(_, _, result)| failing_line(printed(&readable(&result.text))).is_some())
}

/// Returns the exit code in the result of a call.
fn code<'t>(call: &CallRecord<'_>, text: &'t str) -> Option<&'t str> {
    let (head, tail) = windows(text);
    exit_code(tail).or_else(|| exit_code(head)).filter(|_| !call.reads())
}

/// Returns the status of a call without words of its result, because a tool's text must not become
/// an open point.
pub(super) fn status(call: &CallRecord<'_>, labels: &Labels) -> String {
    let code = call.result.and_then(|(_, _, result)| code(call, &result.text));
    match code.filter(|code| *code != "0") {
        Some(code) => format!("{} {code}", labels.exit),
        None if call.failed => labels.failed.to_owned(),
        None => labels.ok.to_owned(),
    }
}

/// Describes the outcome of a call on one line.
pub(super) fn outcome(call: &CallRecord<'_>, labels: &Labels) -> String {
    let Some((_, _, result)) = call.result else { return labels.no_result.to_owned() };
    let text = readable(&result.text);
    let code = code(call, &text).or_else(|| code(call, &result.text));
    let text = without_echo(call, printed(text.trim()));
    let mut out = match code.filter(|code| *code != "0") {
        Some(code) => {
            let line = telling(text).map(|line| format!(": {line}")).unwrap_or_default();
            format!("{} {code}{line}", labels.exit)
        }
        None if call.failed => {
            let last = || cut(text.lines().next_back().unwrap_or_default().trim(), OUTCOME);
            let line = telling(text).unwrap_or_else(last);
            format!("{}: {line}", labels.failed)
        }
        None if text.is_empty() => labels.ok.to_owned(),
        None if text.len() <= OUTCOME => text.lines().map(str::trim).collect::<Vec<_>>().join("; "),
        None => extent(call, text, code.is_some(), labels),
    };
    if let Some(path) = &result.moved_to {
        out.push_str(&format!(" ({} {path})", labels.whole_result));
    }
    out
}

/// Returns an output without the command that a terminal shows above it.
pub(super) fn without_echo<'t>(call: &CallRecord<'_>, text: &'t str) -> &'t str {
    let command = call.command().map(str::trim).filter(|command| !command.is_empty());
    command.and_then(|command| text.strip_prefix(command)).map_or(text, str::trim_start)
}

/// Returns the line of an output that states why its call failed, if any.
pub(super) fn reason(text: &str) -> Option<&str> {
    let (head, tail) = windows(text);
    // `0 failed` in a line of totals is not a failure.
    let fails = |line: &&str| is_error(line) && !line.contains("result: ok");
    let ends = || head.lines().chain(tail.lines()).map(str::trim).filter(fails);
    // A status such as `<status>error</status>` says less than the message after it.
    let message = || ends().find(|line| line.contains(' ')).or_else(|| ends().next());
    failing_line(text).or_else(message)
}

/// Returns the reason for a call's failure on one line.
fn telling(text: &str) -> Option<String> {
    let line = reason(text)?;
    let (head, tail) = windows(text);
    let lines: Vec<&str> = tail.lines().chain(head.lines()).collect();
    let at = lines.iter().position(|next| next.trim() == line)?;
    Some(cut(&with_line(line, headed_by(&lines, at)), OUTCOME))
}

/// Returns the size of an output and its last line, which identifies an output without a status.
/// The last line of a change is often advice, so it is shown only if it states a result of a check.
fn extent(call: &CallRecord<'_>, text: &str, is_done: bool, labels: &Labels) -> String {
    let lines = text.lines().count();
    let reads = call.reads();
    let size = match lines {
        1 => labels.ok.to_owned(),
        _ if reads || is_done => format!("{} ({lines} {})", labels.ok, labels.lines),
        _ => format!("({lines} {})", labels.lines),
    };
    let says = |line: &&str| !call.changes_file() || is_status(line);
    match text.lines().next_back().filter(says) {
        Some(last) if lines > 1 && !reads => format!("{size} … {}", cut(last.trim(), LAST_LINE)),
        Some(line) if !reads && !is_done => cut(line, OUTCOME),
        _ => size,
    }
}
