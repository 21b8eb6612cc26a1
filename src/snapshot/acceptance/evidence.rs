//! The words of a reply in the units of the sources: the units with a word, the share of a claim
//! that a unit covers, and the units that cover most of it.
//!
//! Rare words have the highest weight. The work for a claim is bounded: about [`CANDIDATES`] units
//! are compared for at most [`ITEMS`] words.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::source::{SourceText, Unit};
use super::token::{Token, TokenKind, each_token, plain_number};
use crate::snapshot::text::content_words::is_stop;
use crate::snapshot::text::text_index::WordSet;

/// Maximum number of words of a claim to look up.
const ITEMS: usize = 40;
/// Number of units from which on no further word adds candidates for a claim.
const CANDIDATES: usize = 600;
/// Maximum number of units for one word.
const PLACES: usize = 200;

/// A word of a claim.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The number of the word among all words to look up.
    pub(super) id: u32,
    pub(super) kind: TokenKind,
    /// The number of its part of the claim; parts are separated by commas and brackets.
    pub(super) part: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) hash: u64,
    /// The weight of the word.
    pub(super) weight: f32,
    /// The number of units with the word.
    pub(super) units: usize,
}

/// An index of the words of a reply in the units.
pub(super) struct Evidence<'s, 'a> {
    pub(super) source: &'s SourceText<'a>,
    wanted: HashMap<u64, u32>,
    /// The words of all units; those of a unit begin at `starts[unit]`.
    held: Vec<u32>,
    starts: Vec<usize>,
    places: Vec<Vec<u32>>,
    /// The numbers in the sources, sorted; computed at the first use.
    numbers: OnceCell<Vec<f64>>,
}

/// Units that together cover a claim.
#[derive(Debug, Clone, Default)]
pub(super) struct Cover {
    /// The share of the claim that they cover together, 0 to 1.
    pub(super) share: f32,
    /// The units, best first.
    pub(super) units: Vec<u32>,
}

impl<'s, 'a> Evidence<'s, 'a> {
    /// Searches all units for the words of the texts.
    pub(super) fn new<'t>(
        source: &'s SourceText<'a>,
        texts: impl Iterator<Item = &'t str>,
    ) -> Evidence<'s, 'a> {
        let mut wanted = HashMap::new();
        for text in texts {
            each_token(text, |token| {
                let next = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
                wanted.entry(token.hash).or_insert(next);
            });
        }
        let mut maybe = WordSet::default();
        wanted.keys().for_each(|hash| maybe.add(*hash));
        let mut places = vec![Vec::new(); wanted.len()];
        let (mut held, mut starts) = (Vec::new(), Vec::with_capacity(source.units.len() + 1));
        for (unit, said) in (0_u32..).zip(&source.units) {
            let start = held.len();
            starts.push(start);
            each_token(&said.text, |token| {
                if maybe.has(token.hash)
                    && let Some(id) = wanted.get(&token.hash)
                {
                    held.push(*id);
                }
            });
            held[start..].sort_unstable();
            let mut kept = start;
            for at in start..held.len() {
                if at == start || held[at] != held[kept - 1] {
                    held[kept] = held[at];
                    places[held[kept] as usize].push(unit);
                    kept += 1;
                }
            }
            held.truncate(kept);
        }
        starts.push(held.len());
        Evidence { source, wanted, held, starts, places, numbers: OnceCell::new() }
    }

    /// Returns the content words of a claim; rare words have a higher weight.
    pub(super) fn items(&self, text: &str) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let (mut part, mut last) = (0, 0);
        each_token(text, |token: Token| {
            part += usize::from(text[last.min(token.start)..token.start].contains(BREAKS));
            last = token.end;
            let word = &text[token.start..token.end];
            let short = token.kind == TokenKind::Word && word.len() < 3;
            let (start, end, hash) = (token.start, token.end, token.hash);
            let Some(id) = self.wanted.get(&hash).copied() else { return };
            if short || token.kind == TokenKind::Word && is_stop(word) || items.len() == ITEMS {
                return;
            }
            if items.iter().all(|item| item.id != id) {
                let units = self.places[id as usize].len();
                let kind = token.kind;
                items.push(Item { id, kind, part, start, end, hash, weight: 0.0, units });
            }
        });
        let all = self.source.units.len() as f32;
        let mut known = (0.0, 0.0);
        for item in &mut items {
            item.weight = (1.0 + all / (1.0 + item.units as f32)).ln();
            if item.kind == TokenKind::Part {
                item.weight *= 0.5;
            }
            if item.units > 0 {
                known = (known.0 + item.weight, known.1 + 1.0);
            }
        }
        // A word that nobody said weighs less than the average, because it may be a paraphrase.
        let usual = if known.1 > 0.0 { known.0 / known.1 } else { 1.0 };
        for item in items.iter_mut().filter(|item| item.units == 0) {
            item.weight = usual * if item.kind == TokenKind::Part { 0.2 } else { 0.6 };
        }
        items
    }

    /// Returns true if the sources have a number that differs from `value` by at most the share
    /// `allowed`.
    pub(super) fn has_number_near(&self, value: f64, allowed: f64) -> bool {
        let numbers = self.numbers.get_or_init(|| {
            let mut numbers = Vec::new();
            for unit in &self.source.units {
                each_token(&unit.text, |token| {
                    if token.kind == TokenKind::Number {
                        numbers.extend(
                            plain_number(&unit.text[token.start..token.end]).parse::<f64>(),
                        );
                    }
                });
            }
            numbers.sort_by(f64::total_cmp);
            numbers
        });
        let at = numbers.partition_point(|number: &f64| *number < value * (1.0 - allowed));
        numbers.get(at).is_some_and(|number| *number <= value * (1.0 + allowed))
    }

    /// Returns the latest units with a word, in order.
    pub(super) fn places(&self, item: &Item) -> &[u32] {
        let places = &self.places[item.id as usize];
        &places[places.len().saturating_sub(PLACES)..]
    }

    pub(super) fn unit(&self, unit: u32) -> &Unit<'a> {
        &self.source.units[unit as usize]
    }

    /// Returns true if the unit has the word.
    pub(super) fn holds(&self, unit: u32, item: &Item) -> bool {
        let at = unit as usize;
        let range = self.starts[at]..self.starts[at + 1];
        self.held[range].binary_search(&item.id).is_ok()
    }

    /// Returns how near a word is to a unit: 1 in it, 0.7 in a neighbour in the same text or in its
    /// parent, 0.35 in the same turn, and 0 otherwise.
    pub(super) fn nearness(&self, unit: u32, item: &Item) -> f32 {
        if item.units == 0 {
            return 0.0;
        }
        if self.holds(unit, item) {
            return 1.0;
        }
        if self.beside(unit, item) {
            return 0.7;
        }
        if self.is_in_turn(self.unit(unit).turn, item.id) { 0.35 } else { 0.0 }
    }

    /// Returns the same, but 0 for a word that is only in the same turn, unless `wide` is true.
    fn near(&self, unit: u32, item: &Item, wide: bool) -> f32 {
        let near = self.nearness(unit, item);
        if wide || near > 0.5 { near } else { 0.0 }
    }

    /// Returns true if a neighbour of the unit in the same text, or its parent, has the word.
    fn beside(&self, unit: u32, item: &Item) -> bool {
        let own = self.unit(unit);
        let neighbours = [unit.checked_sub(1), Some(unit + 1)].into_iter().flatten();
        let near = neighbours.filter(|at| {
            let other = self.source.units.get(*at as usize);
            other.is_some_and(|other| other.part_of == own.part_of && own.parent == other.parent)
        });
        near.chain(own.parent).any(|at| self.holds(at, item))
    }

    /// Returns true if one turn has all words of a text.
    pub(super) fn stands_together(&self, text: &str) -> bool {
        let mut ids = Vec::new();
        each_token(text, |token| {
            if token.kind != TokenKind::Part {
                ids.extend(self.wanted.get(&token.hash));
            }
        });
        let Some(rarest) = ids.iter().min_by_key(|id| self.places[**id as usize].len()) else {
            return false;
        };
        let places = &self.places[*rarest as usize];
        places.iter().rev().take(PLACES).any(|unit| {
            let turn = self.unit(*unit).turn;
            ids.iter().all(|id| self.is_in_turn(turn, *id))
        })
    }

    fn is_in_turn(&self, turn: u32, id: u32) -> bool {
        let places = &self.places[id as usize];
        let at = places.partition_point(|place| self.unit(*place).turn < turn);
        places.get(at).is_some_and(|place| self.unit(*place).turn == turn)
    }

    /// Returns the units that may cover a claim: those with its rarest words.
    pub(super) fn candidates(&self, items: &[Item], counts: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut order: Vec<&Item> = items.iter().filter(|item| item.units > 0).collect();
        order.sort_by_key(|item| item.units);
        let mut found = Vec::new();
        for item in order {
            let all = &self.places[item.id as usize];
            let those = all.iter().rev().take(20 * PLACES).filter(|unit| counts(**unit));
            found.extend(those.take(PLACES).copied());
            if found.len() >= CANDIDATES {
                break;
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the share of a claim that a unit covers. `wide` includes the words of its turn.
    pub(super) fn share(&self, unit: u32, items: &[Item], wide: bool) -> f32 {
        let all: f32 = items.iter().map(|item| item.weight).sum();
        let held = items.iter().map(|item| self.near(unit, item, wide) * item.weight);
        if all > 0.0 { held.sum::<f32>() / all } else { 0.0 }
    }

    /// Returns the share of a claim whose words are in these units, not only near them.
    pub(super) fn held(&self, items: &[Item], units: &[u32]) -> f32 {
        let all: f32 = items.iter().map(|item| item.weight).sum();
        let held = items.iter().filter(|item| units.iter().any(|unit| self.holds(*unit, item)));
        if all > 0.0 { held.map(|item| item.weight).sum::<f32>() / all } else { 0.0 }
    }

    /// Returns at most `most` units that together cover much of a claim: repeatedly adds the unit
    /// that increases the share most.
    pub(super) fn cover(&self, items: &[Item], counts: &dyn Fn(u32) -> bool, most: usize) -> Cover {
        let all: f32 = items.iter().map(|item| item.weight).sum();
        let candidates = self.candidates(items, counts);
        let near = |unit: u32, item: &Item| self.near(unit, item, false);
        let mut carried = vec![0.0_f32; items.len()];
        let mut cover = Cover::default();
        while cover.units.len() < most {
            let gain = |unit: &u32| -> f32 {
                let gains = items.iter().zip(&carried);
                gains.map(|(item, have)| (near(*unit, item) - have).max(0.0) * item.weight).sum()
            };
            let best = candidates.iter().map(|unit| (gain(unit), *unit));
            let Some((gained, unit)) = best.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if gained <= 0.0 {
                break;
            }
            for (item, have) in items.iter().zip(&mut carried) {
                *have = have.max(near(unit, item));
            }
            cover.units.push(unit);
            cover.share += gained / all;
        }
        cover
    }
}

/// Marks that separate the parts of a sentence.
pub(super) const BREAKS: [char; 10] = [',', ';', ':', '(', ')', '→', '，', '；', '：', '、'];
