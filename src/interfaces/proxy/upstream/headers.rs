//! Headers that describe a message to intermediaries, as newer protocol versions require
//! (SEP-2243).

use std::collections::HashMap;

use raw_json as raw;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::interfaces::mcp::message::{Message, member, text};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Arguments that a tool's schema marks for headers: path in the arguments and header name, by
/// tool.
pub(super) type MarkedArguments = HashMap<String, Vec<(Vec<String>, String)>>;

/// Adds headers for the method, the name and the marked arguments of a message.
pub(super) fn add_message_headers(
    message: &Message<'_>,
    marked: &MarkedArguments,
    headers: &mut HeaderMap,
) {
    let Some(method) = message.method() else { return };
    let mut put = |name: &str, value: &str| {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    };
    put("mcp-method", &method);
    let name = match &*method {
        "tools/call" | "prompts/get" => message.param_text("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
            message.param_text("uri")
        }
        "tasks/get" | "tasks/update" | "tasks/cancel" => message.param_text("taskId"),
        _ => None,
    };
    let Some(name) = name else { return };
    put("mcp-name", &encode_header(&name));
    let arguments = message.param("arguments").filter(|_| method == "tools/call");
    for (path, header) in marked.get(&*name).into_iter().flatten() {
        let at = |value, step: &String| member(value, step);
        let value = arguments.and_then(|arguments| path.iter().try_fold(arguments, at));
        if let Some(value) = value.and_then(header_text) {
            put(&format!("mcp-param-{header}"), &encode_header(&value));
        }
    }
}

/// Returns the marked arguments of the tools on a page of the tool list.
pub(super) fn marked_arguments(result: &str) -> MarkedArguments {
    let tools = member(result, "tools").and_then(|tools| raw::elements(tools).ok());
    let mut all = MarkedArguments::new();
    for tool in tools.unwrap_or_default() {
        let mut found = Vec::new();
        // Skips parsing the schemas of most tools.
        if let Some(schema) = member(tool, "inputSchema").filter(|s| s.contains("x-mcp-header")) {
            collect(schema, &mut Vec::new(), &mut found);
        }
        if let Some(name) = member(tool, "name").and_then(text) {
            all.insert(name.into_owned(), found);
        }
    }
    all
}

fn collect(schema: &str, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, String)>) {
    let properties = member(schema, "properties").and_then(|inner| raw::fields(inner).ok());
    for (name, inner) in properties.unwrap_or_default() {
        path.push(name.into_owned());
        if let Some(header) = member(inner, "x-mcp-header").and_then(text) {
            found.push((path.clone(), header.into_owned()));
        }
        collect(inner, path, found);
        path.pop();
    }
}

/// Returns a string, number or boolean as header text.
fn header_text(value: &str) -> Option<String> {
    match value.as_bytes().first()? {
        b'"' => text(value).map(std::borrow::Cow::into_owned),
        b'{' | b'[' | b'n' => None,
        _ => Some(value.to_owned()),
    }
}

/// Encodes a value for a header: unchanged if it is safe, otherwise as Base64.
fn encode_header(value: &str) -> String {
    let edge = |c: Option<char>| matches!(c, Some(' ' | '\t'));
    let printable = value.chars().all(|c| (' '..='~').contains(&c));
    let looks = value.starts_with("=?base64?") && value.ends_with("?=");
    if printable && !looks && !edge(value.chars().next()) && !edge(value.chars().next_back()) {
        return value.to_owned();
    }
    format!("=?base64?{}?=", base64(value.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_its_method_name_and_marked_arguments() {
        let list = r#"{"tools":[{"name":"q","inputSchema":{"properties":{"a":{"properties":{"r":{"x-mcp-header":"Region"}}}}}}]}"#;
        let call = r#"{"id":1,"method":"tools/call","params":{"name":"q","arguments":{"a":{"r":"eu-é"}}}}"#;
        let mut headers = HeaderMap::new();
        add_message_headers(&Message::read(call).unwrap(), &marked_arguments(list), &mut headers);
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "q");
        assert_eq!(headers["mcp-param-region"], "=?base64?ZXUtw6k=?=");
    }

    #[test]
    fn base64_as_everybody_spells_it() {
        assert_eq!(
            ["", "f", "fo", "foo", "foob"].map(|t| base64(t.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
        assert_eq!(encode_header(" a"), "=?base64?IGE=?=");
        assert_eq!(encode_header("a b"), "a b");
    }
}
