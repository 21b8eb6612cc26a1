//! A history: the messages of one conversation, as posted.

use std::sync::OnceLock;

use raw_json as raw;

use crate::HistoryError;
use crate::dialect::{self, Chosen, Dialect, Source, misplaced_text};
use crate::message::{MessageView, Role, assign_front_roles};

/// The messages of one conversation as raw slices of the request.
///
/// ```
/// use chat_history::History;
/// use chat_history::message::Role;
///
/// let history = History::parse(r#"[{"role": "user", "content": "Hi"}]"#, "auto")?;
/// assert_eq!(history.views()?[0].role, Role::User);
/// assert_eq!(history.source().words(), "no message has what only one format has");
/// # Ok::<(), chat_history::HistoryError>(())
/// ```
#[derive(Clone)]
pub struct History<'a> {
    /// The whole JSON array, brackets included. Every message is a slice of it.
    array: &'a str,
    messages: Vec<&'a str>,
    chosen: Chosen,
    /// Whether a message at the front that looks like the service's is the service's, once judged.
    front_is_service: OnceLock<bool>,
}

impl<'a> History<'a> {
    /// Splits a JSON array into messages, without parsing them. `format` is a dialect's name or
    /// `auto`.
    ///
    /// # Errors
    ///
    /// Fails if `array` is not a JSON array, or if the format is unknown.
    pub fn parse(array: &'a str, format: &str) -> Result<History<'a>, HistoryError> {
        let array = array.trim_ascii();
        let messages = raw::elements(array)
            .map_err(|_| HistoryError::NotAnArray { found: raw::kind(array) })?;
        History::from_elements(array, messages, format, None)
    }

    /// Returns the history of an array whose elements are known. The separate `system` prompt helps
    /// to detect the format.
    ///
    /// # Errors
    ///
    /// Fails if the format is unknown.
    pub fn from_elements(
        array: &'a str,
        messages: Vec<&'a str>,
        format: &str,
        system: Option<&str>,
    ) -> Result<History<'a>, HistoryError> {
        let chosen = dialect::choose(format, &messages, system)?;
        Ok(History { array, messages, chosen, front_is_service: OnceLock::new() })
    }

    /// Splits another array of messages, in the dialect of this history.
    ///
    /// # Errors
    ///
    /// Fails if `array` is not a JSON array.
    pub fn reparse<'b>(&self, array: &'b str) -> Result<History<'b>, HistoryError> {
        let history = History::parse(array, self.dialect().name())?;
        Ok(History { chosen: self.chosen.clone(), ..history })
    }

    /// Reads message `index`.
    ///
    /// # Errors
    ///
    /// Fails if the dialect cannot read the message, or would miss a part of it.
    pub fn view(&self, index: usize) -> Result<MessageView, HistoryError> {
        let view = self.dialect().view(self.messages[index]).map_err(|bad| {
            let (found, accepted) = (bad.found, bad.accepted);
            HistoryError::BadMessage { index, found, accepted, recognised: self.recognised(index) }
        })?;
        self.is_whole(index, &view)?;
        match misplaced_text(&view, self.messages[index]) {
            Some(member) => Err(HistoryError::MisplacedText {
                index,
                member,
                format: self.dialect().name(),
                recognised: self.recognised(index),
            }),
            None => Ok(view),
        }
    }

    /// Reads all messages.
    ///
    /// # Errors
    ///
    /// Fails if a message cannot be read.
    pub fn views(&self) -> Result<Vec<MessageView>, HistoryError> {
        let mut views: Vec<MessageView> =
            (0..self.messages.len()).map(|index| self.view(index)).collect::<Result<_, _>>()?;
        assign_front_roles(&mut views, |view| view, |view, role| view.role = role);
        self.return_front_to_user(&mut views, |view| view, |view, role| view.role = role);
        Ok(views)
    }

    /// Calls `is_service` to decide whether the first message after the system messages is the
    /// service's, if it looks like one: its text alone proves nothing. Without this call it counts
    /// as the service's.
    pub fn judge_front(&self, is_service: impl FnOnce(&str) -> bool) {
        let is_behind_system = |raw: &&&str| match self.dialect().view(raw) {
            Ok(view) => !matches!(view.role, Role::System | Role::MidSystem),
            Err(_) => true,
        };
        let first = self.messages.iter().find(is_behind_system);
        let candidate =
            first.filter(|raw| self.dialect().view(raw).is_ok_and(|view| view.is_service));
        // Only the first judgement counts.
        let _ = self.front_is_service.set(candidate.is_none_or(|raw| is_service(raw)));
    }

    /// Returns false if the message at the front was judged not to be the service's.
    pub fn has_service_front(&self) -> bool {
        self.front_is_service.get().copied().unwrap_or(true)
    }

    /// Restores the user's role of the message at the front, if it was judged not to be the
    /// service's. `view` and `set` read and write the role of an element.
    pub fn return_front_to_user<T>(
        &self,
        all: &mut [T],
        view: impl Fn(&T) -> &MessageView,
        set: impl Fn(&mut T, Role),
    ) {
        if !self.has_service_front() {
            let own =
                |message: &&mut T| view(message).is_service && view(message).role == Role::System;
            all.iter_mut().filter(own).for_each(|message| set(message, Role::User));
        }
    }

    /// Checks that message `index` has no parts of another format than the detected one, whose
    /// results would be missed.
    ///
    /// # Errors
    ///
    /// Fails if it has such parts.
    pub fn is_whole(&self, index: usize, view: &MessageView) -> Result<(), HistoryError> {
        match view.other_format {
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

    /// Returns the array as posted.
    pub fn array(&self) -> &'a str {
        self.array
    }

    /// Returns the messages, oldest first.
    pub fn messages(&self) -> &[&'a str] {
        &self.messages
    }

    /// Returns the wire format of the messages.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.chosen.dialect
    }

    /// Returns the reason for the wire format.
    pub fn source(&self) -> &Source {
        &self.chosen.source
    }

    /// Returns the offset of message `index` in [`History::array`], in bytes.
    pub fn start_of(&self, index: usize) -> usize {
        raw::offset_in(self.array, self.messages[index])
    }
}
