//! A tool call: arguments in, a request to the service, and its answer as text and as
//! structured data.

use raw_json::quote;

use super::arguments::{self, Members, raw};
use super::definition::{CONTEXT_OFFLOAD, Definition};
use super::next_call::next_call;
use crate::envelope::Answer;
use crate::service::{Failure, Service};

/// The rule between a page's header and the page.
const HEADER_RULE: &str = "\n\n---\n\n";

/// The output of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolOutput {
    /// The text for the model. For `context_offload` it is the whole envelope, byte for byte as
    /// over HTTP.
    pub text: String,
    /// The structured data, a JSON object; None if the call failed.
    pub structured: Option<String>,
}

/// The caller's view of the tools.
#[derive(Debug, Clone)]
pub(crate) struct CallContext<'a> {
    /// The model's name for the called tool.
    pub name: &'a str,
    /// Default for `reload_tools` of `context_offload`, as JSON.
    pub reload_tools: &'a str,
    /// Largest answer, in tokens; a call may ask for less.
    pub max_tokens: u64,
}

/// Calls `tool` with `arguments`, a JSON object.
pub(crate) fn call(
    service: &Service,
    tool: &Definition,
    arguments: &str,
    context: &CallContext<'_>,
) -> ToolOutput {
    let Some(mut members) = arguments::read(arguments, tool) else {
        let found = raw_json::kind(arguments);
        let text = format!("the arguments are {found}; accepted is a JSON object");
        return ToolOutput { text, structured: None };
    };
    let given = members.clone();
    prepare(&mut members, tool, context);
    match run(service, tool, arguments::body(&members).as_bytes()) {
        Ok(answer) if tool.name == CONTEXT_OFFLOAD => offload_output(answer),
        Ok(answer) => retrieval_output(&answer, &given, tool, context),
        Err(failure) => ToolOutput { text: failure.to_string(), structured: None },
    }
}

/// Sets defaults that differ for tool calls.
fn prepare(members: &mut Members, tool: &Definition, context: &CallContext<'_>) {
    if tool.name == CONTEXT_OFFLOAD {
        // The answer would contain the files a second time.
        members.entry("include_files".to_owned()).or_insert_with(|| raw("false".to_owned()));
        let tools = || raw(context.reload_tools.to_owned());
        members.entry("reload_tools".to_owned()).or_insert_with(tools);
        return;
    }
    let ceiling = || raw(context.max_tokens.to_string());
    let asked = members.entry("max_tokens".to_owned()).or_insert_with(ceiling);
    // Invalid values are left for the service to reject.
    if asked.get().parse::<f64>().is_ok_and(|asked| asked > context.max_tokens as f64) {
        *asked = ceiling();
    }
}

fn run(service: &Service, tool: &Definition, body: &[u8]) -> Result<Answer, Failure> {
    match tool.name {
        "read_file" => service.read_file(body),
        "grep" => service.grep(body),
        "lro_extract" => service.lro_extract(body),
        "read_tool_result" => service.read_tool_result(body),
        _ => service.offload(body),
    }
}

fn offload_output(answer: Answer) -> ToolOutput {
    let report = answer.metadata("report").unwrap_or("{}");
    let said = quote(answer.answer());
    let structured = Some(format!("{{\"answer\":{said},\"report\":{report}}}"));
    ToolOutput { text: answer.into_json(), structured }
}

/// Converts the answer of a retrieval tool. The structured data holds the text and every plain
/// member; not the records, which the text contains as stored.
fn retrieval_output(
    answer: &Answer,
    given: &Members,
    tool: &Definition,
    context: &CallContext<'_>,
) -> ToolOutput {
    let next = next_call(context.name, given, |name| answer.metadata(name));
    let change = next.as_ref().map(|next| next.change.as_str());
    let text =
        change.map_or_else(|| answer.answer().to_owned(), |to| with_next_call(answer.answer(), to));
    let mut members = Vec::new();
    // Matches repeat the text, except for context lines.
    if tool.name != "grep" || given.contains_key("context") {
        members.push(format!("\"answer\":{}", quote(&text)));
    }
    for name in tool.outputs() {
        let value = answer.metadata(&name).filter(|value| *value != "null");
        members.extend(value.map(|value| format!("{}:{value}", quote(&name))));
    }
    members.extend(next.map(|next| format!("\"next_call\":{}", quote(&next.call))));
    ToolOutput { text, structured: Some(format!("{{{}}}", members.join(","))) }
}

/// Adds the next call to a page's header. The page below stays unchanged, so that it is
/// recognized as read back (`reading/restore`).
fn with_next_call(page: &str, change: &str) -> String {
    match page.split_once(HEADER_RULE) {
        Some((header, body)) if header.starts_with("Showing ") && !header.contains('\n') => {
            format!("{header} More: the same call with {change}.{HEADER_RULE}{body}")
        }
        // Answers about records name the next call themselves.
        _ => page.to_owned(),
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
