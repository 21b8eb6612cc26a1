//! The wrap: the exact text before and after an inner text, and how the inner text is
//! escaped.

use serde::{Deserialize, Serialize};

use super::escape::EscapeStyle;

/// The text around an inner text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wrap {
    /// Everything before it.
    pub(crate) before: String,
    /// Everything after it.
    pub(crate) after: String,
    /// The escape style if the inner text is in a JSON string literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) literal: Option<EscapeStyle>,
}

impl Wrap {
    /// Returns the inner text with the text around it.
    pub(crate) fn around(&self, text: &str) -> String {
        let spelled = self.literal.as_ref().map(|style| style.quote(text));
        [&self.before, spelled.as_deref().unwrap_or(text), &self.after].concat()
    }

    /// Returns true if there is no text around the inner text, and no literal.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.literal.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(literal: Option<EscapeStyle>) -> Wrap {
        Wrap { before: "{\"a\": ".to_owned(), after: " }".to_owned(), literal }
    }

    #[test]
    fn the_inner_text_is_plain_or_a_literal() {
        assert_eq!(wrap(None).around("[1]"), "{\"a\": [1] }");
        assert_eq!(wrap(Some(EscapeStyle::default())).around("[\"\"]"), "{\"a\": \"[\\\"\\\"]\" }");
    }

    #[test]
    fn an_empty_wrap_is_recognized() {
        let empty = Wrap { before: String::new(), after: String::new(), literal: None };
        assert!(empty.is_empty() && !wrap(None).is_empty());
    }
}
