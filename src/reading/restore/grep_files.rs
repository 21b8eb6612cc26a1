//! The files that an answer of `grep` names.

use std::collections::HashSet;

use context_store::{Location, Roots, is_reference_target};

/// Returns the files of an answer, in order. Returns `None` if a file occurs twice, which never
/// happens in an answer.
pub(crate) fn files(head: &str, lines: &str, roots: &Roots) -> Option<Vec<Location>> {
    let searched = searched(head.trim_end_matches(':'), roots)?;
    let mut seen = HashSet::new();
    let mut file = |part: &str| {
        let file = file_of(&searched, part.split_once(' ')?.0)?;
        seen.insert(file.key()).then_some(file)
    };
    lines.split("; ").map(&mut file).collect()
}

/// Returns the place that was searched, from the answer's first line.
pub(crate) fn searched(head: &str, roots: &Roots) -> Option<Location> {
    let (_, rest) = head.rsplit_once("\" in path \"")?;
    let path = rest.split_once("\" (filter: ").map_or(rest, |(path, _)| path);
    roots.locate(path.trim_end_matches('"')).ok()
}

/// Returns a file of the answer: one in the searched folder, or the searched file itself.
pub(crate) fn file_of(searched: &Location, name: &str) -> Option<Location> {
    if !is_reference_target(name) || name.contains('/') {
        return None;
    }
    if searched.relative().file_name().is_some_and(|own| own == name) {
        return Some(searched.clone());
    }
    Some(searched.child(name))
}
