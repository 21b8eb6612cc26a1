//! A slot: a place in a message that holds a text. Some formats require a value of a certain type
//! there, or name its type next to it: the slot's frame tells how to write a value of another type,
//! so that the provider still accepts the message.

use std::ops::Range;

use super::splice::Edit;

/// How the message encodes a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// A JSON string literal: the text is its unescaped content.
    String,
    /// Any other JSON value: the text is the JSON itself.
    Json,
}

/// The members around a value that depend on its type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Frame {
    /// The format accepts any JSON value there.
    #[default]
    Bare,
    /// A tag next to the value names its type (AI SDK: `output.type`).
    Tagged {
        /// The tag's literal, quotes included, relative to the message.
        tag: Range<usize>,
        /// The tags.
        names: TypeNames,
    },
    /// The format accepts only an object there (Gemini: `response`): a text is a field of it.
    Object {
        /// The object, relative to the message.
        whole: Range<usize>,
    },
}

/// The tags for a text, and for any other value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeNames {
    /// For a text.
    pub text: &'static str,
    /// For any other JSON value.
    pub json: &'static str,
}

/// The field of an object that holds only a text, as the client libraries of Gemini write it for
/// tools that return a text.
pub const RESULT_FIELD: &str = "result";

/// A place in a message that holds text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Bytes of the value, relative to the message's first byte. With [`Frame::Object`], a JSON
    /// value is the object itself, and a text is a field of it.
    pub span: Range<usize>,
    /// How the value is encoded.
    pub kind: SlotKind,
    /// The members around it.
    pub frame: Frame,
}

impl Slot {
    /// Returns the edits, in order, that replace the slot's value with `literal`, a JSON value of
    /// that kind, in a message that begins at byte `start`.
    pub fn replaced(&self, start: usize, literal: &str, kind: SlotKind) -> Vec<Edit> {
        let at = |span: &Range<usize>| start + span.start..start + span.end;
        let edit = |span: &Range<usize>, replacement: String| Edit { span: at(span), replacement };
        match (&self.frame, self.kind, kind) {
            (Frame::Tagged { tag, names }, was, now) if was != now => {
                let word = if now == SlotKind::String { names.text } else { names.json };
                let mut edits =
                    vec![edit(tag, format!("\"{word}\"")), edit(&self.span, literal.to_owned())];
                edits.sort_by_key(|edit| edit.span.start);
                edits
            }
            (Frame::Object { whole }, SlotKind::Json, SlotKind::String) => {
                vec![edit(whole, format!("{{\"{RESULT_FIELD}\":{literal}}}"))]
            }
            (Frame::Object { whole }, SlotKind::String, SlotKind::Json) => {
                vec![edit(whole, literal.to_owned())]
            }
            _ => vec![edit(&self.span, literal.to_owned())],
        }
    }

    /// Returns true if the format accepts a value of that kind here. If it requires an object, only
    /// an object or a text is accepted.
    pub fn accepts(&self, value: &str, kind: SlotKind) -> bool {
        let framed = matches!(self.frame, Frame::Object { .. }) && kind == SlotKind::Json;
        !framed || value.trim_ascii().starts_with('{')
    }
}
