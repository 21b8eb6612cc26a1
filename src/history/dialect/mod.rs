//! A dialect: one wire format of histories. It says where the texts of a message
//! stand, which calls and results pair up, and what its provider would reject.
//! One file a format; everything above sees only views.

mod openai_chat;

pub use openai_chat::OpenAiChat;

use super::HistoryError;
use super::message::{MessageView, Role};

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

    /// The first message of the unit that holds `index`: an assistant turn with
    /// all its results is one unit, and no cut may go through it.
    fn unit_start(&self, views: &[&MessageView], index: usize) -> usize {
        let mut start = index;
        while start > 0 && !views[start].results.is_empty() && views[start].calls.is_empty() {
            start -= 1;
        }
        // Results without a call before them are no unit with what stands there.
        if views[start].calls.is_empty() && views[start].role != Role::Assistant {
            return index;
        }
        start
    }
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
