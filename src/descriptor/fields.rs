//! The fields of records as a list with a limit in bytes. All names come before any description,
//! because a query needs the names.

use std::fmt::Write;

use super::words::{clean, statistic, types};
use record_files::schema::{FieldSummary, Schema};

/// The fields that hold values, in order of first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldList {
    /// The first fields, each with a description.
    pub(super) described: Vec<(String, String)>,
    /// The next fields, without descriptions for lack of room.
    pub(super) named: Vec<String>,
    /// The number of other fields.
    pub(super) more: u64,
}

impl FieldList {
    /// Lists the fields with their values or types, and how often they are null or missing.
    pub(super) fn statistics(schema: &Schema, budget: usize) -> FieldList {
        FieldList::of(schema, budget, |field| statistic(field, schema.records()))
    }

    /// Lists the fields with their types.
    pub(super) fn types(schema: &Schema, budget: usize) -> FieldList {
        FieldList::of(schema, budget, types)
    }

    fn of(schema: &Schema, budget: usize, describe: impl Fn(&FieldSummary) -> String) -> FieldList {
        let all = schema.paths();
        let fields: Vec<&FieldSummary> = all.iter().filter(|field| holds(field, &all)).collect();
        let names: Vec<String> = fields.iter().map(|field| name(field)).collect();
        let mut left = budget;
        let mut fits = |text: &str| {
            let taken = left.checked_sub(text.len() + 2);
            left = taken.unwrap_or(left);
            taken.is_some()
        };
        // One field is always shown.
        let named = 1.max(names.iter().take_while(|name| fits(name)).count()).min(names.len());
        let texts: Vec<String> = match named == names.len() {
            true => fields.iter().map(|field| describe(field)).take_while(|it| fits(it)).collect(),
            false => Vec::new(),
        };
        let more = (names.len() - named) as u64 + schema.omitted_fields();
        let mut names = names.into_iter().take(named);
        let described = names.by_ref().take(texts.len()).zip(texts.clone()).collect();
        FieldList { described, named: names.collect(), more }
    }

    /// Returns the fields on one line: `id string uuid, n integer 1-5, tags, … 3 more`.
    pub(super) fn line(&self) -> String {
        let described = self.described.iter().map(|(name, text)| format!("{name} {text}"));
        let all: Vec<String> = described.chain(self.named.iter().cloned()).collect();
        let mut out = all.join(", ");
        if self.more > 0 {
            let _ = write!(out, ", … {} more", self.more);
        }
        out
    }

    /// Returns the fields without a description: `also a, b, … 3 more`; `None` if there are none.
    pub(super) fn rest(&self) -> Option<String> {
        let others = FieldList { described: Vec::new(), ..self.clone() }.line();
        match others.strip_prefix(", ") {
            Some(more) => Some(format!("{more} fields")),
            None => (!others.is_empty()).then(|| format!("also {others}")),
        }
    }
}

/// Returns false for arrays of objects whose members are fields of their own.
fn holds(field: &FieldSummary, all: &[FieldSummary]) -> bool {
    let inner = || format!("{}.", field.path);
    !(field.types.starts_with("object[")
        && all.iter().any(|other| other.path.starts_with(&inner())))
}

/// Returns a field's name for a list.
fn name(field: &FieldSummary) -> String {
    if field.path.is_empty() { "(record)".to_owned() } else { clean(&field.marked) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record_files::schema::infer;

    fn list(budget: usize) -> FieldList {
        let record = r#"{"id":"a","legs":[{"to":"x","km":5}],"at":{"city":"Graz"}}"#;
        FieldList::types(&infer([record, record].into_iter()), budget)
    }

    #[test]
    fn every_name_comes_before_a_description() {
        let names = |n: usize| {
            let list = list(n);
            (list.described.len(), list.named.len(), list.more)
        };
        assert_eq!(names(1_000), (4, 0, 0));
        assert_eq!(
            list(1_000).line(),
            "id string, legs[].to string, legs[].km integer 5, at.city string"
        );
        assert_eq!(names(60), (2, 2, 0));
        assert_eq!(list(60).rest().as_deref(), Some("also legs[].km, at.city"));
        assert_eq!(names(16), (0, 2, 2));
        assert_eq!(list(16).line(), "id, legs[].to, … 2 more");
        assert_eq!(names(0), (0, 1, 3));
    }
}
