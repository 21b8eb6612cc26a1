//! Lists that a server returns with one text block per item: no block is large, but the whole list
//! is.

use raw_json as raw;
use record_files::find::{Accept, find_records};

use crate::interfaces::mcp::message::{is_json, member, text};

/// Joins the items of all blocks into one JSON array. Returns `None` unless there are two or more
/// blocks, and each is a text block that holds JSON and nothing else.
pub(super) fn joined_items(content: &str) -> Option<String> {
    let blocks = raw::elements(content).ok().filter(|blocks| blocks.len() > 1)?;
    let items: Option<Vec<String>> = blocks.into_iter().map(item).collect();
    Some(format!("[{}]", items?.join(",")))
}

/// Returns true if the items of an array are one result: they are its records, or contain no
/// records, or are small. Otherwise each item is a result of its own, because the records of one
/// would hide the rest.
pub(super) fn is_one_list(array: &str, is_small: impl Fn(&str) -> bool) -> bool {
    match find_records(array, Accept::Objects) {
        Some(found) => found.place().is_empty(),
        None => {
            raw::each_element(array).all(|item| !item.starts_with(['[', '{']) || is_small(item))
        }
    }
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
    use super::{is_one_list, joined_items};

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

    #[test]
    fn a_list_is_one_if_its_items_are_its_records() {
        let records = format!("[{}]", [r#"{"a":1}"#; 40].join(","));
        let large = format!(r#"{{"rows":{records}}}"#);
        let is_small = |item: &str| item.len() <= 10;
        let pairs = "[[1,\"a\"],[2,\"b\"]]";
        for one in [&*records, "[1,\"two\",null]", pairs, "[900,{\"a\":1},{\"a\":2}]"] {
            assert!(is_one_list(one, is_small), "{one}");
        }
        for others in [
            format!("[{records},{records}]"),
            format!("[{large},{large}]"),
            format!(r#"[{{"e":1}},{records}]"#),
            format!(r#"[{{"e":1}},{{"e":1}},{{"e":1}},{large}]"#),
            format!("[1,{records}]"),
        ] {
            assert!(!is_one_list(&others, is_small), "{others}");
        }
    }
}
