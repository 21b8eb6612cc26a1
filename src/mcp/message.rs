//! A message of MCP as raw text, and the few members that are read of it.
//! Nothing is parsed into types and printed again: what the proxy does not know
//! must leave as it came.

use std::borrow::Cow;

use chat_history::raw::{self, Fields};
use chat_history::splice::quote;

/// JSON-RPC: the message is no JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the message is no request.
pub const INVALID_REQUEST: i32 = -32600;
/// What the upstream did not answer; the code that MCP's libraries give for a
/// connection that ended.
pub const UPSTREAM_FAILED: i32 = -32000;

/// Most of either end of a message that is looked at for its id, in bytes.
const EDGE: usize = 4_096;

/// The members of one message.
pub struct Message<'a>(Fields<'a>);

/// An id, whatever its spelling: a number by its value, a string by its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Id(String);

/// Which request a message answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answering {
    /// None: it is a request, a notification, or an error of no request in particular.
    Nothing,
    /// This one.
    Request(Id),
    /// Libraries would not agree.
    Doubtful,
}

impl Id {
    /// Of raw JSON; None where it is no id.
    pub fn of(raw: &str) -> Option<Id> {
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

    /// Of a text of ours.
    pub fn of_text(text: &str) -> Id {
        Id(format!("\"{text}"))
    }
}

impl<'a> Message<'a> {
    /// None where the text is no JSON object.
    pub fn read(text: &'a str) -> Option<Message<'a>> {
        raw::fields(text).ok().map(Message)
    }

    /// A member, raw.
    pub fn member(&self, name: &str) -> Option<&'a str> {
        raw::field(&self.0, name)
    }

    /// The id, raw; a null one is none.
    pub fn id(&self) -> Option<&'a str> {
        self.member("id").filter(|id| *id != "null")
    }

    /// Which request it answers, for a library of any make: some tell an answer by its
    /// result, others by the method that it lacks; of members with one name some take
    /// the first, and some know no upper and lower case.
    pub fn answering(&self) -> Answering {
        let only = |name| {
            let mut all = self.named(name);
            all.next().filter(|_| all.next().is_none())
        };
        let method = only("METHOD").map(|(_, method)| method);
        let calls = method.is_some_and(|method| raw::is_string(method) && method != "\"\"");
        let result = self.named("RESULT").next().is_some();
        if calls && !result && self.named("ERROR").next().is_none() {
            return Answering::Nothing;
        }
        match (only("ID"), self.named("ID").next()) {
            (Some((_, "null")), _) if !result => Answering::Nothing,
            (Some(("id", id)), _) => Id::of(id).map_or(Answering::Doubtful, Answering::Request),
            (None, None) => Answering::Nothing,
            _ => Answering::Doubtful,
        }
    }

    /// The members of that name, given in capitals, in any case; with the name as it is.
    fn named(&self, name: &str) -> impl Iterator<Item = (&str, &'a str)> {
        let same = move |own: &str| own.chars().flat_map(char::to_uppercase).eq(name.chars());
        self.0.iter().filter(move |(own, _)| same(own)).map(|(own, value)| (&**own, *value))
    }

    /// What it asks for or tells; None for an answer.
    pub fn method(&self) -> Option<Cow<'a, str>> {
        self.member("method").filter(|method| raw::is_string(method)).map(|m| raw::unescape(m).text)
    }

    /// A member of `params`, raw.
    pub fn param(&self, name: &str) -> Option<&'a str> {
        member(self.member("params")?, name)
    }

    /// A member of `params` that is a string.
    pub fn param_text(&self, name: &str) -> Option<Cow<'a, str>> {
        text(self.param(name)?)
    }

    /// A member of the request's `_meta`, by its name in the protocol's own space.
    pub fn meta(&self, name: &str) -> Option<&'a str> {
        member(self.param("_meta")?, &protocol_name(name))
    }
}

/// `io.modelcontextprotocol/…`.
pub fn protocol_name(name: &str) -> String {
    format!("io.modelcontextprotocol/{name}")
}

/// A member of a raw object.
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    raw::field(&raw::fields(object).ok()?, name)
}

/// The text of a raw string.
pub fn text(value: &str) -> Option<Cow<'_, str>> {
    raw::is_string(value).then(|| raw::unescape(value).text)
}

/// An error that answers the request `id`, raw; `null` where nobody can say which.
pub fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let message = quote(message);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
        .into_bytes()
}

/// The answer to the request `id`.
pub fn answer(id: &str, result: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

/// A message on one line. A line break of valid JSON is white space: inside a
/// string it is escaped.
pub fn on_one_line(mut message: Vec<u8>) -> Vec<u8> {
    message.retain(|byte| !matches!(byte, b'\n' | b'\r'));
    message.trim_ascii().to_vec()
}

/// The id of a message of which only its two ends are at hand, raw: libraries
/// write it among the first members or as the last.
pub fn id_at_the_edges(head: &str, tail: &str) -> Option<String> {
    let head = head.get(..EDGE).unwrap_or(head);
    if let Some(at) = head.find("\"id\"") {
        // Before `result`, or it may be the id of something in it.
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

/// True for a whole JSON value that is an id.
fn is_id(value: &str) -> bool {
    Id::of(value).is_some() && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok()
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
            assert_eq!(of(text), Answering::Doubtful, "{text}");
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
