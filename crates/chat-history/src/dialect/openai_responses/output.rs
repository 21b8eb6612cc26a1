//! An output for a call without one, of the type that matches the call.

use raw_json::quote;

use crate::service_messages::NO_SCREENSHOT;

/// Returns the output item for a call of type `kind`.
pub(super) fn output_for(kind: &str, id: &str, text: &str) -> String {
    let (id, text) = (quote(id), quote(text));
    let (kind, rest) = match kind {
        "custom_tool_call" => ("custom_tool_call_output", format!("\"output\":{text}")),
        // The schema requires an `id`; the guide and the clients send a `call_id`.
        "local_shell_call" => ("local_shell_call_output", format!("\"id\":{id},\"output\":{text}")),
        "apply_patch_call" => {
            ("apply_patch_call_output", format!("\"status\":\"failed\",\"output\":{text}"))
        }
        // The outcome is unknown: an exit code would be invented.
        "shell_call" => (
            "shell_call_output",
            format!(
                "\"output\":[{{\"stdout\":{text},\"stderr\":\"\",\
                 \"outcome\":{{\"type\":\"timeout\"}}}}]"
            ),
        ),
        "computer_call" => (
            "computer_call_output",
            format!(
                "\"output\":{{\"type\":\"computer_screenshot\",\"image_url\":\"{NO_SCREENSHOT}\"}}"
            ),
        ),
        "tool_search_call" => (
            "tool_search_output",
            "\"execution\":\"client\",\"status\":\"completed\",\"tools\":[]".to_owned(),
        ),
        _ => ("function_call_output", format!("\"output\":{text}")),
    };
    format!("{{\"type\":\"{kind}\",\"call_id\":{id},{rest}}}")
}
