//! Splice: new text into raw bytes. Everything between two edits is copied, so
//! what nobody chose to change cannot change.

use std::ops::Range;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that go.
    pub span: Range<usize>,
    /// The bytes in their place; a JSON value if the span held one.
    pub replacement: String,
}

/// Applies edits that are sorted and do not overlap.
pub fn splice(source: &str, edits: &[Edit]) -> String {
    let grown: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let gone: usize = edits.iter().map(|edit| edit.span.len()).sum();
    let mut out = String::with_capacity((source.len() + grown).saturating_sub(gone));
    let mut at = 0;
    for edit in edits {
        out.push_str(&source[at..edit.span.start]);
        out.push_str(&edit.replacement);
        at = edit.span.end;
    }
    out.push_str(&source[at..]);
    out
}

/// A JSON string literal of `text`.
pub fn quote(text: &str) -> String {
    // Serialising a &str cannot fail: there is no writer and no map key in it.
    serde_json::to_string(text).unwrap_or_default()
}
