//! JSON embedded in a text that is not all JSON: one value with words before and after
//! it, or lines of one object each.

use raw_json::{is_space, offset_in};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::criteria::{MIN_RECORDS, MIN_SHARE, share};

/// Maximum number of places where the search parses a value. Each may read the text once.
const MAX_ATTEMPTS: usize = 8;

/// The JSON in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EmbeddedJson<'a> {
    /// One value.
    Value(&'a str),
    /// Objects on lines of their own: the text from the first to the last, and each object.
    Lines(&'a str, Vec<&'a str>),
}

/// Finds the first value that begins a line and has at least 60 % of the bytes. Returns `None` if
/// there is none. Returns `None` if the value is truncated: the search would find only its first
/// half as records. Returns `None` for lines of objects if other lines outside of them also begin
/// with `{`.
pub(super) fn find(text: &str) -> Option<EmbeddedJson<'_>> {
    // Programs put a byte order mark before the first line.
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    let first = at;
    for _ in 0..MAX_ATTEMPTS {
        at = next_start(text, at)?;
        if share(&text[at..], text) < MIN_SHARE {
            return None;
        }
        match parse(&text[at..]) {
            Parsed::Json(json, region) if share(region, text) >= MIN_SHARE => {
                let is_part = matches!(json, EmbeddedJson::Lines(..))
                    && (has_object_line(&text[first..at])
                        || has_object_line(&text[at + region.len()..]));
                return (!is_part).then_some(json);
            }
            Parsed::Json(_, region) => at += region.len(),
            Parsed::Words => at += 1,
            Parsed::Truncated => return None,
        }
    }
    None
}

/// Returns the first JSON value that begins a line of a text.
pub(super) fn first_value(text: &str) -> Option<&str> {
    let mut at = 0;
    for _ in 0..MAX_ATTEMPTS {
        at = next_start(text, at)?;
        let mut values = Deserializer::from_str(&text[at..]).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(value)) => return Some(value.get()),
            _ => at += 1,
        }
    }
    None
}

fn has_object_line(text: &str) -> bool {
    raw_json::lines(text).any(|line| line.trim_ascii_start().starts_with('{'))
}

/// Returns the next place, at or after `from`, where a line begins with a bracket. White space may
/// precede the bracket.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    // `from` is inside a line unless it is the start.
    if !text[..from].trim_start_matches('\u{feff}').is_empty() {
        at += memchr::memchr(b'\n', bytes.get(from..)?)?;
    }
    loop {
        while at < bytes.len() && is_space(bytes[at]) {
            at += 1;
        }
        if matches!(bytes.get(at)?, b'[' | b'{') {
            return Some(at);
        }
        at += memchr::memchr(b'\n', &bytes[at..])?;
    }
}

/// The result of parsing the start of a text.
enum Parsed<'a> {
    /// JSON, and the part of the text that it takes.
    Json(EmbeddedJson<'a>, &'a str),
    /// The text is not JSON.
    Words,
    /// JSON that does not end.
    Truncated,
}

fn parse(text: &str) -> Parsed<'_> {
    let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = match values.next() {
        Some(Ok(first)) => first.get(),
        // The parser accepted at least one full line.
        Some(Err(error)) if error.line() > 1 => return Parsed::Truncated,
        _ => return Parsed::Words,
    };
    let end = |value: &str| offset_in(text, value) + value.len();
    let mut lines = vec![first];
    let mut last = end(first);
    while first.starts_with('{')
        && let Some(Ok(value)) = values.next()
    {
        let value = value.get();
        let gap = &text[last..offset_in(text, value)];
        if !value.starts_with('{') || !gap.contains('\n') {
            break;
        }
        last = end(value);
        lines.push(value);
    }
    if lines.len() < MIN_RECORDS {
        return Parsed::Json(EmbeddedJson::Value(first), first);
    }
    if text[last..].trim_ascii_start().starts_with('[') {
        return Parsed::Truncated;
    }
    Parsed::Json(EmbeddedJson::Lines(&text[..last], lines), &text[..last])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARRAY: &str = "[{\"a\":1},{\"a\":2},{\"a\":3},{\"a\":4}]";

    #[test]
    fn a_value_may_have_words_before_and_after() {
        for (before, after) in
            [("Found 4:\n", "\nDone."), ("```json\n", "\n```"), ("[INFO] a\n  ", "")]
        {
            let text = format!("{before}{ARRAY}{after}");
            assert_eq!(find(&text), Some(EmbeddedJson::Value(ARRAY)), "{text}");
        }
    }

    #[test]
    fn a_value_begins_its_line_and_has_most_of_the_text() {
        assert_eq!(find(&format!("Found 4: {ARRAY}")), None);
        assert_eq!(find(&format!("{}\n{ARRAY}", "word ".repeat(20))), None);
        let text = format!("[1]\n{ARRAY}");
        assert_eq!(find(&text), Some(EmbeddedJson::Value(ARRAY)));
    }

    #[test]
    fn objects_on_lines_of_their_own_are_lines() {
        let text = "{\"a\":1}\r\n{\"a\":2}\n\n{\"a\":3}\n";
        let lines = vec!["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"];
        assert_eq!(find(text), Some(EmbeddedJson::Lines(text.trim_end(), lines)));
        assert_eq!(find("{\"a\":1} {\"a\":2} {\"a\":3}"), None);
        assert_eq!(find("{\"a\":1}\n{\"a\":2}"), None);
    }

    #[test]
    fn lines_are_all_the_lines_that_are_objects() {
        let lines = ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":4}"];
        let all = lines.join("\n");
        for (text, is_found) in [
            (format!("\u{feff}{all}"), true),
            (format!("4 rows\n{all}\n(4 of 4)"), true),
            (format!("{all}\nWARN\n{}", lines[0]), false),
            (format!("{}\nWARN\n{all}", lines[0]), false),
            (format!("{all}\nnull\n  {{\"a\":"), false),
        ] {
            let found = EmbeddedJson::Lines(&all, lines.to_vec());
            assert_eq!(find(&text), is_found.then_some(found), "{text}");
        }
    }

    #[test]
    fn truncated_json_is_not_found() {
        for text in [
            "[\n{\"items\":[{\"a\":1},{\"a\":2},{\"a\":3}]},\n{\"a",
            "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a",
            "[{\"a\":1},{\"a\":2}",
            "[",
            "",
            "words only",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn few_places_are_tried() {
        let text = format!("{}{ARRAY}", "[x\n".repeat(9));
        assert_eq!(find(&text), None);
        let text = format!("{}{ARRAY}", "[x\n".repeat(7));
        assert_eq!(find(&text), Some(EmbeddedJson::Value(ARRAY)));
    }
}
