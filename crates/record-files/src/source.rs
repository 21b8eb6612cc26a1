//! The source: what a file keeps of the text that its records come from, besides
//! the records.

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::shape::{Broken, Shape, unflatten};
use super::sink::Limited;
use super::wrap::Wrap;

/// Everything of a text that its records are not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// How the records stood in their text.
    pub shape: Shape,
    /// The length of the text that is rebuilt, in bytes. A caller can refuse by
    /// it before anything is built.
    pub bytes: u64,
    /// What stood around the records, from the outermost in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wraps: Vec<Wrap>,
    /// The white space between the tokens; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

impl Source {
    /// The text that these records come from. Its innermost part, which a forged
    /// layout could blow up, is built up to `limit` bytes.
    pub(super) fn text<'a>(
        &self,
        records: impl Iterator<Item = &'a str>,
        limit: u64,
    ) -> Result<String, Broken> {
        let mut text = Limited::to(limit);
        unflatten(self.shape, records, self.layout.as_ref(), &mut text)?;
        let text = text.finish().ok_or(Broken::Length)?;
        Ok(self.wraps.iter().rev().fold(text, |text, wrap| wrap.around(&text)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::escape::Style;
    use super::*;

    #[test]
    fn wraps_are_put_on_from_the_inside_out() {
        let wrap = |before: &str, after: &str, literal| Wrap {
            before: before.to_owned(),
            after: after.to_owned(),
            literal,
        };
        let outer = wrap("{\"a\":", "}", Some(Style::default()));
        let wraps = vec![outer, wrap("Found:\n", "\n", None)];
        let source = Source { shape: Shape::Array, bytes: 0, wraps, layout: None };
        let text = source.text(["1", "\"x\""].into_iter(), 99).unwrap();
        assert_eq!(text, "{\"a\":\"Found:\\n[1,\\\"x\\\"]\\n\"}");
    }
}
