//! Words of a caller that name a call, a tool, an operation or a chat. They become parts of file
//! names and are shown in them, so a word that contains a secret is replaced as a whole. The same
//! word always gets the same replacement.

use std::borrow::Cow;

use super::Redact;

/// The prefix of a replacement.
const HIDDEN: &str = "redacted_";
/// The number of hash digits in a replacement.
const DIGITS: usize = 16;

impl Redact {
    /// Returns a caller's word in a form that may be shown and used in a file name.
    pub fn word(self, word: &str) -> Cow<'_, str> {
        match self.secrets(word).is_empty() {
            true => Cow::Borrowed(word),
            false => Cow::Owned(hidden(word)),
        }
    }
}

/// Returns the replacement of a word that contains a secret, always the same for a word.
pub fn hidden(word: &str) -> String {
    format!("{HIDDEN}{}", &blake3::hash(word.as_bytes()).to_hex()[..DIGITS])
}

/// Returns true if `shown` is `word` or its replacement.
pub fn is_word(shown: &str, word: &str) -> bool {
    shown == word || (shown.starts_with(HIDDEN) && shown == hidden(word))
}
