//! The prefix of the tools' names.

use serde::{Deserialize, Serialize};

/// Maximum number of bytes of a prefix: some clients reject names of more than 64.
const MAX_BYTES: usize = 32;

/// Text before the names of the tools, so that they differ from an agent's own: letters, digits,
/// `_` and `-`, at most 32.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct ToolPrefix(String);

/// The error of a text that is not a prefix.
#[derive(Debug, thiserror::Error)]
#[error(
    "the prefix of the tools is {found:?}; accepted are letters, digits, _ and -, at most \
     {MAX_BYTES}, such as \"unburden_\""
)]
pub(crate) struct InvalidPrefix {
    /// The text found.
    found: String,
}

impl ToolPrefix {
    /// Returns the prefix.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolPrefix {
    type Error = InvalidPrefix;

    fn try_from(text: String) -> Result<ToolPrefix, InvalidPrefix> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if text.len() <= MAX_BYTES && text.bytes().all(plain) {
            return Ok(ToolPrefix(text));
        }
        Err(InvalidPrefix { found: text.chars().take(60).collect() })
    }
}
