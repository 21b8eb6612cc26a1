//! The descent: from a JSON value down to where most of its bytes are, and every
//! place on the way that could be the records.

use std::collections::{HashMap, HashSet};

use chat_history::raw::{self, Fields};
use chat_history::splice::quote;

use super::records::Accept;
use super::shape::Shape;

/// The most steps down. Each reads the value once.
const STEPS: usize = 32;

/// A member or element with this share of the bytes is where the records are.
pub(super) const MOST: f64 = 0.6;
/// An element with this share is no record like the others.
const NEARLY_ALL: f64 = 0.8;
/// The share of an object's values that have a key in common, if it is a map.
const COMMON: f64 = 0.8;
/// The fewest records worth a file.
pub(super) const FEWEST: usize = 3;

/// A place that could be the records.
pub(super) struct Spot<'a> {
    /// Its whole text.
    pub(super) region: &'a str,
    /// What it is.
    pub(super) what: What<'a>,
    /// How many of the descent's scalars stand around it.
    pub(super) scalars: usize,
}

/// What a spot is.
pub(super) enum What<'a> {
    /// Records, with each of them where they are slices of the region.
    Records(Shape, Vec<&'a str>),
    /// A string literal, whose text may hold records.
    Literal,
}

/// What was met on the way down.
pub(super) struct Descent<'a> {
    /// The spots, the outermost first.
    pub(super) spots: Vec<Spot<'a>>,
    /// The scalar members of the objects on the way: keys as literals, values.
    pub(super) scalars: Vec<(String, &'a str)>,
}

/// Goes down from a value; None where it is no JSON.
pub(super) fn descend<'a>(value: &'a str, accept: Accept) -> Option<Descent<'a>> {
    let mut descent = Descent { spots: Vec::new(), scalars: Vec::new() };
    let mut at = value;
    for step in 0..STEPS {
        let next = match at.as_bytes().first() {
            Some(b'[') => raw::elements(at).map(|elements| descent.array(at, elements, accept)),
            Some(b'{') => raw::fields(at).map(|fields| descent.object(at, &fields)),
            _ => serde_json::from_str::<&serde_json::value::RawValue>(at).map(|_| {
                if raw::is_string(at) {
                    descent.spot(at, What::Literal);
                }
                None
            }),
        };
        match next {
            Ok(Some(below)) => at = below,
            Ok(None) => break,
            Err(_) if step == 0 => return None,
            Err(_) => break,
        }
    }
    Some(descent)
}

impl<'a> Descent<'a> {
    fn spot(&mut self, region: &'a str, what: What<'a>) {
        self.spots.push(Spot { region, what, scalars: self.scalars.len() });
    }

    fn array(&mut self, at: &'a str, elements: Vec<&'a str>, accept: Accept) -> Option<&'a str> {
        let largest = elements.iter().copied().max_by_key(|element| element.len())?;
        let records = match accept {
            Accept::Objects => {
                elements.len() >= FEWEST && elements.iter().all(|e| e.starts_with('{'))
            }
            Accept::Anything => true,
        };
        if records {
            self.spot(at, What::Records(Shape::Array, elements));
        }
        let share = if records { NEARLY_ALL } else { MOST };
        (part(largest, at) >= share).then_some(largest)
    }

    fn object(&mut self, at: &'a str, fields: &Fields<'a>) -> Option<&'a str> {
        if is_map(fields) {
            self.spot(at, What::Records(Shape::Entries, Vec::new()));
        }
        let (_, largest) = fields.iter().max_by_key(|(_, value)| value.len())?;
        if part(largest, at) < MOST {
            return None;
        }
        let scalars = fields
            .iter()
            .filter(|(_, value)| !std::ptr::eq(*value, *largest) && !value.starts_with(['[', '{']));
        self.scalars.extend(scalars.map(|(key, value)| (quote(key), *value)));
        Some(largest)
    }
}

/// The share of the bytes of `whole` that `part` has.
pub(super) fn part(part: &str, whole: &str) -> f64 {
    part.len() as f64 / whole.len().max(1) as f64
}

/// True for an object whose members are records under a key each: objects that
/// have at least one key in common.
fn is_map(fields: &Fields<'_>) -> bool {
    if fields.len() < FEWEST || !fields.iter().all(|(_, value)| value.starts_with('{')) {
        return false;
    }
    let mut names = HashSet::with_capacity(fields.len());
    if !fields.iter().all(|(key, _)| names.insert(key)) {
        return false;
    }
    // By key: in how many values it is, and the last of them.
    let mut seen: HashMap<String, (usize, usize)> = HashMap::new();
    for (index, (_, value)) in fields.iter().enumerate() {
        for (key, _) in raw::fields(value).unwrap_or_default() {
            let (times, last) = seen.entry(key.into_owned()).or_insert((0, usize::MAX));
            if *last != index {
                (*times, *last) = (*times + 1, index);
            }
        }
    }
    let common = |times: usize| times as f64 >= COMMON * fields.len() as f64;
    seen.values().any(|(times, _)| common(*times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spots(value: &str, accept: Accept) -> Vec<&str> {
        let descent = descend(value, accept).unwrap();
        descent.spots.iter().map(|spot| spot.region).collect()
    }

    #[test]
    fn the_way_down_goes_where_most_bytes_are() {
        let array = r#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#;
        let value = format!(r#"{{"n":1,"data":{{"items":{array}}}}}"#);
        assert_eq!(spots(&value, Accept::Objects), [array]);
        assert_eq!(spots(r#"{"a":[1,2],"b":[3,4]}"#, Accept::Anything), Vec::<&str>::new());
    }

    #[test]
    fn one_element_with_nearly_all_bytes_is_looked_into() {
        let inner = format!("[{}]", vec![r#"{"a":12345}"#; 50].join(","));
        let value = format!(r#"[{{"x":{inner}}},{{}},{{}}]"#);
        assert_eq!(spots(&value, Accept::Objects), [value.as_str(), inner.as_str()]);
    }

    #[test]
    fn a_map_has_objects_with_a_key_in_common_and_no_key_twice() {
        let is = |text: &str| spots(text, Accept::Objects) == [text];
        assert!(is(r#"{"a":{"x":1},"b":{"x":2},"c":{"x":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"y":2},"c":{"z":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"a":{"x":2},"c":{"x":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"x":2},"c":[]}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"x":2}}"#));
    }

    #[test]
    fn what_is_no_json_has_no_way_down() {
        assert!(descend("[1,2", Accept::Anything).is_none());
        assert!(descend("{\"a\":1} x", Accept::Anything).is_none());
    }

    #[test]
    fn the_scalars_on_the_way_are_noted() {
        let value = r#"{"total":3,"x":[],"items":[{"a":1},{"a":2},{"a":3},{"a":4},{"a":5}]}"#;
        let descent = descend(value, Accept::Objects).unwrap();
        assert_eq!(descent.scalars, [("\"total\"".to_owned(), "3")]);
        assert_eq!(descent.spots[0].scalars, 1);
    }
}
