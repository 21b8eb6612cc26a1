//! Looks for the fields of a filter in the records: jq returns null for a field that no record
//! has, and no error.

use std::{collections::BTreeSet, rc::Rc};

use jaq_json::Val;

use super::{
    fields::Reading,
    shape::{Step, spelled},
};
use record_sql::suggest::nearest::nearest;

/// The most notes.
const MAX_NOTES: usize = 5;

/// The most similar fields in a note.
const MAX_NEAREST: usize = 3;

/// The records whose fields are collected, for similar names.
const SAMPLE: usize = 200;

/// The most fields that are collected.
const MAX_COLLECTED: usize = 2000;

/// The most steps of a path that is collected.
const MAX_STEPS: usize = 8;

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
    /// Names of fields of unknown values.
    names: Vec<Rc<str>>,
    unmade: Vec<String>,
    known: BTreeSet<Vec<Step>>,
    seen: usize,
}

impl FieldCheck {
    /// Checks the fields that a filter reads.
    pub(in crate::worker::jq) fn new(reading: Reading) -> Self {
        let of_record = |path: Vec<Step>| match path.split_first() {
            Some((Step::Each, path)) => Some(Absent { path: path.to_vec(), found: 0 }),
            _ => None,
        };
        let Reading { paths, mut names, made, unmade, .. } = reading;
        names.retain(|name| !made.contains(name) && !MADE_BY_JQ.contains(&&**name));
        Self {
            absent: paths.into_iter().filter_map(of_record).collect(),
            names,
            unmade,
            known: BTreeSet::new(),
            seen: 0,
        }
    }

    /// Looks at a record.
    pub(in crate::worker::jq) fn see(&mut self, record: &Val) {
        self.absent.retain_mut(|absent| {
            absent.found = absent.found.max(steps_found(record, &absent.path));
            absent.found < absent.path.len()
        });
        self.names.retain(|name| !has_name(record, name, 0));
        if self.seen < SAMPLE {
            collect(record, &mut Vec::new(), &mut self.known);
        }
        self.seen += 1;
    }

    /// Returns a note for each field that no record has; with `also_names`, also for fields of
    /// values whose place is unknown.
    pub(in crate::worker::jq) fn notes(self, also_names: bool) -> Vec<String> {
        let mut notes = self.unmade.clone();
        if self.seen > 0 {
            notes.extend(self.absent.iter().filter_map(|absent| self.note(absent)));
            if also_names {
                notes.extend(self.names.iter().map(|name| self.message(name, &[], name)));
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
        let path = spelled(&absent.path[..=absent.found]);
        Some(self.message(&path, parent, name))
    }

    fn message(&self, field: &str, parent: &[Step], name: &str) -> String {
        match self.nearest(parent, name).as_slice() {
            [] => format!("no record has a field `{field}`"),
            near => format!("no record has a field `{field}`; nearest: {}", near.join(", ")),
        }
    }

    /// Returns the paths of similar fields: of the same name elsewhere, of similar names next to
    /// it, and of similar names elsewhere.
    fn nearest(&self, parent: &[Step], name: &str) -> Vec<String> {
        let is_named = |path: &&Vec<Step>, wanted: &str| match path.last() {
            Some(Step::Field(name)) => &**name == wanted,
            _ => false,
        };
        let is_next =
            |path: &&Vec<Step>| path.len() == parent.len() + 1 && path.starts_with(parent);
        let names = |paths: &mut dyn Iterator<Item = &Vec<Step>>| -> Vec<String> {
            let names: Vec<Rc<str>> = paths
                .filter_map(|path| match path.last() {
                    Some(Step::Field(name)) => Some(Rc::clone(name)),
                    _ => None,
                })
                .collect();
            let near = nearest(name, names.iter().map(|name| &**name), MAX_NEAREST);
            near.into_iter().map(str::to_owned).collect()
        };
        let mut found: Vec<String> = Vec::new();
        let mut add = |path: &Vec<Step>| {
            let path = format!("`{}`", spelled(path));
            if found.len() < MAX_NEAREST && !found.contains(&path) {
                found.push(path);
            }
        };
        self.known.iter().filter(|path| is_named(path, name)).for_each(&mut add);
        for near in names(&mut self.known.iter().filter(is_next)) {
            self.known
                .iter()
                .filter(|path| is_next(path) && is_named(path, &near))
                .for_each(&mut add);
        }
        for near in names(&mut self.known.iter()) {
            self.known.iter().filter(|path| is_named(path, &near)).for_each(&mut add);
        }
        found
    }
}

/// Returns the number of steps of `path` that lead to a value.
fn steps_found(value: &Val, path: &[Step]) -> usize {
    let Some((step, rest)) = path.split_first() else { return 0 };
    let below = |part: &Val| 1 + steps_found(part, rest);
    match (step, value) {
        (Step::Field(name), Val::Obj(members)) => members.get(&key(name)).map_or(0, below),
        (Step::Each, Val::Arr(items)) => items.iter().map(below).max().unwrap_or(0),
        (Step::Each, Val::Obj(members)) => members.values().map(below).max().unwrap_or(0),
        _ => 0,
    }
}

fn key(name: &str) -> Val {
    Val::utf8_str(name.as_bytes().to_vec())
}

/// Returns true if an object in `value` has a field `name`.
fn has_name(value: &Val, name: &str, depth: usize) -> bool {
    let below = |part: &Val| depth < 4 * MAX_STEPS && has_name(part, name, depth + 1);
    match value {
        Val::Obj(members) => members.contains_key(&key(name)) || members.values().any(below),
        Val::Arr(items) => items.iter().any(below),
        _ => false,
    }
}

/// Adds the paths of the fields of `value`, which is at `path`.
fn collect(value: &Val, path: &mut Vec<Step>, known: &mut BTreeSet<Vec<Step>>) {
    if path.len() == MAX_STEPS || known.len() >= MAX_COLLECTED {
        return;
    }
    match value {
        Val::Obj(members) => {
            for (name, part) in members.iter() {
                let Val::TStr(name) = name else { continue };
                path.push(Step::Field(String::from_utf8_lossy(name).into()));
                known.insert(path.clone());
                collect(part, path, known);
                path.pop();
            }
        }
        Val::Arr(items) => {
            path.push(Step::Each);
            items.iter().take(SAMPLE).for_each(|item| collect(item, path, known));
            path.pop();
        }
        _ => {}
    }
}
