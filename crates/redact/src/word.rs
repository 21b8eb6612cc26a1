//! Words of a caller that name things: the id of a call, a tool, an operation, a chat. They
//! become parts of names of files and are shown with them, so one that holds a secret is
//! replaced as a whole, always by the same word.

use std::borrow::Cow;

use super::Redact;

/// Prefix of a word that stands for a hidden one.
const HIDDEN: &str = "redacted_";
/// Digits of its hash.
const DIGITS: usize = 16;

impl Redact {
    /// A caller's word as it may be shown and name a file.
    pub fn word(self, word: &str) -> Cow<'_, str> {
        match self.secrets(word).none() {
            true => Cow::Borrowed(word),
            false => Cow::Owned(hidden(word)),
        }
    }
}

/// A word that holds a secret, without it: same word, same bytes.
pub fn hidden(word: &str) -> String {
    format!("{HIDDEN}{}", &blake3::hash(word.as_bytes()).to_hex()[..DIGITS])
}

/// True where `shown` is `word`, or stands for it.
pub fn is_word(shown: &str, word: &str) -> bool {
    shown == word || (shown.starts_with(HIDDEN) && shown == hidden(word))
}
