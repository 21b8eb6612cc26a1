//! Reads and changes the message histories of LLM agents as raw bytes.
//!
//! A history is the ordered messages of one conversation, kept as posted. Parsing borrows;
//! nothing is copied, so a message that is not chosen for a change leaves exactly as it
//! arrived: key order, number spelling, escapes and unknown fields included.
//!
//! A message is read through a [`dialect::Dialect`] – one for each wire format – into a
//! [`message::MessageView`]: texts, calls and results, each with its place in the bytes. A
//! [`splice::Edit`] replaces a text there.
//!
//! ```
//! use chat_history::History;
//! use chat_history::message::SlotKind;
//! use chat_history::splice::splice;
//!
//! let posted = r#"[{"role": "tool", "tool_call_id": "call_1", "content": "a long\nlog", "n": 1.0}]"#;
//! let history = History::parse(posted, "auto")?;
//! assert_eq!(history.dialect().name(), "openai-chat");
//!
//! let view = history.view(0)?;
//! let result = &view.results[0];
//! assert_eq!(result.call_id.as_deref(), Some("call_1"));
//!
//! let edits = result.slots[0].replaced(history.start_of(0), "\"moved\"", SlotKind::String);
//! assert_eq!(
//!     splice(history.array(), &edits),
//!     r#"[{"role": "tool", "tool_call_id": "call_1", "content": "moved", "n": 1.0}]"#
//! );
//! # Ok::<(), chat_history::HistoryError>(())
//! ```

pub mod dialect;
pub mod footprint;
pub mod message;
pub mod outline;
pub mod own;
pub mod raw;
pub mod repair;
pub mod slot;
pub mod splice;
pub mod stub;
pub mod system_prompt;

use std::sync::OnceLock;

use dialect::{Chosen, Dialect, Source, unread};
use message::{MessageView, Role, settle};

/// Why a history could not be read. The texts name what was found and what
/// would be accepted; no message content is quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// `messages` is no JSON array.
    #[error("messages is {found}; accepted is an array of messages, oldest first")]
    NotAnArray {
        /// The kind of value that was found, in JSON's terms.
        found: &'static str,
    },
    /// One element cannot be read as a message of the dialect.
    #[error("messages[{index}] {found}; accepted is {accepted} ({recognised})")]
    BadMessage {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// The value that was found.
        found: String,
        /// The values that the dialect accepts.
        accepted: &'static str,
        /// Which format the messages before it are in, and why.
        recognised: String,
    },
    /// A message of a detected format has parts of another one.
    #[error(
        "messages[{index}] has a part of {other}; accepted is one format in a history, or its name \
         in \"format\" ({recognised})"
    )]
    Mixed {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// The format of the part.
        other: &'static str,
        /// Which format the messages before it are in, and why.
        recognised: String,
    },
    /// A message whose words stand where its format has none: they would count nothing.
    #[error(
        "messages[{index}] has its words in \"{member}\", where {format} has none; accepted is a \
         message in the form in which a model gets it ({recognised})"
    )]
    Unread {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// The member that has the words.
        member: String,
        /// The format it was read as.
        format: &'static str,
        /// Which format the messages before it are in, and why.
        recognised: String,
    },
    /// The name of a format that is not known.
    #[error("format is \"{found}\"; accepted is one of {accepted}")]
    UnknownFormat {
        /// The name that was given.
        found: String,
        /// The known names.
        accepted: String,
    },
}

/// The messages of one conversation as raw slices of the request.
#[derive(Clone)]
pub struct History<'a> {
    /// The whole JSON array, brackets included. Every message is a slice of it.
    array: &'a str,
    messages: Vec<&'a str>,
    chosen: Chosen,
    /// Whether a message at the front that looks like the service's own is its own, once
    /// somebody could tell.
    own_front: OnceLock<bool>,
}

impl<'a> History<'a> {
    /// Splits a JSON array into messages. `format` is a dialect's name or `auto`.
    ///
    /// The messages themselves are not read yet: that is the measure's work,
    /// which knows most of them from an earlier turn.
    pub fn parse(array: &'a str, format: &str) -> Result<History<'a>, HistoryError> {
        let array = array.trim_ascii();
        let messages = raw::elements(array)
            .map_err(|_| HistoryError::NotAnArray { found: raw::kind(array) })?;
        History::of_elements(array, messages, format, None)
    }

    /// The same for an array whose elements are known already, with the system prompt
    /// that stands beside them.
    pub fn of_elements(
        array: &'a str,
        messages: Vec<&'a str>,
        format: &str,
        beside: Option<&str>,
    ) -> Result<History<'a>, HistoryError> {
        let chosen = dialect::choose(format, &messages, beside)?;
        Ok(History { array, messages, chosen, own_front: OnceLock::new() })
    }

    /// The same messages, or what became of them, in the dialect of this history and
    /// for its reason.
    pub fn alike<'b>(&self, array: &'b str) -> Result<History<'b>, HistoryError> {
        let history = History::parse(array, self.dialect().name())?;
        Ok(History { chosen: self.chosen.clone(), ..history })
    }

    /// One of the messages, read.
    pub fn view(&self, index: usize) -> Result<MessageView, HistoryError> {
        let view = self.dialect().view(self.messages[index]).map_err(|bad| {
            let (found, accepted) = (bad.found, bad.accepted);
            HistoryError::BadMessage { index, found, accepted, recognised: self.recognised(index) }
        })?;
        self.is_whole(index, &view)?;
        match unread(&view, self.messages[index]) {
            Some(member) => Err(HistoryError::Unread {
                index,
                member,
                format: self.dialect().name(),
                recognised: self.recognised(index),
            }),
            None => Ok(view),
        }
    }

    /// All of the messages, read.
    pub fn views(&self) -> Result<Vec<MessageView>, HistoryError> {
        let mut views: Vec<MessageView> =
            (0..self.messages.len()).map(|index| self.view(index)).collect::<Result<_, _>>()?;
        settle(&mut views, |view| view, |view, role| view.role = role);
        self.disown(&mut views, |view| view, |view, role| view.role = role);
        Ok(views)
    }

    /// Asks `is_own` of the first message that is no system's, where it looks like one of
    /// the service's own: its words alone do not prove it. Where nobody asks, it counts as
    /// what it looks like.
    pub fn judge_front(&self, is_own: impl FnOnce(&str) -> bool) {
        let looks_own = |raw: &&&str| match self.dialect().view(raw) {
            Ok(view) => view.role != Role::System,
            Err(_) => true,
        };
        let first = self.messages.iter().find(looks_own);
        let own = first.filter(|raw| self.dialect().view(raw).is_ok_and(|view| view.own));
        // Judged once: what a history is does not change while it is worked on.
        let _ = self.own_front.set(own.is_none_or(|raw| is_own(raw)));
    }

    /// False where the message at the front was judged to be no word of the service's.
    pub fn has_own_front(&self) -> bool {
        self.own_front.get().copied().unwrap_or(true)
    }

    /// Gives a message at the front back to the user, where it was judged to be no word of
    /// the service's.
    pub fn disown<T>(
        &self,
        all: &mut [T],
        view: impl Fn(&T) -> &MessageView,
        set: impl Fn(&mut T, Role),
    ) {
        if !self.has_own_front() {
            let own = |message: &&mut T| view(message).own && view(message).role == Role::System;
            all.iter_mut().filter(own).for_each(|message| set(message, Role::User));
        }
    }

    /// An error where a message of a detected format has parts of another one: read
    /// on, its results would be left alone without a word.
    pub fn is_whole(&self, index: usize, view: &MessageView) -> Result<(), HistoryError> {
        match view.foreign {
            Some(other) if self.chosen.source != Source::Named => {
                let recognised = self.recognised(index);
                Err(HistoryError::Mixed { index, other, recognised })
            }
            _ => Ok(()),
        }
    }

    fn recognised(&self, until: usize) -> String {
        let (name, why) = (self.dialect().name(), self.source().words());
        match until {
            0 => format!("read as {name}: {why}"),
            1 => format!("messages[0] was read as {name}: {why}"),
            until => format!("messages[0] to messages[{}] were read as {name}: {why}", until - 1),
        }
    }

    /// The array as it came.
    pub fn array(&self) -> &'a str {
        self.array
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[&'a str] {
        &self.messages
    }

    /// The wire format the messages are in.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.chosen.dialect
    }

    /// Why they are read in it.
    pub fn source(&self) -> &Source {
        &self.chosen.source
    }

    /// Where message `index` begins inside [`History::array`], in bytes.
    pub fn start_of(&self, index: usize) -> usize {
        raw::offset_in(self.array, self.messages[index])
    }
}
