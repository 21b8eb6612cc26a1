//! The way from a record to values of it.

use std::rc::Rc;

use jaq_json::Val;

use super::field_check::key;
use super::shape::{Step, spelled};

/// A path from the array of all records to values of each record.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    path: Vec<Step>,
    /// The steps from a record to the values; `None` for a path that does not begin with the
    /// records.
    keys: Option<Rc<[Key]>>,
}

/// A step to parts of a value.
#[derive(Debug)]
enum Key {
    Field(Val),
    Each,
    Item(usize),
}

impl Trail {
    pub(super) fn new(path: Vec<Step>) -> Self {
        let of = |step: &Step| match step {
            Step::Field(name) => Key::Field(key(name)),
            Step::Each => Key::Each,
            Step::Item(at) => Key::Item(*at),
        };
        let keys = match path.split_first() {
            Some((Step::Each, steps)) => Some(steps.iter().map(of).collect()),
            _ => None,
        };
        Self { path, keys }
    }

    /// Gives each value of a record to `see`, null where a field is absent, until it returns
    /// false. Returns false then, and where the path does not lead into records.
    pub(super) fn follow(&self, record: &Val, see: &mut dyn FnMut(&Val) -> bool) -> bool {
        self.keys.as_ref().is_some_and(|keys| follow(record, keys, see))
    }

    /// Returns the path within a record as a filter spells it.
    pub(super) fn spelled(&self) -> String {
        spelled(self.path.get(1..).unwrap_or_default())
    }

    /// Returns the path within an element of the last list on the way, or within a record.
    pub(super) fn of_element(&self) -> String {
        let path = self.spelled();
        match path.rsplit_once("[]") {
            Some((_, "")) => ".".to_owned(),
            Some((_, rest)) => rest.to_owned(),
            None => path,
        }
    }

    /// Returns the filter that leaves nulls out.
    pub(super) fn without_nulls(&self) -> String {
        let path = self.spelled();
        let is_list = path.contains("[]");
        if is_list {
            format!("{path} | select(. != null)")
        } else {
            format!("select({path} != null)")
        }
    }

    /// Returns true if it leads through a list within the values at `path`.
    pub(super) fn is_list_in(&self, path: &[Step]) -> bool {
        self.path.strip_prefix(path).is_some_and(|rest| rest.contains(&Step::Each))
    }

    /// Returns true if both lead to the same values.
    pub(super) fn is_same(&self, other: &Trail) -> bool {
        self.path == other.path
    }
}

fn follow(value: &Val, keys: &[Key], see: &mut dyn FnMut(&Val) -> bool) -> bool {
    let Some((key, rest)) = keys.split_first() else { return see(value) };
    let mut part = |part: Option<&Val>| match part {
        Some(part) => follow(part, rest, see),
        None => see(&Val::Null),
    };
    match (key, value) {
        (Key::Field(name), Val::Obj(members)) => part(members.get(name)),
        (Key::Item(at), Val::Arr(items)) => part(items.get(*at)),
        (Key::Each, Val::Arr(items)) => items.iter().all(|item| part(Some(item))),
        (Key::Each, Val::Obj(members)) => members.values().all(|member| part(Some(member))),
        (Key::Field(_) | Key::Item(_), Val::Null) => part(Some(value)),
        _ => true,
    }
}
