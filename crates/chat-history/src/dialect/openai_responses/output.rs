//! An output for a call that has none, of the type that fits the call.

use raw_json::quote;

use crate::service_messages::NO_SCREENSHOT;

/// The output item for a call of type `kind`.
pub(super) fn output_for(kind: &str, id: &str, text: &str) -> String {
    let (id, text) = (quote(id), quote(text));
    let (kind, rest) = match kind {
        "custom_tool_call" => ("custom_tool_call_output", format!("\"output\":{text}")),
        // The schema asks for an `id`, the guide and the clients send a `call_id`.
        "local_shell_call" => ("local_shell_call_output", format!("\"id\":{id},\"output\":{text}")),
        "apply_patch_call" => {
            ("apply_patch_call_output", format!("\"status\":\"failed\",\"output\":{text}"))
        }
        // How it ended is not known: an exit code would be made up.
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
