//! Assigns the texts of a transcript to their speakers, whichever message contains them.

use std::borrow::Cow;
use std::collections::HashMap;

use chat_history::message::Role;
use serde_json::Value;

use super::result_text::readable;
use crate::snapshot::text::markers::{is_output, is_unanswered, looks_like_output, names_output};
use crate::snapshot::text::sentences::{masked, sentences_of_line};
use crate::snapshot::text::wrappers::{Speaker, holds_users_words, is_answer_tool, unwrapped};
use crate::snapshot::transcript::{ToolResult, TranscriptMessage};

/// Maximum bytes of a sentence.
const SENTENCE: usize = 800;
/// Maximum bytes of a tool's statement that the user gave no answer.
const NO_ANSWER: usize = 120;
/// Number of user messages with the same first line from which on the line belongs to a framework,
/// if it names an output.
const FRAMEWORK: usize = 3;

/// A text and its speaker.
pub(crate) struct Said<'a> {
    /// The message, counted from 0.
    pub(super) index: usize,
    pub(crate) speaker: Speaker,
    pub(crate) text: Cow<'a, str>,
    /// True if the agent's message makes no calls, so that it reports to the user.
    pub(super) reports: bool,
    pub(crate) origin: Origin,
}

/// The origin of a text in its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is the message's own.
    Own,
    /// A document, or a text of a framework, in a message of the user.
    Inserted,
    /// A text of the user that looks like an output.
    Pasted,
}

/// Returns the texts in order, without those that were inserted into messages of the user.
pub(crate) fn said<'a>(messages: &'a [TranscriptMessage<'_>]) -> Vec<Said<'a>> {
    let by_message = said_by_message(messages.iter());
    by_message.into_iter().flatten().filter(|said| said.origin != Origin::Inserted).collect()
}

/// Returns the texts of each message in order. Some agents write calls into their texts and send
/// the outputs as user messages. If the transcript has no results, such outputs are recognised by
/// their look, and by a repeated first line that names an output. Otherwise a paste in a user message
/// belongs to the user's words.
pub(crate) fn said_by_message<'a, 't: 'a>(
    messages: impl Iterator<Item = &'a TranscriptMessage<'t>> + Clone,
) -> Vec<Vec<Said<'a>>> {
    let heads = heads(messages.clone());
    let has_results = messages.clone().any(|message| !message.results.is_empty());
    let mut by_message = Vec::new();
    let mut expands = false;
    let mut answered = false;
    let mut called = false;
    let mut asked: HashMap<&str, String> = HashMap::new();
    for message in messages {
        answered |= message.role == Role::Assistant;
        let is_result = std::mem::take(&mut called) && message.role == Role::User;
        called = ends_with_call(message);
        let mut all: Vec<Said<'a>> = Vec::new();
        let mut add = |speaker: Speaker, text: Cow<'a, str>, origin: Origin| {
            let reports = message.calls.is_empty();
            if !text.trim().is_empty() {
                all.push(Said { index: message.index, speaker, text, reports, origin });
            }
        };
        for text in message.texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
            match message.role {
                Role::Assistant => add(Speaker::Agent, text.into(), Origin::Own),
                Role::MidSystem => add(Speaker::Operator, text.into(), Origin::Own),
                Role::User => {
                    let known = || head(text).is_some_and(|head| heads[&head] >= FRAMEWORK);
                    let is_result = is_result && !holds_users_words(text);
                    // Before the agent acted, there is no output.
                    let may_be = answered && !has_results;
                    if is_result || (may_be && (known() || is_output(text))) {
                        add(Speaker::Tool, text.into(), Origin::Own);
                        continue;
                    }
                    let is_pasted = may_be && looks_like_output(text);
                    let found = unwrapped(text);
                    let expanded = std::mem::replace(&mut expands, found.expands);
                    for (speaker, part) in found.parts {
                        let (speaker, origin) = match speaker {
                            Speaker::Tool | Speaker::Framework => (speaker, Origin::Inserted),
                            Speaker::User if is_pasted => (Speaker::Tool, Origin::Pasted),
                            Speaker::User if expanded => (Speaker::Operator, Origin::Own),
                            _ => (speaker, Origin::Own),
                        };
                        add(speaker, part.into(), origin);
                    }
                }
                Role::Tool => add(Speaker::Tool, text.into(), Origin::Own),
                Role::System | Role::Other => {}
            }
        }
        for (speaker, text) in said_by_tool(message, &mut asked) {
            add(speaker, text, Origin::Own);
        }
        expands &= message.role == Role::User;
        by_message.push(all);
    }
    by_message
}

/// Returns the questions and answers in a message's calls of tools that ask the user. A question is
/// the agent's. If a message asks several, each is placed before its answer: `asked` holds those
/// that wait for it, by the id of the call.
fn said_by_tool<'a>(
    message: &'a TranscriptMessage<'_>,
    asked: &mut HashMap<&'a str, String>,
) -> Vec<(Speaker, Cow<'a, str>)> {
    let mut said = Vec::new();
    let asks = || message.calls.iter().filter(|call| call.name.is_some_and(is_answer_tool));
    let is_alone = asks().count() == 1;
    for call in asks() {
        match call.id.filter(|_| !is_alone) {
            Some(id) => drop(asked.insert(id, strings(&call.arguments))),
            None => said.push((Speaker::Agent, strings(&call.arguments).into())),
        }
    }
    for result in &message.results {
        if result.tool.is_some_and(is_answer_tool) && !result.failed {
            let question = result.call_id.and_then(|id| asked.remove(id));
            said.extend(question.map(|question| (Speaker::Agent, question.into())));
            let speaker = if is_users(result) { Speaker::User } else { Speaker::Tool };
            said.push((speaker, readable(&result.text)));
        }
    }
    said
}

/// Returns true for the result of a tool that asks the user, if it is an answer of the user. A tool
/// that got no answer says so in its own words.
pub(crate) fn is_users(result: &ToolResult<'_>) -> bool {
    let is_none = || {
        let answer = readable(&result.text);
        answer.len() <= NO_ANSWER && is_unanswered(&answer)
    };
    result.tool.is_some_and(is_answer_tool) && !result.failed && !is_none()
}

/// Returns the strings of a call's arguments, one per line; strings in arrays are entries of a
/// list. They are a question and its options.
fn strings(arguments: &str) -> String {
    fn collect(value: &Value, mark: &str, lines: &mut String) {
        match value {
            Value::String(text) => lines.extend([mark, text, "\n"]),
            Value::Array(all) => all.iter().for_each(|value| collect(value, "- ", lines)),
            Value::Object(all) => all.values().for_each(|value| collect(value, mark, lines)),
            _ => {}
        }
    }
    let mut lines = String::new();
    if let Ok(value) = serde_json::from_str(arguments) {
        collect(&value, "", &mut lines);
    }
    lines
}

/// Marks of the beginning and the end of calls that a model writes into its text.
const WRITTEN_CALLS: [(&str, &str); 4] = [
    ("<function=", "</function>"),
    ("<function_calls>", "</function_calls>"),
    ("<invoke ", "</invoke>"),
    ("<tool_call>", "</tool_call>"),
];

/// Returns true for an agent's message that ends with a call written as text: a framework sends its
/// result as the next user message. Returns false for calls whose answer is the user's own.
fn ends_with_call(message: &TranscriptMessage<'_>) -> bool {
    const HAND_OVER: [&str; 4] =
        ["attempt_completion", "plan_mode_respond", "act_mode_respond", "new_task"];
    let Some(text) = message.texts.last().filter(|_| message.role == Role::Assistant) else {
        return false;
    };
    let end = text.trim_end();
    let Some((_, name)) = end.strip_suffix('>').and_then(|end| end.rsplit_once("</")) else {
        return false;
    };
    let is_name =
        |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c));
    // Tags of HTML have no underscore.
    let is_call = name.contains('_') || matches!(name, "function" | "invoke");
    message.calls.is_empty()
        && is_name(name)
        && is_call
        && !is_answer_tool(name)
        && !HAND_OVER.contains(&name)
}

/// Returns the meaningful sentences of a text, without fenced code, calls written as text, and
/// lines with a single tag.
pub(super) fn telling(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut call_ends = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        let begun = || WRITTEN_CALLS.iter().find(|(begin, _)| trimmed.starts_with(begin));
        call_ends = call_ends.or_else(|| begun().map(|(_, end)| *end));
        if let Some(end) = call_ends {
            call_ends = Some(end).filter(|end| !trimmed.contains(end));
        } else if trimmed.starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !is_tag(trimmed) {
            let says = |sentence: &&str| {
                sentence.len() < SENTENCE
                    && sentence.chars().filter(|c| c.is_alphabetic()).count() > 3
            };
            found.extend(sentences_of_line(line).filter(says));
        }
    }
    found
}

/// Returns true for a line that is a single tag.
fn is_tag(line: &str) -> bool {
    line.strip_prefix('<').and_then(|rest| rest.find('>')) == line.len().checked_sub(2)
}

/// Counts how often each first line that names an output begins a text of a user message.
fn heads<'a, 't: 'a>(
    messages: impl Iterator<Item = &'a TranscriptMessage<'t>>,
) -> HashMap<u64, usize> {
    let mut heads: HashMap<u64, usize> = HashMap::new();
    let users = messages.filter(|message| message.role == Role::User);
    for head in users.flat_map(|message| &message.texts).filter_map(|text| head(text.trim())) {
        *heads.entry(head).or_default() += 1;
    }
    heads
}

/// Returns the hash of a text's first line without its digits, if the text has more lines and this
/// one names an output.
fn head(text: &str) -> Option<u64> {
    let (line, _) = text.split_once('\n')?;
    let line = line.trim();
    (line.len() <= 120 && names_output(line)).then(|| masked(line))
}
