//! Suggestions of similar names for a field that no record has.

use std::collections::BTreeSet;

use raw_json::{each_element, each_member, letters_between};

/// Maximum number of paths that are compared.
const MAX_PATHS: usize = 1_000;
const DEPTH: usize = 6;
/// Maximum length of a path, in bytes. Longer ones are data rather than names.
const MAX_PATH_BYTES: usize = 256;
/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 5;

/// Returns at most five paths of the records, the most similar to `wanted` first. Reads records to
/// a depth of six levels, until it has 1,000 paths or `stop` returns true.
pub(super) fn fields(wanted: &str, lines: &str, stop: &dyn Fn() -> bool) -> Vec<String> {
    let mut ranked: Vec<_> =
        known(lines, stop).into_iter().map(|path| (rank(wanted, &path), path)).collect();
    ranked.sort();
    ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, path)| path).collect()
}

fn known(lines: &str, stop: &dyn Fn() -> bool) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for (number, line) in lines.lines().enumerate() {
        if known.len() >= MAX_PATHS || (number % 256 == 255 && stop()) {
            break;
        }
        gather(line.trim_ascii(), &mut String::new(), 0, &mut known);
    }
    known
}

/// Adds the paths below `path`. The recursion ends at [`DEPTH`]; arrays count as levels.
fn gather(value: &str, path: &mut String, depth: usize, known: &mut BTreeSet<String>) {
    if depth >= DEPTH {
        return;
    }
    for element in each_element(value) {
        gather(element, path, depth + 1, known);
        if known.len() >= MAX_PATHS {
            return;
        }
    }
    for (key, value) in each_member(value) {
        let key = key.text();
        let length = path.len();
        if known.len() >= MAX_PATHS || length + key.len() > MAX_PATH_BYTES {
            continue;
        }
        if length > 0 {
            path.push('.');
        }
        path.push_str(&key);
        if !known.contains(path.as_str()) {
            known.insert(path.clone());
        }
        gather(value, path, depth + 1, known);
        path.truncate(length);
    }
}

/// Returns the distance of two paths: 0 if they are equal except for case, 1 if the last
/// segments are equal, else by the edit distance of the paths or of their last segments.
fn rank(wanted: &str, path: &str) -> usize {
    let (wanted, path) = (wanted.to_lowercase(), path.to_lowercase());
    if wanted == path {
        return 0;
    }
    let (end, path_end) = (last(&wanted), last(&path));
    if end == path_end {
        return 1;
    }
    let whole = letters_between(&wanted, &path).saturating_mul(2);
    let ends = letters_between(end, path_end).saturating_mul(2).saturating_add(1);
    let inside = if path.contains(&wanted) || wanted.contains(&path) { 3 } else { usize::MAX };
    1 + whole.min(ends).min(inside)
}

fn last(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::fields;

    const LINES: &str = concat!(
        r#"{"id":1,"priority":2,"provenance":{"confidence":0.5,"agent":"x"},"tags":["a"]}"#,
        "\n",
        r#"{"id":2,"nameSpace":"n","flights":[{"origin":"VIE"}]}"#,
    );

    fn nearest(wanted: &str) -> Vec<String> {
        fields(wanted, LINES, &|| false)
    }

    #[test]
    fn the_likeliest_comes_first_and_there_are_five_at_most() {
        assert_eq!(nearest("priorty")[0], "priority");
        assert_eq!(nearest("namespace")[0], "nameSpace");
        assert_eq!(nearest("confidence")[0], "provenance.confidence");
        assert_eq!(nearest("flight.origin")[0], "flights.origin");
        assert_eq!(nearest("zzz").len(), 5);
        assert!(fields("a", "", &|| false).is_empty());
    }

    #[test]
    fn gathering_is_bounded() {
        let mut wide = String::from("{");
        for key in 0..5_000 {
            wide.push_str(&format!("\"k{key}\":1,"));
        }
        wide.push_str("\"last\":{\"a\":1}}");
        assert_eq!(super::known(&wide, &|| false).len(), super::MAX_PATHS);
        let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
        assert_eq!(super::known(&deep, &|| false).len(), super::DEPTH);
        let long = format!("{{\"{}\":1}}", "k".repeat(1_000_000));
        assert!(super::known(&long, &|| false).is_empty());
    }
}
