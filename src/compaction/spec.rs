//! The size of a preview, and the settings that it is made with.

use redact::Redact;

use super::call::ReloadTools;
use token_count::Tokenizer;

/// The size of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Budget {
    /// In tokens.
    Tokens(u64),
    /// In characters.
    Chars(u64),
}

impl Budget {
    /// The size itself, whatever its unit.
    pub fn whole(self) -> u64 {
        match self {
            Budget::Tokens(limit) | Budget::Chars(limit) => limit,
        }
    }
}

/// The settings of a preview.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The size of what stays, note and reference not included.
    pub budget: Budget,
    /// Counts the text.
    pub tokenizer: Tokenizer,
    /// The tools the agent has; the note names only those.
    pub tools: ReloadTools,
    /// Whether secrets stay visible.
    pub redact: Redact,
}
