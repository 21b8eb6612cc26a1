//! The text of a result: its readable form, its two ends, and whether it reports a failure.

use std::borrow::Cow;
use std::sync::LazyLock;

use raw_json::{fields, is_string, unescape};
use regex::Regex;

use crate::snapshot::text::markers::{fixed, is_error};

/// Bytes at each end of a result to search for its outcome.
const WINDOW: usize = 4_000;

/// Maximum bytes of a line that only heads other lines.
const HEADING: usize = 60;
/// Number of lines under a heading to search for a meaningful one.
const TRACE: usize = 200;

/// Matches the lines that Codex puts above an output.
static ABOVE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^\s*(?:Chunk ID: \S*\n)?Wall time: [^\n]*\n(?:Process [^\n]*\n)?(?:Original token count: [^\n]*\n)?Output:\n?",
    )
});
/// Matches the marks after an output, such as those of the Gemini CLI.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?:\s*(?:(?:Error|Signal|Background PIDs): \(none\)|Exit Code: 0|Process Group PGID: [0-9]+|```|\[[A-Z][a-z]+ [^\[\]\n]{0,200}\]|[\w.-]+@[\w.-]+:[^\s#$]* ?[#$]|</[a-z_-]{1,30}>))+\s*$",
    )
});
/// Matches control sequences of terminals (ECMA-48), and reminders that a framework inserts into
/// results.
static CONTROLS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"<system[-_]reminder>(?s:.*?)</system[-_]reminder>|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_])",
    )
});

/// Returns whether a JSON object reports a failure. Returns `None` for any other text.
pub(super) fn says_failure(text: &str) -> Option<bool> {
    let members = text.starts_with('{').then(|| fields(text).ok()).flatten()?;
    let says = |(name, value): &(Cow<'_, str>, &str)| match name.as_ref() {
        "error" | "errors" => !["null", "false", "\"\"", "0", "[]", "{}"].contains(value),
        "success" | "ok" => *value == "false",
        "is_error" | "isError" => *value == "true",
        "status" | "state" | "result" => {
            is_string(value) && (*value == "\"error\"" || is_error(&unescape(value).text))
        }
        _ => false,
    };
    Some(members.iter().any(says))
}

/// Returns the two ends of a text.
pub(super) fn windows(text: &str) -> (&str, &str) {
    let head = text.floor_char_boundary(WINDOW.min(text.len()));
    let tail = text.ceil_char_boundary(text.len().saturating_sub(WINDOW));
    (&text[..head], &text[tail..])
}

/// Returns the line that gives line `at` a meaning: `ERROR:` says nothing without the next line,
/// and a traceback nothing without the exception below its indented lines.
pub(super) fn headed_by<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    let line = lines[at].trim();
    if !line.ends_with([':', '：']) || line.len() > HEADING {
        return None;
    }
    let mut under = lines[at + 1..].iter().take(TRACE).filter(|line| !line.trim().is_empty());
    let is_trace = line.starts_with("Traceback");
    under.find(|line| !(is_trace && line.starts_with([' ', '\t']))).map(|line| line.trim())
}

/// Joins a line and the line that it heads, if any.
pub(super) fn with_line<'t>(line: &'t str, under: Option<&str>) -> Cow<'t, str> {
    match under {
        Some(under) => Cow::Owned(format!("{} {under}", line.trim())),
        None => Cow::Borrowed(line),
    }
}

/// Returns an output without the lines that a terminal or a tool adds: times above it, and a
/// prompt, a note such as `[Command finished with exit code 0]` or a closing tag below it.
pub(super) fn printed(text: &str) -> &str {
    let text = &text[ABOVE.find(text).map_or(0, |above| above.end())..];
    let (_, tail) = windows(text);
    let marks = MARKS.find(tail).map_or(0, |marks| marks.len());
    text[..text.len() - marks].trim_end()
}

/// Returns a result in readable form: without terminal controls, and with the strings of a JSON
/// object unescaped.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    match unescaped(text) {
        Cow::Borrowed(text) => CONTROLS.replace_all(text, ""),
        Cow::Owned(text) => Cow::Owned(CONTROLS.replace_all(&text, "").into_owned()),
    }
}

fn unescaped(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let Some(members) = text.starts_with('{').then(|| fields(text).ok()).flatten() else {
        return Cow::Borrowed(text);
    };
    // Codex returns the output together with a duration.
    let mut said = members.iter().filter(|(name, _)| name != "metadata").map(|(_, value)| value);
    if let (Some(only), None) = (said.next(), said.next())
        && is_string(only)
    {
        return Cow::Owned(unescape(only).text.trim().to_owned());
    }
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (name, value) in members {
        let value = if is_string(value) { unescape(value).text } else { Cow::Borrowed(value) };
        let gap = if value.trim().contains('\n') { "\n" } else { " " };
        out.push_str(&format!("{name}:{gap}{}\n", value.trim()));
    }
    Cow::Owned(out)
}
