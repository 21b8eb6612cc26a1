//! The summary of a field: its dotted path, types and values. A path goes through arrays
//! without a mark (`flights.origin`).

use super::node::{Node, Step};
use super::values::Frequent;
use super::{ROOT, Schema};

/// Maximum number of values in [`FieldSummary::top`].
const MAX_TOP: usize = 8;

/// The summary of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSummary {
    /// The dotted path from the record, as `where` accepts it; empty for a record that is not
    /// an object.
    pub path: String,
    /// The path with `[]` after each array on the way, as `where` accepts it too.
    pub marked: String,
    /// The types, such as `string`, `integer|null`, `string[]`, `object[]`.
    pub types: String,
    /// The number of records that have the field, null or not.
    pub present: u64,
    /// The number of nulls, including elements of arrays.
    pub nulls: u64,
    /// The number of strings, numbers and booleans.
    pub scalars: u64,
    /// The number of distinct scalars.
    pub distinct: u64,
    /// False if `distinct` is a lower bound.
    pub distinct_exact: bool,
    /// The most frequent values, at most 8; fewer if one that cannot be shown is more frequent.
    pub top: Vec<Frequent>,
    /// True if `top` contains all values.
    pub top_complete: bool,
    /// The minimum and maximum number, as spelled.
    pub numbers: Option<(String, String)>,
    /// The first and the last date, if every string begins with a date.
    pub dates: Option<(String, String)>,
    /// The format that all strings have.
    pub format: Option<&'static str>,
    /// The length of the longest string in characters.
    pub longest: usize,
    /// The first 200 characters of the first string.
    pub example: Option<String>,
    pub(crate) node: usize,
}

pub(super) fn all(schema: &Schema) -> Vec<FieldSummary> {
    let mut fields = Vec::new();
    let only_objects = schema.root().counts.object == schema.root().counts.all();
    let mut open = vec![(ROOT, String::new(), String::new())];
    while let Some((at, path, marked)) = open.pop() {
        let node = schema.node(at);
        // List the members of an object instead of the object.
        let plain_object = node.counts.object > 0
            && node.counts.object + node.counts.null == node.counts.all()
            && !node.children.is_empty();
        let named = matches!(node.step, Step::Key(_)) && !plain_object;
        if named || (at == ROOT && !only_objects) {
            fields
                .push(FieldSummary { marked: marked.clone(), ..summary(schema, at, path.clone()) });
        }
        for &child in node.children.iter().rev() {
            open.push(match &schema.node(child).step {
                Step::Key(key) => (child, below(&path, key), below(&marked, key)),
                Step::Items => (child, path.clone(), format!("{marked}[]")),
                Step::Root => (child, path.clone(), marked.clone()),
            });
        }
    }
    fields
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn summary(schema: &Schema, at: usize, path: String) -> FieldSummary {
    let node = schema.node(at);
    let (types, within) = types(schema, at);
    let inner = schema.node(within);
    let top = inner.values.top(MAX_TOP);
    FieldSummary {
        path,
        marked: String::new(),
        types,
        present: node.records,
        nulls: node.counts.null,
        scalars: inner.counts.scalars(),
        distinct: inner.values.distinct(),
        distinct_exact: inner.values.exact(),
        top_complete: inner.values.complete() && top.len() as u64 == inner.values.distinct(),
        top,
        numbers: inner.numbers.min_max().map(|(a, b)| (a.to_owned(), b.to_owned())),
        dates: inner.texts.dates.clone(),
        format: (inner.counts.string > 0).then(|| inner.texts.formats.name()).flatten(),
        longest: inner.texts.longest,
        example: inner.texts.example.clone(),
        node: at,
    }
}

/// Returns the types of a node, and the node of its scalars: the node itself, or its elements
/// if its values are arrays.
fn types(schema: &Schema, at: usize) -> (String, usize) {
    let node = schema.node(at);
    let only_arrays =
        node.counts.array > 0 && node.counts.scalars() == 0 && node.counts.object == 0;
    let mut names: Vec<String> = node.counts.names().into_iter().map(str::to_owned).collect();
    let Some(items) = schema.items(at) else { return (names.join("|"), at) };
    // The recursion is bounded by the levels of the schema.
    let (inner, within) = types(schema, items);
    if let Some(array) = names.iter_mut().find(|name| *name == "array") {
        *array = if inner.contains('|') { format!("({inner})[]") } else { format!("{inner}[]") };
    }
    (names.join("|"), if only_arrays { within } else { at })
}

impl Node {
    /// Returns true if a value is null, or if fewer than `holders` objects have the field.
    pub(crate) fn may_be_null(&self, holders: u64) -> bool {
        self.counts.null > 0 || self.holders < holders
    }
}
