//! Errors of reading a history.

/// Why a history could not be read. The texts name what was found and what is accepted; they
/// quote no message.
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
    /// A message whose text is in a member that its format has not: it would count nothing.
    #[error(
        "messages[{index}] has its words in \"{member}\", where {format} has none; accepted is a \
         message in the form in which a model gets it ({recognised})"
    )]
    MisplacedText {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// The member that has the text.
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
