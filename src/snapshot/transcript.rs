//! The transcript: messages with their speaker, tool calls and results, independent of the
//! wire format. Summaries are made from it and verified against it.

use std::borrow::Cow;

use chat_history::message::Role;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptMessage<'a> {
    /// The message, counted from 0 in the history that was posted.
    pub index: usize,
    /// The speaker.
    pub role: Role,
    /// The texts, in order: content without names and without thoughts of a model.
    pub texts: Vec<Cow<'a, str>>,
    /// The calls made.
    pub calls: Vec<ToolCall<'a>>,
    /// The results carried.
    pub results: Vec<ToolResult<'a>>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall<'a> {
    /// The call's id.
    pub id: Option<&'a str>,
    /// The tool.
    pub name: Option<&'a str>,
    /// The arguments, unchanged: usually JSON, possibly any text.
    pub arguments: Cow<'a, str>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult<'a> {
    /// The call it answers.
    pub call_id: Option<&'a str>,
    /// The tool, as the result or its call names it.
    pub tool: Option<&'a str>,
    /// The result; of a moved one, its preview with the reference line.
    pub text: Cow<'a, str>,
    /// True if it reports an error.
    pub failed: bool,
    /// The file that the whole result was moved to.
    pub moved_to: Option<Cow<'a, str>>,
}
