//! Reads JSON as slices of its text, without a tree of values.
//!
//! A tree would change numbers, drop duplicate keys and take many times the memory of the text. A
//! slice keeps every byte, so unchanged parts are forwarded byte for byte.
//!
//! | to | use |
//! |---|---|
//! | check the grammar and split a value | [`fields`], [`elements`], [`value`] |
//! | look at a value that was checked before | [`Scanner`], [`each_member`], [`each_element`] |
//! | check a record and visit its members in one pass | [`check_record`], [`check_record_like`] |
//! | split a text into lines, or parts of whole lines, fast | [`lines`], [`parts`] |
//! | find where values end, grammar aside | [`Cursor`], [`string_end`] |
//! | read and write strings | [`unescape`], [`quote`] |
//! | suggest a name in place of an unknown one | [`nearest`] |
//!
//! Of members with the same name, the last one counts, as in JSON parsers; [`field`] returns it.
//! Nesting uses memory, never stack.
//!
//! ```
//! let message = r#"{"role": "user", "content": "caf\u00e9", "n": 1.0, "n": 1.10}"#;
//! let fields = raw_json::fields(message)?;
//! assert_eq!(raw_json::field(&fields, "n"), Some("1.10"));
//!
//! let content = raw_json::field(&fields, "content").unwrap_or_default();
//! assert!(raw_json::is_string(content));
//! assert_eq!(raw_json::unescape(content).text, "café");
//! assert_eq!(&message[raw_json::offset_in(message, content)..][..6], "\"caf\\u");
//! assert_eq!(raw_json::quote("a\nb"), r#""a\nb""#);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod canonical;
mod cursor;
mod find;
mod kind;
mod lines;
mod nearest;
mod record;
mod scanner;
mod split;
mod string;

pub use canonical::{canonical, is_minified, minify};
pub use cursor::{Cursor, Tokens, is_space, string_end};
pub use kind::{Kind, is_string, kind};
pub use lines::{line_end, lines, parts};
pub use nearest::{letters_between, nearest};
pub use record::{check_record, check_record_like};
pub use scanner::{Fault, Key, Scanner, each_element, each_member};
pub use split::{Fields, elements, field, fields, fields_and_elements, value};
pub use string::{Text, code_unit, place_in_literal, quote, unescape};

/// Returns the byte offset of `inner` in `outer`.
///
/// `inner` must be a slice of `outer`; both come from one borrowed parse.
pub fn offset_in(outer: &str, inner: &str) -> usize {
    let offset = (inner.as_ptr() as usize).wrapping_sub(outer.as_ptr() as usize);
    debug_assert!(offset <= outer.len(), "inner is no slice of outer");
    offset
}
