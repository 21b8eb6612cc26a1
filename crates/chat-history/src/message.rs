//! A view of one message: who speaks, which tools are called, which results
//! come back, and where in the raw bytes each text stands. Spans are relative to
//! the message's first byte, so a view stays true for every copy of the same
//! bytes and can be cached by content.

use super::dialect::Fault;
pub use super::slot::{Frame, Slot, SlotKind};

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The operator's instructions (`system`, `developer`), and in formats without
    /// such messages those that this service added: never touched.
    System,
    /// The operator's words among the turns, in a format whose system prompt stands
    /// beside the messages: they hold where they stand, and leave with their turn.
    MidSystem,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
    /// A role the dialect does not know; counted and left alone.
    Other,
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

/// One side of a call that the provider's own tools answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTool {
    /// The call, by its id.
    Call(String),
    /// The result, by the id of its call.
    Result(String),
}

/// The content of one message, in terms that all dialects share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageView {
    /// The speaker of a message. A message of results alone is a tool's, whatever the format
    /// calls it; one that holds other words besides keeps the format's role.
    pub role: Role,
    /// Calls made in this message that the caller's own tools answer.
    pub calls: Vec<Call>,
    /// Ids of calls that wait for the user's consent: pending, not forgotten.
    pub awaiting: Vec<String>,
    /// Results carried by this message, of the caller's own tools.
    pub results: Vec<ToolResult>,
    /// Calls and results of the provider's own tools, in order, where a result may
    /// stand in a later message than its call. They are left alone.
    pub server: Vec<ServerTool>,
    /// Every other text that a model reads: content, reasoning, names, what the
    /// provider's own tools returned.
    pub texts: Vec<Slot>,
    /// Images, files and audio: counted at a flat cost, never as text.
    pub media: u32,
    /// Bytes that only the provider can read: encrypted reasoning. Counted by their
    /// length.
    pub opaque: u64,
    /// True where the last block is a result of the provider's own tools.
    pub ends_served: bool,
    /// True for a system message that does more than speak: it adds a tool, or sets the
    /// effort from its place on. No summary can take its place.
    pub directive: bool,
    /// True for reasoning that is a message of its own and belongs to what follows.
    pub reasoning: bool,
    /// The id that ties such reasoning to the item it led to; None where the client
    /// left it out, and the provider cannot ask for that item.
    pub reasoning_id: Option<String>,
    /// True for a user's message with words of the service's own. At the front of a
    /// history it is a system's ([`settle`]); anywhere else somebody repeats them.
    pub own: bool,
    /// Rules of the provider that the message breaks by itself.
    pub faults: Vec<Fault>,
    /// The type of a part beside results that the dialect does not know: counted as the
    /// JSON it is, and left alone.
    pub unknown: Option<Box<str>>,
    /// The format that a part of the message belongs to, where it is another one.
    pub foreign: Option<&'static str>,
}

impl MessageView {
    /// True for a system message of the operator's, wherever it stands.
    pub fn is_operators(&self) -> bool {
        matches!(self.role, Role::System | Role::MidSystem) && !self.own
    }

    /// A view with nothing in it but the speaker.
    pub fn new(role: Role) -> MessageView {
        MessageView {
            role,
            calls: Vec::new(),
            awaiting: Vec::new(),
            results: Vec::new(),
            server: Vec::new(),
            texts: Vec::new(),
            media: 0,
            opaque: 0,
            ends_served: false,
            directive: false,
            reasoning: false,
            reasoning_id: None,
            own: false,
            faults: Vec::new(),
            unknown: None,
            foreign: None,
        }
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
            && self.server == other.server
            && self.texts.len() == other.texts.len()
            && (self.media, self.opaque) == (other.media, other.opaque)
    }
}

/// Gives the system's role to what stands at the front of a history: system messages of
/// the operator's, which are the prompt there, and the service's own message behind
/// them. `view` and `set` reach the view of a message.
pub fn settle<T>(all: &mut [T], view: impl Fn(&T) -> &MessageView, set: impl Fn(&mut T, Role)) {
    for message in all {
        match view(message).role {
            Role::System => {}
            Role::MidSystem => set(message, Role::System),
            _ if view(message).own => return set(message, Role::System),
            _ => return,
        }
    }
}
