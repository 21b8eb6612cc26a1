//! A system prompt that is not one of the messages, in the shapes that providers accept: a string,
//! an array of text blocks (or of strings), or an object with `parts`. This module also adds blocks
//! to messages and removes them.

use raw_json::{self as raw, Fields, quote};

use super::slot::{Frame, Slot, SlotKind};

/// Returns the slots of its texts.
pub fn text_slots(value: &str) -> Vec<Slot> {
    let slot = |literal: &str| {
        let start = raw::offset_in(value, literal);
        Slot { span: start..start + literal.len(), kind: SlotKind::String, frame: Frame::Bare }
    };
    if raw::is_string(value) {
        return vec![slot(value)];
    }
    blocks(value).into_iter().filter_map(text_of).map(slot).collect()
}

/// Returns true if a text can be appended: to the string, or as a block.
pub fn takes_text(value: &str) -> bool {
    raw::is_string(value) || array_of(value).is_some()
}

/// Returns the value with a block of that text at its end, in the form of the other blocks; in an
/// empty list, `typed` tells whether the block has a `type`. Returns `None` for a string.
///
/// ```
/// use chat_history::system_prompt::with_block;
///
/// let prompt = r#"[{"text":"Be brief."}]"#;
/// let longer = with_block(prompt, "Be kind.", true);
/// assert_eq!(longer.as_deref(), Some(r#"[{"text":"Be brief."},{"text":"Be kind."}]"#));
/// ```
pub fn with_block(value: &str, text: &str, typed: bool) -> Option<String> {
    let array = array_of(value)?;
    let blocks = raw::elements(array).unwrap_or_default();
    let text = quote(text);
    let typed = match blocks.first() {
        Some(first) => has(first, "type"),
        None => typed && array.len() == value.len(),
    };
    let block = match blocks.first() {
        Some(first) if raw::is_string(first) => text,
        _ if typed => format!("{{\"type\":\"text\",\"text\":{text}}}"),
        _ => format!("{{\"text\":{text}}}"),
    };
    // At a place from which it can be removed again without a trace.
    let (comma, at) = match blocks.last() {
        Some(last) => (",", raw::offset_in(value, last) + last.len()),
        None => ("", raw::offset_in(value, array) + 1),
    };
    Some(format!("{}{comma}{block}{}", &value[..at], &value[at..]))
}

/// Returns a value (a system prompt, a message) without the block that holds the slot; `None` if
/// the slot is in no block, or in the only one.
pub fn without_block(value: &str, slot: &Slot) -> Option<String> {
    let blocks = blocks(value);
    let range = |block: &str| {
        let start = raw::offset_in(value, block);
        start..start + block.len()
    };
    let inside = |block: &&str| range(block).contains(&slot.span.start);
    let at = blocks.iter().position(inside).filter(|_| blocks.len() > 1)?;
    let gone = match at {
        0 => range(blocks[0]).start..range(blocks[1]).start,
        at => range(blocks[at - 1]).end..range(blocks[at]).end,
    };
    Some(format!("{}{}", &value[..gone.start], &value[gone.end..]))
}

/// Returns a system prompt without any block; for a string, an empty string.
pub fn bare(value: &str) -> String {
    if array_of(value).is_none() {
        return "\"\"".to_owned();
    }
    let blocks = blocks(value);
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return value.to_owned();
    };
    let (start, end) = (raw::offset_in(value, first), raw::offset_in(value, last) + last.len());
    format!("{}{}", &value[..start], &value[end..])
}

fn blocks(value: &str) -> Vec<&str> {
    array_of(value).and_then(|array| raw::elements(array).ok()).unwrap_or_default()
}

/// Returns the array of blocks: the value itself, or its `parts` or `content`.
fn array_of(value: &str) -> Option<&str> {
    if value.starts_with('[') {
        return Some(value);
    }
    let fields = members(value)?;
    let found = ["parts", "content"].iter().find_map(|name| raw::field(&fields, name));
    found.filter(|array| array.starts_with('['))
}

fn text_of(block: &str) -> Option<&str> {
    if raw::is_string(block) {
        return Some(block);
    }
    raw::field(&members(block)?, "text").filter(|text| raw::is_string(text))
}

fn has(block: &str, name: &str) -> bool {
    members(block).is_some_and(|fields| raw::field(&fields, name).is_some())
}

fn members(value: &str) -> Option<Fields<'_>> {
    value.starts_with('{').then(|| raw::fields(value).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [(&str, usize, Option<&str>); 8] = [
        (r#""Be brief.""#, 1, None),
        (
            r#"[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}]"#,
            1,
            Some(r#",{"type":"text","text":"x"}]"#),
        ),
        (r#"[ ]"#, 0, Some(r#"[{"type":"text","text":"x"} ]"#)),
        (r#"[ {"text":"a"} ]"#, 1, Some(r#"[ {"text":"a"},{"text":"x"} ]"#)),
        (r#"["a","b"]"#, 2, Some(r#"["a","b","x"]"#)),
        (r#"{"parts":[{"text":"a"}]}"#, 1, Some(r#"{"parts":[{"text":"a"},{"text":"x"}]}"#)),
        (r#"{"role":"system","parts":[]}"#, 0, Some(r#"{"role":"system","parts":[{"text":"x"}]}"#)),
        (r#"7"#, 0, None),
    ];

    #[test]
    fn a_block_is_put_in_and_taken_out_again() {
        for (value, texts, with) in SHAPES {
            assert_eq!(text_slots(value).len(), texts, "{value}");
            let put = with_block(value, "x", true);
            assert!(with.is_none_or(|end| put.as_ref().unwrap().ends_with(end)), "{put:?}");
            assert_eq!(put.is_some(), with.is_some(), "{value}");
            let Some(put) = put else { continue };
            let slots = text_slots(&put);
            assert_eq!(slots.len(), texts + 1, "{put}");
            assert!(text_slots(&bare(&put)).is_empty());
            assert!(texts > 0 || bare(&put) == value, "{put}");
            serde_json::from_str::<serde_json::Value>(&bare(&put)).unwrap();
            if texts > 0 {
                assert_eq!(without_block(&put, &slots[texts]).as_deref(), Some(value));
            }
        }
    }
}
