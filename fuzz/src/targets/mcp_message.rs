//! Any bytes as a message of MCP, and as the arguments of each tool: what is read of
//! a message are slices of it, answers to it are JSON, a message on one line says the
//! same, and a call ends with a text and data that are well formed.

use raw_json::{canonical, fields};
use serde_json::value::RawValue;
use unburden::interfaces::mcp::message::{
    INVALID_REQUEST, Id, Message, answer, error, id_at_the_edges, on_one_line, text,
};
use unburden::tools::{CONTEXT_OFFLOAD, CallContext, ToolOutput, all, call};

use super::place::Place;

/// A file of records, as the service writes them.
const RECORDS: &str = "{\"type\":\"lro_header\",\"operation\":\"list\",\"query\":null,\"count\":2,\
                       \"schema_version\":\"1.0\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                       \"estimated_tokens\":9,\"detail\":\"full\"}\n{\"id\":1,\"name\":\"a\"}\n\
                       {\"id\":2,\"name\":\"b\"}\n";

thread_local! {
    static READ: Place = read();
}

fn read() -> Place {
    let place = Place::with(|config, _| config.reload.grep_deadline_ms = 500);
    let lines: String = (0..200).map(|n| format!("line {n} of a stored result\n")).collect();
    let write = |name: &str, text: &str| {
        std::fs::write(place.path(name), text).expect("a folder for temporary files");
    };
    write("tool_call_1.txt", &lines);
    write("lro-list-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl", RECORDS);
    place
}

pub(crate) fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let Ok(message) = std::str::from_utf8(rest) else {
        on_one_line(rest.to_vec());
        return;
    };
    is_read(message);
    of_two_ends(message, usize::from(*choice));
    calls_a_tool(usize::from(*choice), message);
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(bytes).is_ok()
}

fn is_read(message: &str) {
    let Some(read) = Message::read(message) else { return };
    for name in ["id", "method", "params", "result"] {
        let member = read.member(name);
        assert!(member.is_none_or(|raw| is_json(raw.as_bytes())), "{name} is no value");
    }
    assert_eq!(read.method().is_some(), read.member("method").and_then(text).is_some());
    read.param("name");
    read.param_text("name");
    read.meta("clientInfo");
    if let Some(id) = read.id() {
        assert!(is_json(&error(id, INVALID_REQUEST, message)), "an error is no JSON");
        assert!(is_json(&answer(id, "{}")), "an answer is no JSON");
        assert_eq!(Id::of(id), Id::of(id.trim()), "an id is the same by itself");
    }
    let line = on_one_line(message.as_bytes().to_vec());
    let line = String::from_utf8(line).expect("only white space was dropped");
    assert!(!line.contains(['\n', '\r']));
    let values = |object: &str| -> Vec<(String, String)> {
        let members = fields(object).expect("it was an object");
        members.into_iter().map(|(name, raw)| (name.into_owned(), canonical(raw))).collect()
    };
    assert_eq!(values(message), values(&line), "on one line it says something else");
}

/// A message of which only its ends are at hand.
fn of_two_ends(message: &str, cut: usize) {
    let head = &message[..message.floor_char_boundary(cut * 16)];
    let tail = &message[message.ceil_char_boundary(message.len().saturating_sub(cut))..];
    if let Some(id) = id_at_the_edges(head, tail) {
        assert!(Id::of(&id).is_some() && is_json(id.as_bytes()), "{id} is no id");
    }
}

fn calls_a_tool(choice: usize, arguments: &str) {
    let tool = &all()[choice % all().len()];
    let reload_tools = "[\"read_file\",\"grep\"]";
    let context = CallContext { name: tool.name, reload_tools, max_tokens: 200 };
    // An offload writes: it gets a folder of its own.
    let called = match tool.name == CONTEXT_OFFLOAD {
        true => call(&Place::new().service, tool, arguments, &context),
        false => READ.with(|place| call(&place.service, tool, arguments, &context)),
    };
    let ToolOutput { text, structured } = called;
    let Some(structured) = structured else {
        assert!(!text.is_empty(), "a failure says why");
        return;
    };
    assert!(fields(&structured).is_ok(), "no object: {structured}");
    assert!(tool.name != CONTEXT_OFFLOAD || is_json(text.as_bytes()), "no JSON: {text}");
}
