//! Outcomes: whether a call failed, and how it went on one line.

use super::call_record::CallRecord;
use super::failure::{failing_line, is_warning, states_failure};
use super::labels::Labels;
use super::result_text::{headed_by, printed, readable, says_failure, windows, with_line};
use crate::snapshot::text::markers::{exit_code, is_error, is_status, is_table_head};
use crate::snapshot::text::sentences::cut;

/// Longest shown outcome, in characters.
const OUTCOME: usize = 120;
/// Longest shown last line of an output, in characters.
const LAST_LINE: usize = 80;
/// First lines of a result that say how a change went.
const HEAD: usize = 2;
/// Lines of a result that has nothing to say but how a call went.
const SHORT: usize = 3;

/// True where the format or the result says that the call failed.
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
    // A text that was read may mention errors; a reader that failed says so at once.
    let most = if call.reads() { 24 } else { 160 };
    let first = &first[..first.floor_char_boundary(most)];
    let prose = ["//", "#", "/*", "--", "<!--"].iter().any(|mark| first.starts_with(mark))
        || is_table_head(first);
    first.starts_with("Traceback")
        || (is_error(first) && !prose && !first.starts_with(|c: char| c.is_ascii_digit()))
}

/// The part of a result that says how the call itself went: of a change, its first lines.
fn of_the_call<'t>(call: &CallRecord<'_>, text: &'t str) -> &'t str {
    let end = || text.match_indices('\n').nth(HEAD - 1).map_or(text.len(), |(at, _)| at);
    if call.changes_file() { &text[..end()] } else { text }
}

/// True where a change succeeded, and what its tool checked behind it failed.
pub(super) fn checks_failed(call: &CallRecord<'_>) -> bool {
    let result = call.result.filter(|_| call.changes_file() && !call.failed);
    result.is_some_and(|(_, _, result)| failing_line(printed(&readable(&result.text))).is_some())
}

/// The exit code that the result of a call states.
fn code<'t>(call: &CallRecord<'_>, text: &'t str) -> Option<&'t str> {
    let (head, tail) = windows(text);
    exit_code(tail).or_else(|| exit_code(head)).filter(|_| !call.reads())
}

/// Returns the status of a call without words of its result: a tool's text is no open point.
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

/// Returns the line of an output that says why its call failed, if one does.
pub(super) fn reason(text: &str) -> Option<&str> {
    let (head, tail) = windows(text);
    // `0 failed` in a line of totals is no failure.
    let fails = |line: &&str| is_error(line) && !line.contains("result: ok");
    let ends = head.lines().chain(tail.lines());
    failing_line(text).or_else(|| ends.map(str::trim).find(fails))
}

/// The reason that an output gives for its call's failure, on one line.
fn telling(text: &str) -> Option<String> {
    let line = reason(text)?;
    let (head, tail) = windows(text);
    let lines: Vec<&str> = tail.lines().chain(head.lines()).collect();
    let at = lines.iter().position(|next| next.trim() == line)?;
    Some(cut(&with_line(line, headed_by(&lines, at)), OUTCOME))
}

/// The size of an output, and its last line: what nothing says is known by that alone. Under a
/// change stands advice, if no check says what it found.
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
