//! Evidence of this format.

use crate::dialect::members::{array, members, object, string};
use raw_json::{self as raw, Fields};

/// Names the feature of this format in a message with these members, in a few words.
pub(super) fn find(fields: &Fields<'_>) -> Option<String> {
    // Formats that wrap these blocks in their own messages have no role.
    string(fields, "role")?;
    // Assistant messages that are whole responses of the API, as Claude Code logs them.
    let response = string(fields, "type").as_deref() == Some("message");
    if response && raw::field(fields, "stop_reason").is_some() {
        return Some("is a response of the Messages API".to_owned());
    }
    array(fields, "content").into_iter().find_map(|block| own_part(&members(block)?))
}

/// Returns true if the message has calls or results.
pub(super) fn decides(fields: &Fields<'_>) -> bool {
    let of_tool = |kind: String| kind.ends_with("tool_use") || kind.ends_with("tool_result");
    let kind = |block: &str| string(&members(block)?, "type");
    array(fields, "content").into_iter().filter_map(kind).any(of_tool)
}

fn own_part(block: &Fields<'_>) -> Option<String> {
    let kind = string(block, "type")?;
    let has = |name| raw::field(block, name).is_some_and(raw::is_string);
    let own = match kind.as_str() {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => has("id") && has("name"),
        "redacted_thinking" => has("data"),
        "thinking" => has("signature"),
        "image" | "document" => {
            object(block, "source").is_some_and(|s| string(&s, "type").is_some())
        }
        kind => kind.ends_with("tool_result") && has("tool_use_id"),
    };
    own.then(|| match kind.as_str() {
        "thinking" => "has a part of type \"thinking\" with a signature".to_owned(),
        "image" | "document" => format!("has a part of type \"{kind}\" with a source"),
        kind => format!("has a part of type \"{}\"", kind.chars().take(40).collect::<String>()),
    })
}
