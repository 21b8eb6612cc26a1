//! A history: the ordered messages of one conversation, kept as the bytes that
//! came. Parsing borrows; nothing is copied, so a message that is not chosen for
//! a change leaves exactly as it arrived: key order, number spelling, escapes
//! and unknown fields included.
//!
//! What a message says is read through a [`dialect::Dialect`] into a
//! [`message::MessageView`]; every floor above sees only the view and spans.

pub mod dialect;
pub mod message;
pub mod raw;
pub mod splice;

use dialect::Dialect;

/// Why a history could not be read. The texts name what was found and what
/// would be accepted; no message content is quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// `messages` is no JSON array.
    #[error("messages is {found}; accepted is an array of messages, oldest first")]
    NotAnArray {
        /// What stood there, in JSON's own terms.
        found: &'static str,
    },
    /// One element cannot be read as a message of the dialect.
    #[error("messages[{index}] {found}; accepted is {accepted}")]
    BadMessage {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// What stood there.
        found: String,
        /// What the dialect takes.
        accepted: &'static str,
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
    dialect: &'static dyn Dialect,
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
        History::of_elements(array, messages, format)
    }

    /// The same for an array whose elements are known already.
    pub fn of_elements(
        array: &'a str,
        messages: Vec<&'a str>,
        format: &str,
    ) -> Result<History<'a>, HistoryError> {
        let dialect = dialect::choose(format)?;
        Ok(History { array, messages, dialect })
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
        self.dialect
    }

    /// Where message `index` begins inside [`History::array`], in bytes.
    pub fn start_of(&self, index: usize) -> usize {
        raw::offset_in(self.array, self.messages[index])
    }
}
