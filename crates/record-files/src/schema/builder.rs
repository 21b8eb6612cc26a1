//! Builds the nodes of a schema. Reads each byte of the records once; counts values deeper than
//! [`MAX_DEPTH`] as objects or arrays without reading their members.

use std::collections::HashSet;

use raw_json::{Key, Kind, Scanner};
use redact::Secrets;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::example;
use super::node::{Node, Step};
use super::values::ValueBudget;

/// Maximum number of levels that are described.
const MAX_DEPTH: usize = 6;
/// Maximum number of nodes. Further places are only counted.
const MAX_NODES: usize = 256;
/// Maximum number of further places that are counted.
const MAX_OMITTED: usize = 10_000;
/// Maximum number of shapes of records that are distinguished.
const MAX_SHAPES: usize = 64;

/// The index of the root in the list of nodes.
pub(crate) const ROOT: usize = 0;

/// Builds a schema, record by record.
#[derive(Debug)]
pub(super) struct SchemaBuilder<'s> {
    /// Places of values that are counted but never shown.
    secrets: &'s Secrets,
    pub(super) nodes: Vec<Node>,
    pub(super) records: u64,
    pub(super) omitted: HashSet<u64>,
    /// The position of the first record of each shape.
    pub(super) examples: Vec<usize>,
    /// The first record, shortened.
    pub(super) example: Option<String>,
    shapes: HashSet<u64>,
    budget: ValueBudget,
    objects: u64,
}

impl<'s> SchemaBuilder<'s> {
    pub(super) fn new(secrets: &'s Secrets) -> Self {
        Self {
            secrets,
            nodes: vec![Node::new(Step::Root, ROOT)],
            records: 0,
            omitted: HashSet::new(),
            examples: Vec::new(),
            example: None,
            shapes: HashSet::new(),
            budget: ValueBudget::default(),
            objects: 0,
        }
    }

    /// Adds a record. Invalid JSON is counted up to the error.
    pub(super) fn record(&mut self, record: &str) {
        self.records += 1;
        if self.example.is_none() {
            self.example = example::of(record, self.secrets);
        }
        let shape = self.value(&mut Scanner::new(record), ROOT, 0).unwrap_or_default();
        if self.shapes.len() < MAX_SHAPES && self.shapes.insert(shape) {
            self.examples.push(usize::try_from(self.records - 1).unwrap_or(usize::MAX));
        }
    }

    /// Adds the value at the scanner and returns a hash of its keys and types; `None` if it is
    /// invalid JSON.
    fn value(&mut self, scanner: &mut Scanner<'_>, at: usize, depth: usize) -> Option<u64> {
        let kind = scanner.kind()?;
        let node = &mut self.nodes[at];
        if node.last_record != self.records {
            node.last_record = self.records;
            node.records += 1;
        }
        match kind {
            Kind::Null => {
                node.counts.null += 1;
                scanner.value()?;
            }
            Kind::Boolean => {
                node.counts.boolean += 1;
                node.values.add(scanner.value()?, &mut self.budget);
            }
            Kind::Number => {
                let word = scanner.value()?;
                node.number(word, self.secrets.touch(word), &mut self.budget);
            }
            Kind::String => {
                let literal = scanner.value()?;
                node.string(literal, self.secrets.touch(literal), &mut self.budget);
            }
            Kind::Object => {
                node.counts.object += 1;
                return if depth < MAX_DEPTH {
                    self.object(scanner, at, depth)
                } else {
                    skip(scanner, kind)
                };
            }
            Kind::Array => {
                node.counts.array += 1;
                return if depth < MAX_DEPTH {
                    self.array(scanner, at, depth)
                } else {
                    skip(scanner, kind)
                };
            }
        }
        Some(kind as u64)
    }

    fn object(&mut self, scanner: &mut Scanner<'_>, at: usize, depth: usize) -> Option<u64> {
        self.objects += 1;
        let holder = self.objects;
        let mut shape = Kind::Object as u64;
        scanner.take(b'{');
        if scanner.take(b'}') {
            return Some(shape);
        }
        // Most records have the same keys in the same order.
        let mut next = 0;
        loop {
            let key = scanner.key()?;
            if let Some(child) = self.member(at, key, &mut next) {
                let node = &mut self.nodes[child];
                if node.last_holder != holder {
                    node.last_holder = holder;
                    node.holders += 1;
                }
                let inner = self.value(scanner, child, depth + 1)?;
                shape = shape.wrapping_add(mix(child as u64, inner));
            } else {
                scanner.value()?;
            }
            if !scanner.take(b',') {
                return scanner.take(b'}').then_some(shape);
            }
        }
    }

    fn array(&mut self, scanner: &mut Scanner<'_>, at: usize, depth: usize) -> Option<u64> {
        let mut types = 0_u64;
        let mut length = 0;
        scanner.take(b'[');
        if !scanner.take(b']') {
            let items = self.items(at);
            loop {
                length += 1;
                match items {
                    // Types are a set, so arrays of different lengths have the same shape.
                    Some(items) => {
                        types |= 1 << (mix(1, self.value(scanner, items, depth + 1)?) & 63);
                    }
                    None => {
                        scanner.value()?;
                    }
                }
                if !scanner.take(b',') {
                    break;
                }
            }
            if !scanner.take(b']') {
                return None;
            }
        }
        let node = &mut self.nodes[at];
        node.longest_array = node.longest_array.max(length);
        Some(mix(Kind::Array as u64, types))
    }

    /// Returns the node of a member; creates it unless the limit is reached.
    fn member(&mut self, at: usize, key: Key<'_>, next: &mut usize) -> Option<usize> {
        let literal = key.literal();
        let key = key.text();
        if let Some(&child) = self.nodes[at].children.get(*next)
            && matches!(&self.nodes[child].step, Step::Key(known) if *known == key)
        {
            *next += 1;
            return Some(child);
        }
        if let Some(&child) = self.nodes[at].by_key.get(&*key) {
            let position = self.nodes[at].children.iter().position(|known| *known == child);
            *next = position.unwrap_or_default() + 1;
            return Some(child);
        }
        if self.nodes.len() >= MAX_NODES || self.secrets.touch(literal) {
            if self.omitted.len() < MAX_OMITTED {
                self.omitted.insert(xxh3_64_with_seed(key.as_bytes(), at as u64));
            }
            return None;
        }
        let child = self.nodes.len();
        self.nodes[at].by_key.insert((&*key).into(), child);
        self.nodes.push(Node::new(Step::Key(key.into_owned()), at));
        self.nodes[at].children.push(child);
        *next = self.nodes[at].children.len();
        Some(child)
    }

    /// Returns the node of an array's elements; creates it unless the limit is reached.
    fn items(&mut self, at: usize) -> Option<usize> {
        let known =
            self.nodes[at].children.iter().find(|child| self.nodes[**child].step == Step::Items);
        if let Some(&items) = known {
            return Some(items);
        }
        if self.nodes.len() >= MAX_NODES {
            return None;
        }
        let items = self.nodes.len();
        self.nodes.push(Node::new(Step::Items, at));
        self.nodes[at].children.push(items);
        Some(items)
    }
}

fn skip(scanner: &mut Scanner<'_>, kind: Kind) -> Option<u64> {
    scanner.value().map(|_| kind as u64)
}

fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}
