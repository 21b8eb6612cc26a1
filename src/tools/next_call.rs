//! The next call after a truncated answer.

use super::arguments::{Members, raw};

/// Cursors of an answer: member of `metadata`, argument that takes it, and argument that
/// conflicts with it.
const CURSORS: [(&str, &str, &str); 3] = [
    ("next_offset", "offset", "byte_offset"),
    ("next_byte_offset", "byte_offset", "offset"),
    ("next_lines", "lines", ""),
];

/// The next call.
pub(super) struct NextCall {
    /// The complete call, in the notation of references.
    pub(super) call: String,
    /// The changed argument, such as `offset=120`.
    pub(super) change: String,
}

/// Returns the call under `name` that continues an answer with `metadata`, JSON values by name;
/// None if nothing was truncated or no cursor is known.
pub(super) fn next_call<'a>(
    name: &str,
    given: &Members,
    metadata: impl Fn(&str) -> Option<&'a str>,
) -> Option<NextCall> {
    if metadata("truncated") != Some("true") {
        return None;
    }
    let cursor = |(member, argument, other): &(&str, &str, &str)| {
        let value = metadata(member).filter(|value| *value != "null")?;
        // A page in bytes continues in bytes.
        (*argument != "offset" || !given.contains_key("byte_offset"))
            .then(|| ((*argument).to_owned(), value.to_owned(), (*other).to_owned()))
    };
    let (argument, value, other) = CURSORS.iter().find_map(cursor)?;
    let mut next: Members = given.clone();
    next.remove(&other);
    if argument == "byte_offset" {
        // A number of lines means nothing in bytes.
        next.remove("limit");
    }
    // A quote would end the header in the note that `reference` writes.
    let change = format!("{argument}={}", value.trim_matches('"'));
    next.insert(argument, raw(value));
    let shown: Vec<String> =
        next.iter().map(|(name, value)| format!("{name}={}", value.get())).collect();
    Some(NextCall { call: format!("{name}({})", shown.join(", ")), change })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn next(given: &str, metadata: &[(&str, &str)]) -> Option<String> {
        let given: Members = serde_json::from_str(given).unwrap();
        let metadata: BTreeMap<&str, &str> = metadata.iter().copied().collect();
        next_call("read", &given, |name| metadata.get(name).copied()).map(|next| next.call)
    }

    #[test]
    fn a_cut_page_names_the_next_one() {
        let cut = [("truncated", "true"), ("next_offset", "120"), ("next_byte_offset", "9000")];
        assert_eq!(
            next(r#"{"absolute_path":"./a \"b\".txt","offset":20}"#, &cut).unwrap(),
            r#"read(absolute_path="./a \"b\".txt", offset=120)"#
        );
    }

    #[test]
    fn a_page_in_bytes_goes_on_in_bytes() {
        let cut = [("truncated", "true"), ("next_offset", "2"), ("next_byte_offset", "9000")];
        assert_eq!(next(r#"{"byte_offset":0}"#, &cut).unwrap(), "read(byte_offset=9000)");
        let inside = [("truncated", "true"), ("next_offset", "null"), ("next_byte_offset", "64")];
        assert_eq!(next(r#"{"offset":3,"limit":1}"#, &inside).unwrap(), "read(byte_offset=64)");
    }

    #[test]
    fn a_selector_goes_on_as_one() {
        let cut = [("truncated", "true"), ("next_lines", r#""81-200""#)];
        assert_eq!(next(r#"{"lines":"all"}"#, &cut).unwrap(), r#"read(lines="81-200")"#);
    }

    #[test]
    fn what_was_not_cut_has_no_next() {
        assert_eq!(next("{}", &[("truncated", "false"), ("next_offset", "5")]), None);
        assert_eq!(next("{}", &[("truncated", "true"), ("next_offset", "null")]), None);
    }
}
