//! The transcript: messages as a reader sees them – who spoke, which tools were
//! called with what, what came back – apart from any wire format. Summaries are
//! made of it, and held to it.

use std::borrow::Cow;

use chat_history::message::Role;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'a> {
    /// The message, counted from 0 in the history that was posted.
    pub index: usize,
    /// Who speaks.
    pub role: Role,
    /// What is said, in order: the content, not a name and not what was only thought.
    pub texts: Vec<Cow<'a, str>>,
    /// The calls made.
    pub calls: Vec<Asked<'a>>,
    /// The results carried.
    pub results: Vec<Answered<'a>>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The call's id.
    pub id: Option<&'a str>,
    /// The tool.
    pub name: Option<&'a str>,
    /// The arguments as they came: JSON as a rule, any text at worst.
    pub arguments: Cow<'a, str>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<'a> {
    /// The call it answers.
    pub call_id: Option<&'a str>,
    /// The tool, as the result or its call names it.
    pub tool: Option<&'a str>,
    /// The result; of a moved one, its preview with the reference line.
    pub text: Cow<'a, str>,
    /// The file that the whole result was moved to.
    pub moved_to: Option<Cow<'a, str>>,
}
