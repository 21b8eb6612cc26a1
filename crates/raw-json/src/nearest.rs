//! Suggestions for an unknown name, in letters of either case.

/// The letters of a name that are compared.
const MAX_LETTERS: usize = 64;

/// Returns at most `max` names of `known` that are similar to `name`, the best first: with few
/// other letters, or with `name` in them. Names that differ in more than half of the letters are
/// not similar.
///
/// ```
/// assert_eq!(raw_json::nearest("Lmits", ["offset", "limit"], 1), ["limit"]);
/// assert!(raw_json::nearest("colour", ["offset", "limit"], 1).is_empty());
/// ```
pub fn nearest<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    max: usize,
) -> Vec<&'k str> {
    let wanted = lower(name);
    let letters = wanted.chars().count();
    let accepted = (letters / 2).clamp(1, 3);
    let whole = name.to_lowercase();
    let is_in = |known: &str| letters > 3 && known.to_lowercase().contains(&whole);
    let rank = |known: &'k str| {
        let distance = strsim::osa_distance(&wanted, &lower(known));
        (distance <= accepted || is_in(known)).then_some((distance, known))
    };
    let mut near: Vec<(usize, &str)> = known.into_iter().filter_map(rank).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(max).map(|(_, known)| known).collect()
}

/// Returns the number of letters to insert, remove, replace or swap with the next one, to make one
/// text the other. Compares the first 64 letters, without their case.
///
/// ```
/// assert_eq!(raw_json::letters_between("Kitten", "sitting"), 3);
/// ```
pub fn letters_between(one: &str, other: &str) -> usize {
    strsim::osa_distance(&lower(one), &lower(other))
}

fn lower(text: &str) -> String {
    text.chars().take(MAX_LETTERS).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        let known = ["startswith", "endswith", "namespace", "id", "select", "To_Entries"];
        for (slip, name) in [
            ("startwith", "startswith"),
            ("nmaespace", "namespace"),
            ("SLECT", "select"),
            ("entries", "To_Entries"),
        ] {
            assert_eq!(nearest(slip, known, 3), [name]);
        }
        assert!(nearest("xyzzy", known, 3).is_empty());
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(letters_between("", "abc"), 3);
        assert_eq!(letters_between("abc", "ABC"), 0);
        assert_eq!(letters_between("abc", "acb"), 1);
    }
}
