//! A tool call: arguments in, a request to the service, and its answer.

use raw_json::quote;

use super::arguments::{self, Members, raw};
use super::definition::{CONTEXT_OFFLOAD, Definition};
use super::next_call::next_call;
use crate::envelope::Answer;
use crate::service::budget::{announced, weight};
use crate::service::{Failure, Service};
use token_count::Tokenizer;

/// Separates a page's header from the page.
const HEADER_RULE: &str = "\n\n---\n\n";

/// Maximum number of times that a shorter page is requested: the next call of a shorter page may
/// have a token more.
const SHORTER_PAGES: usize = 3;

/// The output of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolOutput {
    /// The text for the model. For `context_offload` it is the whole envelope, byte for byte as
    /// over HTTP.
    pub text: String,
    /// True if the call failed.
    pub is_error: bool,
    /// The structured data of `context_offload`, a JSON object. The retrieval tools have none:
    /// hosts show it to the model instead of the text, escaped and longer, and a page in it is
    /// not recognised as read back.
    pub structured: Option<String>,
}

/// Calls `tool` with `arguments`, a JSON object. `reload_tools`, as JSON, is the default of that
/// member of `context_offload`.
pub(crate) fn call(
    service: &Service,
    tool: &Definition,
    arguments: &str,
    reload_tools: &str,
) -> ToolOutput {
    let Some(mut members) = arguments::read(arguments, tool) else {
        let found = raw_json::kind(arguments);
        let text = format!("the arguments are {found}; accepted is a JSON object");
        return ToolOutput::error(text);
    };
    let given = members.clone();
    prepare(&mut members, tool, reload_tools);
    match run(service, tool, arguments::body(&members).as_bytes()) {
        Ok(answer) if tool.name == CONTEXT_OFFLOAD => offload_output(answer),
        Ok(answer) => {
            let text = within_ceiling(service, tool, members, &given, answer);
            ToolOutput { text, is_error: false, structured: None }
        }
        Err(failure) => ToolOutput::error(failure.to_string()),
    }
}

/// Returns the text of a retrieval tool's answer. If the next call makes it exceed the limit in
/// tokens, requests a shorter page.
fn within_ceiling(
    service: &Service,
    tool: &Definition,
    mut members: Members,
    given: &Members,
    mut answer: Answer,
) -> String {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let asked = given.get("max_tokens").and_then(|tokens| tokens.get().parse().ok());
    let mut text = retrieval_text(&answer, given);
    let Some(ceiling) = service.ceiling(asked) else { return text };
    for _ in 0..SHORTER_PAGES {
        if text == answer.answer() || count(&text) <= ceiling {
            break;
        }
        let next_call = count(&text).saturating_sub(count(answer.answer()));
        // 0 would mean no limit.
        let room = ceiling.saturating_sub(next_call).max(1);
        members.insert("max_tokens".to_owned(), raw(room.to_string()));
        let Ok(shorter) = run(service, tool, arguments::body(&members).as_bytes()) else { break };
        answer = shorter;
        text = retrieval_text(&answer, given);
    }
    text
}

impl ToolOutput {
    /// Returns the output of a call that failed.
    pub(crate) fn error(text: String) -> ToolOutput {
        ToolOutput { text, is_error: true, structured: None }
    }

    /// Returns about the memory of the output and its JSON, in bytes.
    pub(crate) fn held_bytes(&self) -> u64 {
        let structured = self.structured.as_deref().unwrap_or_default();
        announced(self.text.len() as u64).saturating_add(weight(structured.as_bytes()))
    }
}

/// Sets defaults that differ for tool calls.
fn prepare(members: &mut Members, tool: &Definition, reload_tools: &str) {
    if tool.name == CONTEXT_OFFLOAD {
        // The answer would contain the files a second time.
        members.entry("include_files".to_owned()).or_insert_with(|| raw("false".to_owned()));
        let tools = || raw(reload_tools.to_owned());
        members.entry("reload_tools".to_owned()).or_insert_with(tools);
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
    ToolOutput { text: answer.into_json(), is_error: false, structured }
}

/// Returns the answer of a retrieval tool with the next call, if there is one.
fn retrieval_text(answer: &Answer, given: &Members) -> String {
    match next_call(given, |name| answer.metadata(name)) {
        Some(change) => with_next_call(answer.answer(), &change),
        None => answer.answer().to_owned(),
    }
}

/// Adds the next call to a page's header. The page below stays unchanged, so that it is
/// recognised as read back (`reading/restore`).
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
