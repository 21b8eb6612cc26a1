//! A slot: a place in a message that holds a text, and what stands around it.
//! A tool's result may be a JSON value where its format wants a certain type; the
//! frame says how another type takes its place, so that the message stays what
//! its provider accepts.

use std::ops::Range;

use super::splice::Edit;

/// How a text is spelled in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// A JSON string literal: the text is what it unescapes to.
    String,
    /// Any other JSON value: the text is the JSON itself.
    Json,
}

/// The members around a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Frame {
    /// Any JSON value may stand there.
    #[default]
    Bare,
    /// A word beside the value says of which type it is (AI SDK: `output.type`).
    Tagged {
        /// The word's literal, quotes included, relative to the message.
        tag: Range<usize>,
        /// The two words.
        words: Words,
    },
    /// Only an object may stand there (Gemini: `response`): a text stands in a
    /// field of it.
    Object {
        /// The object, relative to the message.
        whole: Range<usize>,
    },
}

/// The words for a value that is a text, and for any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// For a text.
    pub text: &'static str,
    /// For any other JSON value.
    pub json: &'static str,
}

/// The field of an object that holds a text and nothing else, as the client
/// libraries of Gemini write it for tools that return one.
pub const ONLY_FIELD: &str = "result";

/// A place in a message that holds text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Bytes of the value, relative to the message's first byte. With
    /// [`Frame::Object`] a JSON value is the object itself, a text a field of it.
    pub span: Range<usize>,
    /// How the value is spelled.
    pub kind: SlotKind,
    /// The members around it.
    pub frame: Frame,
}

impl Slot {
    /// The edits that put `literal`, a JSON value of that kind, in the place of the
    /// slot of a message that begins at byte `start`; in order.
    pub fn replaced(&self, start: usize, literal: &str, kind: SlotKind) -> Vec<Edit> {
        let at = |span: &Range<usize>| start + span.start..start + span.end;
        let edit = |span: &Range<usize>, replacement: String| Edit { span: at(span), replacement };
        match (&self.frame, self.kind, kind) {
            (Frame::Tagged { tag, words }, was, now) if was != now => {
                let word = if now == SlotKind::String { words.text } else { words.json };
                let mut edits =
                    vec![edit(tag, format!("\"{word}\"")), edit(&self.span, literal.to_owned())];
                edits.sort_by_key(|edit| edit.span.start);
                edits
            }
            (Frame::Object { whole }, SlotKind::Json, SlotKind::String) => {
                vec![edit(whole, format!("{{\"{ONLY_FIELD}\":{literal}}}"))]
            }
            (Frame::Object { whole }, SlotKind::String, SlotKind::Json) => {
                vec![edit(whole, literal.to_owned())]
            }
            _ => vec![edit(&self.span, literal.to_owned())],
        }
    }

    /// True where a JSON value of that kind may come back to this place: anywhere but
    /// where the format wants an object, and `value` is neither one nor a text.
    pub fn takes(&self, value: &str, kind: SlotKind) -> bool {
        let framed = matches!(self.frame, Frame::Object { .. }) && kind == SlotKind::Json;
        !framed || value.trim_ascii().starts_with('{')
    }
}
