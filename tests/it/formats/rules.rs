//! The providers' pairing rules, written down a second time and apart from the
//! product, over trees of JSON: which rules a history breaks, with the ids.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Format;

/// A rule that is broken, and the id concerned as JSON.
pub(crate) type Broken = (String, String);

/// How often each rule is broken.
pub(crate) fn counted(broken: Vec<Broken>) -> HashMap<Broken, usize> {
    let mut counts = HashMap::new();
    for rule in broken {
        *counts.entry(rule).or_default() += 1;
    }
    counts
}

/// The rules that the second history breaks more often than the first.
pub(crate) fn worse(before: Vec<Broken>, after: Vec<Broken>) -> Vec<Broken> {
    let before = counted(before);
    let more = |(rule, count): &(Broken, usize)| *count > before.get(rule).copied().unwrap_or(0);
    counted(after).into_iter().filter(more).map(|(rule, _)| rule).collect()
}

/// A message as a tree, without what none holds.
pub(crate) fn tree(raw: &str) -> Value {
    // Inside a string of JSON an escape is escaped once more.
    let plain = [("1e400", "1"), ("\\\\ud800", "?"), ("\\ud800", "?")];
    let plain = plain.iter().fold(raw.to_owned(), |text, (odd, plain)| text.replace(odd, plain));
    serde_json::from_str(&plain).unwrap()
}

/// Every rule that the history breaks.
pub(crate) fn broken(format: Format, messages: &[String]) -> Vec<Broken> {
    let trees: Vec<Value> = messages.iter().map(|message| tree(message)).collect();
    match format {
        Format::Responses => responses(&trees),
        Format::Anthropic => anthropic(&trees),
        Format::Gemini | Format::GeminiSnake => gemini(&trees),
        Format::AiSdk => ai_sdk(&trees),
        Format::LangChainFlat | Format::LangChainData | Format::LangChainConstructor => {
            langchain(&trees)
        }
    }
}

fn rule(name: &str, id: &str) -> Broken {
    (name.to_owned(), id.to_owned())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Calls of tools that the caller runs.
const TOOLS: [&str; 6] = [
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "computer_call",
    "apply_patch_call",
];

/// Outputs answer a call before them; calls have an output after them; reasoning
/// has its item right after it.
fn responses(items: &[Value]) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    // Calls of a turn that name no id: an output of the turn that fits no other call is
    // taken for theirs.
    let (mut nameless, mut answers) = (0, false);
    for (at, item) in items.iter().enumerate() {
        let kind = item["type"].as_str().unwrap_or_default();
        let is_answer = kind.ends_with("_output");
        if answers && !is_answer {
            nameless = 0;
        }
        answers = is_answer;
        let unnamed = item["call_id"].as_str().is_none_or(str::is_empty);
        // Those of the local shell may have it as their own.
        let own = kind.starts_with("local_shell") && unnamed;
        let id = item[if own { "id" } else { "call_id" }].to_string();
        if kind.ends_with("_call") && (own || !unnamed) {
            *open.entry(id).or_default() += 1;
        } else if TOOLS.contains(&kind) {
            nameless += 1;
        } else if kind.ends_with("_call_output") && (own || !unnamed) && id != "null" {
            match open.get_mut(&id) {
                Some(count) if *count > 0 => *count -= 1,
                _ if nameless > 0 => nameless -= 1,
                _ => broken.push(rule("orphan", &id)),
            }
        }
        if kind == "reasoning" {
            let next = items[at + 1..].iter().find(|next| next["type"] != "reasoning");
            let made = next.is_some_and(|next| {
                let kind = next["type"].as_str().unwrap_or("message");
                !kind.ends_with("_output") && (kind != "message" || next["role"] == "assistant")
            });
            if !made {
                broken.push(rule("reasoning alone", &item["id"].to_string()));
            }
        }
    }
    for (id, count) in open {
        broken.extend((0..count).map(|_| rule("unanswered", &id)));
    }
    broken
}

/// Turns alternate; the results of a turn stand at its front and answer all calls of
/// the turn before, once; ids are unique; nothing is empty; the user begins.
fn anthropic(messages: &[Value]) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut turns: Vec<(&str, Vec<&Value>)> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let role = if role == "exit" { "user" } else { role };
        let blocks: Vec<&Value> = match &message["content"] {
            Value::Array(blocks) => blocks.iter().collect(),
            text => vec![text],
        };
        let is_empty = blocks.iter().all(|block| block.as_str() == Some(""));
        let is_empty = is_empty && !is_directive(message);
        if is_empty && (at + 1 < messages.len() || role != "assistant") {
            broken.push(rule("empty", ""));
        }
        match turns.last_mut() {
            Some(turn) if turn.0 == role => turn.1.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_some_and(|turn| turn.0 == "assistant") {
        broken.push(rule("model first", ""));
    }
    broken.extend(misplaced(messages));
    let (mut ids, mut served) = (HashSet::new(), HashSet::new());
    let mut asked: Vec<String> = Vec::new();
    for (role, blocks) in &turns {
        let of = |kind: &str, name: &str| -> Vec<String> {
            let blocks = blocks.iter().filter(|block| block["type"] == kind);
            blocks.map(|block| block[name].to_string()).collect()
        };
        let front = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
        let results = of("tool_result", "tool_use_id");
        if *role == "user" && results.len() > front {
            broken.push(rule("results not first", ""));
        }
        let mut open = std::mem::take(&mut asked);
        let answered: HashSet<String> = results.iter().cloned().collect();
        for id in results {
            match open.iter().position(|open| *open == id) {
                Some(at) => drop(open.remove(at)),
                None => broken.push(rule("orphan", &id)),
            }
        }
        // Of calls of one id, which is a problem of its own, one result is enough.
        let open = open.iter().filter(|id| !answered.contains(*id));
        broken.extend(open.map(|id| rule("unanswered", id)));
        asked = of("tool_use", "id");
        broken.extend(
            asked.iter().filter(|id| !ids.insert((*id).clone())).map(|id| rule("id twice", id)),
        );
        served.extend(of("server_tool_use", "id").into_iter().chain(of("mcp_tool_use", "id")));
        let found =
            [of("web_search_tool_result", "tool_use_id"), of("mcp_tool_result", "tool_use_id")];
        let lost = found.iter().flatten().filter(|id| !served.contains(*id));
        broken.extend(lost.map(|id| rule("server orphan", id)));
    }
    broken.extend(asked.iter().map(|id| rule("unanswered", id)));
    broken
}

/// True for a system message that sets the effort and says nothing.
fn is_directive(message: &Value) -> bool {
    message["role"] == "system"
        && message["content"].as_array().is_some_and(Vec::is_empty)
        && !message["output_config"].is_null()
}

/// A run of system messages is after the user, or after results of the provider's
/// own tools, and before the model or at the end; one that opens the list is the prompt
/// at the wrong place, and that is all.
fn misplaced(messages: &[Value]) -> Vec<Broken> {
    let said: Vec<&Value> = messages.iter().filter(|message| !is_directive(message)).collect();
    let is_system = |at: usize| said.get(at).is_some_and(|message| message["role"] == "system");
    let is_served = |message: &Value| {
        let last = list(message, "content").last().map_or("", |b| b["type"].as_str().unwrap_or(""));
        last.ends_with("_tool_result")
    };
    let is_model = |message: &Value| message["role"] == "assistant";
    let mut broken = Vec::new();
    let front = (0..said.len()).take_while(|at| is_system(*at)).count();
    if front > 0 {
        broken.push(rule("system first", ""));
    }
    for at in front..said.len() {
        if is_system(at) && !is_system(at - 1) && is_model(said[at - 1]) && !is_served(said[at - 1])
        {
            broken.push(rule("system behind the model", ""));
        }
        if is_system(at) && !is_system(at + 1) && said.get(at + 1).is_some_and(|m| !is_model(m)) {
            broken.push(rule("system before the user", ""));
        }
    }
    broken
}

/// As many responses in the content after a turn of the model as it has calls; the
/// user begins; no content without parts.
fn gemini(contents: &[Value]) -> Vec<Broken> {
    let either = |part: &Value, names: [&str; 2]| names.iter().any(|name| part[name].is_object());
    let count = |content: &Value, names| {
        list(content, "parts").iter().filter(|part| either(part, names)).count()
    };
    let mut broken = Vec::new();
    if contents.first().is_some_and(|content| content["role"] == "model") {
        broken.push(rule("model first", ""));
    }
    let mut calls = 0;
    for content in contents {
        let asked = count(content, ["functionCall", "function_call"]);
        let answered = count(content, ["functionResponse", "function_response"]);
        if content["parts"].as_array().is_some_and(Vec::is_empty) {
            broken.push(rule("empty", ""));
        }
        if answered > 0 && answered != calls {
            broken.push(rule("responses differ from calls", ""));
            calls = 0;
        } else if answered > 0 {
            calls = 0;
        } else if content["role"] != "model" && calls > 0 {
            broken.push(rule("unanswered", ""));
            calls = 0;
        }
        calls += asked;
    }
    if calls > 0 {
        broken.push(rule("unanswered", ""));
    }
    broken
}

/// Each call is answered, once, before the next user or system message; unless it
/// waits for consent at the end.
fn ai_sdk(messages: &[Value]) -> Vec<Broken> {
    let mut broken = Vec::new();
    // Calls without a result of their own, which a result may be for.
    let mut open: Vec<String> = Vec::new();
    // The SDK remembers ids, and each once: a call adds its id, a result takes it
    // away, and a later call of the same id adds it again.
    let (mut awaiting, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "user" || role == "system" {
            broken.extend(missing.drain(..).map(|id| rule("unanswered", &id)));
            open.clear();
        }
        if role != "tool" {
            awaiting.clear();
        }
        for part in list(message, "content") {
            let id = part["toolCallId"].to_string();
            match part["type"].as_str().unwrap_or_default() {
                "tool-call" if part["providerExecuted"] != true => {
                    if !missing.contains(&id) {
                        missing.push(id.clone());
                    }
                    open.push(id);
                }
                "tool-approval-request" => awaiting.push(id),
                "tool-result" if role == "tool" => {
                    missing.retain(|known| *known != id);
                    match open.iter().position(|open| *open == id) {
                        Some(at) => drop(open.remove(at)),
                        None => broken.push(rule("orphan", &id)),
                    }
                }
                _ => {}
            }
        }
    }
    missing.retain(|id| !awaiting.contains(id));
    broken.extend(missing.iter().map(|id| rule("unanswered", id)));
    broken
}

/// Those of chat completions: the answers to all calls directly follow them.
fn langchain(messages: &[Value]) -> Vec<Broken> {
    let mut broken = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        let fields = match (&message["kwargs"], &message["data"]) {
            (Value::Null, Value::Null) => message,
            (Value::Null, data) => data,
            (kwargs, _) => kwargs,
        };
        let class = message["id"][3].as_str().or(message["type"].as_str()).unwrap_or_default();
        if ["tool", "ToolMessage"].contains(&class) {
            let id = fields["tool_call_id"].to_string();
            match open.iter().position(|open| *open == id) {
                Some(at) => drop(open.remove(at)),
                None => broken.push(rule("orphan", &id)),
            }
            continue;
        }
        broken.extend(open.drain(..).map(|id| rule("unanswered", &id)));
        open = list(fields, "tool_calls").iter().map(|call| call["id"].to_string()).collect();
    }
    broken.extend(open.iter().map(|id| rule("unanswered", id)));
    broken
}

/// What `generateText` says of these, release 7: nothing of the first, and of the second
/// AI_MissingToolResultsError.
#[test]
fn a_call_of_an_answered_id_waits_again() {
    let call = r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c"}]}"#;
    let result = r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c"}]}"#;
    let broken_by = |messages: &[&str]| {
        let messages: Vec<String> = messages.iter().map(|message| (*message).to_owned()).collect();
        broken(Format::AiSdk, &messages)
    };
    assert_eq!(broken_by(&[call, call, result]), []);
    assert_eq!(broken_by(&[call, result, call]), [rule("unanswered", "\"c\"")]);
}
