//! Candidates: the values in a JSON text that could be its records. The search starts
//! at the whole value and repeatedly enters its largest part.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use raw_json::{self as raw, Fields, quote};
use serde_json::value::RawValue;

use super::beside::elements_beside;
use super::criteria::{Accept, MIN_RECORDS, MIN_SHARE, share};
use super::table::table;
use crate::layout::{Region, Shape, members};

/// Maximum number of levels that are searched. The search reads the value once per level.
const MAX_LEVELS: usize = 32;

/// If one element has this share of the bytes of an array of records, the search continues in that
/// element: it is probably not a record like the others.
const DOMINANT_SHARE: f64 = 0.8;
/// Maximum number of bytes of an array or object that is shown in full next to the records.
const MAX_SHORT_BYTES: usize = 40;
/// An object is a map of records only if this share of its values has a key in common.
const MIN_COMMON: f64 = 0.8;

/// A value that could be the records.
pub(super) struct Candidate<'a> {
    /// Its whole text.
    pub(super) region: &'a str,
    pub(super) content: Content<'a>,
    /// The number of entries of [`Candidates::around`] that are outside of this value.
    pub(super) around: usize,
    /// The keys and indexes that lead to it.
    pub(super) place: String,
}

/// The content of a candidate.
pub(super) enum Content<'a> {
    /// Records.
    Records(Region<'a>),
    /// A string literal whose text may hold records.
    Literal,
}

/// All candidates of a text.
#[derive(Default)]
pub(super) struct Candidates<'a> {
    /// From the outermost to the innermost.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// The other members of the objects, and the other elements of the arrays, on the way: keys as
    /// literals, and values. A long array or object is replaced by its length, as a literal.
    pub(super) around: Vec<(String, Cow<'a, str>)>,
    /// The keys and indexes that lead to the value that is searched now.
    pub(super) place: String,
}

/// Finds the candidates of a JSON value; `None` if it is invalid JSON.
pub(super) fn candidates<'a>(value: &'a str, accept: Accept) -> Option<Candidates<'a>> {
    let mut found = Candidates::default();
    let mut at = value;
    for level in 0..MAX_LEVELS {
        let largest = match at.as_bytes().first() {
            Some(b'[') => raw::elements(at).map(|elements| found.array(at, elements, accept)),
            Some(b'{') => raw::fields(at).map(|fields| found.object(at, &fields, accept)),
            _ => serde_json::from_str::<&RawValue>(at).map(|_| {
                if raw::is_string(at) {
                    found.push(at, Content::Literal);
                }
                None
            }),
        };
        match largest {
            Ok(Some(inner)) => at = inner,
            Ok(None) => break,
            Err(_) if level == 0 => return None,
            Err(_) => break,
        }
    }
    Some(found)
}

impl<'a> Candidates<'a> {
    fn push(&mut self, region: &'a str, content: Content<'a>) {
        let (around, place) = (self.around.len(), self.place.clone());
        self.candidates.push(Candidate { region, content, around, place });
    }

    /// Returns the element to search next.
    fn array(&mut self, at: &'a str, elements: Vec<&'a str>, accept: Accept) -> Option<&'a str> {
        let largest = elements.iter().copied().max_by_key(|element| element.len())?;
        let records = match accept {
            Accept::Objects => {
                elements.len() >= MIN_RECORDS && elements.iter().all(|e| e.starts_with('{'))
            }
            Accept::Anything | Accept::OnlyArray => true,
        };
        let min_share = if records { DOMINANT_SHARE } else { MIN_SHARE };
        let entered = (accept != Accept::OnlyArray
            && share(largest, at) >= min_share
            && !is_another_record(largest, elements.iter().copied()))
        .then_some(largest);
        let others = entered.and_then(|entered| elements_beside(&elements, entered));
        let index = elements.iter().position(|element| std::ptr::eq(*element, largest));
        if records {
            let columns = Vec::new();
            let region = Region { shape: Shape::Array, text: at, records: elements, columns };
            self.push(at, Content::Records(region));
        }
        index.iter().for_each(|index| self.place.push_str(&format!("[{index}]")));
        self.around.extend(others.map(|(key, value)| (key, Cow::Owned(value))));
        entered
    }

    /// Returns the value to search next.
    fn object(&mut self, at: &'a str, fields: &Fields<'a>, accept: Accept) -> Option<&'a str> {
        if accept == Accept::OnlyArray {
            let (key, holder) = only_holder(fields)?;
            return Some(self.member(fields, key, holder));
        }
        if is_map(fields) {
            let records = members(at, fields);
            let region = Region { shape: Shape::Entries, text: at, records, columns: Vec::new() };
            self.push(at, Content::Records(region));
        }
        let (key, largest) = fields.iter().max_by_key(|(_, value)| value.len())?;
        let is_record = self.candidates.last().is_some_and(|last| std::ptr::eq(last.region, at))
            && is_another_record(largest, fields.iter().map(|(_, value)| *value));
        if share(largest, at) < MIN_SHARE || is_record {
            return None;
        }
        let largest = self.member(fields, key, largest);
        if let Some(rows) = table(largest, fields) {
            self.push(largest, Content::Records(rows));
            return None;
        }
        Some(largest)
    }

    /// Returns the value `entered`; records its key and the other members.
    fn member(&mut self, fields: &Fields<'a>, key: &str, entered: &'a str) -> &'a str {
        if !self.place.is_empty() {
            self.place.push('.');
        }
        self.place.push_str(key);
        let is_empty = |value: &str| matches!(value, "[]" | "{}");
        let others =
            fields.iter().filter(|(_, value)| !std::ptr::eq(*value, entered) && !is_empty(value));
        self.around.extend(others.map(|(key, value)| (quote(key), in_short(value))));
        entered
    }
}

/// Returns true if `largest` is an object that has a key in common with another value. Returns
/// false if its longest value is a string: servers answer with blocks of text, of which one is
/// long.
fn is_another_record<'a>(largest: &'a str, mut others: impl Iterator<Item = &'a str>) -> bool {
    let Ok(fields) = raw::fields(largest) else { return false };
    let bulk = fields.iter().map(|(_, value)| value).max_by_key(|value| value.len());
    if bulk.is_none_or(|bulk| raw::is_string(bulk)) {
        return false;
    }
    others.any(|other| {
        let mut keys = raw::each_member(other).map(|(key, _)| key);
        !std::ptr::eq(other, largest)
            && keys.any(|key| fields.iter().any(|(known, _)| *known == key.text()))
    })
}

/// Returns the member that holds the only array of objects, with its key.
fn only_holder<'f, 'a>(fields: &'f Fields<'a>) -> Option<(&'f Cow<'a, str>, &'a str)> {
    let mut holders = fields.iter().filter_map(|(key, value)| {
        let arrays = arrays_of_objects(value, MAX_LEVELS);
        (arrays > 0).then_some((arrays, key, *value))
    });
    match (holders.next()?, holders.next()) {
        ((1, key, value), None) => Some((key, value)),
        _ => None,
    }
}

/// Returns the number of arrays of objects in a value; does not count arrays inside of arrays.
fn arrays_of_objects(value: &str, levels: usize) -> usize {
    match (value.as_bytes().first(), levels.checked_sub(1)) {
        (Some(b'['), _) => {
            let mut elements = raw::each_element(value).peekable();
            usize::from(
                elements.peek().is_some() && elements.all(|element| element.starts_with('{')),
            )
        }
        (Some(b'{'), Some(levels)) => {
            raw::each_member(value).map(|(_, value)| arrays_of_objects(value, levels)).sum()
        }
        _ => 0,
    }
}

/// Returns a value; for a long array or object, its length as a literal.
fn in_short(value: &str) -> Cow<'_, str> {
    let count = |of: usize, what: &str| Cow::Owned(quote(&format!("({of} {what})")));
    match value.as_bytes().first() {
        Some(b'[') if value.len() > MAX_SHORT_BYTES => {
            count(raw::each_element(value).count(), "elements")
        }
        Some(b'{') if value.len() > MAX_SHORT_BYTES => {
            count(raw::each_member(value).count(), "members")
        }
        _ => Cow::Borrowed(value),
    }
}

/// Returns true for an object whose members are records by key: objects that have at
/// least one key in common.
fn is_map(fields: &Fields<'_>) -> bool {
    if fields.len() < MIN_RECORDS || !fields.iter().all(|(_, value)| value.starts_with('{')) {
        return false;
    }
    let mut names = HashSet::with_capacity(fields.len());
    if !fields.iter().all(|(key, _)| names.insert(key)) {
        return false;
    }
    // By key: the number of values that have it, and the index of the last one.
    let mut seen: HashMap<String, (usize, usize)> = HashMap::new();
    for (index, (_, value)) in fields.iter().enumerate() {
        for (key, _) in raw::fields(value).unwrap_or_default() {
            let (times, last) = seen.entry(key.into_owned()).or_insert((0, usize::MAX));
            if *last != index {
                (*times, *last) = (*times + 1, index);
            }
        }
    }
    let common = |times: usize| times as f64 >= MIN_COMMON * fields.len() as f64;
    seen.values().any(|(times, _)| common(*times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(value: &str, accept: Accept) -> Vec<&str> {
        let found = candidates(value, accept).unwrap();
        found.candidates.iter().map(|candidate| candidate.region).collect()
    }

    #[test]
    fn the_largest_value_is_followed() {
        let array = r#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#;
        let value = format!(r#"{{"n":1,"data":{{"items":{array}}}}}"#);
        assert_eq!(regions(&value, Accept::Objects), [array]);
        assert_eq!(regions(r#"{"a":[1,2],"b":[3,4]}"#, Accept::Anything), Vec::<&str>::new());
    }

    #[test]
    fn the_only_array_of_objects_has_any_share() {
        let only = |text: &str| {
            let found = candidates(text, Accept::OnlyArray).unwrap();
            found.candidates.into_iter().map(|c| (c.place, c.region.to_owned())).collect::<Vec<_>>()
        };
        let array = r#"[{"a":[{"b":1}]},{"a":2}]"#;
        let text =
            format!(r#"{{"data":{{"total":2,"rows":{array}}},"log":["x","y"],"next":null}}"#);
        assert_eq!(only(&text), [("data.rows".to_owned(), array.to_owned())]);
        for text in [
            r#"{"a":[{"n":1}],"b":[{"n":2}]}"#,
            r#"{"x":{"a":[{"n":1}],"b":[{"n":2}]}}"#,
            r#"{"a":[{"n":1},2],"b":[]}"#,
            r#"{"a":{"n":1}}"#,
        ] {
            assert_eq!(only(text), [], "{text}");
        }
    }

    #[test]
    fn an_element_with_most_of_the_bytes_is_searched() {
        let inner = format!("[{}]", vec![r#"{"a":12345}"#; 50].join(","));
        let value = format!(r#"[{{"x":{inner}}},{{}},{{}}]"#);
        assert_eq!(regions(&value, Accept::Objects), [value.as_str(), inner.as_str()]);
    }

    #[test]
    fn a_long_record_among_its_like_is_not_searched() {
        let inner = format!("[{}]", vec![r#"{"a":12345}"#; 50].join(","));
        let array = format!(r#"[{{"id":1,"lines":{inner}}},{{"id":2}},{{"id":3}}]"#);
        assert_eq!(regions(&array, Accept::Objects), [array.as_str()]);
        let map = format!(r#"{{"x":{{"id":1,"lines":{inner}}},"y":{{"id":2}},"z":{{"id":3}}}}"#);
        assert_eq!(regions(&map, Accept::Objects), [map.as_str()]);
        let text = quote(&inner);
        let blocks = format!(r#"[{{"text":"a"}},{{"text":{text}}},{{"text":"b"}}]"#);
        assert_eq!(regions(&blocks, Accept::Objects), [blocks.as_str(), text.as_str()]);
    }

    #[test]
    fn a_map_has_objects_with_a_key_in_common_and_no_key_twice() {
        let is = |text: &str| regions(text, Accept::Objects) == [text];
        assert!(is(r#"{"a":{"x":1},"b":{"x":2},"c":{"x":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"y":2},"c":{"z":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"a":{"x":2},"c":{"x":3}}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"x":2},"c":[]}"#));
        assert!(!is(r#"{"a":{"x":1},"b":{"x":2}}"#));
    }

    #[test]
    fn invalid_json_has_no_candidates() {
        assert!(candidates("[1,2", Accept::Anything).is_none());
        assert!(candidates("{\"a\":1} x", Accept::Anything).is_none());
    }

    #[test]
    fn the_members_around_a_candidate_are_collected() {
        let items = vec![r#"{"a":1}"#; 20].join(",");
        let errors = [r#"{"code":17}"#; 4].join(",");
        let value = format!(r#"{{"total":3,"x":[1],"items":[{items}],"errors":[{errors}]}}"#);
        let found = candidates(&value, Accept::Objects).unwrap();
        let around = [("total", "3"), ("x", "[1]"), ("errors", "\"(4 elements)\"")];
        let around = around.map(|(key, value)| (quote(key), Cow::Borrowed(value)));
        assert_eq!(found.around, around);
        assert_eq!(found.candidates[0].around, 3);
    }
}
