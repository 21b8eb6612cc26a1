//! A call of a reload tool, answered here: the upstream never hears of it.

use chat_history::splice::quote;

use crate::service::Service;
use crate::tools::{self, Definition, Manner};

/// A call under the name that the client has the tool by.
pub(super) struct OwnCall {
    pub(super) tool: &'static Definition,
    pub(super) name: String,
    /// A JSON object.
    pub(super) arguments: String,
    /// The tools that guidance may name, JSON.
    pub(super) reload_tools: String,
    /// True in the generation of the protocol whose results say that they are whole.
    pub(super) modern: bool,
}

impl OwnCall {
    /// The result, JSON; blocks while the files are read.
    pub(super) fn result(&self, service: &Service, max_tokens: u64) -> String {
        let manner = Manner { name: &self.name, reload_tools: &self.reload_tools, max_tokens };
        let called = tools::call(service, self.tool, &self.arguments, &manner);
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
