//! The headers by which those on the way know a message without reading it: the
//! new generation of the protocol wants them (SEP-2243).

use std::collections::HashMap;

use chat_history::raw;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::super::message::{Message, member, text};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Arguments of tools that their schemas want as headers too: place and name.
pub(super) type Marked = HashMap<String, Vec<(Vec<String>, String)>>;

/// Puts method and name of the message, and marked arguments, into headers.
pub(super) fn describe(message: &Message<'_>, marked: &Marked, headers: &mut HeaderMap) {
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
    put("mcp-name", &encoded(&name));
    let arguments = message.param("arguments").filter(|_| method == "tools/call");
    for (path, header) in marked.get(&*name).into_iter().flatten() {
        let at = |value, step: &String| member(value, step);
        let value = arguments.and_then(|arguments| path.iter().try_fold(arguments, at));
        if let Some(value) = value.and_then(plain) {
            put(&format!("mcp-param-{header}"), &encoded(&value));
        }
    }
}

/// The marked arguments of the tools on a page of their list.
pub(super) fn marked(result: &str) -> Marked {
    let tools = member(result, "tools").and_then(|tools| raw::elements(tools).ok());
    let mut all = Marked::new();
    for tool in tools.unwrap_or_default() {
        let mut found = Vec::new();
        // Most tools mark nothing: then nothing of the schema is taken apart.
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

/// A text, number or boolean as a header says it.
fn plain(value: &str) -> Option<String> {
    match value.as_bytes().first()? {
        b'"' => text(value).map(std::borrow::Cow::into_owned),
        b'{' | b'[' | b'n' => None,
        _ => Some(value.to_owned()),
    }
}

/// A value that survives as a header: as it is, or in Base64 between marks.
fn encoded(value: &str) -> String {
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
        describe(&Message::read(call).unwrap(), &marked(list), &mut headers);
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
        assert_eq!(encoded(" a"), "=?base64?IGE=?=");
        assert_eq!(encoded("a b"), "a b");
    }
}
