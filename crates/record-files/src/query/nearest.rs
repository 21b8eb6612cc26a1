//! The nearest names: what somebody may have meant who wrote a field that no
//! record has.

use std::collections::BTreeSet;

use super::scan;

const PATHS: usize = 1_000;
const DEPTH: usize = 6;
/// Longer paths are data rather than names, and no help in a message.
const PATH_BYTES: usize = 256;
const SHOWN: usize = 5;
/// Characters of each text that an edit distance looks at.
const LETTERS: usize = 64;

/// At most five paths of the records, the likeliest first. Looks at records
/// until it knows 1,000 paths, or `stop` says so; six levels deep.
pub(super) fn fields(wanted: &str, lines: &str, stop: &dyn Fn() -> bool) -> Vec<String> {
    let mut ranked: Vec<_> =
        known(lines, stop).into_iter().map(|path| (rank(wanted, &path), path)).collect();
    ranked.sort();
    ranked.into_iter().take(SHOWN).map(|(_, path)| path).collect()
}

fn known(lines: &str, stop: &dyn Fn() -> bool) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for (number, line) in lines.lines().enumerate() {
        if known.len() >= PATHS || (number % 256 == 255 && stop()) {
            break;
        }
        gather(line.trim_ascii(), &mut String::new(), 0, &mut known);
    }
    known
}

/// Adds the paths below `path`; recursion ends at [`DEPTH`], arrays included.
fn gather(value: &str, path: &mut String, depth: usize, known: &mut BTreeSet<String>) {
    if depth >= DEPTH {
        return;
    }
    scan::elements(value, |element| {
        gather(element, path, depth + 1, known);
        known.len() < PATHS
    });
    scan::members(value, |key, value| {
        let key = key.text();
        let length = path.len();
        if known.len() >= PATHS || length + key.len() > PATH_BYTES {
            return;
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
    });
}

/// The smaller the likelier: the same but for case, the same last segment,
/// then by letters that differ in the whole path or in its last segment.
fn rank(wanted: &str, path: &str) -> usize {
    let (wanted, path) = (wanted.to_lowercase(), path.to_lowercase());
    if wanted == path {
        return 0;
    }
    let (end, path_end) = (last(&wanted), last(&path));
    if end == path_end {
        return 1;
    }
    let whole = distance(&wanted, &path).saturating_mul(2);
    let ends = distance(end, path_end).saturating_mul(2).saturating_add(1);
    let inside = if path.contains(&wanted) || wanted.contains(&path) { 3 } else { usize::MAX };
    1 + whole.min(ends).min(inside)
}

fn last(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

/// How many letters have to be put in, taken out or changed, in the first 64.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(LETTERS).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(LETTERS).enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, fields};

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
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn gathering_is_bounded() {
        let mut wide = String::from("{");
        for key in 0..5_000 {
            wide.push_str(&format!("\"k{key}\":1,"));
        }
        wide.push_str("\"last\":{\"a\":1}}");
        assert_eq!(super::known(&wide, &|| false).len(), super::PATHS);
        let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
        assert_eq!(super::known(&deep, &|| false).len(), super::DEPTH);
        let long = format!("{{\"{}\":1}}", "k".repeat(1_000_000));
        assert!(super::known(&long, &|| false).is_empty());
    }
}
