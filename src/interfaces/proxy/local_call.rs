//! A call of a retrieval tool, answered by the proxy without the upstream.

use raw_json::quote;

use crate::service::Service;
use crate::tools::{self, Definition};

/// A local call.
pub(super) struct LocalCall {
    pub(super) tool: &'static Definition,
    /// The arguments, a JSON object.
    pub(super) arguments: String,
    /// The tools that guidance may name, as JSON.
    pub(super) reload_tools: String,
    /// True for protocol versions whose results have a `resultType`.
    pub(super) modern: bool,
}

impl LocalCall {
    /// Runs the call and returns the result as JSON. Blocks while files are read.
    pub(super) fn result(&self, service: &Service) -> String {
        let called = tools::call(service, self.tool, &self.arguments, &self.reload_tools);
        let ended = if self.modern { r#","resultType":"complete""# } else { "" };
        let (text, is_error) = (quote(&called.text), called.is_error);
        format!(r#"{{"content":[{{"type":"text","text":{text}}}],"isError":{is_error}{ended}}}"#)
    }
}
