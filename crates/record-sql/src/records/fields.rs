//! The fields of a set of records, found in one pass.

use std::collections::{HashMap, HashSet};

use raw_json::{Fault, check_record_like, each_element, each_member};

use crate::records::profile::Profile;
use crate::records::values::Values;
use crate::records::wanted::{RECORD, Wanted};

/// The most top-level fields that become columns.
pub(crate) const MAX_COLUMNS: usize = 1_000;
/// The most nested paths.
const MAX_PATHS: usize = 2_000;
/// The deepest path, in keys.
const MAX_DEPTH: usize = 8;
/// The longest name, in bytes. Longer ones are data.
const MAX_NAME_BYTES: usize = 200;
/// The bytes from which on two threads scan a text.
const MIN_SHARED: usize = 256 * 1024;

/// Names with the profile of their values, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    names: Vec<String>,
    profiles: Vec<Profile>,
    /// For each name its values, if they are wanted.
    values: Vec<Option<Values<'a>>>,
    places: HashMap<String, usize>,
    /// The place of the name that is expected next: records repeat their keys in one order.
    next: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn profile(&self, place: usize) -> &Profile {
        &self.profiles[place]
    }

    /// Returns the values of a name as it is spelled; None if they were not wanted, or there are
    /// none.
    pub(crate) fn values(&self, name: &str) -> Option<&Values<'a>> {
        self.values[*self.places.get(name)?].as_ref()
    }

    /// Returns the names whose texts are no numbers.
    fn texts(&self) -> impl Iterator<Item = &String> {
        let all = self.names.iter().zip(&self.profiles);
        all.filter(|(_, profile)| !profile.texts_are_values()).map(|(name, _)| name)
    }

    fn keep_texts(&mut self, names: &HashSet<String>) {
        let all = self.names.iter().zip(&mut self.profiles);
        all.filter(|(name, _)| names.contains(*name)).for_each(|(_, profile)| profile.keep_texts());
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

    /// Returns the place of a name, a new one if there is room among `max`.
    fn place(&mut self, name: &str, wanted: &Wanted, max: usize) -> Option<usize> {
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
            self.values.push(wanted.has(name).then(Values::default));
            self.names.len() - 1
        };
        self.next = place + 1;
        Some(place)
    }

    fn add(&mut self, place: usize, record: u64, value: &'a str) {
        self.next = place + 1;
        self.profiles[place].add(value);
        if let Some(values) = &mut self.values[place] {
            values.add(record, value);
        }
    }

    /// Adds the fields of the records that follow `records` ones; returns false if there is no room
    /// for one of them.
    fn append(&mut self, other: Self, records: u64, wanted: &Wanted, max: usize) -> bool {
        let mut all = true;
        let parts = other.names.iter().zip(other.profiles).zip(other.values);
        for ((name, profile), values) in parts {
            let Some(place) = self.place(name, wanted, max) else {
                all = false;
                continue;
            };
            self.profiles[place].append(profile);
            if let Some((all, values)) = self.values[place].as_mut().zip(values) {
                all.append(values, records);
            }
        }
        all
    }
}

/// Keeps the texts of a field as texts in all files if they are no numbers in one of them: texts
/// that are equal must be equal, whichever file they are in.
pub(crate) fn keep_texts_alike(shapes: Vec<&mut Shape<'_>>) {
    let (mut fields, mut paths) = (HashSet::new(), HashSet::new());
    for shape in &shapes {
        fields.extend(shape.fields.texts().cloned());
        paths.extend(shape.paths.plain.texts().cloned());
    }
    for shape in shapes {
        shape.fields.keep_texts(&fields);
        shape.paths.plain.keep_texts(&paths);
    }
}

/// The records of a file.
#[derive(Debug, Default)]
pub(crate) struct Shape<'a> {
    /// The top-level fields.
    pub(crate) fields: Fields<'a>,
    /// The records themselves, if they are wanted.
    pub(crate) whole: Option<Values<'a>>,
    pub(crate) records: u64,
    /// The bytes of the longest record.
    pub(crate) longest: usize,
    /// The fields below those.
    pub(crate) paths: Paths<'a>,
}

impl Shape<'_> {
    /// Adds the records that follow these.
    fn append(&mut self, other: Self, wanted: &Wanted) {
        self.fields.append(other.fields, self.records, wanted, MAX_COLUMNS);
        self.paths.plain.append(other.paths.plain, self.records, wanted, MAX_PATHS);
        for (array, key) in other.paths.in_arrays {
            self.paths.note(&array, &key);
        }
        if let Some((all, values)) = self.whole.as_mut().zip(other.whole) {
            all.append(values, self.records);
        }
        self.records += other.records;
        self.longest = self.longest.max(other.longest);
    }
}

/// Checks records, one on each line, and finds their fields, and the values of those that are
/// wanted. Two threads share a long text. `stop` is asked now and then.
///
/// # Errors
///
/// Fails with the line, from 1, and the fault if a line is not JSON; with None if `stop` is true.
pub(crate) fn scan<'a>(
    lines: &'a str,
    wanted: &Wanted,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Shape<'a>, Option<(u64, Fault)>> {
    let half = raw_json::line_end(lines, lines.len() / 2);
    if lines.len() < MIN_SHARED || half == lines.len() {
        return scan_part(lines, wanted, stop);
    }
    let (first, second) = lines.split_at(half);
    let (first_shape, second_shape) =
        rayon::join(|| scan_part(first, wanted, stop), || scan_part(second, wanted, stop));
    let mut shape = first_shape?;
    let lines_before = || raw_json::lines(first).count() as u64;
    let second_shape =
        second_shape.map_err(|fault| fault.map(|(line, fault)| (lines_before() + line, fault)))?;
    shape.append(second_shape, wanted);
    Ok(shape)
}

fn scan_part<'a>(
    lines: &'a str,
    wanted: &Wanted,
    stop: &dyn Fn() -> bool,
) -> Result<Shape<'a>, Option<(u64, Fault)>> {
    let mut shape = Shape { whole: wanted.has(RECORD).then(Values::default), ..Shape::default() };
    let Shape { fields, whole, records, longest, paths } = &mut shape;
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
            let place = place.unwrap_or_else(|| fields.place(&key.text(), wanted, MAX_COLUMNS));
            if let Some(place) = place {
                fields.add(place, *records, value);
            }
            if value.starts_with(['{', '[']) {
                path.clear();
                path.push_str(&key.text());
                paths.below(value, &mut path, 1, (*records, wanted));
            }
            place
        })
        .map_err(|fault| Some((number, fault)))?;
        if let Some(whole) = whole {
            whole.add(*records, line);
        }
        *records += 1;
        *longest = (*longest).max(line.len());
    }
    Ok(shape)
}

/// The paths below the top level: `provenance.confidence`.
#[derive(Debug, Default)]
pub(crate) struct Paths<'a> {
    /// Paths through objects.
    pub(crate) plain: Fields<'a>,
    /// Paths through an array, which are no columns: the array, and the path in its elements.
    pub(crate) in_arrays: Vec<(String, String)>,
}

impl<'a> Paths<'a> {
    fn below(&mut self, value: &'a str, path: &mut String, depth: usize, at: (u64, &Wanted)) {
        if depth >= MAX_DEPTH || path.len() > MAX_NAME_BYTES {
            return;
        }
        if value.starts_with('[') {
            for (key, _) in each_element(value).take(3).flat_map(each_member) {
                self.note(path, &key.text());
            }
            return;
        }
        let length = path.len();
        let (record, wanted) = at;
        for (key, value) in each_member(value) {
            path.push('.');
            path.push_str(&key.text());
            if let Some(place) = self.plain.place(path, wanted, MAX_PATHS) {
                self.plain.add(place, record, value);
            }
            self.below(value, path, depth + 1, at);
            path.truncate(length);
        }
    }

    /// Notes a key of the objects of an array.
    fn note(&mut self, array: &str, key: &str) {
        let known = self.in_arrays.iter().any(|(path, inner)| path == array && inner == key);
        if !known && self.in_arrays.len() < MAX_PATHS / 10 {
            self.in_arrays.push((array.to_owned(), key.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const LINES: &str = "{\"id\":1,\"a\":{\"b\":{\"c\":2},\"d\":null}}\n\n{\"a\":{\"x\":1},\"New\":[{\"k\":1}],\"id\":\"2\"}\n";

    fn all(lines: &str) -> Result<Shape<'_>, Option<(u64, Fault)>> {
        scan(lines, &Wanted::all(), &|| false)
    }

    #[test]
    fn fields_come_in_order_of_appearance() {
        let shape = all(LINES).unwrap();
        assert_eq!(shape.fields.names(), ["id", "a", "New"]);
        assert_eq!(shape.records, 2);
        assert_eq!(shape.fields.find("new"), Some(2));
        assert_eq!(shape.fields.profile(0).values(), 2);
    }

    #[test]
    fn paths_lead_through_objects_and_arrays_are_known() {
        let paths = all(LINES).unwrap().paths;
        assert_eq!(paths.plain.names(), ["a.b", "a.b.c", "a.d", "a.x"]);
        assert_eq!(paths.in_arrays, [("New".to_owned(), "k".to_owned())]);
    }

    #[test]
    fn a_fault_names_its_line() {
        let (line, _) = all("{}\n{").unwrap_err().unwrap();
        assert_eq!(line, 2);
        let many = "{\"a\":1}\n".repeat(MIN_SHARED);
        let (line, _) = all(&format!("{many}{{\n{many}")).unwrap_err().unwrap();
        assert_eq!(line, MIN_SHARED as u64 + 1);
        let (line, _) = all(&format!("{many}{many}{{")).unwrap_err().unwrap();
        assert_eq!(line, 2 * MIN_SHARED as u64 + 1);
    }

    #[test]
    fn fields_are_bounded() {
        let many: Vec<String> = (0..3_000).map(|n| format!("\"k{n}\":1")).collect();
        let lines = format!("{{{}}}", many.join(","));
        assert_eq!(all(&lines).unwrap().fields.names().len(), MAX_COLUMNS);
    }

    proptest! {
        #[test]
        fn the_place_of_a_cut_does_not_matter(
            lines in vec(prop_oneof![
                Just("{\"a\":1,\"b\":\"x\"}"), Just("{\"b\":\"12\",\"a\":null}"), Just("{\"a\":\"1.50\"}"),
                Just("{\"a\":\"3\",\"c\":{\"d\":[{\"e\":1}],\"f\":\"2025-05-14T08:00\"}}"), Just(""),
                Just("{\"c\":{\"f\":true,\"g\":1.5},\"a\":[]}"), Just("7"), Just("{\"a\":\"1.5\",\"a\":\"2\"}"),
            ], 0..12),
            cut in 0..12_usize,
        ) {
            let whole = lines.join("\n");
            let before = lines[..cut.min(lines.len())].concat().len() + cut.min(lines.len());
            let (first, second) = whole.split_at(before.min(whole.len()));
            let wanted = Wanted::all();
            let mut parts = scan_part(first, &wanted, &|| false).unwrap();
            parts.append(scan_part(second, &wanted, &|| false).unwrap(), &wanted);
            let all = scan_part(&whole, &wanted, &|| false).unwrap();
            prop_assert_eq!(facts(&parts), facts(&all));
        }
    }

    /// Returns the facts of a scan that a statement uses.
    fn facts(shape: &Shape<'_>) -> Vec<String> {
        let of = |fields: &Fields<'_>| -> Vec<String> {
            let at = |place: usize| {
                let (name, profile) = (&fields.names[place], &fields.profiles[place]);
                let kind = (profile.kind(), profile.words(), profile.is_time(), profile.nulls);
                format!("{name} {kind:?} {:?}", fields.values[place])
            };
            (0..fields.names.len()).map(at).collect()
        };
        let whole = format!("{:?} {} {}", shape.whole, shape.records, shape.longest);
        let mut facts = vec![whole, format!("{:?}", shape.paths.in_arrays)];
        facts.extend(of(&shape.fields));
        facts.extend(of(&shape.paths.plain));
        facts
    }
}
