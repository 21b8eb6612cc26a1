//! Forms in which frameworks store messages, but do not send them to a model. If such messages were
//! read as another format, their calls would lose their ids and their texts would not be counted,
//! so they are rejected with a hint what to send instead.

use raw_json::{self as raw, Fields};

use super::BadMessage;
use super::members::{array, members, object, string};
use crate::message::MessageView;

/// Message types of AutoGen: of its models, and of its agents.
const AUTOGEN: [&str; 14] = [
    "SystemMessage",
    "UserMessage",
    "AssistantMessage",
    "FunctionExecutionResultMessage",
    "TextMessage",
    "MultiModalMessage",
    "StopMessage",
    "HandoffMessage",
    "ToolCallSummaryMessage",
    "ToolCallRequestEvent",
    "ToolCallExecutionEvent",
    "ThoughtEvent",
    "MemoryQueryEvent",
    "UserInputRequestedEvent",
];

/// Members in which formats name the call of a result.
const CALL_IDS: [&str; 7] =
    ["tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "callId", "ref"];

/// The format to report for a result whose call would not be found.
pub(super) const OTHER_CALL_ID: &str = "another format, for it names its call in another member";

/// Members that hold text, in any format.
const WORDS: [&str; 11] = [
    "text", "content", "message", "body", "output", "result", "response", "value", "prompt",
    "input", "answer",
];

/// Lists next to a content that hold no text of the message.
const APART: [&str; 12] = [
    "id",
    "annotations",
    "citations",
    "logprobs",
    "artifact",
    "artifacts",
    "tags",
    "tools",
    "images",
    "videos",
    "audios",
    "preexisting_untracked_files",
];

/// Maximum depth at which text is searched for.
const DEPTH: u32 = 4;

/// Returns an error that names the framework whose form a message has, and what to send instead.
pub(super) fn stored_form(fields: &Fields<'_>) -> Option<BadMessage> {
    let bad = |found: &str, accepted| Some(BadMessage { found: found.to_owned(), accepted });
    let kind = string(fields, "type");
    if kind.as_deref().is_some_and(|kind| AUTOGEN.contains(&kind))
        && raw::field(fields, "role").is_none()
    {
        return bad(
            "has no role and a type of AutoGen's",
            "openai-chat messages, as AutoGen's model client sends them",
        );
    }
    let content = raw::field(fields, "content").filter(|value| *value != "null");
    if content.is_none() {
        return without_content(fields);
    }
    if list(fields, "toolInvocations") {
        return bad(INTERFACE.0, INTERFACE.1);
    }
    let stored = content.and_then(members).unwrap_or_default();
    if raw::field(&stored, "format") == Some("2") && list(&stored, "parts") {
        return bad("has a content of Mastra's database", "the messages that Mastra sends a model");
    }
    // The result of a tool may have any form.
    let answers = raw::field(fields, "tool_call_id").is_some_and(raw::is_string);
    let parts = if answers { Vec::new() } else { array(fields, "content") };
    parts.into_iter().find_map(|part| part_of_framework(fields, part))
}

const INTERFACE: (&str, &str) = (
    "has the parts of a UIMessage of the AI SDK",
    "ModelMessages, as the AI SDK's convertToModelMessages makes them",
);

fn without_content(fields: &Fields<'_>) -> Option<BadMessage> {
    let (found, accepted) = if list(fields, "blocks") {
        ("has blocks and no content, like LlamaIndex", "messages with content")
    } else if list(fields, "contents") {
        (
            "has contents and no content, like Microsoft's Agent Framework",
            "openai-chat messages or openai-responses items, as its chat client sends them",
        )
    } else if list(fields, "items") {
        (
            "has items and no content, like a model_dump of Semantic Kernel",
            "openai-chat messages, as ChatMessageContent.to_dict() makes them",
        )
    } else if list(fields, "_content") {
        ("has a _content, like an older Haystack", HAYSTACK)
    } else if list(fields, "toolInvocations") || list(fields, "parts") {
        INTERFACE
    } else {
        return None;
    };
    Some(BadMessage { found: found.to_owned(), accepted })
}

const HAYSTACK: &str = "openai-chat messages, as ChatMessage.to_openai_dict_format() makes them";

fn list(fields: &Fields<'_>, name: &str) -> bool {
    raw::field(fields, name).is_some_and(|value| value.starts_with('['))
}

/// Returns an error for a part without a type that only one framework has.
fn part_of_framework(fields: &Fields<'_>, part: &str) -> Option<BadMessage> {
    let part = members(part).filter(|part| raw::field(part, "type").is_none())?;
    let has = |name| object(&part, name).is_some();
    let (found, accepted) = if has("tool_call") || has("tool_call_result") {
        ("has parts of Haystack's to_dict()", HAYSTACK)
    } else if object(fields, "meta").is_some() && raw::field(&part, "text").is_some() {
        ("has meta and parts without a type, like Haystack's to_dict()", HAYSTACK)
    } else if has("toolRequest") || has("toolResponse") || string(fields, "role")? == "model" {
        (
            "has parts of Genkit's",
            "the messages that Genkit's model plugin sends: openai-chat messages, or Gemini's \
             contents",
        )
    } else {
        return None;
    };
    Some(BadMessage { found: found.to_owned(), accepted })
}

/// Returns true if a result names its call in another member than its format does.
pub(super) fn names_call_elsewhere(fields: &Fields<'_>) -> bool {
    let named = |fields: &Fields<'_>| {
        CALL_IDS.iter().any(|name| string(fields, name).is_some_and(|id| !id.is_empty()))
    };
    let parts = || array(fields, "content").into_iter().filter_map(members);
    named(fields) || parts().any(|part| named(&part))
}

/// Returns a member with text in a message in which the dialect found none.
pub(crate) fn misplaced_text(view: &MessageView, message: &str) -> Option<String> {
    let mut slots = view.results.iter().flat_map(|result| &result.slots).chain(&view.texts);
    let says = slots.any(|slot| message.get(slot.span.clone()) != Some("\"\""));
    let acts = !view.calls.is_empty() || !view.server.is_empty() || view.directive;
    if says || acts || view.media > 0 || view.opaque > 0 {
        return None;
    }
    let fields = members(message)?;
    // Pi stores commands that it does not send to the model.
    if raw::field(&fields, "excludeFromContext") == Some("true") {
        return None;
    }
    let misplaced_text = fields.iter().find(|(name, value)| {
        let is_list = value.starts_with('[') && !APART.contains(&name.as_ref());
        let is_named = WORDS.contains(&name.as_ref()) || is_list;
        name != "content" && is_named && has_words(value, 0)
    });
    misplaced_text.map(|(name, _)| name.chars().take(40).collect())
}

/// Returns true for a string that is not blank, and for a value that has one in a member of
/// [`WORDS`].
fn has_words(value: &str, depth: u32) -> bool {
    match value.as_bytes().first() {
        Some(b'"') => !raw::unescape(value).text.trim().is_empty(),
        Some(b'[') if depth < DEPTH => {
            raw::elements(value).unwrap_or_default().iter().any(|one| has_words(one, depth + 1))
        }
        Some(b'{') if depth < DEPTH => members(value)
            .unwrap_or_default()
            .iter()
            .any(|(name, value)| WORDS.contains(&name.as_ref()) && has_words(value, depth + 1)),
        _ => false,
    }
}

#[cfg(test)]
#[path = "framework_tests.rs"]
mod tests;
