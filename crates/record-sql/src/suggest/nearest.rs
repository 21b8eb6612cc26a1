//! Suggestions for an unknown name.

/// The letters of a name that are compared.
const MAX_LETTERS: usize = 64;

/// Returns at most `max` names of `known` that are similar to `name`, the best first. Names that
/// differ in more than half of the letters are not similar.
pub fn nearest<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    max: usize,
) -> Vec<&'k str> {
    let wanted = lower(name);
    let letters = wanted.chars().count();
    let accepted = (letters / 2).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|known| (strsim::osa_distance(&wanted, &lower(known)), known))
        .filter(|(distance, known)| *distance <= accepted || (letters > 3 && known.contains(name)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(max).map(|(_, known)| known).collect()
}

fn lower(text: &str) -> String {
    text.chars().take(MAX_LETTERS).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        let known = ["startswith", "endswith", "namespace", "id", "select", "to_entries"];
        assert_eq!(nearest("startwith", known, 3), ["startswith"]);
        assert_eq!(nearest("nmaespace", known, 3), ["namespace"]);
        assert_eq!(nearest("slect", known, 3), ["select"]);
        assert_eq!(nearest("entries", known, 3), ["to_entries"]);
        assert!(nearest("xyzzy", known, 3).is_empty());
    }
}
