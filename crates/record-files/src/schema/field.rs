//! A field as an agent is told of it: its dotted path, its types, what stands in
//! it. A path walks through arrays without saying so (`flights.origin`).

use super::node::{Node, Step};
use super::{ROOT, Schema};

/// How many of the most frequent values a summary has.
const TOP: usize = 8;

/// What is known of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSummary {
    /// The dotted path from the record, as `where` takes it; empty for records
    /// that are no objects.
    pub path: String,
    /// Its types, such as `string`, `integer|null`, `string[]`, `object[]`.
    pub types: String,
    /// Records that have it, null or not.
    pub present: u64,
    /// Nulls in it (elements too, where it is within an array).
    pub nulls: u64,
    /// Values in it that are no nulls, objects or arrays.
    pub scalars: u64,
    /// Different scalar values in it.
    pub distinct: u64,
    /// False where `distinct` is only a lower bound.
    pub distinct_exact: bool,
    /// Its most frequent short values as JSON literals, each with its count; at
    /// most 8.
    pub top: Vec<(String, u64)>,
    /// True where `top` holds every value there is.
    pub top_complete: bool,
    /// The least and the greatest number, as spelled.
    pub numbers: Option<(String, String)>,
    /// The first and the last date, where every string in it begins with one.
    pub dates: Option<(String, String)>,
    /// The format that every string in it has.
    pub format: Option<&'static str>,
    /// The longest string, in characters.
    pub longest: usize,
    /// The beginning of its first text.
    pub example: Option<String>,
    pub(crate) node: usize,
}

pub(super) fn all(schema: &Schema) -> Vec<FieldSummary> {
    let mut fields = Vec::new();
    let only_objects = schema.root().counts.object == schema.root().counts.all();
    let mut open = vec![(ROOT, String::new())];
    while let Some((at, path)) = open.pop() {
        let node = schema.node(at);
        // An object of which the members are listed says nothing more itself.
        let plain_object = node.counts.object > 0
            && node.counts.object + node.counts.null == node.counts.all()
            && !node.children.is_empty();
        let named = matches!(node.step, Step::Key(_)) && !plain_object;
        if named || (at == ROOT && !only_objects) {
            fields.push(summary(schema, at, path.clone()));
        }
        for &child in node.children.iter().rev() {
            let path = match &schema.node(child).step {
                Step::Key(key) if path.is_empty() => key.clone(),
                Step::Key(key) => format!("{path}.{key}"),
                Step::Root | Step::Items => path.clone(),
            };
            open.push((child, path));
        }
    }
    fields
}

fn summary(schema: &Schema, at: usize, path: String) -> FieldSummary {
    let node = schema.node(at);
    let (types, within) = types(schema, at);
    let inner = schema.node(within);
    let top: Vec<_> =
        inner.values.top(TOP).into_iter().map(|(value, n)| (value.to_owned(), n)).collect();
    FieldSummary {
        path,
        types,
        present: node.records,
        nulls: node.counts.null,
        scalars: inner.counts.scalars(),
        distinct: inner.values.distinct(),
        distinct_exact: inner.values.exact(),
        top_complete: inner.values.complete() && top.len() as u64 == inner.values.distinct(),
        top,
        numbers: inner.numbers.ends().map(|(a, b)| (a.to_owned(), b.to_owned())),
        dates: inner.texts.dates.clone(),
        format: (inner.counts.string > 0).then(|| inner.texts.formats.name()).flatten(),
        longest: inner.texts.longest,
        example: inner.texts.example.clone(),
        node: at,
    }
}

/// The word for a node's types, and the node whose scalars it is about: the node
/// itself, or the elements of an array that holds nothing else.
fn types(schema: &Schema, at: usize) -> (String, usize) {
    let node = schema.node(at);
    let only_arrays =
        node.counts.array > 0 && node.counts.scalars() == 0 && node.counts.object == 0;
    let mut names: Vec<String> = node.counts.names().into_iter().map(str::to_owned).collect();
    let Some(items) = schema.items(at) else { return (names.join("|"), at) };
    // Arrays in arrays are followed at most as deep as nodes go.
    let (inner, within) = types(schema, items);
    if let Some(array) = names.iter_mut().find(|name| *name == "array") {
        *array = if inner.contains('|') { format!("({inner})[]") } else { format!("{inner}[]") };
    }
    (names.join("|"), if only_arrays { within } else { at })
}

impl Node {
    /// True where some value is null or the field is missing somewhere, given how
    /// many objects could hold it.
    pub(crate) fn may_be_null(&self, holders: u64) -> bool {
        self.counts.null > 0 || self.holders < holders
    }
}
