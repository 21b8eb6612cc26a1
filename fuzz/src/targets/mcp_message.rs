//! Any bytes as a message of MCP, and as the arguments of each tool: what is read of
//! a message are slices of it, answers to it are JSON, a message on one line says the
//! same, and a call ends with a text and data that are well formed.

use serde_json::value::RawValue;
use unburden::fuzz;

use super::place::Place;

/// The tools, in the order of the service.
const TOOLS: [&str; 5] =
    ["read_file", "grep", "lro_extract", "read_tool_result", "context_offload"];

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
    let choice = usize::from(*choice);
    fuzz::mcp_message(rest, choice);
    if let Ok(arguments) = std::str::from_utf8(rest) {
        calls_a_tool(choice, arguments);
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(bytes).is_ok()
}

fn calls_a_tool(choice: usize, arguments: &str) {
    let tool = TOOLS[choice % TOOLS.len()];
    // An offload writes: it gets a folder of its own.
    let is_offload = tool == "context_offload";
    let (text, is_error) = match is_offload {
        true => fuzz::tool_call(&Place::new().service, tool, arguments),
        false => READ.with(|place| fuzz::tool_call(&place.service, tool, arguments)),
    };
    assert!(!is_error || !text.is_empty(), "a failure says why");
    assert!(is_error || !is_offload || is_json(text.as_bytes()), "no JSON: {text}");
}
