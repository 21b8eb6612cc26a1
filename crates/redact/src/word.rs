//! Words of a caller that name a call, a tool, an operation or a chat. They become parts of
//! file names and are shown with them, so a word that holds a secret is replaced as a whole,
//! always by the same replacement.

use std::borrow::Cow;

use super::Redact;

/// Prefix of a word that stands for a hidden one.
const HIDDEN: &str = "redacted_";
/// Digits of its hash.
const DIGITS: usize = 16;

impl Redact {
    /// Returns a caller's word as it may be shown and name a file.
    pub fn word(self, word: &str) -> Cow<'_, str> {
        match self.secrets(word).is_empty() {
            true => Cow::Borrowed(word),
            false => Cow::Owned(hidden(word)),
        }
    }
}

/// Returns the replacement of a word that holds a secret; the same for the same word.
pub fn hidden(word: &str) -> String {
    format!("{HIDDEN}{}", &blake3::hash(word.as_bytes()).to_hex()[..DIGITS])
}

/// True if `shown` is `word` or its replacement.
pub fn is_word(shown: &str, word: &str) -> bool {
    shown == word || (shown.starts_with(HIDDEN) && shown == hidden(word))
}
