//! The fields of a set of records, found in one pass.

use std::borrow::Cow;
use std::collections::HashMap;

use raw_json::{Fault, check_record_like, each_element, each_member};

use crate::records::profile::Profile;

/// The most top-level fields that become columns.
pub(crate) const MAX_COLUMNS: usize = 1_000;
/// The most nested paths.
const MAX_PATHS: usize = 2_000;
/// The deepest path, in keys.
const MAX_DEPTH: usize = 8;
/// The longest name, in bytes. Longer ones are data.
const MAX_NAME_BYTES: usize = 200;

/// Names with the profile of their values, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    names: Vec<String>,
    profiles: Vec<Profile>,
    places: HashMap<String, usize>,
    /// The place of the name that is expected next: records repeat their keys in one order.
    next: usize,
    disordered: bool,
}

impl Fields {
    /// Returns true if every record has its fields in this order, and therefore none twice.
    pub(crate) fn are_ordered(&self) -> bool {
        !self.disordered
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn profile(&self, place: usize) -> &Profile {
        &self.profiles[place]
    }

    /// Returns the place of a name: exactly so, or as the only one apart from case.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if let Some(place) = self.places.get(name) {
            return Some(*place);
        }
        let mut same =
            (0..self.names.len()).filter(|at| self.names[*at].eq_ignore_ascii_case(name));
        let first = same.next()?;
        same.next().is_none().then_some(first)
    }

    fn place(&mut self, name: &str, max: usize) -> Option<usize> {
        let place = if self.names.get(self.next).is_some_and(|known| known == name) {
            self.next
        } else if let Some(place) = self.places.get(name) {
            *place
        } else {
            if self.names.len() >= max || name.len() > MAX_NAME_BYTES || name.contains('\0') {
                return None;
            }
            self.places.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
            self.profiles.push(Profile::default());
            self.names.len() - 1
        };
        self.pass(place);
        Some(place)
    }

    /// Goes past the name at `place`.
    fn pass(&mut self, place: usize) {
        self.disordered |= place < self.next;
        self.next = place + 1;
    }
}

/// The records of a file.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// The top-level fields.
    pub(crate) fields: Fields,
    pub(crate) records: u64,
    /// The bytes of the longest record.
    pub(crate) longest: usize,
    /// True if some record has more fields than become columns.
    pub(crate) more_fields: bool,
    /// The fields below those.
    pub(crate) paths: Paths,
}

/// Checks records, one on each line, and finds their fields. `stop` is asked now and then.
///
/// # Errors
///
/// Fails with the line, from 1, and the fault if a line is not JSON; with None if `stop` is true.
pub(crate) fn scan(lines: &str, stop: &dyn Fn() -> bool) -> Result<Shape, Option<(u64, Fault)>> {
    let mut shape = Shape::default();
    let Shape { fields, records, longest, more_fields, paths } = &mut shape;
    let mut known = Vec::new();
    let mut path = String::new();
    for (number, line) in (1_u64..).zip(raw_json::lines(lines)) {
        if number % 4_096 == 0 && stop() {
            return Err(None);
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        fields.next = 0;
        paths.plain.next = 0;
        check_record_like(line, &mut known, |place, key, value| {
            let place = match place {
                Some(Some(place)) => {
                    fields.pass(place);
                    Some(place)
                }
                _ => fields.place(&key.text(), MAX_COLUMNS),
            };
            match place {
                Some(place) => fields.profiles[place].add(value),
                None => *more_fields = true,
            }
            if value.starts_with(['{', '[']) {
                path.clear();
                path.push_str(&key.text());
                paths.below(value, &mut path, 1);
            }
            place
        })
        .map_err(|fault| Some((number, fault)))?;
        *records += 1;
        *longest = (*longest).max(line.len());
    }
    Ok(shape)
}

/// The paths below the top level: `provenance.confidence`.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Paths through objects.
    pub(crate) plain: Fields,
    /// Paths through an array, which are no columns: the array, and the path in its elements.
    pub(crate) in_arrays: Vec<(String, String)>,
}

impl Paths {
    fn below(&mut self, value: &str, path: &mut String, depth: usize) {
        if depth >= MAX_DEPTH || path.len() > MAX_NAME_BYTES {
            return;
        }
        if value.starts_with('[') {
            return self.in_array(value, path);
        }
        let length = path.len();
        for (key, value) in each_member(value) {
            path.push('.');
            path.push_str(&key.text());
            if let Some(place) = self.plain.place(path, MAX_PATHS) {
                self.plain.profiles[place].add(value);
            }
            self.below(value, path, depth + 1);
            path.truncate(length);
        }
    }

    /// Notes the keys of the first objects of an array.
    fn in_array(&mut self, value: &str, path: &str) {
        if self.in_arrays.len() >= MAX_PATHS / 10 {
            return;
        }
        for (key, _) in each_element(value).take(3).flat_map(each_member) {
            let key: Cow<'_, str> = key.text();
            if !self.in_arrays.iter().any(|(array, inner)| array == path && *inner == key) {
                self.in_arrays.push((path.to_owned(), key.into_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "{\"id\":1,\"a\":{\"b\":{\"c\":2},\"d\":null}}\n\n{\"a\":{\"x\":1},\"New\":[{\"k\":1}],\"id\":\"2\"}\n";

    #[test]
    fn fields_come_in_order_of_appearance() {
        let shape = scan(LINES, &|| false).unwrap();
        assert_eq!(shape.fields.names(), ["id", "a", "New"]);
        assert_eq!(shape.records, 2);
        assert_eq!(shape.fields.find("new"), Some(2));
        assert_eq!(shape.fields.profile(0).values(), 2);
    }

    #[test]
    fn paths_lead_through_objects_and_arrays_are_known() {
        let paths = scan(LINES, &|| false).unwrap().paths;
        assert_eq!(paths.plain.names(), ["a.b", "a.b.c", "a.d", "a.x"]);
        assert_eq!(paths.in_arrays, [("New".to_owned(), "k".to_owned())]);
    }

    #[test]
    fn a_fault_names_its_line() {
        let (line, _) = scan("{}\n{", &|| false).unwrap_err().unwrap();
        assert_eq!(line, 2);
    }

    #[test]
    fn fields_are_bounded() {
        let many: Vec<String> = (0..3_000).map(|n| format!("\"k{n}\":1")).collect();
        let shape = scan(&format!("{{{}}}", many.join(",")), &|| false).unwrap();
        assert_eq!((shape.fields.names().len(), shape.more_fields), (MAX_COLUMNS, true));
    }
}
