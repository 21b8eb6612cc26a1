//! Keys of the elements of arrays, which are no columns.

use crate::prepare::draft::Draft;
use crate::prepare::explain::is_column;
use crate::sql::quoting;
use crate::sql::statement::{Chain, send_instead};

/// Returns the hint for a key of the objects in an array.
pub(crate) fn in_array(draft: &Draft<'_, '_>, chain: &Chain) -> Option<String> {
    let arrays = draft.sources.iter().flat_map(|source| &source.paths().in_arrays);
    let below = arrays.flat_map(|(array, key)| (0..2).map(move |from| (from, array, key)));
    let below = below.filter_map(|(from, array, key)| {
        let path = (from < chain.parts.len()).then(|| chain.path(from))?;
        let start = path.get(..=array.len())?;
        let is_below = start.strip_suffix('.').is_some_and(|s| s.eq_ignore_ascii_case(array));
        let keys = path.get(array.len() + 1..).filter(|_| is_below)?;
        (keys.split('.').next()?.eq_ignore_ascii_case(key)).then(|| (array, keys.to_owned()))
    });
    if let Some((array, keys)) = below.max_by_key(|(array, _)| array.len()) {
        return Some(joined(array, &keys));
    }
    let last = &chain.parts.last()?.name;
    let arrays = draft.sources.iter().flat_map(|source| &source.paths().in_arrays);
    let mut arrays = arrays.filter(|(_, inner)| inner.eq_ignore_ascii_case(last));
    let of = chain.parts.len().checked_sub(2).map(|at| chain.parts[at].name.as_str());
    let (array, inner) = match of {
        Some(of) => arrays.find(|(array, _)| {
            array.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case(of))
        })?,
        None if is_column(draft, last) => return None,
        None => arrays.next()?,
    };
    Some(joined(array, inner))
}

fn joined(array: &str, keys: &str) -> String {
    format!(
        "{keys} is a key of the objects in the array {array}: join its elements, as in SELECT \
         e.value->>'{}', count(*) FROM records, json_each(records.{}) AS e GROUP BY 1",
        path_of(keys),
        quoting::name(array)
    )
}

/// Returns keys as `->>` reads them.
fn path_of(keys: &str) -> String {
    if keys.contains('.') { format!("$.{keys}") } else { keys.to_owned() }
}

/// Returns the hint for a key of an element as a column of `json_each`, which has it in `value`.
pub(crate) fn of_json_each(draft: &Draft<'_, '_>, chain: &Chain) -> Option<String> {
    let statement = &draft.statement;
    let alias = chain.parts.first().filter(|_| chain.parts.len() > 1)?;
    let mut tables =
        statement.selects().filter_map(|select| statement.tables_of(&select)).flatten();
    let is_each = tables.any(|table| {
        table.name.eq_ignore_ascii_case(&alias.name)
            && statement.is_any(table.places.start, &["json_each", "json_tree"])
    });
    is_each.then_some(())?;
    const COLUMNS: [&str; 8] = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"];
    let mut corrected = statement.clone();
    for other in statement.chains().into_iter().rev().filter(|other| other.parts.len() > 1) {
        let is_key = !COLUMNS.iter().any(|name| other.parts[1].name.eq_ignore_ascii_case(name));
        if is_key && other.parts[0].name.eq_ignore_ascii_case(&alias.name) {
            let value =
                format!("{}.value->>{}", alias.name, quoting::text(&path_of(&other.path(1))));
            corrected = corrected.replaced(other.range(), &value);
        }
    }
    (corrected.sql != statement.sql).then(|| {
        format!(
            "{} is a table of json_each: its columns are key and value. {}",
            alias.name,
            send_instead(&corrected.sql)
        )
    })
}
