//! A view of one message: its speaker, calls, results and texts, each with its place in the
//! raw bytes. Spans are relative to the message's first byte, so a view fits every copy of the
//! same bytes and can be cached by content.

use super::dialect::Fault;
pub use super::slot::{Frame, Slot, SlotKind};

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The operator's instructions (`system`, `developer`), and in formats without such messages
    /// those that this service added. Never changed.
    System,
    /// The operator's text among the turns, in a format whose system prompt is not one of the
    /// messages. It applies from its place on, and is summarised with its turn.
    MidSystem,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
    /// A role the dialect does not know: counted, and never changed.
    Other,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id that its result names; `None` in formats that pair by order.
    pub id: Option<String>,
    /// The tool.
    pub name: Option<String>,
    /// The arguments, as a string of JSON or as JSON.
    pub arguments: Option<Slot>,
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub call_id: Option<String>,
    /// The tool, if the result itself names it.
    pub name: Option<String>,
    /// Its texts, in order, without images and other parts.
    pub slots: Vec<Slot>,
}

/// A call or a result of the provider's own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTool {
    /// The call, by its id.
    Call(String),
    /// The result, by the id of its call.
    Result(String),
}

/// The content of one message, in terms that all dialects share.
///
/// ```
/// use chat_history::dialect::{Dialect, OpenAiChat};
/// use chat_history::message::Role;
///
/// let message = r#"{"role":"user","content":"Hi"}"#;
/// let view = OpenAiChat.view(message).map_err(|bad| bad.found)?;
/// assert_eq!(view.role, Role::User);
/// assert_eq!(&message[view.texts[0].span.clone()], "\"Hi\"");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageView {
    /// The speaker. A message with only results is a tool's, whatever the format calls it; one with
    /// other texts keeps the format's role.
    pub role: Role,
    /// Calls made in this message that the caller's own tools answer.
    pub calls: Vec<Call>,
    /// Ids of calls that wait for the user's consent, and so have no result yet.
    pub awaiting: Vec<String>,
    /// Results carried by this message, of the caller's own tools.
    pub results: Vec<ToolResult>,
    /// Calls and results of the provider's own tools, in order, in formats whose result may be
    /// in a later message than its call. They are never changed.
    pub server: Vec<ServerTool>,
    /// Every other text that a model reads: content, reasoning, names, results of the provider's
    /// own tools.
    pub texts: Vec<Slot>,
    /// Images, files and audio: counted at a flat cost, never as text.
    pub media: u32,
    /// Bytes that only the provider can read: encrypted reasoning. Counted by their
    /// length.
    pub opaque: u64,
    /// True if the last block is a result of the provider's own tools.
    pub ends_with_server_result: bool,
    /// True for a system message that is more than text: it adds a tool, or sets the effort from
    /// its place on. No summary can replace it.
    pub directive: bool,
    /// True for reasoning that is a separate message and belongs to the next one.
    pub reasoning: bool,
    /// The id that ties such reasoning to the item that it led to; `None` if the client omitted it,
    /// so that the provider cannot require that item.
    pub reasoning_id: Option<String>,
    /// True for a user's message with the text of a service's message. At the front of a history it
    /// is a system message ([`assign_front_roles`]); anywhere else it is a quotation.
    pub is_service: bool,
    /// Violations of the provider's rules by this message alone.
    pub faults: Vec<Fault>,
    /// The type of a part outside results that the dialect does not know: counted as JSON, and
    /// never changed.
    pub unknown: Option<Box<str>>,
    /// The format of a part of the message, if it is another format.
    pub other_format: Option<&'static str>,
}

impl MessageView {
    /// Returns true for a system message of the operator, at the front or among the turns.
    pub fn is_operators(&self) -> bool {
        matches!(self.role, Role::System | Role::MidSystem) && !self.is_service
    }

    /// Returns a view with only a speaker.
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
            ends_with_server_result: false,
            directive: false,
            reasoning: false,
            reasoning_id: None,
            is_service: false,
            faults: Vec::new(),
            unknown: None,
            other_format: None,
        }
    }

    /// Returns true if the two differ at most in the texts of results: compaction must keep this
    /// shape.
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

/// Gives the system's role to the messages at the front of a history: to the operator's, which are
/// the prompt there, and to the service's message after them. `view` and `set` read and write the
/// role of an element.
pub fn assign_front_roles<T>(
    all: &mut [T],
    view: impl Fn(&T) -> &MessageView,
    set: impl Fn(&mut T, Role),
) {
    for message in all {
        match view(message).role {
            Role::System => {}
            Role::MidSystem => set(message, Role::System),
            _ if view(message).is_service => return set(message, Role::System),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MessageView;
    use crate::dialect::{Anthropic, Dialect};

    fn view(role: &str, parts: &str) -> MessageView {
        Anthropic.view(&format!(r#"{{"role":"{role}","content":[{parts}]}}"#)).unwrap()
    }

    fn result(id: &str, content: &str) -> String {
        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}"#)
    }

    #[test]
    fn a_shape_is_all_but_the_texts_of_results() {
        const TEXT: &str = r#"{"type":"text","text":"Go on."}"#;
        const IMAGE: &str = r#"{"type":"image","source":{"type":"url","url":"https://a/b.png"}}"#;
        let of = |parts: &[&str]| view("user", &parts.join(","));
        let one = result("a", "one");
        let history = of(&[&one, TEXT]);
        assert!(history.same_shape(&of(&[&result("a", "1"), TEXT])));
        let (other_id, second) = (result("b", "one"), result("b", "two"));
        for other in [
            of(&[&other_id, TEXT]),
            of(&[&one, &second, TEXT]),
            of(&[TEXT]),
            of(&[&one]),
            of(&[&one, TEXT, TEXT]),
            of(&[&one, TEXT, IMAGE]),
            MessageView { role: super::Role::Assistant, ..history.clone() },
        ] {
            assert!(!history.same_shape(&other) && !other.same_shape(&history), "{other:?}");
        }
        let call = |id: &str| {
            view(
                "assistant",
                &format!(r#"{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}"#),
            )
        };
        assert!(call("a").same_shape(&call("a")) && !call("a").same_shape(&call("b")));
        let server = |id: &str| {
            let call = r#"{"type":"server_tool_use","name":"web_search","input":{},"id":""#;
            view("assistant", &format!(r#"{call}{id}"}}"#))
        };
        assert!(!server("a").same_shape(&server("b")));
    }
}
