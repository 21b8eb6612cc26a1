//! Records in real texts: in whatever spelling and packing they come, they are
//! found, and the text comes back. Where `../shared` is absent the tests say so
//! and pass.

use chat_history::raw;
use record_files::file::{self, Facts};
use record_files::records::{Accept, Found, find, of_array};
use serde_json::Value;

use crate::asking::{shared_files, tight};

/// The text of a text that is one string literal, or that holds one as a member.
fn plain(text: &str) -> String {
    let at = text.find("\"i\":\"").map_or(0, |at| at + 4);
    let literal = text[at..].trim_end_matches('}');
    match serde_json::from_str::<String>(literal) {
        Ok(inner) => format!("{}{inner}", &text[..at]),
        Err(_) => text.to_owned(),
    }
}

/// What a file of the records gives back is the text: to the byte where it says
/// so, else to the token.
pub(super) fn comes_back(text: &str, found: &Found) {
    let content = file::render(found, &Facts::default());
    let stored = file::parse(&content).unwrap();
    let rebuilt = stored.rebuild().unwrap();
    if found.exact() {
        assert!(rebuilt == text, "{text:.200}");
    } else {
        assert_eq!(tight(&plain(&rebuilt)), tight(&plain(text)));
    }
    assert_eq!(stored.records().count(), found.count());
    assert_eq!(stored.identity(), file::identity(found, &Facts::default()));
}

/// JSON as Python's `json.dumps` writes it: a space behind commas and colons, and
/// nothing but ASCII.
fn python(tight: &str) -> String {
    let mut out = String::with_capacity(tight.len() * 2);
    let (mut inside, mut escaped) = (false, false);
    for c in tight.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
        if inside {
            inside = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            inside = true;
        } else if c == ',' || c == ':' {
            out.push(' ');
        }
    }
    out
}

/// One line for each record.
fn by_lines(text: &str, end: &str) -> Option<String> {
    let elements = raw::elements(text).ok()?;
    // Lines that are no objects are a text like any other.
    if !elements.iter().all(|element| element.starts_with('{')) {
        return None;
    }
    Some(elements.iter().map(|element| tight(element) + end).collect())
}

#[test]
fn real_records_in_ten_packings() {
    for (name, text) in shared_files("records") {
        // The largest one is measured elsewhere; here its first part is enough.
        let text = match raw::elements(&text) {
            Ok(elements) if elements.len() > 3_000 => {
                format!("[{}]", elements[..3_000].join(","))
            }
            _ => text,
        };
        let compact = tight(&text);
        let value: Value = serde_json::from_str(&text).unwrap();
        let packings = [
            ("as it is", Some(text.clone())),
            ("in an envelope", Some(format!("{{\"total\":7,\"items\":{}}}", text.trim()))),
            ("as a string", Some(serde_json::json!({ "content": text }).to_string())),
            ("as Python writes it", Some(python(&compact))),
            (
                "as a string in what Python writes",
                Some(python(&serde_json::json!({ "content": python(&compact) }).to_string())),
            ),
            ("indented", Some(serde_json::to_string_pretty(&value).unwrap())),
            ("compact", Some(compact.clone())),
            ("among words", Some(format!("Found:\n{}\nDone.", text.trim()))),
            ("a record a line", by_lines(&text, "\n")),
            ("a record a line, as Windows ends it", by_lines(&text, "\r\n")),
        ];
        for (packing, text) in packings {
            let Some(text) = text else { continue };
            let found = find(&text, Accept::Objects).or_else(|| find(&text, Accept::Anything));
            let found = found.unwrap_or_else(|| panic!("{name} {packing}: no records"));
            comes_back(&text, &found);
            assert!(found.exact(), "{name} {packing}");
            let header = file::render(&found, &Facts::default()).find('\n').unwrap();
            assert!(header < 5_000 + text.len() / 4, "{name} {packing}: {header}");
        }
        if let Some(found) = of_array(&text) {
            comes_back(&text, &found);
            assert!(found.records().all(|record| compact.contains(record)), "{name}");
        }
    }
}

/// Every text of every history: whatever is found in it, it comes back.
#[test]
fn every_text_of_real_histories() {
    fn texts<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
        match value {
            Value::String(text) => out.push(text),
            Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
            Value::Object(members) => members.values().for_each(|member| texts(member, out)),
            _ => {}
        }
    }
    let (mut seen, mut objects, mut anything) = (0, 0, 0);
    let files = shared_files("histories");
    for (_, text) in &files {
        let Ok(history) = serde_json::from_str::<Value>(text) else { continue };
        let mut all = Vec::new();
        texts(&history["messages"], &mut all);
        for text in all {
            seen += 1;
            for (accept, count) in
                [(Accept::Objects, &mut objects), (Accept::Anything, &mut anything)]
            {
                if let Some(found) = find(text, accept) {
                    comes_back(text, &found);
                    *count += 1;
                }
            }
        }
    }
    assert!(files.is_empty() || (seen > 1_000 && objects > 10 && anything >= objects));
}
