//! Dialects: the wire formats of histories. A dialect reads a message into a view, checks the
//! rules of its provider and writes messages of this service. Each format has a file or folder
//! here; callers see only views.

mod ai_sdk;
mod anthropic;
mod bedrock;
mod block_results;
mod detect;
mod framework;
mod gemini;
mod langchain;
mod members;
mod openai_chat;
mod openai_responses;
mod pairing;
mod part_type;
mod pending_calls;
mod pi;
mod rule;
mod view_builder;

pub use ai_sdk::AiSdk;
pub use anthropic::Anthropic;
pub use bedrock::Bedrock;
pub use block_results::ResultBlocks;
pub use detect::{Chosen, Source, choose};
pub(crate) use framework::misplaced_text;
pub use gemini::Gemini;
pub use langchain::LangChain;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use pairing::CallIndex;
pub use pi::Pi;
pub use rule::{Fault, Problem, Rule, no_new_problems};

use raw_json::Fields;

use super::message::{Call, MessageView, Role, Slot};

/// The reason why a raw message has no view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMessage {
    /// The value that was found.
    pub found: String,
    /// The values that the dialect accepts.
    pub accepted: &'static str,
}

/// The first speaker that a format accepts after the system messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Any role. The service's messages are system messages.
    Any,
    /// The user; user and model take turns. The service's messages are user messages.
    User,
}

/// Stubs for calls without results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stubs {
    /// Messages to insert, in order.
    Messages(Vec<String>),
    /// The next message, with the stubs added.
    Within(String),
}

/// A wire format of histories.
pub trait Dialect: Sync + Send {
    /// Returns the name in `format` and in reports.
    fn name(&self) -> &'static str;

    /// Returns the feature of a message that only this format has, in a few words ("has
    /// tool_calls"). Returns `None` if other formats write the message in the same way. `fields`
    /// are the members of the message.
    fn evidence(&self, fields: &Fields<'_>) -> Option<String>;

    /// Returns true if the evidence in a message decides alone, as calls and results do. Parts that
    /// gateways pass from one format to another (thinking, images, a provider's options) count only
    /// if no message decides.
    fn decides(&self, _fields: &Fields<'_>) -> bool {
        true
    }

    /// Parses one complete raw message. Unknown members and shapes are not errors: they are never
    /// changed.
    ///
    /// # Errors
    ///
    /// Fails if `raw` is not JSON, or not a message.
    fn view(&self, raw: &str) -> Result<MessageView, BadMessage>;

    /// Returns every problem for which the provider would reject the history, in order of the
    /// messages.
    fn problems(&self, views: &[&MessageView]) -> Vec<Problem>;

    /// Returns the slots of the speaker's text, without names, reasoning, calls and results. A
    /// snapshot is appended to the last slot of a system message that is a string.
    fn content_slots(&self, raw: &str) -> Vec<Slot>;

    /// Writes a message of this service with only that text: a system message if the format has
    /// them, otherwise a user's. `like` is a message of the history, for formats with several
    /// shapes.
    fn service_message(&self, text: &str, like: Option<&str>) -> String;

    /// Writes a user's message of this service with only that text.
    fn user_message(&self, text: &str, like: Option<&str>) -> String {
        self.service_message(text, like)
    }

    /// Returns true if each block of the system prompt has a `type`.
    fn typed_blocks(&self) -> bool {
        false
    }

    /// Returns the first speaker that the format accepts.
    fn opening(&self) -> Opening {
        Opening::Any
    }

    /// Returns for each message whether a unit begins with it. An assistant turn with all its
    /// results is one unit, which is never divided.
    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        let mut inside = false;
        let start_of = |view: &&MessageView| {
            let start = !(only_carries_results(view) && inside);
            inside = if only_carries_results(view) { inside } else { expects_results(view) };
            start
        };
        views.iter().map(start_of).collect()
    }

    /// Returns the blocks of messages that are results; `None` if a result is a whole message.
    fn result_blocks(&self) -> Option<&'static ResultBlocks> {
        None
    }

    /// Returns the message without the results at these places of its view; `None` if nothing of it
    /// is left.
    fn without_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        match self.result_blocks() {
            Some(blocks) => blocks.without(raw, results),
            None => results.is_empty().then(|| raw.to_owned()),
        }
    }

    /// Returns the message with only these results; `None` if it has none of them.
    fn only_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        match self.result_blocks() {
            Some(blocks) => blocks.only(raw, results),
            None => (!results.is_empty()).then(|| raw.to_owned()),
        }
    }

    /// Returns the first of these messages with the results of all of them, ahead of its other
    /// blocks; `None` if the format does not need them in one message.
    fn gathered_results(&self, messages: &[&str]) -> Option<String> {
        self.result_blocks().and_then(|blocks| blocks.gathered(messages))
    }

    /// Writes results with `text` for `calls` of the message `of`. `next` is the message after the
    /// calls: formats that require all results of a turn in one message add them to it.
    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Stubs;
}

/// Returns where units begin, for formats whose model may speak in several consecutive messages:
/// these messages with all results that follow are one unit.
pub(crate) fn turn_starts(views: &[&MessageView]) -> Vec<bool> {
    let mut before = None;
    let mut inside = false;
    let start_of = |view: &&MessageView| {
        let goes_on = match view.role {
            Role::Assistant => before == Some(Role::Assistant),
            _ => only_carries_results(view) && inside,
        };
        inside = if only_carries_results(view) { inside } else { expects_results(view) };
        before = Some(view.role);
        !goes_on
    };
    views.iter().map(start_of).collect()
}

/// Returns where units begin, for formats whose API merges neighbouring messages of one side into a
/// turn: all results of the turn after the model's belong to the model's unit, even after the
/// user's text. `parts` is true for a message that ends any turn.
pub(crate) fn merged_turn_starts(
    views: &[&MessageView],
    parts: impl Fn(&MessageView) -> bool,
) -> Vec<bool> {
    let mut starts = turn_starts(views);
    // The first message after the model's that may still begin a unit.
    let mut next = None;
    for (index, view) in views.iter().enumerate() {
        if view.role == Role::Assistant {
            next = Some(index + 1);
        } else if parts(view) {
            next = None;
        } else if let (Some(from), false) = (next, view.results.is_empty()) {
            starts[from..=index].fill(false);
            next = Some(index + 1);
        }
    }
    starts
}

/// Returns true for a message with results but no calls.
fn only_carries_results(view: &MessageView) -> bool {
    !view.results.is_empty() && view.calls.is_empty()
}

/// Returns true for a message after which results may follow.
fn expects_results(view: &MessageView) -> bool {
    !view.calls.is_empty() || view.role == Role::Assistant
}
