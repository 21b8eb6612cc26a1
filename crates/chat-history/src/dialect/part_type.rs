//! Types of parts, whatever their format.

/// Returns true if the type of a part is an image, a sound or a file in any format.
pub(super) fn is_media(kind: &str) -> bool {
    let media = ["image", "audio", "file", "video", "document", "media"];
    kind.split(['_', '-']).any(|word| media.contains(&word))
}

/// Returns the only format that has parts of that type.
pub(super) fn format_of_part(kind: &str) -> Option<&'static str> {
    match kind {
        "tool_use" | "tool_result" | "redacted_thinking" => Some("anthropic"),
        "server_tool_use" | "mcp_tool_use" | "mcp_tool_result" => Some("anthropic"),
        "tool-call" | "tool-result" | "tool-approval-request" | "tool-approval-response" => {
            Some("ai-sdk")
        }
        "function_call" | "function_call_output" | "input_text" | "output_text" => {
            Some("openai-responses")
        }
        "toolCall" => Some("pi"),
        _ => None,
    }
}
