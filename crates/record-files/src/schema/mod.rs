//! The schema of records: their fields, and the types, frequency and values of each. It is
//! inferred from all records in one pass, not from a sample.
//!
//! ```
//! use record_files::schema::infer;
//!
//! let schema = infer([r#"{"id":"a","size":3}"#, r#"{"id":"b"}"#].into_iter());
//! let paths = schema.paths();
//! assert_eq!((paths[1].path.as_str(), paths[1].types.as_str()), ("size", "integer"));
//! assert_eq!((paths[1].present, schema.records()), (1, 2));
//! ```

mod builder;
mod example;
mod field;
mod format;
mod json_schema;
pub(crate) mod node;
pub(crate) mod number;
pub(crate) mod values;

pub(crate) use builder::ROOT;
pub use field::FieldSummary;
use node::{Node, Step};
use redact::Secrets;
pub use values::Frequent;

/// Number of records at the start of a file that are always in the sample.
const SAMPLE_HEAD: usize = 200;

/// The fields of records (see [`infer`]).
///
/// ```
/// let schema = record_files::schema::infer([r#"{"size":3}"#, r#"{"size":20}"#].into_iter());
/// let json = schema.json_schema(4096);
/// assert!(json.contains(r#""size":{"type":"integer","minimum":3,"maximum":20"#));
/// ```
#[derive(Debug, Clone)]
pub struct Schema {
    nodes: Vec<Node>,
    records: u64,
    omitted: u64,
    examples: Vec<usize>,
    example: Option<String>,
}

/// Infers the schema of records, each a JSON value. Below the sixth level, counts values as objects
/// or arrays without describing them. After 256 fields, counts further ones without describing
/// them. Linear in the bytes of the records.
pub fn infer<'a>(records: impl Iterator<Item = &'a str>) -> Schema {
    infer_hiding(records, &Secrets::default())
}

/// Infers a schema that shows none of `secrets`, which are places in the text that the records are
/// slices of. Only counts a value with a secret; omits a field whose name contains one.
pub fn infer_hiding<'a>(records: impl Iterator<Item = &'a str>, secrets: &Secrets) -> Schema {
    let mut builder = builder::SchemaBuilder::new(secrets);
    records.for_each(|record| builder.record(record));
    Schema {
        records: builder.records,
        omitted: builder.omitted.len() as u64,
        nodes: builder.nodes,
        examples: builder.examples,
        example: builder.example,
    }
}

impl Schema {
    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the number of fields that are not described because there are more than 256; at
    /// most 10,000.
    pub fn omitted_fields(&self) -> u64 {
        self.omitted
    }

    /// Returns the fields in order of first appearance; the fields of an object follow it.
    pub fn paths(&self) -> Vec<FieldSummary> {
        field::all(self)
    }

    /// Returns the JSON Schema (draft 2020-12) of one record in at most `budget_bytes`. Omits the
    /// deepest and rarest fields first, and counts them in `x-omitted-fields`. A schema without
    /// fields takes about 120 bytes, whatever the budget.
    pub fn json_schema(&self, budget_bytes: usize) -> String {
        json_schema::json_schema(self, budget_bytes)
    }

    /// Returns the positions of a sample of records, from 0, ascending: the first 200, and the
    /// first record of each of up to 64 shapes.
    pub fn sample(&self) -> Vec<usize> {
        let head = SAMPLE_HEAD.min(usize::try_from(self.records).unwrap_or(usize::MAX));
        let mut sample: Vec<usize> = (0..head).collect();
        sample.extend(self.examples.iter().filter(|at| **at >= head));
        sample
    }

    /// Returns the first record as about 250 bytes of JSON, with long texts and lists shortened and
    /// without secrets. Returns `None` if there is no record.
    pub fn example(&self) -> Option<&str> {
        self.example.as_deref()
    }

    pub(crate) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    pub(crate) fn root(&self) -> &Node {
        self.node(ROOT)
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node of an array's elements.
    pub(crate) fn items(&self, at: usize) -> Option<usize> {
        self.node(at).children.iter().copied().find(|child| self.node(*child).step == Step::Items)
    }

    /// Returns the nodes from below the root to a node.
    pub(crate) fn trail(&self, mut at: usize) -> Vec<usize> {
        let mut trail = Vec::new();
        while at != ROOT {
            trail.push(at);
            at = self.node(at).parent;
        }
        trail.reverse();
        trail
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
