//! The wrap: what stands around a text, word for word, and in which spelling the
//! text itself stands there.

use serde::{Deserialize, Serialize};

use super::escape::Style;

/// What stands around a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrap {
    /// Everything before it.
    pub before: String,
    /// Everything after it.
    pub after: String,
    /// How the text is spelled, where it is the text of a JSON string literal;
    /// absent where it stands as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literal: Option<Style>,
}

impl Wrap {
    /// The text with what stands around it.
    pub fn around(&self, text: &str) -> String {
        let spelled = self.literal.as_ref().map(|style| style.quote(text));
        [&self.before, spelled.as_deref().unwrap_or(text), &self.after].concat()
    }

    /// True where nothing stands around a text that is no literal.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.literal.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(literal: Option<Style>) -> Wrap {
        Wrap { before: "{\"a\": ".to_owned(), after: " }".to_owned(), literal }
    }

    #[test]
    fn a_text_stands_as_it_is_or_as_a_literal() {
        assert_eq!(wrap(None).around("[1]"), "{\"a\": [1] }");
        assert_eq!(wrap(Some(Style::default())).around("[\"\"]"), "{\"a\": \"[\\\"\\\"]\" }");
    }

    #[test]
    fn an_empty_wrap_is_told() {
        let empty = Wrap { before: String::new(), after: String::new(), literal: None };
        assert!(empty.is_empty() && !wrap(None).is_empty());
    }
}
