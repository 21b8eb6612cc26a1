//! A dialect: one wire format of histories. It says where the texts of a message
//! stand, which calls and results pair up, and what its provider would reject.
//! One file a format; everything above sees only views.

mod openai_chat;

pub use openai_chat::OpenAiChat;

use super::HistoryError;
use super::message::{MessageView, Role, Slot};

/// Something a provider would reject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The message, counted from 0.
    pub index: usize,
    /// The rule that is broken, in a stable short form.
    pub rule: &'static str,
    /// The id concerned, where there is one.
    pub id: Option<String>,
}

/// Why a raw message has no view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMessage {
    /// What stood there.
    pub found: String,
    /// What the dialect takes.
    pub accepted: &'static str,
}

/// A wire format of histories.
pub trait Dialect: Sync + Send {
    /// The name in `format` and in reports.
    fn name(&self) -> &'static str;

    /// Reads one raw message. Unknown fields and shapes are not an error: they
    /// are left alone. Only what is no message at all is.
    fn view(&self, raw: &str) -> Result<MessageView, BadMessage>;

    /// Every rule of the provider that the history breaks, in order.
    fn problems(&self, views: &[&MessageView]) -> Vec<Problem>;

    /// The places in a message where the speaker's own words stand, apart from
    /// names, reasoning, calls and results. A snapshot is appended to the last one
    /// of a system message that is a string.
    fn content_slots(&self, raw: &str) -> Vec<Slot>;

    /// A system message with that text and nothing else, for a history that has
    /// none to append to.
    fn system_message(&self, text: &str) -> String;

    /// The first message of the unit that holds `index`: an assistant turn with
    /// all its results is one unit, and no cut may go through it.
    fn unit_start(&self, views: &[&MessageView], index: usize) -> usize {
        let mut start = index;
        while start > 0 && continues(views[start]) {
            start -= 1;
        }
        // Results without a call before them are no unit with what stands there.
        if begins(views[start]) { start } else { index }
    }

    /// Where units begin among all messages: what [`Dialect::unit_start`] says of
    /// each, in one pass.
    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        let mut inside = false;
        let start_of = |view: &&MessageView| {
            let start = !(continues(view) && inside);
            inside = if continues(view) { inside } else { begins(view) };
            start
        };
        views.iter().map(start_of).collect()
    }
}

/// True for a message that only carries results.
fn continues(view: &MessageView) -> bool {
    !view.results.is_empty() && view.calls.is_empty()
}

/// True for a message whose results may follow.
fn begins(view: &MessageView) -> bool {
    !view.calls.is_empty() || view.role == Role::Assistant
}

static DIALECTS: [&dyn Dialect; 1] = [&OpenAiChat];

/// The dialect of that name; for `auto` the only one there is.
pub fn choose(format: &str) -> Result<&'static dyn Dialect, HistoryError> {
    if format == "auto" {
        return Ok(DIALECTS[0]);
    }
    DIALECTS.iter().copied().find(|dialect| dialect.name() == format).ok_or_else(|| {
        let names: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name()).collect();
        HistoryError::UnknownFormat {
            found: format.chars().take(40).collect(),
            accepted: format!("auto, {}", names.join(", ")),
        }
    })
}
