//! The next call after a truncated answer.

use super::arguments::Members;

/// How to continue answers of one kind.
struct Cursor {
    /// The member of `metadata` with the position.
    member: &'static str,
    /// The argument that accepts it.
    argument: &'static str,
    /// The argument for the length from there on.
    length: &'static str,
    /// Arguments that cannot accompany it.
    replaced: &'static [&'static str],
}

const CURSORS: [Cursor; 3] = [
    Cursor {
        member: "next_start_line",
        argument: "start_line",
        length: "limit",
        replaced: &["offset"],
    },
    Cursor {
        member: "next_byte_offset",
        argument: "byte_offset",
        length: "byte_limit",
        // A number of lines has no meaning in bytes.
        replaced: &["start_line", "offset", "limit"],
    },
    Cursor { member: "next_lines", argument: "lines", length: "", replaced: &[] },
];

/// Returns how the next call differs from the one with the arguments `given`, such as
/// `start_line=121`, after an answer with `metadata`, JSON values by name. Returns `None` if
/// nothing was truncated or the answer has no position to continue at.
pub(super) fn next_call<'a>(
    given: &Members,
    metadata: impl Fn(&str) -> Option<&'a str>,
) -> Option<String> {
    if metadata("truncated") != Some("true") {
        return None;
    }
    let (cursor, next) = CURSORS.iter().find_map(|cursor| {
        Some((cursor, metadata(cursor.member).filter(|value| *value != "null")?))
    })?;
    // A quote would end the header in a note of `reference`.
    let mut change = format!("{}={}", cursor.argument, next.trim_matches('"'));
    if let Some(rest) = cursor.rest(given, next) {
        change.push_str(&format!(" and {}={rest}", cursor.length));
    }
    let replaced = cursor.replaced.iter().filter(|name| given.contains_key(**name));
    replaced.enumerate().for_each(|(at, name)| {
        change.push_str(if at == 0 { " and without " } else { " and " });
        change.push_str(name);
    });
    Some(change)
}

impl Cursor {
    /// Returns how much of the requested length is left from `next` on, if the call stated a
    /// length.
    fn rest(&self, given: &Members, next: &str) -> Option<u64> {
        let number = |name: &str| given.get(name)?.get().parse::<u64>().ok();
        let length = number(self.length)?;
        let from_zero = number("offset").map(|offset| offset + 1);
        let begin = match self.argument {
            "start_line" => number("start_line").or(from_zero).unwrap_or(1),
            argument => number(argument)?,
        };
        begin.checked_add(length)?.checked_sub(next.parse().ok()?).filter(|rest| *rest > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn next(given: &str, metadata: &[(&str, &str)]) -> Option<String> {
        let given: Members = serde_json::from_str(given).unwrap();
        let metadata: BTreeMap<&str, &str> = metadata.iter().copied().collect();
        next_call(&given, |name| metadata.get(name).copied())
    }

    #[test]
    fn a_cut_page_names_the_next_one() {
        let cut = [("truncated", "true"), ("next_start_line", "121"), ("next_byte_offset", "9000")];
        assert_eq!(next(r#"{"start_line":20}"#, &cut).unwrap(), "start_line=121");
        assert_eq!(next(r#"{"offset":20}"#, &cut).unwrap(), "start_line=121 and without offset");
    }

    #[test]
    fn a_page_in_bytes_goes_on_in_bytes() {
        let cut =
            [("truncated", "true"), ("next_start_line", "null"), ("next_byte_offset", "9000")];
        assert_eq!(next(r#"{"byte_offset":0}"#, &cut).unwrap(), "byte_offset=9000");
        assert_eq!(
            next(r#"{"start_line":3,"limit":1}"#, &cut).unwrap(),
            "byte_offset=9000 and without start_line and limit"
        );
    }

    #[test]
    fn no_more_is_asked_for_than_before() {
        let lines = [("truncated", "true"), ("next_start_line", "121")];
        assert_eq!(next(r#"{"limit":500}"#, &lines).unwrap(), "start_line=121 and limit=380");
        assert_eq!(
            next(r#"{"offset":20,"limit":200}"#, &lines).unwrap(),
            "start_line=121 and limit=100 and without offset"
        );
        let bytes = [("truncated", "true"), ("next_byte_offset", "64")];
        assert_eq!(
            next(r#"{"byte_offset":4,"byte_limit":90}"#, &bytes).unwrap(),
            "byte_offset=64 and byte_limit=30"
        );
    }

    #[test]
    fn a_selector_goes_on_as_one() {
        let cut = [("truncated", "true"), ("next_lines", r#""81-200""#)];
        assert_eq!(next(r#"{"lines":"all"}"#, &cut).unwrap(), "lines=81-200");
    }

    #[test]
    fn what_was_not_cut_has_no_next() {
        assert_eq!(next("{}", &[("truncated", "false"), ("next_start_line", "5")]), None);
        assert_eq!(next("{}", &[("truncated", "true"), ("next_start_line", "null")]), None);
    }
}
