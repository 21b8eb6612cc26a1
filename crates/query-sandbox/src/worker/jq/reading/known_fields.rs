//! The fields that records have, and those that are similar to a name.

use std::collections::BTreeSet;

use jaq_json::Val;
use raw_json::nearest;

use super::shape::{Step, spelled};

/// The most similar fields.
const MAX_NEAREST: usize = 3;

/// The most fields that are collected.
const MAX_COLLECTED: usize = 2000;

/// The most steps of a path that is collected.
const MAX_STEPS: usize = 8;

/// The most elements of an array that are looked at.
const MAX_ELEMENTS: usize = 200;

/// The longest path that is suggested, in bytes.
const MAX_PATH_BYTES: usize = 256;

/// The shortest name that is similar to those that begin with it.
const MIN_START: usize = 4;

/// Judges the path of a field and its name.
type IsNear<'a> = dyn Fn(&[Step], &str) -> bool + 'a;

/// The paths of fields in records.
#[derive(Default)]
pub(super) struct KnownFields {
    paths: BTreeSet<Vec<Step>>,
}

impl KnownFields {
    /// Adds the fields of a record.
    pub(super) fn collect(&mut self, record: &Val) {
        self.collect_below(record, &mut Vec::new());
    }

    fn collect_below(&mut self, value: &Val, path: &mut Vec<Step>) {
        if path.len() == MAX_STEPS || self.paths.len() >= MAX_COLLECTED {
            return;
        }
        match value {
            Val::Obj(members) => {
                for (name, part) in members.iter() {
                    let Val::TStr(name) = name else { continue };
                    path.push(Step::Field(String::from_utf8_lossy(name).into()));
                    if !self.paths.contains(path) {
                        self.paths.insert(path.clone());
                    }
                    self.collect_below(part, path);
                    path.pop();
                }
            }
            Val::Arr(items) => {
                path.push(Step::Each);
                items.iter().take(MAX_ELEMENTS).for_each(|item| self.collect_below(item, path));
                path.pop();
            }
            _ => {}
        }
    }

    /// Returns the path with the same fields that leads through arrays, or has dots, spaces or
    /// capitals elsewhere: for `.a.b_c`, that may be `.a[]."b.c"`.
    pub(super) fn same(&self, wanted: &[Step]) -> Option<String> {
        let letters = letters(wanted);
        let same =
            self.paths.iter().find(|path| !letters.is_empty() && self::letters(path) == letters);
        same.map(|path| format!("`{}`", spelled(path)))
    }

    /// Returns the paths of similar fields for the field `name` below `parent`: of the same name
    /// elsewhere, of similar names next to it, and of similar names elsewhere.
    pub(super) fn nearest(&self, parent: &[Step], name: &str) -> Vec<String> {
        let is_next = |path: &[Step]| path.len() == parent.len() + 1 && path.starts_with(parent);
        let is_start = |of: &str, start: &str| start.len() >= MIN_START && of.starts_with(start);
        let all: Vec<(&[Step], &str)> = self.named().collect();
        let next = all.iter().filter(|(path, _)| is_next(path)).map(|(_, known)| *known);
        let next = nearest(name, next, MAX_NEAREST);
        let near = nearest(name, all.iter().map(|(_, known)| *known), MAX_NEAREST);
        let ranks: [&IsNear<'_>; 4] = [
            &|_, known| known == name,
            &|path, known| is_next(path) && next.contains(&known),
            &|_, known| is_start(name, known) || is_start(known, name),
            &|_, known| near.contains(&known),
        ];
        let paths = ranks.iter().flat_map(|is_near| {
            all.iter().filter(|(path, known)| is_near(path, known)).map(|(path, _)| *path)
        });
        let mut found: Vec<String> = Vec::new();
        for path in paths {
            let path = format!("`{}`", spelled(path));
            if found.len() < MAX_NEAREST && path.len() <= MAX_PATH_BYTES && !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    /// Returns the paths, each with the name of its field.
    fn named(&self) -> impl Iterator<Item = (&[Step], &str)> {
        self.paths.iter().filter_map(|path| match path.last() {
            Some(Step::Field(name)) => Some((path.as_slice(), &**name)),
            _ => None,
        })
    }
}

/// Returns the letters and digits of the fields of a path, in lower case.
fn letters(path: &[Step]) -> String {
    let fields = path.iter().filter_map(|step| match step {
        Step::Field(name) => Some(name.chars()),
        Step::Each | Step::Item(_) => None,
    });
    fields.flatten().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
