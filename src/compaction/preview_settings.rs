//! The size of a preview, and the settings that it is made with.

use redact::Redact;

use super::call::ReloadTools;
use token_count::Tokenizer;

/// The size of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PreviewSize {
    /// In tokens.
    Tokens(u64),
    /// In characters.
    Chars(u64),
}

impl PreviewSize {
    /// The size itself, whatever its unit.
    pub(crate) fn whole(self) -> u64 {
        match self {
            PreviewSize::Tokens(limit) | PreviewSize::Chars(limit) => limit,
        }
    }
}

/// The settings of a preview.
#[derive(Debug, Clone)]
pub(crate) struct PreviewSettings {
    /// The size of the part that stays, without note and reference.
    pub budget: PreviewSize,
    /// Counts the text.
    pub tokenizer: Tokenizer,
    /// The tools the agent has; the note names only those.
    pub tools: ReloadTools,
    /// The redaction of secrets.
    pub redact: Redact,
}
