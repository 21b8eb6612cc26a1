//! The text of a result: as a person reads it, its ends, and whether it says that the call failed.

use std::borrow::Cow;
use std::sync::LazyLock;

use raw_json::{fields, is_string, unescape};
use regex::Regex;

use crate::snapshot::text::markers::{fixed, is_error};

/// Bytes of a result, at each end, in which its outcome is looked for.
const WINDOW: usize = 4_000;

/// Longest line that only heads others, in bytes.
const HEADING: usize = 60;
/// Lines under a heading in which the one that says something is looked for.
const TRACE: usize = 200;

/// The lines that a tool sets above what was printed: those of Codex.
static ABOVE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"^\s*(?:Chunk ID: \S*\n)?Wall time: [^\n]*\n(?:Process [^\n]*\n)?(?:Original token count: [^\n]*\n)?Output:\n?",
    )
});
/// The marks behind what was printed, those of the Gemini CLI among them.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?:\s*(?:(?:Error|Signal|Background PIDs): \(none\)|Exit Code: 0|Process Group PGID: [0-9]+|```|\[[A-Z][a-z]+ [^\[\]\n]{0,200}\]|[\w.-]+@[\w.-]+:[^\s#$]* ?[#$]|</[a-z_-]{1,30}>))+\s*$",
    )
});
/// Sequences by which a program controls a terminal (ECMA-48), and reminders that a framework puts
/// into results.
static CONTROLS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"<system[-_]reminder>(?s:.*?)</system[-_]reminder>|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_])",
    )
});

/// Returns whether a JSON object says that something failed; None for any other text.
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

/// The two ends of a text.
pub(super) fn windows(text: &str) -> (&str, &str) {
    let head = text.floor_char_boundary(WINDOW.min(text.len()));
    let tail = text.ceil_char_boundary(text.len().saturating_sub(WINDOW));
    (&text[..head], &text[tail..])
}

/// Returns the line of an output without which line `at` says nothing: `ERROR:` says nothing without
/// the next one, and a traceback without the exception under its indented lines.
pub(super) fn headed_by<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    let line = lines[at].trim();
    if !line.ends_with([':', '：']) || line.len() > HEADING {
        return None;
    }
    let mut under = lines[at + 1..].iter().take(TRACE).filter(|line| !line.trim().is_empty());
    let is_trace = line.starts_with("Traceback");
    under.find(|line| !(is_trace && line.starts_with([' ', '\t']))).map(|line| line.trim())
}

/// A line with the one that it heads, if there is one.
pub(super) fn with_line<'t>(line: &'t str, under: Option<&str>) -> Cow<'t, str> {
    match under {
        Some(under) => Cow::Owned(format!("{} {under}", line.trim())),
        None => Cow::Borrowed(line),
    }
}

/// Returns an output without the lines that a terminal or a tool puts around it: times above it, a
/// prompt under it, a note in brackets such as `[Command finished with exit code 0]`, a closing tag.
pub(super) fn printed(text: &str) -> &str {
    let text = &text[ABOVE.find(text).map_or(0, |above| above.end())..];
    let (_, tail) = windows(text);
    let marks = MARKS.find(tail).map_or(0, |marks| marks.len());
    text[..text.len() - marks].trim_end()
}

/// A result as a person reads it: without colours, and of a JSON object whose strings hold lines
/// or escapes, its members with the strings unescaped.
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
    // Codex: what a tool printed, and beside it how long it took.
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
