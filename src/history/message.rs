//! A view of one message: who speaks, which tools are called, which results
//! come back, and where in the raw bytes each text stands. Spans are relative to
//! the message's first byte, so a view stays true for every copy of the same
//! bytes and can be cached by content.

use std::ops::Range;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The operator's instructions (`system`, `developer`): never touched.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
    /// A role the dialect does not know; counted and left alone.
    Other,
}

/// How a text is spelled in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// A JSON string literal: the text is what it unescapes to.
    String,
    /// Any other JSON value: the text is the JSON itself.
    Json,
}

/// A place in a message that holds text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Bytes of the value, relative to the message's first byte.
    pub span: Range<usize>,
    /// How the value is spelled.
    pub kind: SlotKind,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id that its result names; None in formats that pair by order.
    pub id: Option<String>,
    /// The tool.
    pub name: Option<String>,
    /// The arguments, as a string of JSON or as JSON.
    pub arguments: Option<Slot>,
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub call_id: Option<String>,
    /// The tool, where the result itself names it.
    pub name: Option<String>,
    /// Its texts, in order; images and other parts are left out.
    pub slots: Vec<Slot>,
}

/// What one message holds, as every floor above the dialects sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageView {
    /// Who speaks.
    pub role: Role,
    /// Calls made in this message.
    pub calls: Vec<Call>,
    /// Results carried by this message.
    pub results: Vec<ToolResult>,
    /// Every other text that a model reads: content, reasoning, names.
    pub texts: Vec<Slot>,
    /// Images, files and audio: counted at a flat cost, never as text.
    pub media: u32,
}

impl MessageView {
    /// A view with nothing in it but the speaker.
    pub fn new(role: Role) -> MessageView {
        MessageView { role, calls: Vec::new(), results: Vec::new(), texts: Vec::new(), media: 0 }
    }

    /// True where nothing but the texts of results may differ between the two:
    /// the shape that compaction must keep.
    pub fn same_shape(&self, other: &MessageView) -> bool {
        let same_result = |(a, b): (&ToolResult, &ToolResult)| {
            (&a.call_id, &a.name, a.slots.len()) == (&b.call_id, &b.name, b.slots.len())
        };
        self.role == other.role
            && self.calls.iter().map(|call| &call.id).eq(other.calls.iter().map(|call| &call.id))
            && self.results.len() == other.results.len()
            && self.results.iter().zip(&other.results).all(same_result)
            && self.texts.len() == other.texts.len()
            && self.media == other.media
    }
}
