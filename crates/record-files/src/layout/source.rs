//! The source: the rest of a text whose records are in a file.

use serde::{Deserialize, Serialize};

use super::lines::{RebuildError, unflatten};
use super::shape::Shape;
use super::spacing::Spacing;
use super::wrap::Wrap;

/// The parts of a text that are not records, from which the text is rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    /// The form of the records in their text.
    pub(crate) shape: Shape,
    /// The length of the rebuilt text in bytes.
    pub(crate) bytes: u64,
    /// The texts around the records, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wraps: Vec<Wrap>,
    /// The white space around and inside the records; absent if it was compact JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spacing: Option<Spacing>,
}

impl Source {
    /// Rebuilds the text of these records. The innermost part, which a forged spacing could
    /// inflate, may have at most `limit` bytes.
    pub(crate) fn text<'a>(
        &self,
        records: impl Iterator<Item = &'a str>,
        limit: u64,
    ) -> Result<String, RebuildError> {
        let text = unflatten(self.shape, self.spacing.as_ref(), records, limit)?;
        Ok(self.around(text))
    }

    /// Returns the text of the records with the text around them.
    pub(crate) fn around(&self, records: String) -> String {
        self.wraps.iter().rev().fold(records, |text, wrap| wrap.around(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::super::escape::EscapeStyle;
    use super::*;

    #[test]
    fn wraps_are_put_on_from_the_inside_out() {
        let wrap = |before: &str, after: &str, literal| Wrap {
            before: before.to_owned(),
            after: after.to_owned(),
            literal,
        };
        let outer = wrap("{\"a\":", "}", Some(EscapeStyle::default()));
        let wraps = vec![outer, wrap("Found:\n", "\n", None)];
        let source = Source { shape: Shape::Array, bytes: 0, wraps, spacing: None };
        let text = source.text(["1", "\"x\""].into_iter(), 99).unwrap();
        assert_eq!(text, "{\"a\":\"Found:\\n[1,\\\"x\\\"]\\n\"}");
    }
}
