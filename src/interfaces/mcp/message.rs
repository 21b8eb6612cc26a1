//! An MCP message as raw JSON. Members are looked up in place and never reserialized, so that
//! the proxy forwards unknown members unchanged.

use std::borrow::Cow;

use raw_json::{self as raw, Fields, quote};

/// JSON-RPC error code: the message is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// JSON-RPC error code: the server failed.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// JSON-RPC error code: the message is not a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// Error code for requests that the upstream left unanswered, as MCP libraries use it for a
/// closed connection.
pub(crate) const UPSTREAM_FAILED: i32 = -32000;

/// The reason for rejecting JSON that the library cannot parse as a message.
pub(crate) const NO_MESSAGE: &str = "no JSON-RPC message; accepted is one request or \
    notification, an object with jsonrpc \"2.0\", a string method and, in a request, an id that is \
    a string or a whole number of 64 bits";

/// Number of bytes at either end of a message that are searched for its id.
const MAX_EDGE_BYTES: usize = 4_096;

/// The members of a message.
pub(crate) struct Message<'a>(Fields<'a>);

/// A request id, compared by value: `1` equals `1.0`, and strings are compared unescaped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Id(String);

/// The request that a message answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answering {
    /// No request: it is a request or notification itself, or an error without an id.
    Nothing,
    /// This request.
    Request(Id),
    /// Libraries would disagree.
    Ambiguous,
}

impl Id {
    /// Reads an id from raw JSON. Returns `None` for other values.
    pub(crate) fn of(raw: &str) -> Option<Id> {
        if raw::is_string(raw) {
            return Some(Id(format!("\"{}", raw::unescape(raw).text)));
        }
        if !raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return None;
        }
        // Some libraries answer `1` with `1.0`.
        let number = raw.parse::<f64>().ok()?;
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        Some(Id(if whole { format!("{number}") } else { raw.to_owned() }))
    }

    /// Creates a string id.
    pub(crate) fn of_text(text: &str) -> Id {
        Id(format!("\"{text}"))
    }
}

impl<'a> Message<'a> {
    /// Reads a message. Returns `None` unless the text is a JSON object.
    pub(crate) fn read(text: &'a str) -> Option<Message<'a>> {
        raw::fields(text).ok().map(Message)
    }

    /// Returns a member as raw JSON.
    pub(crate) fn member(&self, name: &str) -> Option<&'a str> {
        raw::field(&self.0, name)
    }

    /// Returns the id as raw JSON; `None` if absent or null.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.member("id").filter(|id| *id != "null")
    }

    /// Returns the request that this message answers, as libraries of any kind would read it. Some
    /// recognise an answer by its result, others by the missing method; some take the first of
    /// duplicate members, and some ignore case.
    pub(crate) fn answering(&self) -> Answering {
        let only = |name| {
            let mut all = self.members_named(name);
            all.next().filter(|_| all.next().is_none())
        };
        let method = only("METHOD").map(|(_, method)| method);
        let calls = method.is_some_and(|method| raw::is_string(method) && method != "\"\"");
        let result = self.members_named("RESULT").next().is_some();
        if calls && !result && self.members_named("ERROR").next().is_none() {
            return Answering::Nothing;
        }
        match (only("ID"), self.members_named("ID").next()) {
            (Some((_, "null")), _) if !result => Answering::Nothing,
            (Some(("id", id)), _) => Id::of(id).map_or(Answering::Ambiguous, Answering::Request),
            (None, None) => Answering::Nothing,
            _ => Answering::Ambiguous,
        }
    }

    /// Returns the members with this name in any case, with their actual names. `name` is upper
    /// case.
    fn members_named(&self, name: &str) -> impl Iterator<Item = (&str, &'a str)> {
        let same = move |own: &str| own.chars().flat_map(char::to_uppercase).eq(name.chars());
        self.0.iter().filter(move |(own, _)| same(own)).map(|(own, value)| (&**own, *value))
    }

    /// Returns the method; `None` for an answer.
    pub(crate) fn method(&self) -> Option<Cow<'a, str>> {
        self.member("method").filter(|method| raw::is_string(method)).map(|m| raw::unescape(m).text)
    }

    /// Returns a member of `params` as raw JSON.
    pub(crate) fn param(&self, name: &str) -> Option<&'a str> {
        member(self.member("params")?, name)
    }

    /// Returns a string member of `params`.
    pub(crate) fn param_text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.param(name)?)
    }

    /// Returns a member of `_meta` by its name without the protocol's prefix.
    pub(crate) fn meta(&self, name: &str) -> Option<&'a str> {
        member(self.param("_meta")?, &protocol_name(name))
    }
}

/// Returns the name with the protocol's prefix, `io.modelcontextprotocol/`.
pub(crate) fn protocol_name(name: &str) -> String {
    format!("io.modelcontextprotocol/{name}")
}

/// Returns true for one complete JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns a member of a raw object.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    raw::field(&raw::fields(object).ok()?, name)
}

/// Returns the text of a raw string; `None` for other values.
pub(crate) fn text(value: &str) -> Option<Cow<'_, str>> {
    raw::is_string(value).then(|| raw::unescape(value).text)
}

/// Builds an error response. `id` is raw JSON, `null` if unknown.
pub(crate) fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let message = quote(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
        .into_bytes()
}

/// Builds a response; `id` and `result` are raw JSON.
pub(crate) fn answer(id: &str, result: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

/// Removes line breaks from a message. In valid JSON they are white space: inside strings they
/// are escaped.
pub(crate) fn on_one_line(mut message: Vec<u8>) -> Vec<u8> {
    message.retain(|byte| !matches!(byte, b'\n' | b'\r'));
    message.trim_ascii().to_vec()
}

/// Finds the id of a message of which only the two ends are known, as raw JSON: libraries write it
/// among the first members or as the last one.
pub(crate) fn id_at_the_edges(head: &str, tail: &str) -> Option<String> {
    let head = head.get(..MAX_EDGE_BYTES).unwrap_or(head);
    if let Some(at) = head.find("\"id\"") {
        // After `result` or `params`, it may be an id inside of these.
        let before = !head[..at].contains("\"result\"") && !head[..at].contains("\"params\"");
        let value = head[at + 4..].trim_start().strip_prefix(':')?.trim_start();
        let end = value.find([',', '}'])?;
        if before && is_id(value[..end].trim_end()) {
            return Some(value[..end].trim_end().to_owned());
        }
    }
    let value = tail.trim_end().strip_suffix('}')?.trim_end();
    let (_, value) = value.rsplit_once("\"id\"")?;
    let value = value.trim_start().strip_prefix(':')?.trim();
    is_id(value).then(|| value.to_owned())
}

/// Returns true for a complete JSON value that is an id.
fn is_id(value: &str) -> bool {
    Id::of(value).is_some() && is_json(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_in_every_spelling() {
        assert_eq!(Id::of("1"), Id::of("1.0"));
        assert_eq!(Id::of(r#""\u0061""#), Id::of(r#""a""#));
        assert_ne!(Id::of("1"), Id::of(r#""1""#));
        assert_ne!(Id::of("12345678901234567890123"), Id::of("12345678901234567890124"));
        assert_eq!(Id::of(r#""a""#), Some(Id::of_text("a")));
        assert_eq!(Id::of("{}"), None);
    }

    #[test]
    fn the_request_that_a_message_answers() {
        let of = |text| Message::read(text).unwrap().answering();
        let seven = Answering::Request(Id("7".to_owned()));
        for text in [
            r#"{"id":7,"result":1}"#,
            r#"{"id":7.0,"error":{}}"#,
            r#"{"id":7}"#,
            r#"{"id":7,"method":"x","result":1}"#,
            r#"{"id":7,"method":"x","re\u017fult":1}"#,
            r#"{"id":7,"method":"","x":1}"#,
            r#"{"id":7,"method":"x","METHOD":"y"}"#,
            r#"{"id":7,"method":null}"#,
        ] {
            assert_eq!(of(text), seven, "{text}");
        }
        for text in [
            r#"{"id":7,"method":"x","params":{"result":1}}"#,
            r#"{"method":"x"}"#,
            r#"{"id":null,"error":{}}"#,
            r#"{"error":{}}"#,
        ] {
            assert_eq!(of(text), Answering::Nothing, "{text}");
        }
        for text in [
            r#"{"id":7,"result":1,"id":8}"#,
            r#"{"id":7,"result":1,"Id":8}"#,
            r#"{"ID":7,"result":1}"#,
            r#"{"id":[7],"result":1}"#,
            r#"{"id":null,"result":1}"#,
        ] {
            assert_eq!(of(text), Answering::Ambiguous, "{text}");
        }
    }

    #[test]
    fn a_message_on_more_lines_becomes_one() {
        let pretty = b"{\r\n  \"a\": \"x\\ny\",\n  \"b\": 1.10\n}\n".to_vec();
        assert_eq!(on_one_line(pretty), br#"{  "a": "x\ny",  "b": 1.10}"#);
    }

    #[test]
    fn the_id_of_a_message_that_is_too_long_is_found_at_its_ends() {
        let find = |head, tail| id_at_the_edges(head, tail);
        assert_eq!(find(r#"{"jsonrpc":"2.0","id":7,"result":{"#, "}}").unwrap(), "7");
        assert_eq!(find(r#"{"jsonrpc":"2.0","id": "a-1" ,"#, "").unwrap(), r#""a-1""#);
        let last = find(r#"{"result":{"x":{"id":1,"#, r#"]},"jsonrpc":"2.0","id":9}"#);
        assert_eq!(last.unwrap(), "9");
        assert_eq!(find(r#"{"result":{"id":1,"#, r#""id":2}]}}"#), None);
    }
}
