//! The messages of jq: short, with what to write instead.

use raw_json::{Cursor, Kind};

/// The start of the message for a field of an array.
pub(super) const INDEX_ARRAY: &str = "cannot index array";

/// The start of the message for a part of a value that has none.
pub(super) const INDEX: &str = "cannot index ";

/// The bytes of a message that are shown at each end.
const MESSAGE_END: usize = 80;

/// The bytes of a message of the filter itself that are shown at each end: it may be data.
const DATA_END: usize = 40;

/// The bytes of a text that is shown whole.
const WHOLE_TEXT: usize = 40;

/// Returns a message of `jaq` with its values as their type and size.
pub(super) fn explain(message: &str) -> String {
    let mut text = described(message).unwrap_or_else(|| shorten(message, DATA_END));
    let of_null = ["null and string cannot", "cannot use null as string"];
    if of_null.iter().any(|start| message.starts_with(start)) {
        text.push_str("; `// \"\"` after the field reads null as an empty text");
    }
    text
}

/// Removes the middle of a long text.
pub(in crate::worker) fn ends(text: &str) -> String {
    shorten(text, MESSAGE_END)
}

fn shorten(text: &str, end: usize) -> String {
    if text.len() <= 2 * end {
        return text.to_owned();
    }
    let start = text.floor_char_boundary(end);
    let end = text.ceil_char_boundary(text.len() - end);
    format!("{} … {}", &text[..start], &text[end..])
}

/// Returns None if the message has no values that are known.
fn described(message: &str) -> Option<String> {
    const ITERABLE: &str = " as iterable (array or object)";
    const STARTS: [&str; 4] =
        [INDEX, "cannot use ", "cannot calculate ", "invalid path expression with input "];
    let start = STARTS.into_iter().find(|start| message.starts_with(start))?;
    let (value, rest) = first_value(message.strip_prefix(start)?)?;
    let mut text = format!("{start}{}", description(value));
    // Before a second value: ` with `, or an operator.
    let second = rest.find(['"', '[', '{']).or_else(|| rest.rfind(' ').map(|at| at + 1));
    match second.filter(|_| start == INDEX || start == "cannot calculate ") {
        Some(at) => {
            let (second, _) = first_value(&rest[at..])?;
            text.push_str(&rest[..at]);
            text.push_str(&description(second));
            text.push_str(&if start == INDEX {
                instead_of_index(value, second)
            } else {
                instead_of_calculation(value, second)
            });
        }
        None => text.push_str(&ends(rest)),
    }
    if rest == ITERABLE {
        text.push_str("; `[]?` skips what has no elements");
    }
    Some(text)
}

fn first_value(text: &str) -> Option<(&str, &str)> {
    let value = Cursor::new(text.as_bytes(), 0).value()?;
    Some((text.get(value.clone())?, text.get(value.end..)?))
}

fn kind(value: &str) -> Option<Kind> {
    value.bytes().next().and_then(Kind::of)
}

/// Returns the type and the size of a value; a short text whole.
fn description(value: &str) -> String {
    match kind(value) {
        Some(Kind::Array) => {
            format!("array (length {})", raw_json::each_element(value).count())
        }
        Some(Kind::Object) => {
            format!("object ({} fields)", raw_json::each_member(value).count())
        }
        Some(Kind::String) if value.len() > WHOLE_TEXT => {
            let start = &value[..value.floor_char_boundary(WHOLE_TEXT / 2)];
            let length = raw_json::unescape(value).text.chars().count();
            format!("string {start}…\" (length {length})")
        }
        Some(Kind::String) => format!("string {value}"),
        Some(Kind::Number) => format!("number {}", shorten(value, WHOLE_TEXT / 2)),
        _ => value.to_owned(),
    }
}

/// Returns the filters that select or convert the values of a calculation.
fn instead_of_calculation(left: &str, right: &str) -> String {
    match (kind(left), kind(right)) {
        (Some(Kind::Number), Some(Kind::String)) | (Some(Kind::String), Some(Kind::Number)) => {
            "; `numbers` selects the numbers, `tonumber` and `tostring` convert".to_owned()
        }
        _ => String::new(),
    }
}

/// Returns the filter that reads a field of a value that is not an object.
fn instead_of_index(value: &str, index: &str) -> String {
    if !raw_json::is_string(index) || index.len() > 2 * WHOLE_TEXT {
        return String::new();
    }
    match kind(value) {
        Some(Kind::Array) => format!("; `.[][{index}]` reads it of each element"),
        _ => format!("; `.[{index}]?` skips what is not an object"),
    }
}
