//! A call of a tool: arguments in, a request to the service, and its answer in the
//! two shapes that a model's client may show: text, and the same as data.

use chat_history::splice::quote;

use super::arguments::{self, Members, raw};
use super::definition::{CONTEXT_OFFLOAD, Definition};
use super::next_call::next_call;
use crate::envelope::Answer;
use crate::service::{Failure, Service};

/// What stands between a page's header and the page.
const RULE: &str = "\n\n---\n\n";

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// For a model to read. Of `context_offload` it is the whole envelope, JSON, byte
    /// for byte as over HTTP.
    pub text: String,
    /// The same as data, a JSON object; None where the call failed.
    pub structured: Option<String>,
}

/// How a caller has the tools: what its model may be told, and how much of it.
#[derive(Debug, Clone)]
pub struct Manner<'a> {
    /// The name under which the model has the called tool.
    pub name: &'a str,
    /// `reload_tools` of a `context_offload` that does not say it, JSON.
    pub reload_tools: &'a str,
    /// Ceiling of an answer, in tokens; a call may ask for less.
    pub max_tokens: u64,
}

/// Calls `tool` with `arguments`, a JSON object.
pub fn call(service: &Service, tool: &Definition, arguments: &str, manner: &Manner<'_>) -> Called {
    let Some(mut members) = arguments::read(arguments, tool) else {
        let found = chat_history::raw::kind(arguments);
        let text = format!("the arguments are {found}; accepted is a JSON object");
        return Called { text, structured: None };
    };
    let given = members.clone();
    prepare(&mut members, tool, manner);
    match run(service, tool, arguments::body(&members).as_bytes()) {
        Ok(answer) if tool.name == CONTEXT_OFFLOAD => offloaded(answer),
        Ok(answer) => brought_back(&answer, &given, tool, manner),
        Err(failure) => Called { text: failure.to_string(), structured: None },
    }
}

/// Sets what a call over this door has other defaults for.
fn prepare(members: &mut Members, tool: &Definition, manner: &Manner<'_>) {
    if tool.name == CONTEXT_OFFLOAD {
        // The files would stand in the answer a second time.
        members.entry("include_files".to_owned()).or_insert_with(|| raw("false".to_owned()));
        let tools = || raw(manner.reload_tools.to_owned());
        members.entry("reload_tools".to_owned()).or_insert_with(tools);
        return;
    }
    let ceiling = || raw(manner.max_tokens.to_string());
    let asked = members.entry("max_tokens".to_owned()).or_insert_with(ceiling);
    // What is no number is left for the service to refuse.
    if asked.get().parse::<f64>().is_ok_and(|asked| asked > manner.max_tokens as f64) {
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

fn offloaded(answer: Answer) -> Called {
    let report = answer.metadata("report").unwrap_or("{}");
    let said = quote(answer.answer());
    let structured = Some(format!("{{\"answer\":{said},\"report\":{report}}}"));
    Called { text: answer.into_json(), structured }
}

/// An answer that brings something back. Its data holds the text and every plain
/// member; not the records, which stand in the text as they were stored.
fn brought_back(
    answer: &Answer,
    given: &Members,
    tool: &Definition,
    manner: &Manner<'_>,
) -> Called {
    let next = next_call(manner.name, given, |name| answer.metadata(name));
    let change = next.as_ref().map(|next| next.change.as_str());
    let text = change.map_or_else(|| answer.answer().to_owned(), |to| goes_on(answer.answer(), to));
    let mut members = Vec::new();
    // Matches say the same as the text, but for the lines around them.
    if tool.name != "grep" || given.contains_key("context") {
        members.push(format!("\"answer\":{}", quote(&text)));
    }
    for name in tool.outputs() {
        let value = answer.metadata(&name).filter(|value| *value != "null");
        members.extend(value.map(|value| format!("{}:{value}", quote(&name))));
    }
    members.extend(next.map(|next| format!("\"next_call\":{}", quote(&next.call))));
    Called { text, structured: Some(format!("{{{}}}", members.join(","))) }
}

/// A page whose header says how to go on. Below the header stands what the file
/// holds and nothing else, by which it is known as read back (`reading/restore`).
fn goes_on(page: &str, change: &str) -> String {
    match page.split_once(RULE) {
        Some((header, body)) if header.starts_with("Showing ") && !header.contains('\n') => {
            format!("{header} More: the same call with {change}.{RULE}{body}")
        }
        // An answer about records says itself where it goes on.
        _ => page.to_owned(),
    }
}
