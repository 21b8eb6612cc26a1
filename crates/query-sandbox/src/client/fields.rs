//! Warnings for fields that no record has: jq returns null for them, and no error.

use record_sql::suggest::nearest::nearest;

/// The most warnings.
const MAX_WARNINGS: usize = 5;

/// The bytes of the records that are searched for similar names.
const SAMPLE: usize = 64 * 1024;

/// The fields of objects that jq's functions return.
const MADE_BY_JQ: [&str; 8] =
    ["key", "value", "name", "offset", "length", "string", "captures", "index"];

/// Returns a warning for each `.name` of the filter that is not a field of `input`, and not made
/// by the filter itself.
pub(super) fn unknown(filter: &str, input: &str) -> Vec<String> {
    let named = named(filter);
    let absent = named.paths.iter().filter(|name| {
        !MADE_BY_JQ.contains(name) && !named.made.contains(name) && !has_field(input, name)
    });
    let sample = &input[..input.floor_char_boundary(SAMPLE)];
    let mut known: Option<Vec<&str>> = None;
    absent
        .take(MAX_WARNINGS)
        .map(|name| {
            let known = known.get_or_insert_with(|| field_names(sample));
            match nearest(name, known.iter().copied(), 3).as_slice() {
                [] => format!("no record has a field `{name}`"),
                near => format!("no record has a field `{name}`; nearest: {}", near.join(", ")),
            }
        })
        .collect()
}

/// Returns true if the filter selects an element of its input: `.[0]`, `first`.
pub(super) fn indexes(filter: &str) -> bool {
    let bracket = filter.match_indices(".[").any(|(at, _)| {
        let inside = filter[at + 2..].trim_start_matches(['-', ' ']);
        inside.starts_with(|c: char| c.is_ascii_digit())
    });
    bracket || filter.trim_start().starts_with("first") || filter.trim_start().starts_with("last")
}

struct Named<'f> {
    /// Each `name` of a `.name`, in order, without duplicates.
    paths: Vec<&'f str>,
    /// Words in a string or before a colon.
    made: Vec<&'f str>,
}

fn named(filter: &str) -> Named<'_> {
    let mut named = Named { paths: Vec::new(), made: Vec::new() };
    let mut in_string = false;
    let mut before = ' ';
    let mut rest = filter;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if word.is_empty() {
            in_string ^= first == '"' && before != '\\';
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if in_string || after.trim_start().starts_with(':') {
            named.made.push(word);
        } else if before == '.' && !first.is_ascii_digit() && !named.paths.contains(&word) {
            named.paths.push(word);
        }
        before = ' ';
        rest = after;
    }
    named
}

fn has_field(input: &str, name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    input
        .match_indices(&quoted)
        .any(|(at, _)| input[at + quoted.len()..].trim_start().starts_with(':'))
}

/// Returns the field names in JSON text, which may be truncated.
fn field_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let Some(length) = raw_json::string_end(&rest.as_bytes()[start..]) else { break };
        let (literal, behind) = rest[start..].split_at(length);
        if behind.trim_start().starts_with(':') {
            names.push(&literal[1..length - 1]);
        }
        rest = behind;
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDS: &str =
        "{\"id\":1,\"namespace\":\"a:\\\"b\\\"\",\"tags\":[{\"word\":\"id2\"}]}\n";

    #[test]
    fn a_field_of_no_record_is_named_with_the_nearest() {
        assert_eq!(
            unknown("select(.namspace == 1) | .tags[].wrd", RECORDS),
            [
                "no record has a field `namspace`; nearest: namespace",
                "no record has a field `wrd`; nearest: word"
            ]
        );
        assert_eq!(unknown(".id2", RECORDS), ["no record has a field `id2`; nearest: id"]);
    }

    #[test]
    fn what_the_filter_makes_is_known() {
        assert!(unknown(r#"{n: .id} | .n, .value, (.["k"] = 1 | .k)"#, RECORDS).is_empty());
        assert!(unknown(".. | .5, \"a.b\"", RECORDS).is_empty());
    }
}
