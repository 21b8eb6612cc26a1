//! Fuzz targets for private code. Each takes any bytes and panics if an invariant does not hold;
//! `fuzz/` calls them.

mod mcp_message;
mod model_reply;
mod paging;
mod proxy_edit;

use std::path::Path;

use self::paging::Pages;
use crate::interfaces::proxy::result::{ResultOffloader, UpstreamCall};
use crate::service::Service;
use crate::tools;

/// Verifies any text as a model's reply. The first byte tells whether the rest is the whole reply
/// or its sections.
pub fn model_reply(data: &[u8]) {
    model_reply::run(data);
}

/// Reads any bytes as an MCP message, whole and with only `cut` bytes of its ends available.
pub fn mcp_message(data: &[u8], cut: usize) {
    mcp_message::run(data, cut);
}

/// Reads `folder/file` in pages: of lines or of bytes, with at most `limit` of them, `max_tokens`
/// tokens and `answer_bytes` bytes.
pub fn paging(
    folder: &Path,
    by_lines: bool,
    limit: Option<u64>,
    max_tokens: Option<u64>,
    answer_bytes: usize,
) {
    Pages { by_lines, limit, max_tokens, answer_bytes }.check(folder);
}

/// Sets the member `name` of any text to `value`, and removes it.
pub fn proxy_edit(object: &str, name: &str, value: &str) {
    proxy_edit::run(object, name, value);
}

/// Offloads the texts of a tool's result that have more than `threshold` tokens; returns `None` if
/// the result stays unchanged.
pub fn proxy_result(service: &Service, result: &str, threshold: u64) -> Option<String> {
    let reload_tools = "[\"read_file\",\"lro_extract\"]";
    let offloader = ResultOffloader { service, threshold, reload_tools };
    let call = UpstreamCall::new("list", Some("{}"));
    offloader.result(result, &call).expect("files can be written")
}

/// Calls a tool of an agent; returns its text, and true if the call failed.
pub fn tool_call(service: &Service, name: &str, arguments: &str) -> (String, bool) {
    let tool = tools::find(name, "").expect("a tool has this name");
    let output = tools::call(service, tool, arguments, "[\"read_file\",\"grep\"]");
    (output.text, output.is_error)
}
