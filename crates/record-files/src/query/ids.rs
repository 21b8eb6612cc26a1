//! The ids of a query: which of many exist. A number and a string with the same digits are
//! the same id, because agents add quotes.

use std::{borrow::Cow, collections::HashMap};

use raw_json::{self as raw, each_element};

use super::error::QueryError;
use super::json::value::{Kind, Text};
use crate::number::Number;

const IDS: usize = 10_000;
const ACCEPTED: &str = "a list of strings and numbers";

/// The ids in a query.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    /// The index of the id field in the paths of the query.
    pub(super) path: usize,
    /// As spelled in the request, without duplicates.
    asked: Vec<String>,
    places: HashMap<String, usize>,
}

impl Ids {
    /// Reads a JSON array of at most 10,000 ids.
    pub(super) fn read(raw: &str, path: usize) -> Result<Self, QueryError> {
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
        let mut ids = Self { path, asked: Vec::new(), places: HashMap::new() };
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

    /// Returns the ids that were found, and those that were not, as spelled in the request.
    pub(super) fn split(&self, found: &[usize]) -> (Vec<String>, Vec<String>) {
        let mut present = vec![false; self.asked.len()];
        for place in found {
            present[*place] = true;
        }
        let (mut here, mut gone) = (Vec::new(), Vec::new());
        for (id, present) in self.asked.iter().zip(present) {
            if present { here.push(id.clone()) } else { gone.push(id.clone()) }
        }
        (here, gone)
    }
}

/// Returns the text that equal ids share; None for a value that cannot be an id.
fn key(raw: &str) -> Option<Cow<'_, str>> {
    match Kind::of(raw) {
        Kind::String => {
            let text = Text::read(raw);
            // A literal with a lone surrogate has no text: its spelling is the key.
            if text.is_exact() { Some(text.text) } else { Some(Cow::Borrowed(raw)) }
        }
        Kind::Number => Some(Number::plain(raw)),
        Kind::Null | Kind::Boolean | Kind::Array | Kind::Object => None,
    }
}
