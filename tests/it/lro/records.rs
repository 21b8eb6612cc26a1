//! Records in real texts, in the styles and envelopes of real tools: they are found, and the text
//! is rebuilt. Skipped without `../shared`.

use raw_json as raw;
use record_files::file::{self, Facts};
use record_files::find::{Accept, Found, find_records, records_of_array};
use serde_json::Value;

use crate::asking::{shared_files, tight};

/// Unescapes a text that is a string literal, or that has one as the member `i`.
fn plain(text: &str) -> String {
    let at = text.find("\"i\":\"").map_or(0, |at| at + 4);
    let literal = text[at..].trim_end_matches('}');
    match serde_json::from_str::<String>(literal) {
        Ok(inner) => format!("{}{inner}", &text[..at]),
        Err(_) => text.to_owned(),
    }
}

/// Checks that a file of the records rebuilds the text: every byte if they are exact, else every
/// character that is not white space.
pub(super) fn check_rebuilt(text: &str, found: &Found) {
    let content = file::render(found, &Facts::default());
    let stored = file::parse(&content).unwrap();
    let rebuilt = stored.rebuild().unwrap();
    if found.exact() {
        assert!(rebuilt == text, "{text:.200}");
    } else {
        let squeezed = |text: &str| plain(text).split_ascii_whitespace().collect::<String>();
        assert_eq!(squeezed(&rebuilt), squeezed(text));
    }
    assert_eq!(stored.records().count(), found.count());
    assert_eq!(stored.identity(), file::identity(found, &Facts::default()));
}

/// Converts JSON to the style of Python's `json.dumps`: a space after commas and colons, and only
/// ASCII.
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

/// Writes each record on a line.
fn by_lines(text: &str, end: &str) -> Option<String> {
    let elements = raw::elements(text).ok()?;
    // Lines that are not objects are text.
    if !elements.iter().all(|element| element.starts_with('{')) {
        return None;
    }
    Some(elements.iter().map(|element| tight(element) + end).collect())
}

/// Returns true for texts in several styles, which do not become exact records. The spans were cut out of traces in which each was
/// indented by its depth in its trace.
fn is_irregular(name: &str, packing: &str) -> bool {
    let original = ["as it is", "in an envelope", "as a string", "among words"];
    name.contains("datadog") && original.contains(&packing)
}

#[test]
fn real_records_in_ten_packings() {
    for (name, text) in shared_files("records") {
        // The benchmark covers the whole of the largest one.
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
            let Some(text) = text.filter(|_| !is_irregular(&name, packing)) else { continue };
            let found = find_records(&text, Accept::Objects)
                .or_else(|| find_records(&text, Accept::Anything));
            let found = found.unwrap_or_else(|| panic!("{name} {packing}: no records"));
            check_rebuilt(&text, &found);
            assert!(found.exact(), "{name} {packing}");
            let header = file::render(&found, &Facts::default()).find('\n').unwrap();
            assert!(header < 5_000 + text.len() / 4, "{name} {packing}: {header}");
        }
        if let Some(found) = records_of_array(&text) {
            check_rebuilt(&text, &found);
            assert!(found.records().all(|record| compact.contains(record)), "{name}");
        }
    }
}

/// Every text of every history in which records are found is rebuilt.
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
                if let Some(found) = find_records(text, accept) {
                    check_rebuilt(text, &found);
                    *count += 1;
                }
            }
        }
    }
    assert!(files.is_empty() || (seen > 1_000 && objects > 10 && anything >= objects));
}
