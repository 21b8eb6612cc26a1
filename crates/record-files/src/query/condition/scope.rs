//! Conditions on arrays: one element must meet all parts of a conjunction that traverse the same
//! array.
//!
//! Two parts share an array if both have a path that continues below it: `events.status` and
//! `events.place` share `events`. All these parts, including those in their `any`, must hold for
//! the same element; a `not` is evaluated separately, over all elements. Of nested arrays, the
//! element of the outer one is selected first. Paths that end at an array, such as `tags`, and
//! paths that select an element by number, share no array.

use std::collections::{BTreeMap, BTreeSet};

use raw_json::each_element;

use super::{Condition, Reading, Test, TypedOperand};
use crate::query::json::path::{Hits, Path};
use crate::query::json::path_set::{PathSet, Record};
use crate::query::typed::Facts;

/// Number of elements that are tried between two calls of `stop`.
const STOP_ELEMENTS: usize = 4096;
/// Maximum nesting of arrays directly in arrays.
const MAX_ARRAYS: usize = 16;

/// Parts of a conjunction that share arrays, directly or through each other.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    parts: Vec<Condition>,
    /// The indexes of the shared arrays in the query, from the outermost to the innermost.
    arrays: Vec<usize>,
}

/// An array that several parts of a conjunction traverse.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    /// The index of its path in the paths of the query. No field that the query names uses this
    /// entry.
    pub(crate) path: usize,
    /// The indexes of the paths that traverse it.
    pub(crate) through: BTreeSet<usize>,
}

impl Reading {
    /// Joins the parts of a conjunction, grouped by the arrays that they share.
    pub(super) fn all(&mut self, parts: Vec<Condition>) -> Condition {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Condition::All(groups) => flat.extend(groups.into_iter().flat_map(|g| g.parts)),
                part => flat.push(part),
            }
        }
        let mut compared = BTreeSet::new();
        for part in &flat {
            if let Condition::Test(index) = part
                && !compared.insert(self.tests[*index].path)
            {
                self.repeated.insert(self.tests[*index].path);
            }
        }
        let mut users: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
        for (at, part) in flat.iter().enumerate() {
            let mut paths = BTreeSet::new();
            self.paths_of(part, &mut paths);
            let prefixes = paths.iter().flat_map(|path| self.paths[*path].prefixes());
            for prefix in prefixes.collect::<BTreeSet<_>>() {
                users.entry(prefix).or_default().push(at);
            }
        }
        users.retain(|_, parts| parts.len() > 1);
        // For each part, the first part of its group.
        let mut first: Vec<usize> = (0..flat.len()).collect();
        for parts in users.values() {
            let least = parts.iter().map(|part| first[*part]).min().unwrap_or_default();
            let joined: BTreeSet<usize> = parts.iter().map(|part| first[*part]).collect();
            first.iter_mut().filter(|of| joined.contains(of)).for_each(|of| *of = least);
        }
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for (part, first) in flat.into_iter().zip(&first) {
            let empty = || Group { parts: Vec::new(), arrays: Vec::new() };
            groups.entry(*first).or_insert_with(empty).parts.push(part);
        }
        // The keys are ordered by length: an outer array precedes the arrays in it.
        for ((_, prefix), parts) in users {
            let shared = self.share(&prefix);
            if let Some(group) = groups.get_mut(&first[parts[0]]) {
                group.arrays.push(shared);
            }
        }
        Condition::All(groups.into_values().collect())
    }

    /// Adds the array at `prefix` and returns its index.
    fn share(&mut self, prefix: &str) -> usize {
        let goes = |path: &usize| self.paths[*path].goes_through(prefix);
        let through = self.tests.iter().map(|test| test.path).filter(goes).collect();
        let known = self.shared.iter().find(|known| self.paths[known.path].text == prefix);
        let path = known.map_or(self.paths.len(), |known| known.path);
        if path == self.paths.len() {
            self.paths.push(Path::of_prefix(prefix));
        }
        self.shared.push(Shared { path, through });
        self.shared.len() - 1
    }

    /// Adds the paths of a condition that must hold for the same elements as its siblings.
    fn paths_of(&self, condition: &Condition, paths: &mut BTreeSet<usize>) {
        match condition {
            Condition::All(groups) => {
                let parts = groups.iter().flat_map(|group| &group.parts);
                parts.for_each(|part| self.paths_of(part, paths));
            }
            Condition::Any(parts) => parts.iter().for_each(|part| self.paths_of(part, paths)),
            Condition::Not(_) => {}
            Condition::Test(index) => {
                paths.insert(self.tests[*index].path);
            }
        }
    }
}

/// Evaluates the conditions of a query for records.
pub(crate) struct Evaluator<'q, 'a> {
    pub(crate) paths: &'q PathSet,
    pub(crate) tests: &'q [Test],
    pub(crate) typed: &'q [TypedOperand],
    pub(crate) shared: &'q [Shared],
    pub(crate) stop: &'q (dyn Fn() -> bool + Sync),
    /// The facts about the values that were compared, for each path.
    pub(crate) facts: Vec<Facts>,
    /// For each comparison, whether it held for a record, ignoring its negation.
    pub(crate) held: Vec<bool>,
    /// For each shared array, whether an element was selected.
    pub(crate) chosen: Vec<bool>,
    /// The elements that are selected now, with the index of the array's path.
    bound: Vec<(usize, &'a str)>,
    /// The paths that do not lead into an array whose elements are selected now, because a key with
    /// dots is next to it; with the index of the array's path.
    past: Vec<(usize, usize)>,
    pub(crate) hits: Hits<'a>,
    folded: String,
    tried: usize,
    /// True once `stop` returned true; the results are then incomplete.
    pub(crate) is_stopped: bool,
}

impl<'q, 'a> Evaluator<'q, 'a> {
    pub(crate) fn new(
        paths: &'q PathSet,
        tests: &'q [Test],
        typed: &'q [TypedOperand],
        shared: &'q [Shared],
        stop: &'q (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            paths,
            tests,
            typed,
            shared,
            stop,
            facts: vec![Facts::default(); paths.all().len()],
            held: vec![false; tests.len()],
            chosen: vec![false; shared.len()],
            bound: Vec::new(),
            past: Vec::new(),
            hits: Hits::default(),
            folded: String::new(),
            tried: 0,
            is_stopped: false,
        }
    }

    /// Returns true if the record meets the condition. Stops at the first part that decides.
    /// Recurses at most 32 levels.
    pub(crate) fn holds(&mut self, condition: &Condition, record: &Record<'a>) -> bool {
        match condition {
            Condition::All(groups) => {
                groups.iter().all(|group| self.one_holds(&group.parts, &group.arrays, record))
            }
            Condition::Any(parts) => parts.iter().any(|part| self.holds(part, record)),
            Condition::Not(part) => {
                let bound = std::mem::take(&mut self.bound);
                let past = std::mem::take(&mut self.past);
                let holds = !self.holds(part, record);
                (self.bound, self.past) = (bound, past);
                holds
            }
            Condition::Test(index) => self.test(*index, record),
        }
    }

    /// Returns true if one selection of elements of `arrays` meets all parts.
    fn one_holds(&mut self, parts: &[Condition], arrays: &[usize], record: &Record<'a>) -> bool {
        let Some((array, inner)) = arrays.split_first() else {
            return parts.iter().all(|part| self.holds(part, record));
        };
        let path = self.shared[*array].path;
        if self.bound.iter().any(|(known, _)| *known == path) {
            return self.one_holds(parts, inner, record);
        }
        self.find(path, record);
        let mut found = std::mem::take(&mut self.hits.values);
        if !found.iter().any(|value| value.starts_with('[')) {
            return self.one_holds(parts, inner, record);
        }
        let passed = self.past.len();
        let mut is_used = false;
        for through in &self.shared[*array].through {
            self.find(*through, record);
            let is_in = |hit: &&str| found.iter().any(|value| is_part(value, hit));
            match self.hits.values.is_empty() || self.hits.values.iter().any(is_in) {
                true => is_used = true,
                false => self.past.push((path, *through)),
            }
        }
        if !is_used {
            self.past.truncate(passed);
            return self.one_holds(parts, inner, record);
        }
        let mut elements: Vec<&'a str> = Vec::new();
        found.drain(..).for_each(|value| flatten(value, MAX_ARRAYS, &mut elements));
        if elements.is_empty() {
            // An empty array is treated as missing: its paths have no values.
            self.past.truncate(passed);
            return self.one_holds(parts, inner, record);
        }
        self.chosen[*array] = true;
        let holds = elements.into_iter().any(|element| {
            self.tried += 1;
            self.is_stopped |= self.tried.is_multiple_of(STOP_ELEMENTS) && (self.stop)();
            if self.is_stopped {
                return false;
            }
            self.bound.push((path, element));
            let holds = self.one_holds(parts, inner, record);
            self.bound.pop();
            holds
        });
        self.past.truncate(passed);
        holds
    }

    /// Returns true if one comparison holds.
    pub(crate) fn test(&mut self, index: usize, record: &Record<'a>) -> bool {
        let Test { path, comparison, .. } = &self.tests[index];
        self.find(*path, record);
        let facts = &mut self.facts[*path];
        let holds =
            comparison.holds(&self.typed[index], &self.hits.values, facts, &mut self.folded);
        self.held[index] |= holds != comparison.is_negated();
        holds
    }

    /// Finds the values of a path, in the selected elements if the path traverses their arrays.
    fn find(&mut self, path: usize, record: &Record<'a>) {
        let paths = self.paths.all();
        let goes = |(array, _): &&(usize, &str)| {
            paths[path].goes_through(&paths[*array].text) && !self.past.contains(&(*array, path))
        };
        match self.bound.iter().rev().find(goes) {
            Some((array, element)) => {
                self.hits.clear();
                paths[path].follow(paths[*array].len(), element, &mut self.hits);
            }
            None => self.paths.find(path, record, &mut self.hits),
        }
    }
}

/// Returns true if `part` lies in `whole`; both are slices of the same text.
fn is_part(whole: &str, part: &str) -> bool {
    let whole = whole.as_bytes().as_ptr_range();
    whole.contains(&part.as_ptr())
}

/// Adds the elements of an array, and of the arrays in it; adds any other value itself.
fn flatten<'a>(value: &'a str, depth: usize, elements: &mut Vec<&'a str>) {
    if !value.starts_with('[') {
        elements.push(value);
    } else if depth > 0 {
        each_element(value).for_each(|element| flatten(element, depth - 1, elements));
    }
}
