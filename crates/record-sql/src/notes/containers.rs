//! Objects and arrays that are compared as JSON text: the same value may have several spellings.

use std::collections::HashMap;

use serde_json::Value;

use crate::notes::facts::{Facts, Read, plain};
use crate::notes::values::Subject;
use crate::sql::quoting::spelled;

/// The most values that are compared.
const MAX_VALUES: usize = 2_000;

/// The longest spelling in a note, in bytes.
const MAX_SHOWN: usize = 60;

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let compared =
        facts.reads().filter(|read| read.profile.containers > 0 && is_compared(facts, *read));
    let mut notes: Vec<String> = compared.filter_map(of_spellings).collect();
    notes.extend(of_sides(facts));
    notes
}

/// An object next to a text or a number, which are never equal.
fn of_sides(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&EQUAL).find_map(|at| {
        let [left, right] = statement.sides(at)?.map(|side| facts.column_at(side));
        let (left, right) = (left?, right?);

        let is_object = |read: &Read<'_>| {
            read.profile.containers > read.profile.arrays
                && read.profile.containers == read.profile.values()
        };
        let (object, other) = match (is_object(&left), is_object(&right)) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        let (object, other) = (spelled(&object.column.name), spelled(&other.column.name));
        Some(format!(
            "{object} is an object as JSON text, which is never equal to {other}: compare \
             {object}->>'key'"
        ))
    })
}

/// The operators of equality.
const EQUAL: [&str; 5] = ["=", "==", "!=", "<>", "in"];

/// Returns true if the statement groups by a column, counts its values or asks for equality.
fn is_compared(facts: &Facts<'_>, read: Read<'_>) -> bool {
    let statement = facts.statement();
    let is_column = |at: &usize| statement.is_name(*at, &read.column.name);
    (0..statement.tokens.len()).filter(is_column).any(|at| {
        let select = statement.select_around(at);
        let is_in = |word| {
            statement.clause_places(&select, word).is_some_and(|places| places.contains(&at))
        };
        let start = at - if at > 1 && statement.is(at - 1, ".") { 2 } else { 0 };
        let is_listed = statement.clause(&select, "from").is_some_and(|from| at < from);
        is_in("group")
            || (is_listed && statement.is(select.start + 1, "distinct"))
            || (start > 0 && statement.is(start - 1, "distinct"))
            || (start > 0 && statement.is_any(start - 1, &EQUAL))
            || statement.is_any(at + 1, &EQUAL)
            || (statement.is(at + 1, "not") && statement.is(at + 2, "in"))
    })
}

/// Two spellings of one value.
fn of_spellings(read: Read<'_>) -> Option<String> {
    let limit = format!("WHERE typeof(it) = 'text' LIMIT {MAX_VALUES}");
    let rows = Subject::of(read).rows("DISTINCT it", &limit)?;

    let texts = rows.iter().filter_map(|row| Some(plain(row.first()?)));
    let mut known: HashMap<String, String> = HashMap::new();
    let (mut all, mut example) = (0, None);
    for text in texts.filter(|text| text.starts_with(['{', '['])) {
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        all += 1;
        let value = alike(value).to_string();
        match known.get(&value) {
            Some(other) => _ = example.get_or_insert_with(|| (other.clone(), text)),
            None => _ = known.insert(value, text),
        }
    }
    let (one, other) = example?;
    let name = spelled(&read.column.name);
    let such = if one.len() + other.len() < 2 * MAX_SHOWN {
        format!(", such as {one} and {other}")
    } else {
        String::new()
    };
    Some(format!(
        "{name} is compared as JSON text, and has {all} spellings of {} values{such}: group_by and \
         where compare values",
        known.len()
    ))
}

/// Returns a value with numbers of one spelling; objects have their keys in order.
fn alike(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.abs() < 9e15 => Value::from(float),
            _ => Value::Number(number),
        },
        Value::Array(elements) => elements.into_iter().map(alike).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.into_iter().collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            members.into_iter().map(|(key, value)| (key, alike(value))).collect()
        }
        other => other,
    }
}
