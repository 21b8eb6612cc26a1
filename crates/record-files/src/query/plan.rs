//! A plan: a query with its operands read as the types of a file's fields.

use super::condition::TypedOperand;
use super::json::path::Hits;
use super::json::path_set::Record;
use super::request::Query;
use super::typed::{Facts, Strings};

/// A query for the records of a file.
#[derive(Debug)]
pub(super) struct Plan<'q> {
    pub(super) query: &'q Query,
    /// The operands of the comparisons, as values of their fields.
    pub(super) typed: Vec<TypedOperand>,
    /// For each sort key, the type that its strings are parsed as.
    pub(super) sorted: Vec<Strings>,
    /// The paths whose type depends on all their values.
    pub(super) checked: Vec<usize>,
}

/// An operand that cannot be a value of its field.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The index of the comparison.
    pub(super) test: usize,
    /// The operand as it is spelled.
    pub(super) operand: String,
}

impl<'q> Plan<'q> {
    /// Reads the operands of `query` for fields with these facts, which are indexed by path.
    pub(super) fn new(query: &'q Query, facts: &[Facts]) -> Result<Self, Misfit> {
        let bind = |(index, test): (usize, &super::condition::Test)| {
            let bound = test.comparison.bind(facts[test.path]);
            bound.map_err(|operand| Misfit { test: index, operand: operand.to_owned() })
        };
        let typed: Vec<TypedOperand> =
            query.tests.iter().enumerate().map(bind).collect::<Result<_, _>>()?;
        let sorted: Vec<Strings> =
            query.sort_by.iter().map(|key| facts[key.path].strings()).collect();
        let tests = query.tests.iter().zip(&typed);
        let keys = query.sort_by.iter().zip(&sorted);
        let mut checked: Vec<usize> = tests
            .filter(|(_, typed)| typed.needs_all)
            .map(|(test, _)| test.path)
            .chain(keys.filter(|(_, strings)| strings.are_typed()).map(|(key, _)| key.path))
            .collect();
        checked.sort_unstable();
        checked.dedup();
        Ok(Self { query, typed, sorted, checked })
    }

    /// Returns true if `facts` give the same plan.
    pub(super) fn agrees(&self, facts: &[Facts]) -> bool {
        Plan::new(self.query, facts)
            .is_ok_and(|other| other.typed == self.typed && other.sorted == self.sorted)
    }
}

/// Gathers the facts about the fields that a query compares or sorts by, from all `lines`.
pub(super) fn infer(query: &Query, lines: &str, stop: &dyn Fn() -> bool) -> Vec<Facts> {
    let mut facts = vec![Facts::default(); query.paths.all().len()];
    let mut used: Vec<usize> = query.tests.iter().map(|test| test.path).collect();
    used.extend(query.sort_by.iter().map(|key| key.path));
    used.sort_unstable();
    used.dedup();
    let (mut record, mut hits) = (Record::default(), Hits::default());
    for (number, line) in lines.lines().enumerate() {
        if used.is_empty() || (number % 256 == 255 && stop()) {
            break;
        }
        // The run reports the error of a line that is not JSON.
        if query.paths.read(line.trim_ascii(), &mut record).is_err() {
            continue;
        }
        for path in &used {
            query.paths.find(*path, &record, &mut hits);
            hits.values.iter().for_each(|value| facts[*path].add_with_elements(value));
        }
    }
    facts
}
