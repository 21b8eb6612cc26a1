//! The ids of a query: which of the given ids exist. A number and a string with the same digits are
//! the same id, because agents add quotes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use raw_json::{self as raw, Kind, each_element, each_member};
use xxhash_rust::xxh3::xxh3_64;

use super::error::QueryError;
use super::json::value::Text;
use crate::number::Number;

const IDS: usize = 10_000;
const ACCEPTED: &str = "a list of strings and numbers";

/// The ids in a query.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    /// The index of the id field in the paths of the query.
    pub(super) path: usize,
    /// The ids as spelled in the request, without duplicates.
    pub(super) asked: Vec<String>,
    places: HashMap<String, usize>,
    /// True if the request does not name a field.
    pub(super) is_default: bool,
}

/// The ids of a request, as spelled there, by result.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The ids that exist and meet the condition.
    pub(super) present: Vec<String>,
    pub(super) absent: Vec<String>,
    /// The ids that exist but do not meet the condition.
    pub(super) excluded: Vec<String>,
}

/// Maximum number of fields that are examined as the field of the ids.
const MAX_FIELDS: usize = 64;
/// Maximum length of the name of such a field, in bytes.
const MAX_NAME_BYTES: usize = 256;

impl Ids {
    /// Reads a JSON array of at most 10,000 ids.
    pub(super) fn read(raw: &str, path: usize, is_default: bool) -> Result<Self, QueryError> {
        let bad = |member: String, found: &str| QueryError::BadMember {
            member,
            found: found.to_owned(),
            accepted: ACCEPTED,
        };
        let elements =
            raw::elements(raw).map_err(|_no_array| bad("ids".to_owned(), raw::kind(raw)))?;
        if elements.len() > IDS {
            let (member, found) = ("ids".to_owned(), elements.len());
            return Err(QueryError::TooMany { member, found, what: "ids", limit: IDS });
        }
        let mut ids = Self { path, asked: Vec::new(), places: HashMap::new(), is_default };
        for (index, id) in elements.into_iter().enumerate() {
            let Some(key) = key(id) else {
                return Err(bad(format!("ids[{index}]"), raw::kind(id)));
            };
            if !ids.places.contains_key(key.as_ref()) {
                ids.places.insert(key.into_owned(), ids.asked.len());
                ids.asked.push(id.to_owned());
            }
        }
        Ok(ids)
    }

    /// Adds the positions of the ids in `values`; returns true if there are any.
    pub(super) fn find(&self, values: &[&str], found: &mut Vec<usize>) -> bool {
        let before = found.len();
        let mut look = |value: &str| {
            found.extend(key(value).and_then(|key| self.places.get(key.as_ref())));
        };
        for value in values {
            look(value);
            each_element(value).for_each(&mut look);
        }
        found.len() > before
    }

    /// Divides the ids into those found in records that meet the condition, those found only in
    /// other records, and those not found.
    pub(super) fn split(&self, found: &[usize], met: &[usize]) -> Split {
        let mut split = Split::default();
        let (found, met): (HashSet<_>, HashSet<_>) = (found.iter().collect(), met.iter().collect());
        for (place, id) in self.asked.iter().enumerate() {
            let list = if met.contains(&place) {
                &mut split.present
            } else if found.contains(&place) {
                &mut split.excluded
            } else {
                &mut split.absent
            };
            list.push(id.clone());
        }
        split
    }

    /// Returns the field that probably holds the ids, and the number of the ids in it: the field
    /// with the most of the ids; of equal ones, one whose values are all distinct, then the first.
    /// If no field has any of the ids, returns only a field whose values are all distinct.
    pub(super) fn guess_field(
        &self,
        lines: &str,
        stop: &dyn Fn() -> bool,
    ) -> Option<(String, usize)> {
        let mut fields: Vec<Guess<'_>> = Vec::new();
        let lines = lines.lines().map(str::trim_ascii).filter(|line| !line.is_empty());
        for (records, line) in lines.enumerate() {
            if records % 256 == 255 && stop() {
                return None;
            }
            if records == 0 {
                let scalars = each_member(line).filter(|(_, value)| key(value).is_some());
                let names = scalars.map(|(name, _)| name.text());
                let names = names.filter(|name| name.len() <= MAX_NAME_BYTES).take(MAX_FIELDS);
                fields = names.map(Guess::new).collect();
            }
            let values: Vec<_> = each_member(line).collect();
            for guess in &mut fields {
                let value = values.iter().rev().find(|(name, _)| name.text() == guess.field);
                let id = value.and_then(|(_, value)| key(value));
                guess.found.extend(id.as_ref().and_then(|id| self.places.get(id.as_ref())));
                guess.is_distinct = guess.is_distinct
                    && id.is_some_and(|id| guess.seen.insert(xxh3_64(id.as_bytes())));
            }
        }
        let fields =
            fields.iter().rev().filter(|guess| guess.is_distinct || !guess.found.is_empty());
        let best = fields.max_by_key(|guess| (guess.found.len(), guess.is_distinct));
        best.map(|guess| (guess.field.clone().into_owned(), guess.found.len()))
    }
}

/// A field that may hold the ids.
struct Guess<'a> {
    field: Cow<'a, str>,
    is_distinct: bool,
    /// The hashes of the field's values, while they are distinct.
    seen: HashSet<u64>,
    /// The positions of the ids that are values of the field.
    found: HashSet<usize>,
}

impl<'a> Guess<'a> {
    fn new(field: Cow<'a, str>) -> Self {
        Self { field, is_distinct: true, seen: HashSet::new(), found: HashSet::new() }
    }
}

/// Returns a text that is the same for equal ids; `None` if the value cannot be an id.
pub(super) fn key(raw: &str) -> Option<Cow<'_, str>> {
    match Kind::of_value(raw) {
        Kind::String => {
            let text = Text::read(raw);
            // A literal with a lone surrogate has no text, so its spelling is the key.
            if text.is_exact() { Some(text.text) } else { Some(Cow::Borrowed(raw)) }
        }
        Kind::Number => Some(Number::plain(raw)),
        Kind::Null | Kind::Boolean | Kind::Array | Kind::Object => None,
    }
}
