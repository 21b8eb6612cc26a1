//! The conversation that is sent to the model.

/// A conversation: a system message and turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// The system message; not sent if empty.
    pub system: String,
    /// The messages after it, in order.
    pub turns: Vec<Turn>,
    /// Maximum length of the answer, in tokens, unless the settings state one.
    pub max_tokens: Option<u64>,
}

/// One message of a [`Prompt`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
}

/// The speaker of a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
}
