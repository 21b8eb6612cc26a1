//! The schema: what the records of a result look like, learned from all of them
//! in one pass: which fields there are, of which types, how often, with which
//! values. Nothing in it is a guess from a sample; what is bounded says so.

pub mod field;
mod format;
pub(crate) mod node;
pub(crate) mod number;
mod render;
mod scan;
pub(crate) mod values;
mod walk;

pub use field::FieldSummary;
use node::{Node, Step};
use redact::Secrets;
pub(crate) use walk::ROOT;

/// Records at the start of a file that a sample always holds.
const SAMPLE_HEAD: usize = 200;

/// What is known of the records.
#[derive(Debug, Clone)]
pub struct Schema {
    nodes: Vec<Node>,
    records: u64,
    omitted: u64,
    examples: Vec<usize>,
}

/// Learns the schema of records, each one JSON value on one line. Values below
/// the sixth level are only told apart as objects or arrays; of more than 256
/// places the later ones are only counted. Linear in the bytes of the records.
pub fn infer<'a>(records: impl Iterator<Item = &'a str>) -> Schema {
    infer_hiding(records, &Secrets::default())
}

/// The same where the text that the records are slices of has `secrets`: a value that
/// holds one is counted and never shown, a field whose name does is omitted.
pub fn infer_hiding<'a>(records: impl Iterator<Item = &'a str>, secrets: &Secrets) -> Schema {
    let mut walk = walk::Walk::new(secrets);
    records.for_each(|record| walk.record(record));
    Schema {
        records: walk.records,
        omitted: walk.omitted.len() as u64,
        nodes: walk.nodes,
        examples: walk.examples,
    }
}

impl Schema {
    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Fields that are not described because there are too many (at most 10,000
    /// are counted).
    pub fn omitted_fields(&self) -> u64 {
        self.omitted
    }

    /// The fields in order of first appearance, those within others after them.
    pub fn paths(&self) -> Vec<FieldSummary> {
        field::all(self)
    }

    /// The JSON Schema (draft 2020-12) of one record, in at most `budget_bytes`
    /// where that can be: what is deepest and rarest is left out first and
    /// counted in `x-omitted-fields`. Never below the about 120 bytes of a schema
    /// without fields.
    pub fn json_schema(&self, budget_bytes: usize) -> String {
        render::json_schema(self, budget_bytes)
    }

    /// The positions (from 0, ascending) of the records that a cheap trial should
    /// use: the first 200, and one of each shape met first, up to 64 shapes.
    pub fn sample(&self) -> Vec<usize> {
        let head = SAMPLE_HEAD.min(usize::try_from(self.records).unwrap_or(usize::MAX));
        let mut sample: Vec<usize> = (0..head).collect();
        sample.extend(self.examples.iter().filter(|at| **at >= head));
        sample
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

    /// The node of an array's elements.
    pub(crate) fn items(&self, at: usize) -> Option<usize> {
        self.node(at).children.iter().copied().find(|child| self.node(*child).step == Step::Items)
    }

    /// The steps from the root to a node, the root's own left out.
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
