//! A call of a retrieval tool, answered by the proxy without the upstream.

use raw_json::quote;

use crate::service::Service;
use crate::tools::{self, CallContext, Definition};

/// A local call, under the name that the client knows the tool by.
pub(super) struct LocalCall {
    pub(super) tool: &'static Definition,
    pub(super) name: String,
    /// The arguments, a JSON object.
    pub(super) arguments: String,
    /// The tools that guidance may name, as JSON.
    pub(super) reload_tools: String,
    /// True for protocol versions whose results have a `resultType`.
    pub(super) modern: bool,
}

impl LocalCall {
    /// Runs the call and returns the result as JSON. Blocks while files are read.
    pub(super) fn result(&self, service: &Service, max_tokens: u64) -> String {
        let context =
            CallContext { name: &self.name, reload_tools: &self.reload_tools, max_tokens };
        let called = tools::call(service, self.tool, &self.arguments, &context);
        let mut result =
            format!(r#"{{"content":[{{"type":"text","text":{}}}]"#, quote(&called.text));
        match called.structured {
            Some(structured) => {
                result.push_str(",\"structuredContent\":");
                result.push_str(&structured);
                result.push_str(",\"isError\":false");
            }
            None => result.push_str(",\"isError\":true"),
        }
        result.push_str(if self.modern { ",\"resultType\":\"complete\"}" } else { "}" });
        result
    }
}
