//! The passage: the JSON in a text that is not all JSON: lines of one object
//! each, or one value with words before and after it.

use chat_history::raw::offset_in;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::descend::{FEWEST, MOST, part};
use super::token::is_space;

/// The most places where a value is tried. Each may read the text once.
const ATTEMPTS: usize = 8;

/// The JSON in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passage<'a> {
    /// One value.
    Value(&'a str),
    /// Objects on lines of their own, from the first to the last, and each.
    Lines(&'a str, Vec<&'a str>),
}

/// Finds the first value at the start of a line that has most of the bytes. None
/// where there is none, and where what looks like it breaks off: half of a value
/// has records too, but not all of them.
pub(super) fn find(text: &str) -> Option<Passage<'_>> {
    let mut at = 0;
    for _ in 0..ATTEMPTS {
        at = next_start(text, at)?;
        if part(&text[at..], text) < MOST {
            return None;
        }
        match attempt(&text[at..]) {
            Attempt::Found(passage, region) if part(region, text) >= MOST => return Some(passage),
            Attempt::Found(_, region) => at += region.len(),
            Attempt::Words => at += 1,
            Attempt::Broken => return None,
        }
    }
    None
}

/// Where the next line begins with a bracket, white space aside.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    // Inside a line, only the next one can begin anew.
    if from > 0 {
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

enum Attempt<'a> {
    Found(Passage<'a>, &'a str),
    Words,
    Broken,
}

fn attempt(text: &str) -> Attempt<'_> {
    let mut values = Deserializer::from_str(text).into_iter::<&RawValue>();
    let first = match values.next() {
        Some(Ok(first)) => first.get(),
        // More than a line of it was JSON.
        Some(Err(error)) if error.line() > 1 => return Attempt::Broken,
        _ => return Attempt::Words,
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
    if lines.len() < FEWEST {
        return Attempt::Found(Passage::Value(first), first);
    }
    if text[last..].trim_ascii_start().starts_with(['{', '[']) {
        return Attempt::Broken;
    }
    Attempt::Found(Passage::Lines(&text[..last], lines), &text[..last])
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
            assert_eq!(find(&text), Some(Passage::Value(ARRAY)), "{text}");
        }
    }

    #[test]
    fn a_value_begins_its_line_and_has_most_of_the_text() {
        assert_eq!(find(&format!("Found 4: {ARRAY}")), None);
        assert_eq!(find(&format!("{}\n{ARRAY}", "word ".repeat(20))), None);
        let text = format!("[1]\n{ARRAY}");
        assert_eq!(find(&text), Some(Passage::Value(ARRAY)));
    }

    #[test]
    fn objects_on_lines_of_their_own_are_lines() {
        let text = "{\"a\":1}\r\n{\"a\":2}\n\n{\"a\":3}\n";
        let lines = vec!["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"];
        assert_eq!(find(text), Some(Passage::Lines(text.trim_end(), lines)));
        assert_eq!(find("{\"a\":1} {\"a\":2} {\"a\":3}"), None);
        assert_eq!(find("{\"a\":1}\n{\"a\":2}"), None);
    }

    #[test]
    fn what_breaks_off_holds_nothing() {
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
        assert_eq!(find(&text), Some(Passage::Value(ARRAY)));
    }
}
