//! The prompt for a summary: fills the templates in `prompts/`. The transcript is data within
//! fences. Reserved tags in it are escaped, so that no text can close its fence or open another.
//!
//! ```text
//! <message index="4" role="assistant">
//! I look into the log.
//! <call tool="bash" id="call_1">{"command": "make"}</call>
//! </message>
//! <message index="5" role="tool" tool="bash" id="call_1">
//! Compiling …
//! </message>
//! ```

use std::borrow::Cow;
use std::fmt::Write;

use chat_history::message::Role;

use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::format::tags;
use crate::snapshot::text::language::Language;
use crate::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

const SYSTEM: &str = include_str!("../../prompts/compress.md");
const REQUEST: &str = include_str!("../../prompts/compress_request.md");
const RETRY: &str = include_str!("../../prompts/compress_retry.md");

/// A rendered request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// The system message.
    pub system: String,
    /// The user's turn.
    pub user: String,
}

/// The input of a request for a snapshot.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'r> {
    /// The messages to summarise.
    pub messages: &'r [TranscriptMessage<'r>],
    /// The messages around them: system messages, and messages that follow.
    pub around: &'r [TranscriptMessage<'r>],
    /// The snapshot to merge.
    pub earlier: Option<&'r str>,
    /// The language to write in.
    pub language: Language,
    /// The maximum tokens of the snapshot.
    pub budget: u64,
}

/// Maximum shown length of a text around the transcript, in characters.
const AROUND_CHARS: usize = 2_000;
/// Maximum number of messages after the transcript to show; these are the newest ones.
const NEWER: usize = 12;

/// Renders the request for a snapshot. Omits the middle of texts that are longer than
/// `max_chars_per_text` characters.
pub(crate) fn render(wanted: &Wanted<'_>, max_chars_per_text: usize) -> Rendered {
    let Wanted { messages, around, language, budget, .. } = *wanted;
    let earlier = tags::escape_fences(wanted.earlier.unwrap_or_default());
    let transcript = transcript(messages, max_chars_per_text);
    let most = max_chars_per_text.min(AROUND_CHARS);
    let system = system_prompt(around, most);
    let newer = newer_messages(messages, around, most);
    let user = fill(REQUEST, |name| match name {
        "system_prompt" => Some(Cow::Borrowed(system.trim_end())),
        "newer_messages" => Some(Cow::Borrowed(newer.trim_end())),
        "earlier_snapshot" => Some(Cow::Borrowed(earlier.trim())),
        "transcript" => Some(Cow::Borrowed(transcript.trim_end())),
        "language" => Some(Cow::Borrowed(language.name())),
        "max_tokens" => Some(Cow::Owned(budget.to_string())),
        _ => None,
    });
    Rendered { system: SYSTEM.trim_end().to_owned(), user }
}

/// Renders the retry with the faults of the rejected reply.
pub(crate) fn retry(rejections: &[Rejection]) -> String {
    let faults: Vec<String> =
        rejections.iter().map(|why| format!("- {}", tags::escape(&why.to_string()))).collect();
    let faults = faults.join("\n");
    fill(RETRY, |name| (name == "rejections").then_some(Cow::Borrowed(faults.as_str())))
}

fn role(said: &TranscriptMessage<'_>) -> &'static str {
    match said.role {
        Role::System | Role::MidSystem => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Other => "other",
    }
}

/// Renders the system messages. The model needs them because they set constraints, which a snapshot
/// does not repeat.
fn system_prompt(around: &[TranscriptMessage<'_>], max_chars: usize) -> String {
    let mut out = String::new();
    for text in around.iter().filter(|said| said.role == Role::System).flat_map(|s| &s.texts) {
        data(&mut out, text, max_chars);
        out.push('\n');
    }
    out
}

/// Renders the messages after the transcript, which stay: the next step depends on them.
fn newer_messages(
    messages: &[TranscriptMessage<'_>],
    around: &[TranscriptMessage<'_>],
    max_chars: usize,
) -> String {
    let last = messages.last().map_or(0, |said| said.index);
    let newer = around.iter().filter(|said| said.role != Role::System && said.index > last);
    let newer: Vec<&TranscriptMessage<'_>> = newer.collect();
    let mut out = String::new();
    for said in &newer[newer.len().saturating_sub(NEWER)..] {
        let _ = writeln!(out, "<newer_message role=\"{}\">", role(said));
        for text in &said.texts {
            data(&mut out, text, max_chars);
            out.push('\n');
        }
        said.calls.iter().for_each(|call| asked(&mut out, call, max_chars));
        said.results.iter().for_each(|result| answered(&mut out, result, max_chars));
        out.push_str("</newer_message>\n");
    }
    out
}

fn transcript(messages: &[TranscriptMessage<'_>], max_chars: usize) -> String {
    let mut out = String::new();
    for said in messages {
        let role = role(said);
        let _ = write!(out, "<message index=\"{}\" role=\"{role}\"", said.index);
        // A message that is a single result, as usual, has no inner element.
        let only = match said.results.as_slice() {
            [only] if said.texts.is_empty() && said.calls.is_empty() => Some(only),
            _ => None,
        };
        if let Some(result) = only {
            attributes(&mut out, result.tool, result.call_id);
        }
        out.push_str(">\n");
        for text in &said.texts {
            data(&mut out, text, max_chars);
            out.push('\n');
        }
        said.calls.iter().for_each(|call| asked(&mut out, call, max_chars));
        match only {
            Some(result) => {
                data(&mut out, &result.text, max_chars);
                out.push('\n');
            }
            None => said.results.iter().for_each(|result| answered(&mut out, result, max_chars)),
        }
        out.push_str("</message>\n");
    }
    out
}

fn asked(out: &mut String, call: &ToolCall<'_>, max_chars: usize) {
    out.push_str("<call");
    attributes(out, call.name, call.id);
    out.push('>');
    data(out, &call.arguments, max_chars);
    out.push_str("</call>\n");
}

fn answered(out: &mut String, result: &ToolResult<'_>, max_chars: usize) {
    out.push_str("<result");
    attributes(out, result.tool, result.call_id);
    out.push_str(">\n");
    data(out, &result.text, max_chars);
    out.push_str("\n</result>\n");
}

fn attributes(out: &mut String, tool: Option<&str>, id: Option<&str>) {
    for (name, value) in [("tool", tool), ("id", id)] {
        let Some(value) = value else { continue };
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let value: String = value.chars().map(plain).collect();
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let _ = write!(out, " {name}=\"{}\"", value.replace('>', "&gt;"));
    }
}

/// Appends a text as data. It is cut before it is escaped, so that a cut cannot create a tag.
fn data(out: &mut String, text: &str, max_chars: usize) {
    let (head, left_out, tail) = cut(text.trim_end(), max_chars);
    let mut whole = Cow::Borrowed(head);
    if left_out > 0 {
        whole = Cow::Owned(format!("{head}\n[… {left_out} characters left out …]\n{tail}"));
    }
    out.push_str(&tags::escape_tags(&whole));
}

/// Returns the head and the tail of a text that is too long, and the number of characters between
/// them.
fn cut(text: &str, max_chars: usize) -> (&str, usize, &str) {
    // A text never has more characters than bytes.
    let chars = if text.len() <= max_chars { 0 } else { text.chars().count() };
    if chars <= max_chars {
        return (text, 0, "");
    }
    let head = max_chars.div_ceil(2);
    let tail = max_chars - head;
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    (&text[..place(head)], chars - max_chars, &text[place(chars - tail)..])
}

/// Fills the placeholders of a template in one pass. Values are not searched for placeholders, and
/// unknown placeholders stay.
fn fill<'a>(prompt: &str, value: impl Fn(&str) -> Option<Cow<'a, str>>) -> String {
    let mut out = String::new();
    let mut rest = prompt.trim_end();
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        match after.split_once("}}").and_then(|(name, after)| Some((value(name)?, after))) {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
