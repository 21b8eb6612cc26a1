//! Any id of a call, with any text: the name of its file is one that the store mints,
//! at most 128 bytes without a separator, and no two contents share one (I16).

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use context_store::{FileName, LroPrefix, Stem};
use raw_json::elements;
use serde_json::{Value, json};

use super::place::{Place, Said};

const NAME_BYTES: usize = 128;
const REFERENCE: &str = "(detailed result is stored in ";
const FOLDER: &str = "/workspace/store/";

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(results) = results(&mut u) else { return };
    for (id, text) in &results {
        minted(id.as_deref(), text);
    }
    // What is a reference already stays as it is.
    if results.iter().all(|(_, text)| !text.contains(REFERENCE)) {
        stored(&results);
    }
}

/// Up to five results: the id of the call, if it has one, and a text. A byte chooses
/// whether an id or a text is that of the result before.
fn results(u: &mut Unstructured<'_>) -> Result<Vec<(Option<String>, String)>> {
    let mut results: Vec<(Option<String>, String)> = Vec::new();
    for _ in 0..u.int_in_range(1..=5)? {
        let choice = u.int_in_range(0..=7u8)?;
        let before = results.last().cloned().unwrap_or_default();
        let mut any = |most: usize| -> Result<String> {
            let length = u.int_in_range(0..=most)?.min(u.len());
            Ok(String::from_utf8_lossy(u.bytes(length)?).into_owned())
        };
        let id = match choice {
            0 => None,
            1 => before.0,
            2 => before.0.map(|id| id.to_uppercase()),
            3 => Some(any(40)?.repeat(40)),
            _ => Some(any(200)?),
        };
        let text = if choice == 4 { before.1 } else { any(60)? };
        results.push((id, text));
    }
    Ok(results)
}

/// The names that the store would try, one after another.
fn minted(id: Option<&str>, text: &str) {
    let hash = blake3::hash(text.as_bytes());
    let word = id.unwrap_or_default();
    let result = Stem::of_call(id, &hash);
    for name in result.names(&hash) {
        assert!(Stem::is_result_name(id, name.as_str()), "{name} is not known as the call's own");
        is_plain(&name);
    }
    let others = [
        Stem::of_group(word, 0),
        Stem::of_file_list(word, u64::MAX),
        Stem::of_snapshot(&hash),
        Stem::of_lro(LroPrefix::Lro, word, 0, &hash),
    ];
    for name in others.iter().flat_map(|stem| stem.names(&hash).take(4)) {
        is_plain(&name);
    }
}

fn is_plain(name: &FileName) {
    let text = name.as_str();
    assert!(text.len() <= NAME_BYTES, "{text} has {} bytes", text.len());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    assert!(text.bytes().all(plain), "{text:?} is no plain name");
    assert!(!text.trim_start_matches(".unburden-").contains(".."), "{text}");
    assert_eq!(FileName::parse(text).as_ref(), Some(name), "the sweep would not know it");
}

/// The results through the service: each reference reads back as its own text.
fn stored(results: &[(Option<String>, String)]) {
    let place = Place::new();
    // Long enough to be worth moving, and not one text within another.
    let long = |text: &str| format!("{}{}\n", "a line of it\n".repeat(40), text);
    let mut messages = Vec::new();
    for (id, text) in results {
        let call =
            json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": long(text)}));
    }
    let body = json!({
        "format": "openai-chat", "messages": messages, "store_dir": "/workspace/store",
        "max_total_tokens": 0, "max_tool_message_tokens": 0, "keep_recent_count": 0,
        "context_manage_mode": "compact", "preview_tokens": 0
    });
    let answer = place.service.offload(body.to_string().as_bytes());
    let after = Said::of(answer.expect("any id is taken"));
    let after = elements(&after.messages).expect("an array of messages");
    let mut paths: BTreeMap<String, &str> = BTreeMap::new();
    for (message, (_, text)) in after.into_iter().skip(1).step_by(2).zip(results) {
        let message: Value = serde_json::from_str(message).expect("a message is JSON");
        let content = message["content"].as_str().expect("a text stays a text");
        let (_, path) = content.rsplit_once(REFERENCE).expect("each of them moved");
        let path = path.trim_end().trim_end_matches(')');
        let name = path.strip_prefix(FOLDER).expect("as the caller spelled the folder");
        assert!(FileName::parse(name).is_some(), "{name}");
        assert_eq!(place.read(path), long(text), "{path} holds another text");
        let known = paths.entry(path.to_owned()).or_insert(text);
        assert_eq!(*known, text, "{path} stands for two contents");
    }
}
