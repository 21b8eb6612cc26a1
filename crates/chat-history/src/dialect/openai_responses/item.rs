//! An item of the list: its kind, and the members that hold its texts.

use raw_json::{self as raw, Fields};

use super::NAME;
use crate::dialect::BadMessage;
use crate::dialect::framework::stored_form;
use crate::dialect::members::{array, fields_of, members, string};
use crate::message::Role;

const ACCEPTED: &str = "an item with a string \"type\", or a message with a string \"role\"";

/// A tool that the caller runs: the types of its call and its output, and the member
/// of the call that holds the arguments.
pub(super) struct Tool {
    pub(super) call: &'static str,
    pub(super) output: &'static str,
    pub(super) arguments: &'static str,
    /// The tool's name, if the call does not have it.
    pub(super) name: Option<&'static str>,
}

/// The tools that the caller runs. The provider runs some of them as well: the items of a hosted
/// shell look the same; a hosted tool search has no `call_id`.
static TOOLS: [Tool; 7] = [
    tool("function_call", "function_call_output", "arguments", None),
    tool("custom_tool_call", "custom_tool_call_output", "input", None),
    tool("local_shell_call", "local_shell_call_output", "action", Some("local_shell")),
    tool("shell_call", "shell_call_output", "action", Some("shell")),
    tool("apply_patch_call", "apply_patch_call_output", "operation", Some("apply_patch")),
    tool("computer_call", "computer_call_output", "action", Some("computer")),
    tool("tool_search_call", "tool_search_output", "arguments", Some("tool_search")),
];

const fn tool(
    call: &'static str,
    output: &'static str,
    arguments: &'static str,
    name: Option<&'static str>,
) -> Tool {
    Tool { call, output, arguments, name }
}

/// Items of the provider's own tools, with the members that a model reads.
static SERVED: [(&str, &[&str]); 12] = [
    ("web_search_call", &["action"]),
    ("file_search_call", &["queries", "results"]),
    ("code_interpreter_call", &["code"]),
    ("image_generation_call", &["revised_prompt"]),
    ("mcp_call", &["name", "arguments", "output", "error"]),
    ("mcp_list_tools", &["tools", "error"]),
    ("mcp_approval_request", &["name", "arguments"]),
    // A user's message, but it stays in the turn with the request: one is never removed without the
    // other.
    ("mcp_approval_response", &["reason"]),
    ("program", &["code"]),
    ("program_output", &["result"]),
    // Codex's marker of a state of the working tree; no model reads it.
    ("ghost_snapshot", &[]),
    ("item_reference", &[]),
];

/// Items that nothing can replace, with the members that a model reads.
static FIXED: [(&str, &[&str]); 6] = [
    ("compaction", &[]),
    ("compaction_summary", &[]),
    ("context_compaction", &[]),
    ("compaction_trigger", &[]),
    ("configuration_update", &[]),
    ("additional_tools", &["tools"]),
];

/// Parts of a message that no other format has.
const OWN_PARTS: [&str; 4] = ["input_text", "output_text", "input_image", "input_file"];

/// The kind of an item.
#[derive(Clone, Copy)]
pub(super) enum ItemKind {
    /// A message.
    Message(Role),
    /// Reasoning of the model.
    Reasoning,
    /// A call of a tool that the caller runs.
    Call(&'static Tool),
    /// Its output.
    Output(&'static Tool),
    /// An item that is counted by these members and never changed.
    Counted(Role, &'static [&'static str]),
    /// A reference to an item that the provider keeps.
    Reference,
    /// An item that this dialect does not know.
    Unknown,
}

/// An item, split into its members.
pub(super) struct Item<'a> {
    pub(super) fields: Fields<'a>,
    pub(super) kind: ItemKind,
}

impl<'a> Item<'a> {
    /// Reads an item. Fails for a message that is not an item.
    pub(super) fn read(message: &'a str) -> Result<Item<'a>, BadMessage> {
        let bad = |found: String| BadMessage { found, accepted: ACCEPTED };
        let fields = fields_of(message, ACCEPTED)?;
        if let Some(bad) = stored_form(&fields) {
            return Err(bad);
        }
        let member = |name: &str| match raw::field(&fields, name).filter(|v| *v != "null") {
            Some(value) if !raw::is_string(value) => {
                Err(bad(format!("has {} as {name}", raw::kind(value))))
            }
            value => Ok(value.map(|value| raw::unescape(value).text)),
        };
        let (kind, role) = (member("type")?, member("role")?);
        let kind = match (kind.as_deref(), role.as_deref().map(role_of)) {
            (Some(kind), role) => kind_of(kind, role, &fields),
            (None, Some(role)) => ItemKind::Message(role),
            (None, None) if is_reference(&fields) => ItemKind::Reference,
            (None, None) => return Err(bad("has neither type nor role".to_owned())),
        };
        Ok(Item { fields, kind })
    }
}

fn kind_of(kind: &str, role: Option<Role>, fields: &Fields<'_>) -> ItemKind {
    let known = |table: &[(&str, &'static [&'static str])]| {
        table.iter().find(|(name, _)| *name == kind).map(|(_, members)| *members)
    };
    match (kind, tool_of(kind)) {
        ("message", _) => ItemKind::Message(role.unwrap_or(Role::Other)),
        // A message from one agent to another.
        ("agent_message", _) => ItemKind::Message(Role::Other),
        ("reasoning", _) => ItemKind::Reasoning,
        ("item_reference", _) => ItemKind::Reference,
        (_, Some(tool)) => of_tool(tool, kind, fields),
        _ => {
            let served = known(&SERVED).map(|members| ItemKind::Counted(Role::Assistant, members));
            let fixed = || known(&FIXED).map(|members| ItemKind::Counted(Role::System, members));
            let said = || role.filter(|_| raw::field(fields, "content").is_some());
            served
                .or_else(fixed)
                .or_else(|| said().map(ItemKind::Message))
                .unwrap_or(ItemKind::Unknown)
        }
    }
}

fn of_tool(tool: &'static Tool, kind: &str, fields: &Fields<'_>) -> ItemKind {
    let searches = tool.call == "tool_search_call";
    let hosted = string(fields, "execution").as_deref() == Some("server");
    let members: &[&str] = if kind == tool.call { &["arguments"] } else { &["tools"] };
    match kind == tool.call {
        _ if searches && (hosted || string(fields, "call_id").is_none()) => {
            ItemKind::Counted(Role::Assistant, members)
        }
        true => ItemKind::Call(tool),
        false => ItemKind::Output(tool),
    }
}

fn tool_of(kind: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.call == kind || tool.output == kind)
}

fn role_of(role: &str) -> Role {
    match role {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::Other,
    }
}

/// Returns true for an object with only an id: the API accepts a reference without its type.
fn is_reference(fields: &Fields<'_>) -> bool {
    string(fields, "id").is_some()
        && fields.iter().all(|(name, _)| ["id", "type", "role"].contains(&name.as_ref()))
}

/// Returns true for an item without a role that only this format has. If other formats may have the
/// type as well, another member decides.
pub(super) fn is_of_this_format(kind: &str, fields: &Fields<'_>) -> bool {
    let has = |name: &str| string(fields, name).is_some();
    let is_array =
        |name: &str| raw::field(fields, name).is_some_and(|value| value.starts_with('['));
    match kind {
        "reasoning" => is_array("summary") || has("encrypted_content"),
        "compaction" | "compaction_summary" => has("encrypted_content"),
        "program" | "program_output" => has("call_id") && (has("code") || has("result")),
        "local_shell_call_output" => has("call_id") || has("id"),
        _ if tool_of(kind).is_some() => has("call_id"),
        _ => SERVED.iter().any(|(name, _)| *name == kind),
    }
}

/// Returns the type of the first part of a message that only this format has.
pub(super) fn part_of_this_format(fields: &Fields<'_>) -> Option<&'static str> {
    array(fields, "content").into_iter().find_map(|part| {
        let fields = members(part)?;
        let kind = string(&fields, "type")?;
        OWN_PARTS.iter().find(|own| **own == kind).copied()
    })
}

/// Returns the format of an item that only looks like this one: the JavaScript Agents SDK writes
/// the same types with other members.
pub(super) fn other_sdk(fields: &Fields<'_>) -> Option<&'static str> {
    let is_js = raw::field(fields, "callId").is_some()
        || string(fields, "type").as_deref() == Some("function_call_result");
    is_js.then_some("openai-agents-js")
}

/// Returns the format of a part's type, if it is another one.
pub(super) fn other_format_of_part(kind: &str) -> Option<&'static str> {
    crate::dialect::part_type::format_of_part(kind).filter(|home| *home != NAME)
}
