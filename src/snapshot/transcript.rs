//! The transcript: messages with their speaker, tool calls and results, independent of the
//! wire format. Summaries are made from it and verified against it.

use std::borrow::Cow;

use chat_history::message::Role;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptMessage<'a> {
    /// The position of the message in the posted history, from 0.
    pub index: usize,
    /// The speaker.
    pub role: Role,
    /// The texts, in order: content without names and without a model's thoughts.
    pub texts: Vec<Cow<'a, str>>,
    /// The calls in the message.
    pub calls: Vec<ToolCall<'a>>,
    /// The results in the message.
    pub results: Vec<ToolResult<'a>>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall<'a> {
    /// The id of the call.
    pub id: Option<&'a str>,
    /// The name of the tool.
    pub name: Option<&'a str>,
    /// The arguments, unchanged: usually JSON, possibly any text.
    pub arguments: Cow<'a, str>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult<'a> {
    /// The id of the call that it answers.
    pub call_id: Option<&'a str>,
    /// The name of the tool, from the result or its call.
    pub tool: Option<&'a str>,
    /// The result, or for a moved one its preview with the reference line.
    pub text: Cow<'a, str>,
    /// True if the result reports an error.
    pub failed: bool,
    /// The file that the whole result was moved to.
    pub moved_to: Option<Cow<'a, str>>,
}
