//! Results that are one list in many blocks: libraries of servers give each item a
//! text block of its own, so that no block is large and the whole is.

use chat_history::raw;

use super::message::{member, text};
use super::same::is_value;

/// The items of all blocks as one JSON array, where each block is a text that is
/// JSON and nothing else; None for any other content.
pub(super) fn list(content: &str) -> Option<String> {
    let blocks = raw::elements(content).ok().filter(|blocks| blocks.len() > 1)?;
    let items: Option<Vec<String>> = blocks.into_iter().map(item).collect();
    Some(format!("[{}]", items?.join(",")))
}

fn item(block: &str) -> Option<String> {
    let plain = raw::fields(block).is_ok_and(|fields| fields.len() == 2);
    let kind = member(block, "type").and_then(text)?;
    let literal = member(block, "text").filter(|literal| raw::is_string(literal))?;
    let item = raw::unescape(literal);
    let json = plain && kind == "text" && item.exact && is_value(item.text.trim_ascii());
    json.then(|| item.text.trim_ascii().to_owned())
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn items_keep_their_spelling() {
        let content = r#"[{"type":"text","text":"{\n \"n\": 1.10}"},{"text":"[2]","type":"text"}]"#;
        assert_eq!(list(content).unwrap(), "[{\n \"n\": 1.10},[2]]");
    }

    #[test]
    fn what_is_no_list_of_items_stays() {
        for content in [
            r#"[{"type":"text","text":"{}"}]"#,
            r#"[{"type":"text","text":"{}"},{"type":"text","text":"two words"}]"#,
            r#"[{"type":"text","text":"{}"},{"type":"text","text":"{}","annotations":{}}]"#,
            r#"[{"type":"text","text":"{}"},{"type":"image","data":"QUJD"}]"#,
            r#"[{"type":"text","text":"{}"},{"type":"text","text":"\"\ud800\""}]"#,
            r#"{"type":"text"}"#,
        ] {
            assert_eq!(list(content), None, "{content}");
        }
    }
}
