//! Builds the array of a trie (`src/trie.rs`) from tokens.

use std::collections::VecDeque;
use std::ops::Range;

use crate::trie::{EMPTY, ENDS_TOKEN, LEAF, PAYLOAD_SHIFT, ROOT};

/// The label of a token that is stored at a base; it is not the label of any byte.
const AT_BASE: u32 = 256;

/// A node with children.
struct Node {
    /// The token that ends at the node.
    token: Option<u32>,
    children: Vec<(u8, Child)>,
}

/// The target of a byte: an inner node, by its index, or a token.
#[derive(Clone, Copy)]
enum Child {
    Inner(usize),
    Leaf(u32),
}

/// Returns the units of the array, in little-endian order.
pub(crate) fn build(tokens: &[Vec<u8>]) -> Vec<[u8; 4]> {
    let nodes = nodes(tokens);
    let bases = bases(&nodes);
    // Reserve a unit for every byte after every base, so that no lookup is out of bounds.
    let places = bases.iter().max().map_or(0, |base| base + 1 + usize::from(u8::MAX) + 1);
    let mut units = vec![EMPTY; places];
    let mut set = |place: usize, unit: u32| units[place] = unit;
    for (node, &base) in nodes.iter().zip(&bases) {
        if let Some(token) = node.token {
            set(base, AT_BASE | number(token as usize) << PAYLOAD_SHIFT);
        }
        for (byte, child) in &node.children {
            let unit = match child {
                Child::Leaf(token) => LEAF | token << PAYLOAD_SHIFT,
                Child::Inner(index) if nodes[*index].token.is_some() => {
                    ENDS_TOKEN | number(bases[*index]) << PAYLOAD_SHIFT
                }
                Child::Inner(index) => number(bases[*index]) << PAYLOAD_SHIFT,
            };
            set(base + 1 + usize::from(*byte), u32::from(*byte) | unit);
        }
    }
    units.into_iter().map(u32::to_le_bytes).collect()
}

/// Returns a base or a token as the payload of a unit.
fn number(number: usize) -> u32 {
    let number = u32::try_from(number).expect("a trie is small");
    assert!(number < u32::MAX >> PAYLOAD_SHIFT, "a unit holds {number}");
    number
}

/// Returns the inner nodes, the root first.
fn nodes(tokens: &[Vec<u8>]) -> Vec<Node> {
    let mut sorted: Vec<(&[u8], u32)> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
    sorted.sort_unstable();
    let mut nodes = Vec::new();
    // Ranges of tokens that share a prefix of the given length, in the order of the node numbers.
    let mut open: VecDeque<(Range<usize>, usize)> = VecDeque::from([(0..sorted.len(), 0)]);
    let mut count = 1;
    while let Some((range, depth)) = open.pop_front() {
        let mut node = Node { token: None, children: Vec::new() };
        let mut start = range.start;
        while start < range.end {
            let (bytes, token) = sorted[start];
            let Some(&byte) = bytes.get(depth) else {
                node.token = Some(token);
                start += 1;
                continue;
            };
            let same =
                sorted[start..range.end].iter().take_while(|(bytes, _)| bytes[depth] == byte);
            let end = start + same.count();
            if end == start + 1 && bytes.len() == depth + 1 {
                node.children.push((byte, Child::Leaf(token)));
            } else {
                node.children.push((byte, Child::Inner(count)));
                open.push_back((start..end, depth + 1));
                count += 1;
            }
            start = end;
        }
        nodes.push(node);
    }
    nodes
}

/// Returns a base for each node. Nodes that need many units are placed first; nodes with one unit
/// fill the gaps. Tests 64 bases at a time.
fn bases(nodes: &[Node]) -> Vec<usize> {
    let needs = |node: &Node| node.children.len() + usize::from(node.token.is_some());
    let mut order: Vec<usize> = (1..nodes.len()).collect();
    order.sort_by_key(|&index| usize::MAX - needs(&nodes[index]));
    let (mut taken, mut bases_taken) = (Bits::default(), Bits::default());
    let mut bases = vec![ROOT as usize; nodes.len()];
    let (mut from, mut needed) = (0, 0);
    for index in [0].into_iter().chain(order) {
        let node = &nodes[index];
        let places: Vec<usize> = node
            .token
            .map(|_| 0)
            .into_iter()
            .chain(node.children.iter().map(|(byte, _)| 1 + usize::from(*byte)))
            .collect();
        if places.len() != needed {
            (from, needed) = (0, places.len());
        }
        let mut block = from;
        let base = loop {
            let blocked = places.iter().fold(bases_taken.word(block), |blocked, place| {
                blocked | taken.word(block + place)
            });
            if blocked != u64::MAX {
                break block + blocked.trailing_ones() as usize;
            }
            block += 64;
        };
        // A range that rejected many bases has little room for the next node.
        if block - from > 64 * 64 {
            from += 64 * 32;
        }
        bases[index] = base;
        bases_taken.set(base);
        for place in places {
            taken.set(base + place);
        }
    }
    assert!(bases[0] == ROOT as usize, "the root is placed first");
    bases
}

/// A growing set of numbers, as bits.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// Returns the 64 bits from `at`.
    fn word(&self, at: usize) -> u64 {
        let word = |index: usize| self.0.get(index).copied().unwrap_or(0);
        match (at / 64, at % 64) {
            (index, 0) => word(index),
            (index, bits) => word(index) >> bits | word(index + 1) << (64 - bits),
        }
    }
}
