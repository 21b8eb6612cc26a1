//! Hints for ids that are absent: the field that has them, and existing ids that are similar.

use super::error::quoted;
use super::ids::{Ids, key};
use super::request::Query;
use super::values::{Values, listed};

/// Maximum number of ids for which similar ids are named.
const MAX_NEAR_MISSES: usize = 3;

/// Names another field that has some of the ids.
pub(super) fn other_field(
    query: &Query,
    ids: &Ids,
    lines: &str,
    stop: &dyn Fn() -> bool,
) -> Option<String> {
    let (field, found) = ids.guess_field(lines, stop).filter(|(_, found)| *found > 0)?;
    let all = ids.asked.len();
    let asked = query.paths.all()[ids.path].name();
    (asked != field).then(|| {
        format!("{found} of the {all} ids are values of {field}: send \"id_field\": {field:?}")
    })
}

/// Names existing ids that are similar to the first absent ones.
pub(super) fn near_misses(
    query: &Query,
    ids: &Ids,
    absent: &[String],
    lines: &str,
    stop: &dyn Fn() -> bool,
) -> Vec<String> {
    if absent.is_empty() {
        return Vec::new();
    }
    let values = Values::of(query, ids.path, lines.lines(), stop);
    let near = |id: &String| {
        let text = key(id)?;
        let near: Vec<(&str, u64)> = values.near(&text, 3, true);
        (!near.is_empty()).then(|| format!("near {}: {}", quoted(id), listed(&near)))
    };
    absent.iter().take(MAX_NEAR_MISSES).filter_map(near).collect()
}
