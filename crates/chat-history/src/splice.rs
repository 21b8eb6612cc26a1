//! Splices new text into raw bytes. Everything between two edits is copied, so nothing else
//! can change.

use std::ops::Range;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Range<usize>,
    /// The new bytes; a JSON value if the span held one.
    pub replacement: String,
}

/// Applies edits that are sorted and do not overlap.
///
/// ```
/// use chat_history::splice::{Edit, splice};
///
/// let edit = Edit { span: 5..7, replacement: "2".to_owned() };
/// assert_eq!(splice(r#"{"a":10}"#, &[edit]), r#"{"a":2}"#);
/// ```
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
