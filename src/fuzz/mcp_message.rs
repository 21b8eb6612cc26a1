//! Any bytes as a message of MCP: the parts read from a message are slices of it, answers to it are
//! JSON, and the message on one line has the same meaning.

use raw_json::{canonical, fields};
use serde_json::value::RawValue;

use crate::interfaces::mcp::message::{
    INVALID_REQUEST, Id, Message, answer, error, id_at_the_edges, on_one_line, text,
};

/// Reads the data as a message, whole and with only `cut` bytes of its ends available.
pub(super) fn run(data: &[u8], cut: usize) {
    let Ok(message) = std::str::from_utf8(data) else {
        on_one_line(data.to_vec());
        return;
    };
    is_read(message);
    of_two_ends(message, cut);
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

/// A message of which only the ends are available.
fn of_two_ends(message: &str, cut: usize) {
    let head = &message[..message.floor_char_boundary(cut * 16)];
    let tail = &message[message.ceil_char_boundary(message.len().saturating_sub(cut))..];
    if let Some(id) = id_at_the_edges(head, tail) {
        assert!(Id::of(&id).is_some() && is_json(id.as_bytes()), "{id} is no id");
    }
}
