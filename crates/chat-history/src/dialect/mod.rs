//! A dialect: one wire format of histories. It says where the texts of a message
//! stand, which calls and results pair up, and what its provider would reject.
//! One file a format; everything above sees only views.

mod ai_sdk;
mod anthropic;
mod bedrock;
mod detect;
mod framework;
mod gemini;
mod langchain;
mod mend;
mod open;
mod openai_chat;
mod openai_responses;
mod pairing;
mod pi;
mod reader;
mod rule;

pub use ai_sdk::AiSdk;
pub use anthropic::Anthropic;
pub use bedrock::Bedrock;
pub use detect::{Chosen, Source, choose};
pub(crate) use framework::unread;
pub use gemini::Gemini;
pub use langchain::LangChain;
pub use openai_chat::OpenAiChat;
pub use openai_responses::OpenAiResponses;
pub use pairing::Callers;
pub use pi::Pi;
pub use rule::{Fault, Problem, Rule, none_is_new};

use super::message::{Call, MessageView, Role, Slot};
use super::raw::Fields;

/// Why a raw message has no view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMessage {
    /// The value that was found.
    pub found: String,
    /// The values that the dialect accepts.
    pub accepted: &'static str,
}

/// The first speaker of a history, system messages apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// Anybody. The service's own messages are a system's.
    Any,
    /// The user; user and model take turns. The service's own messages are a user's.
    User,
}

/// How a history gets answers to calls that have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// Messages of their own, in order.
    Messages(Vec<String>),
    /// The message that was to take them, with them in it.
    Within(String),
}

/// A wire format of histories.
pub trait Dialect: Sync + Send {
    /// The name in `format` and in reports.
    fn name(&self) -> &'static str;

    /// Names what in a message only this format has, in a few words ("has tool_calls");
    /// None for a message that other formats write the same way. `fields` are the
    /// members of the message.
    fn evidence(&self, fields: &Fields<'_>) -> Option<String>;

    /// True where the evidence in a message that has some decides by itself: calls and
    /// results do. Parts that gateways hand on from one format to another – thinking,
    /// images, a provider's options – count only where no message decides.
    fn decides(&self, _fields: &Fields<'_>) -> bool {
        true
    }

    /// Reads one raw message, to its last byte: one that is no JSON has no view.
    /// Unknown fields and shapes are not an error: they are left alone. Only what is
    /// no message at all is.
    fn view(&self, raw: &str) -> Result<MessageView, BadMessage>;

    /// Every rule of the provider that the history breaks, in order.
    fn problems(&self, views: &[&MessageView]) -> Vec<Problem>;

    /// The places in a message where the speaker's own words stand, apart from
    /// names, reasoning, calls and results. A snapshot is appended to the last one
    /// of a system message that is a string.
    fn content_slots(&self, raw: &str) -> Vec<Slot>;

    /// A message of the service's own with that text and nothing else: a system
    /// message where the format has them, else a user's. `like` is a message of
    /// the history, for formats that come in several shapes.
    fn own_message(&self, text: &str, like: Option<&str>) -> String;

    /// A user's message of the service's own with that text and nothing else.
    fn user_message(&self, text: &str, like: Option<&str>) -> String {
        self.own_message(text, like)
    }

    /// True where each block of a system prompt beside the messages has a `type`.
    fn typed_blocks(&self) -> bool {
        false
    }

    /// Returns the first speaker that the format accepts.
    fn opening(&self) -> Opening {
        Opening::Any
    }

    /// Where units begin among all messages: an assistant turn with all its results
    /// is one unit, and no cut may go through it.
    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        let mut inside = false;
        let start_of = |view: &&MessageView| {
            let start = !(continues(view) && inside);
            inside = if continues(view) { inside } else { begins(view) };
            start
        };
        views.iter().map(start_of).collect()
    }

    /// The message without the results at these places of its view; None where
    /// nothing is left of it.
    fn without_results(&self, raw: &str, results: &[usize]) -> Option<String>;

    /// The message with these results and nothing else; None where the format cannot
    /// part them from what stands beside them.
    fn only_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        self.without_results(raw, results).is_none().then(|| raw.to_owned())
    }

    /// Answers `calls` of the message `of` with `text`. `next` is the message that
    /// follows the calls, where the format wants all results of a turn in one
    /// message: it takes them in if it can.
    fn answered(&self, of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Answered;
}

/// Where units begin in formats whose model speaks in several messages in a row: a
/// run of the model's messages with all the results that follow is one unit.
pub(crate) fn turn_starts(views: &[&MessageView]) -> Vec<bool> {
    let mut before = None;
    let mut inside = false;
    let start_of = |view: &&MessageView| {
        let goes_on = match view.role {
            Role::Assistant => before == Some(Role::Assistant),
            _ => continues(view) && inside,
        };
        inside = if continues(view) { inside } else { begins(view) };
        before = Some(view.role);
        !goes_on
    };
    views.iter().map(start_of).collect()
}

/// The same in formats whose API takes the messages of one side in a row as one turn:
/// all results of the turn behind the model's are in its unit, also where that has the
/// user's words before them. `parts` is true for a message that ends any turn.
pub(crate) fn merged_turn_starts(
    views: &[&MessageView],
    parts: impl Fn(&MessageView) -> bool,
) -> Vec<bool> {
    let mut starts = turn_starts(views);
    // The first message behind the model's that may still begin a unit.
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

/// True for a message that only carries results.
fn continues(view: &MessageView) -> bool {
    !view.results.is_empty() && view.calls.is_empty()
}

/// True for a message whose results may follow.
fn begins(view: &MessageView) -> bool {
    !view.calls.is_empty() || view.role == Role::Assistant
}
