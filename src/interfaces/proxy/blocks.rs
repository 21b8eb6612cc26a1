//! Lists that a server returns with one text block an item: no block is large, but the whole
//! list is.

use raw_json as raw;

use crate::interfaces::mcp::message::{is_json, member, text};

/// Joins the items of all blocks into one JSON array. Returns None unless there are two or more
/// blocks and each is a text block that holds JSON and nothing else.
pub(super) fn joined_items(content: &str) -> Option<String> {
    let blocks = raw::elements(content).ok().filter(|blocks| blocks.len() > 1)?;
    let items: Option<Vec<String>> = blocks.into_iter().map(item).collect();
    Some(format!("[{}]", items?.join(",")))
}

fn item(block: &str) -> Option<String> {
    let plain = raw::fields(block).is_ok_and(|fields| fields.len() == 2);
    let kind = member(block, "type").and_then(text)?;
    let literal = member(block, "text").filter(|literal| raw::is_string(literal))?;
    let item = raw::unescape(literal);
    let json = plain && kind == "text" && item.exact && is_json(item.text.trim_ascii());
    json.then(|| item.text.trim_ascii().to_owned())
}

#[cfg(test)]
mod tests {
    use super::joined_items;

    #[test]
    fn items_keep_their_spelling() {
        let content = r#"[{"type":"text","text":"{\n \"n\": 1.10}"},{"text":"[2]","type":"text"}]"#;
        assert_eq!(joined_items(content).unwrap(), "[{\n \"n\": 1.10},[2]]");
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
            assert_eq!(joined_items(content), None, "{content}");
        }
    }
}
