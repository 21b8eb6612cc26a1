//! The rest of a text, next to its records, in short form.

use raw_json::{self as raw, quote};

use super::embedded_json::first_value;
use super::found::MAX_MEMBER_BYTES;

/// The delimiter of a code block.
const FENCE: &str = "```";

/// Returns the text before and after the value that holds the records, as members. Omits a part
/// that is empty, and the fence of a code block.
pub(super) fn words_beside(text: &str, value: &str) -> Vec<(String, String)> {
    let start = raw::offset_in(text, value);
    let (before, after) = (text[..start].trim(), text[start + value.len()..].trim());
    let is_fence = |line: &str| line.trim_start().starts_with(FENCE);
    let before = match before.rfind('\n').map_or(0, |end| end + 1) {
        last if is_fence(&before[last..]) => &before[..last],
        _ => before,
    };
    let after = match after.find('\n').unwrap_or(after.len()) {
        first if is_fence(&after[..first]) => &after[first..],
        _ => after,
    };
    let member = |(key, words): (&str, &str)| Some((quote(key), in_short(key, words.trim())?));
    [("text before", before), ("text after", after)].into_iter().filter_map(member).collect()
}

/// Returns the elements of an array except the one with the records, as a member.
pub(super) fn elements_beside(elements: &[&str], entered: &str) -> Option<(String, String)> {
    let others: Vec<&str> =
        elements.iter().copied().filter(|element| !std::ptr::eq(*element, entered)).collect();
    let key = "other elements";
    let all = format!("[{}]", others.join(","));
    let shown = match fits(key, &all) {
        true => all,
        false => quote(&format!("({})", counted(&all))),
    };
    (!others.is_empty()).then(|| (quote(key), shown))
}

/// Returns a text as a literal if it is short enough. Otherwise returns its size and a summary of
/// the first JSON value in it, but no part of the text: redaction rules would not recognise a
/// truncated secret.
fn in_short(key: &str, words: &str) -> Option<String> {
    if !words.contains(char::is_alphanumeric) {
        return None;
    }
    let whole = quote(words);
    if fits(key, &whole) {
        return Some(whole);
    }
    let json = first_value(words).map(counted);
    let with = json.map_or_else(String::new, |json| format!(", with {json}"));
    Some(quote(&format!("({} bytes{with})", words.len())))
}

fn fits(key: &str, value: &str) -> bool {
    quote(key).len() + 1 + value.len() <= MAX_MEMBER_BYTES
}

/// Returns the number of elements or members of a value, such as `an array of 3 elements`.
fn counted(value: &str) -> String {
    let many =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    if value.starts_with('[') {
        return format!("an array of {}", many(raw::each_element(value).count(), "element"));
    }
    let fields = raw::fields(value).unwrap_or_default();
    let arrays = fields.iter().map(|(_, value)| value).filter(|value| value.starts_with('['));
    match arrays.max_by_key(|value| value.len()) {
        Some(largest) => format!("an object with {}", counted(largest)),
        None => format!("an object of {}", many(fields.len(), "member")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(before: &str, after: &str) -> Vec<(String, String)> {
        let text = format!("{before}[1]{after}");
        words_beside(&text, &text[before.len()..before.len() + 3])
    }

    #[test]
    fn short_words_are_whole_and_long_ones_have_their_size() {
        let array = format!("[{}]", vec![r#"{"a":1}"#; 30].join(","));
        for (before, after, expected) in [
            ("", "", vec![]),
            (" \n", "\n---\n", vec![]),
            ("```json\n", "\n```", vec![]),
            ("Found:\n", "", vec![("text before", "Found:".to_owned())]),
            (
                "All:\n```json\n",
                "\n```\nDone.",
                vec![("text before", "All:".to_owned()), ("text after", "Done.".to_owned())],
            ),
            ("", "{\"ok\":1}", vec![("text after", "{\"ok\":1}".to_owned())]),
            ("", &"x".repeat(200), vec![("text after", "(200 bytes)".to_owned())]),
            (
                "",
                &array,
                vec![("text after", "(241 bytes, with an array of 30 elements)".to_owned())],
            ),
            (
                "",
                &format!("\nAlso:\n{{\"a\":{array}}} and more"),
                vec![(
                    "text after",
                    "(262 bytes, with an object with an array of 30 elements)".to_owned(),
                )],
            ),
        ] {
            let expected: Vec<(String, String)> =
                expected.into_iter().map(|(key, value)| (quote(key), quote(&value))).collect();
            assert_eq!(beside(before, after), expected, "{before} {after}");
        }
    }

    #[test]
    fn other_elements_are_shown_or_counted() {
        let long = quote(&"x".repeat(200));
        let elements = ["{\"t\":1}", "[7]", &long];
        let of = |all: &[&str], at: usize| elements_beside(all, all[at]).map(|(_, value)| value);
        assert_eq!(of(&elements[..1], 0), None);
        assert_eq!(of(&elements[..2], 0).unwrap(), "[[7]]");
        assert_eq!(of(&elements, 1).unwrap(), "\"(an array of 2 elements)\"");
    }
}
