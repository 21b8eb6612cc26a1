//! The way from a record to values of it.

use std::rc::Rc;

use jaq_json::Val;

use super::field_check::key;
use super::shape::{Step, spelled};

/// A path from the array of all records to values of each record.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    path: Vec<Step>,
    /// The steps from a record to the values; None is to each part. None for a path that does
    /// not begin with the records.
    keys: Option<Rc<[Option<Val>]>>,
}

impl Trail {
    pub(super) fn new(path: Vec<Step>) -> Self {
        let of = |step: &Step| match step {
            Step::Field(name) => Some(key(name)),
            Step::Each => None,
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

    /// Returns true if it leads through a list within the values at `path`.
    pub(super) fn is_list_in(&self, path: &[Step]) -> bool {
        self.path.strip_prefix(path).is_some_and(|rest| rest.contains(&Step::Each))
    }

    /// Returns true if both lead to the same values.
    pub(super) fn is_same(&self, other: &Trail) -> bool {
        self.path == other.path
    }
}

fn follow(value: &Val, keys: &[Option<Val>], see: &mut dyn FnMut(&Val) -> bool) -> bool {
    match (keys.split_first(), value) {
        (None, value) => see(value),
        (Some((Some(name), rest)), Val::Obj(members)) => match members.get(name) {
            Some(part) => follow(part, rest, see),
            None => see(&Val::Null),
        },
        (Some((None, rest)), Val::Arr(items)) => items.iter().all(|item| follow(item, rest, see)),
        (Some((None, rest)), Val::Obj(members)) => {
            members.values().all(|part| follow(part, rest, see))
        }
        _ => true,
    }
}
