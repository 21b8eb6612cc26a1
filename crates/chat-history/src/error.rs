//! Errors of reading a history.

/// The reason why a history could not be read. The texts say what was found and what is accepted;
/// they quote no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// `messages` is not a JSON array.
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
        /// The format of the preceding messages, and why.
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
        /// The format of the preceding messages, and why.
        recognised: String,
    },
    /// The text of a message is in a member that its format does not have: it would count nothing.
    #[error(
        "messages[{index}] has its text in \"{member}\", a member that {format} does not have; \
         accepted is a message in the form in which a model gets it ({recognised})"
    )]
    MisplacedText {
        /// Position in `messages`, counted from 0.
        index: usize,
        /// The member that has the text.
        member: String,
        /// The format it was read as.
        format: &'static str,
        /// The format of the preceding messages, and why.
        recognised: String,
    },
    /// The name of the format is unknown.
    #[error("format is \"{found}\"; accepted is one of {accepted}")]
    UnknownFormat {
        /// The name that was given.
        found: String,
        /// The known names.
        accepted: String,
    },
}
