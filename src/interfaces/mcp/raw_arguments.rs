//! The arguments of a tool call as they were sent. The library parses arguments, which loses the
//! order of members and the spelling of numbers, and it rejects some valid JSON, such as half of a
//! surrogate pair. It therefore gets them as one string.

use raw_json::quote;
use rmcp::model::JsonObject;
use serde_json::Value;

use super::edit::map_member;
use super::message::Message;

/// The only member of wrapped arguments.
const RAW: &str = "raw";

/// Bytes that wrapping adds to a message, next to one for each escaped character.
pub(super) const WRAPPER_BYTES: usize = 16;

/// Wraps the arguments of a tool call in an object with one string. Returns `None` for other
/// messages.
pub(crate) fn wrapped(message: &[u8]) -> Option<String> {
    let message = std::str::from_utf8(message).ok()?;
    let read = Message::read(message).filter(|read| read.method().as_deref() == Some("tools/call"));
    // The library's error says that arguments of another kind are wrong.
    read?.param("arguments").filter(|arguments| arguments.starts_with('{'))?;
    let wrap = |arguments: &str| Some(format!("{{\"{RAW}\":{}}}", quote(arguments)));
    map_member(message, "params", |params| map_member(params, "arguments", wrap))
}

/// Returns wrapped arguments as they were sent, as JSON. Of a message with a duplicate member, the
/// library may have read one that was not wrapped.
pub(super) fn unwrapped(arguments: Option<JsonObject>) -> String {
    let mut arguments = arguments.unwrap_or_default();
    match arguments.remove(RAW) {
        Some(Value::String(raw)) if arguments.is_empty() => raw,
        raw => {
            arguments.extend(raw.map(|raw| (RAW.to_owned(), raw)));
            Value::Object(arguments).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolRequestParams;

    use super::*;
    use crate::interfaces::mcp::message::member;

    #[test]
    fn arguments_are_as_they_were_spelled() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        for arguments in [
            "{}",
            r#"{"b":1.10,"a":90071992547409931,"b":1e400}"#,
            r#"{ "half": "\ud83d", "quoted": "\"\\\"" }"#,
            &format!(r#"{{"deep":{deep}}}"#),
        ] {
            let params = format!(r#"{{"arguments":{arguments},"name":"x"}}"#);
            let call = format!(r#"{{"id":7,"method":"tools/call","params":{params}}}"#);
            let wrapped = wrapped(call.as_bytes()).unwrap();
            assert!(wrapped.len() <= 2 * call.len() + WRAPPER_BYTES);
            let params = member(&wrapped, "params").unwrap();
            let parsed: CallToolRequestParams = serde_json::from_str(params).unwrap();
            assert_eq!(unwrapped(parsed.arguments), arguments);
        }
    }

    #[test]
    fn other_messages_stay() {
        for message in [
            r#"{"id":8,"method":"ping","params":{"arguments":{}}}"#,
            r#"{"id":8,"method":"tools/call","params":{"name":"x","arguments":[1]}}"#,
            r#"{"id":8,"method":"tools/call","params":{"name":"x"}}"#,
            r#"{"id":8,"method":"tools/call"}"#,
            "[1",
        ] {
            assert_eq!(wrapped(message.as_bytes()), None, "{message}");
        }
        assert_eq!(unwrapped(None), "{}");
        let read = serde_json::json!({"pattern": "x"});
        assert_eq!(unwrapped(read.as_object().cloned()), r#"{"pattern":"x"}"#);
    }
}
