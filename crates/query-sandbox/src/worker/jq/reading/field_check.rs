//! Looks for the fields of a filter in the records: jq returns null for a field that no record
//! has, and no error.

use std::rc::Rc;

use jaq_json::Val;

use super::{
    comparison::Comparison,
    contained::Contained,
    fields::Reading,
    known_fields::KnownFields,
    part::PartOf,
    shape::{Step, spelled},
};

/// The most notes.
const MAX_NOTES: usize = 5;

/// The most characters of a field in a note.
const MAX_SHOWN: usize = 200;

/// The records whose fields are collected, for similar names.
const SAMPLE: usize = 200;

/// The most levels that are searched for a name.
const MAX_LEVELS: usize = 32;

/// The fields of objects that jq's functions return.
const MADE_BY_JQ: [&str; 8] =
    ["key", "value", "name", "offset", "length", "string", "captures", "index"];

/// A path that no record has yet.
struct Absent {
    path: Vec<Step>,
    /// The number of steps that some record has.
    found: usize,
}

/// The fields that no record has yet.
pub(in crate::worker::jq) struct FieldCheck {
    absent: Vec<Absent>,
    /// The fields and values that the filter reads, without the names that some record has.
    reading: Reading,
    known: KnownFields,
    seen: usize,
}

impl FieldCheck {
    /// Checks the fields that a filter reads.
    pub(in crate::worker::jq) fn new(mut reading: Reading) -> Self {
        let of_record = |path: &Vec<Step>| match path.split_first() {
            Some((Step::Each, path)) => Some(Absent { path: path.to_vec(), found: 0 }),
            _ => None,
        };
        reading.ordered.extend(reading.comparisons.iter().filter_map(Comparison::order));
        let is_made = |name: &Rc<str>| reading.made.contains(name) || MADE_BY_JQ.contains(&&**name);
        reading.names.retain(|name| !is_made(name));
        let absent = reading.paths.iter().filter_map(of_record).collect();
        Self { absent, reading, known: KnownFields::default(), seen: 0 }
    }

    /// Looks at a record.
    pub(in crate::worker::jq) fn see(&mut self, record: &Val) {
        self.absent.retain_mut(|absent| {
            absent.found = absent.found.max(steps_found(record, &absent.path));
            absent.found < absent.path.len()
        });
        let Reading { comparisons, ordered, contained, parts, names, .. } = &mut self.reading;
        comparisons.retain_mut(|comparison| comparison.see(record));
        ordered.retain_mut(|ordered| ordered.see(record));
        contained.iter_mut().for_each(|contained| contained.see(record));
        parts.iter_mut().for_each(|part| part.see(record));
        names.retain(|name| !has_name(record, name, 0));
        if self.seen < SAMPLE {
            self.known.collect(record);
        }
        self.seen += 1;
    }

    /// Returns a note for each field that no record has; with `also_names`, also for fields of
    /// values whose place is unknown.
    pub(in crate::worker::jq) fn notes(self, also_names: bool) -> Vec<String> {
        let Reading { comparisons, ordered, contained, parts, names, .. } = &self.reading;
        let mut notes =
            [self.reading.unmade.as_slice(), &self.reading.constant_conditions].concat();

        if self.seen > 0 {
            let is_whole = |absent: &&Absent| {
                let mut others = self.absent.iter().map(|other| &other.path);
                !others.any(|path| path.len() > absent.path.len() && path.starts_with(&absent.path))
            };
            notes
                .extend(self.absent.iter().filter(is_whole).filter_map(|absent| self.note(absent)));
            notes.extend(comparisons.iter().filter_map(|one| one.note(comparisons)));
            notes.extend(ordered.iter().filter_map(|one| one.note(comparisons)));
            notes.extend(contained.iter().filter_map(Contained::note));
            notes.extend(parts.iter().filter_map(PartOf::note));

            if also_names {
                let note = |name: &Rc<str>| message(name, &self.known.nearest(&[], name));
                notes.extend(names.iter().map(note));
            }
        }
        let mut shown: Vec<String> = Vec::new();
        for note in notes {
            if shown.len() < MAX_NOTES && !shown.contains(&note) {
                shown.push(note);
            }
        }
        shown
    }

    fn note(&self, absent: &Absent) -> Option<String> {
        let (parent, rest) = absent.path.split_at(absent.found);
        let Some(Step::Field(name)) = rest.first() else { return None };
        let field = spelled(&absent.path[..=absent.found]);
        let parent = &parent.iter().map(Step::to_any_element).collect::<Vec<_>>();
        let mut near: Vec<String> = self.known.same(&absent.path).into_iter().collect();
        if near.is_empty() {
            near = self.known.nearest(parent, name);
        }
        // A field on the way is of no record, and the last one may be.
        if let (true, Some(Step::Field(last))) = (near.is_empty(), absent.path.last()) {
            near = self.known.nearest(parent, last);
        }
        Some(message(&field, &near))
    }

    /// Returns a note for the first field that no record had yet when the filter failed.
    pub(in crate::worker::jq) fn first_absent(&self) -> Option<String> {
        let absent = self.absent.iter().find_map(|absent| self.note(absent));
        self.reading.unmade.first().cloned().or(absent)
    }

    /// Returns the path through arrays that the filter lacks, for a filter that failed on one.
    pub(in crate::worker::jq) fn through_arrays(&self) -> Option<String> {
        self.absent.iter().find_map(|absent| self.known.same(&absent.path))
    }
}

fn message(field: &str, near: &[String]) -> String {
    let field: String = field.chars().take(MAX_SHOWN).collect();
    match near {
        [] => format!("no record has a field `{field}`"),
        near => format!("no record has a field `{field}`; nearest: {}", near.join(", ")),
    }
}

/// Returns the number of steps of `path` that lead to a value.
fn steps_found(value: &Val, path: &[Step]) -> usize {
    let Some((step, rest)) = path.split_first() else { return 0 };
    let below = |part: &Val| 1 + steps_found(part, rest);
    match (step, value) {
        (Step::Field(name), Val::Obj(members)) => members.get(&key(name)).map_or(0, below),
        (Step::Each, Val::Arr(items)) => items.iter().map(below).max().unwrap_or(0),
        (Step::Item(at), Val::Arr(items)) => items.get(*at).map_or(0, below),
        (Step::Each, Val::Obj(members)) => members.values().map(below).max().unwrap_or(0),
        _ => 0,
    }
}

/// Returns a name as the key of an object.
pub(super) fn key(name: &str) -> Val {
    Val::utf8_str(name.as_bytes().to_vec())
}

/// Returns true if an object in `value` has a field `name`.
fn has_name(value: &Val, name: &str, depth: usize) -> bool {
    let below = |part: &Val| depth < MAX_LEVELS && has_name(part, name, depth + 1);
    match value {
        Val::Obj(members) => members.contains_key(&key(name)) || members.values().any(below),
        Val::Arr(items) => items.iter().any(below),
        _ => false,
    }
}
