//! Where in a message compaction may write: the texts of results, and of a user
//! where `compact_roles` says so. All else is cut out of both histories and must be
//! the same bytes: ids, names, roles, counts, order, thinking and its signatures,
//! cache marks, error flags, unknown members.

use raw_json::{elements, field, fields, is_string, kind, offset_in};

use super::Format;

/// A place where a text may stand, and what must hold of whatever stands there.
struct Hole<'a> {
    value: &'a str,
    /// What a provider sees of the value's type.
    kind: &'static str,
}

/// The message with each such place cut out, and its kind in its place.
pub(crate) fn frame(format: Format, message: &str, user: bool) -> String {
    let mut holes = holes(format, message, user);
    holes.sort_by_key(|hole| offset_in(message, hole.value));
    let (mut out, mut at) = (String::new(), 0);
    for hole in holes {
        let start = offset_in(message, hole.value);
        out.push_str(&message[at..start]);
        out.push('‹');
        out.push_str(hole.kind);
        out.push('›');
        at = start + hole.value.len();
    }
    out.push_str(&message[at..]);
    out
}

fn holes(format: Format, message: &str, user: bool) -> Vec<Hole<'_>> {
    match format {
        Format::Responses => responses(message, user),
        Format::Anthropic => anthropic(message, user),
        Format::Gemini | Format::GeminiSnake => gemini(message, user),
        Format::AiSdk => ai_sdk(message, user),
        Format::LangChainFlat | Format::LangChainData | Format::LangChainConstructor => {
            langchain(message, user)
        }
    }
}

/// A member of an object; None of anything else.
fn get<'a>(value: &'a str, name: &str) -> Option<&'a str> {
    value.starts_with('{').then(|| field(&fields(value).unwrap(), name)).flatten()
}

fn items(value: &str) -> Vec<&str> {
    if value.starts_with('[') { elements(value).unwrap() } else { Vec::new() }
}

fn is(value: &str, name: &str, word: &str) -> bool {
    get(value, name) == Some(format!("\"{word}\"").as_str())
}

/// A content: a string, or parts whose texts stand in `text` or alone. Another
/// value may become a string where `any` may stand there.
fn content(value: &str, any: bool) -> Vec<Hole<'_>> {
    let part = |part: &'_ str| get(part, "type").is_some_and(is_string) || is_string(part);
    let parts = items(value);
    if !parts.is_empty() && parts.iter().all(|value| part(value)) {
        return parts.into_iter().filter_map(text_of).collect();
    }
    match any && !["", "[]"].contains(&value) || is_string(value) {
        true => vec![Hole { value, kind: "text or value" }],
        false => Vec::new(),
    }
}

fn text_of(part: &str) -> Option<Hole<'_>> {
    let value = if is_string(part) { Some(part) } else { get(part, "text") };
    let is_text = is_string(part)
        || ["text", "input_text", "output_text"].iter().any(|kind| is(part, "type", kind));
    value.filter(|value| is_text && is_string(value)).map(|value| Hole { value, kind: "a string" })
}

fn responses(message: &str, user: bool) -> Vec<Hole<'_>> {
    if user && is(message, "role", "user") {
        return content(get(message, "content").unwrap_or_default(), false);
    }
    let kind = get(message, "type").unwrap_or_default();
    let Some(output) = get(message, "output").filter(|_| kind.ends_with("_call_output\"")) else {
        return Vec::new();
    };
    match kind {
        "\"computer_call_output\"" => Vec::new(),
        "\"shell_call_output\"" => {
            let streams = |chunk| ["stdout", "stderr"].map(|name| get(chunk, name));
            let values = items(output).into_iter().flat_map(streams).flatten();
            values.map(|value| Hole { value, kind: kind_of(value) }).collect()
        }
        _ => content(output, true),
    }
}

fn kind_of(value: &str) -> &'static str {
    kind(value)
}

fn anthropic(message: &str, user: bool) -> Vec<Hole<'_>> {
    let whole = get(message, "content").unwrap_or_default();
    let mut holes = Vec::new();
    for block in items(whole) {
        if is(block, "type", "tool_result") {
            holes.extend(content(get(block, "content").unwrap_or_default(), true));
        } else if user && is(message, "role", "user") {
            holes.extend(text_of(block));
        }
    }
    if user && is(message, "role", "user") && is_string(whole) {
        holes.push(Hole { value: whole, kind: "a string" });
    }
    holes
}

/// A response stays an object, whatever is in it.
fn gemini(message: &str, user: bool) -> Vec<Hole<'_>> {
    let mut holes = Vec::new();
    let parts = get(message, "parts").unwrap_or_default();
    // A part may stand alone without its array, and a text without its part.
    let parts = if parts.starts_with('[') { items(parts) } else { vec![parts] };
    for part in parts {
        if user && is_string(part) {
            holes.push(Hole { value: part, kind: "a string" });
        }
        let result = get(part, "functionResponse").or_else(|| get(part, "function_response"));
        let response = result.and_then(|result| get(result, "response"));
        holes.extend(response.map(|value| Hole { value, kind: kind_of(value) }));
        let words = get(part, "text").filter(|_| user && !is(message, "role", "model"));
        holes.extend(words.map(|value| Hole { value, kind: kind_of(value) }));
    }
    holes
}

/// An output stays `{type, value}`, of a type that says what its value is and
/// whether the tool failed.
fn ai_sdk(message: &str, user: bool) -> Vec<Hole<'_>> {
    let whole = get(message, "content").unwrap_or_default();
    let mut holes = Vec::new();
    if user && is(message, "role", "user") {
        return content(whole, false);
    }
    for part in items(whole).into_iter().filter(|_| is(message, "role", "tool")) {
        if !is(part, "type", "tool-result") {
            continue;
        }
        holes.extend(get(part, "result").map(|value| Hole { value, kind: "text or value" }));
        for part in items(get(part, "experimental_content").unwrap_or_default()) {
            holes.extend(text_of(part));
        }
        let Some(output) = get(part, "output") else { continue };
        let (tag, value) = (get(output, "type").unwrap(), get(output, "value"));
        let Some(value) = value else { continue };
        let kind = match (tag, is_string(value)) {
            ("\"text\"", true) | ("\"json\"", _) => "text or json",
            ("\"error-text\"", true) | ("\"error-json\"", _) => "an error",
            ("\"content\"", _) => {
                holes.extend(items(value).into_iter().filter_map(text_of));
                continue;
            }
            _ => "no output",
        };
        holes.extend([tag, value].map(|value| Hole { value, kind }));
    }
    holes
}

fn langchain(message: &str, user: bool) -> Vec<Hole<'_>> {
    let inner = get(message, "kwargs").or_else(|| get(message, "data")).unwrap_or(message);
    let class = get(message, "id").map(items).and_then(|mut path| path.pop());
    let class = class.or_else(|| get(message, "type")).unwrap_or_default();
    let value = get(inner, "content").unwrap_or_default();
    match class {
        "\"tool\"" | "\"ToolMessage\"" => content(value, true),
        "\"human\"" | "\"HumanMessage\"" if user => content(value, false),
        _ => Vec::new(),
    }
}
