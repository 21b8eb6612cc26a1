//! The walk over the records that fills the nodes: each byte is looked at once,
//! values deeper than [`DEPTH`] are only told apart as object or array.

use std::borrow::Cow;
use std::collections::HashSet;

use chat_history::raw;
use redact::Secrets;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::node::{Node, Step};
use super::scan::{Cursor, Start};
use super::values::Room;

/// Levels that are looked into.
const DEPTH: usize = 6;
/// Places that are told apart; those met later are counted.
const NODES: usize = 256;
/// Places beyond that which are counted exactly.
const OMITTED: usize = 10_000;
/// Distinct shapes of records that are remembered.
const SHAPES: usize = 64;

/// The root's place in the list of nodes.
pub(crate) const ROOT: usize = 0;

/// What has been seen so far.
#[derive(Debug)]
pub(super) struct Walk<'s> {
    /// What is counted and not kept.
    secrets: &'s Secrets,
    pub(super) nodes: Vec<Node>,
    pub(super) records: u64,
    pub(super) omitted: HashSet<u64>,
    /// The first record of each shape.
    pub(super) examples: Vec<usize>,
    shapes: HashSet<u64>,
    room: Room,
    objects: u64,
}

impl<'s> Walk<'s> {
    pub(super) fn new(secrets: &'s Secrets) -> Self {
        Self {
            secrets,
            nodes: vec![Node::new(Step::Root, ROOT)],
            records: 0,
            omitted: HashSet::new(),
            examples: Vec::new(),
            shapes: HashSet::new(),
            room: Room::default(),
            objects: 0,
        }
    }

    /// Takes in a record. One that is no JSON counts as far as it can be read.
    pub(super) fn record(&mut self, record: &str) {
        self.records += 1;
        let shape = self.value(&mut Cursor::new(record), ROOT, 0).unwrap_or_default();
        if self.shapes.len() < SHAPES && self.shapes.insert(shape) {
            self.examples.push(usize::try_from(self.records - 1).unwrap_or(usize::MAX));
        }
    }

    /// Takes in the value at the cursor and gives a hash of its keys and types;
    /// None where the text ends or is no JSON.
    fn value(&mut self, cursor: &mut Cursor<'_>, at: usize, depth: usize) -> Option<u64> {
        let start = cursor.start()?;
        let node = &mut self.nodes[at];
        if node.last_record != self.records {
            node.last_record = self.records;
            node.records += 1;
        }
        match start {
            Start::Null => {
                node.counts.null += 1;
                cursor.word()?;
            }
            Start::Boolean => {
                node.counts.boolean += 1;
                node.values.add(cursor.word()?, &mut self.room);
            }
            Start::Number => {
                let word = cursor.word()?;
                node.number(word, self.secrets.touch(word), &mut self.room);
            }
            Start::String => {
                let literal = cursor.string()?;
                node.string(literal, self.secrets.touch(literal), &mut self.room);
            }
            Start::Object => {
                node.counts.object += 1;
                return if depth < DEPTH {
                    self.object(cursor, at, depth)
                } else {
                    skip(cursor, 4)
                };
            }
            Start::Array => {
                node.counts.array += 1;
                return if depth < DEPTH { self.array(cursor, at, depth) } else { skip(cursor, 5) };
            }
        }
        Some(start as u64)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>, at: usize, depth: usize) -> Option<u64> {
        self.objects += 1;
        let holder = self.objects;
        let mut shape = Start::Object as u64;
        cursor.eat(b'{');
        if cursor.eat(b'}') {
            return Some(shape);
        }
        // Records tend to have the same keys in the same order.
        let mut next = 0;
        loop {
            let key = cursor.string()?;
            if !cursor.eat(b':') {
                return None;
            }
            if let Some(child) = self.member(at, key, &mut next) {
                let node = &mut self.nodes[child];
                if node.last_holder != holder {
                    node.last_holder = holder;
                    node.holders += 1;
                }
                let inner = self.value(cursor, child, depth + 1)?;
                shape = shape.wrapping_add(mix(child as u64, inner));
            } else {
                cursor.skip()?;
            }
            if !cursor.eat(b',') {
                return cursor.eat(b'}').then_some(shape);
            }
        }
    }

    fn array(&mut self, cursor: &mut Cursor<'_>, at: usize, depth: usize) -> Option<u64> {
        let mut kinds = 0_u64;
        let mut length = 0;
        cursor.eat(b'[');
        if !cursor.eat(b']') {
            let items = self.items(at);
            loop {
                length += 1;
                match items {
                    // A set of kinds: a longer array of the same is the same shape.
                    Some(items) => {
                        kinds |= 1 << (mix(1, self.value(cursor, items, depth + 1)?) & 63);
                    }
                    None => cursor.skip()?,
                }
                if !cursor.eat(b',') {
                    break;
                }
            }
            if !cursor.eat(b']') {
                return None;
            }
        }
        let node = &mut self.nodes[at];
        node.longest_array = node.longest_array.max(length);
        Some(mix(Start::Array as u64, kinds))
    }

    /// The node of a member, made where there is none yet and room for one.
    fn member(&mut self, at: usize, literal: &str, next: &mut usize) -> Option<usize> {
        let key = match literal.as_bytes() {
            [b'"', inner @ .., b'"'] if memchr::memchr(b'\\', inner).is_none() => {
                Cow::Borrowed(&literal[1..literal.len() - 1])
            }
            _ => Cow::Owned(raw::unescape(literal).text.into_owned()),
        };
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
        if self.nodes.len() >= NODES || self.secrets.touch(literal) {
            if self.omitted.len() < OMITTED {
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

    /// The node of an array's elements.
    fn items(&mut self, at: usize) -> Option<usize> {
        let known =
            self.nodes[at].children.iter().find(|child| self.nodes[**child].step == Step::Items);
        if let Some(&items) = known {
            return Some(items);
        }
        if self.nodes.len() >= NODES {
            return None;
        }
        let items = self.nodes.len();
        self.nodes.push(Node::new(Step::Items, at));
        self.nodes[at].children.push(items);
        Some(items)
    }
}

fn skip(cursor: &mut Cursor<'_>, shape: u64) -> Option<u64> {
    cursor.skip().map(|()| shape)
}

fn mix(a: u64, b: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&a.to_le_bytes());
    bytes[8..].copy_from_slice(&b.to_le_bytes());
    xxh3_64(&bytes)
}
