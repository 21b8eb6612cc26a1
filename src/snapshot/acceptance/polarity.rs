//! Polarity: whether a sentence states a thing or its opposite. It combines pairs of opposite
//! words, negations that reverse them, and the order of two things. It compares sentences that
//! share words.

use std::collections::HashSet;

use super::link::Link;
use super::lists::LISTS;
use super::token::{Token, TokenKind, each_token, tokens};
use super::wording::forgets;
use crate::snapshot::text::content_words::is_stop;

/// Number of words after a negation in which it reverses an opposite.
const REACH: usize = 4;
/// Number of words after a negation that it denies.
const DENIED: usize = 4;
/// Maximum number of pairs of opposites.
const AXES: usize = 16;
/// The pair of opposites for finished and unfinished work.
const FINISHED: usize = 2;
/// The pair of opposites for success and failure.
const SUCCEEDS: usize = 0;

const PLUS: u8 = 1;
const MINUS: u8 = 2;

/// The polarity of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Polarity {
    pub(super) signs: [u8; AXES],
    /// The words that negations deny.
    pub(super) negated: Vec<u64>,
    /// True if the sentence negates something.
    negates: bool,
    /// True for limits such as `only` and `unless`.
    pub(super) limited: bool,
    /// Its content words.
    words: HashSet<u64>,
    /// Pairs of things in order: the second comes later, or is chosen.
    order: HashSet<(u64, u64)>,
    /// The words after a `without` in a sentence that negates. What the sentence forbids is allowed
    /// under these conditions.
    conditions: Vec<u64>,
    contrasts: Vec<Contrast>,
    /// True if the sentence has a word such as `without`.
    excepts: bool,
    /// All its tokens.
    held: HashSet<u64>,
}

/// `This, not that`: numbers or words that are chosen, and those that are rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Contrast {
    chosen: Vec<u64>,
    rejected: Vec<u64>,
}

/// The relation of a source to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Both state the same.
    Agrees,
    /// The source states nothing about it.
    Neutral,
    /// The source negates a word that the claim does not.
    Denied,
    /// The claim negates a word that the source does not.
    Denies,
    /// They state opposites.
    Opposite,
}

impl Polarity {
    /// Reads the polarity of a sentence.
    pub(super) fn of(text: &str) -> Polarity {
        let mut read = Polarity::default();
        each_token(text, |token| {
            read.held.insert(token.hash);
            if says(text, &token) {
                read.words.insert(token.hash);
            }
        });
        read.spaced(text);
        read.ordered(text);
        if !text.is_ascii() {
            read.unspaced(text);
        }
        read
    }

    /// Returns whether the sentence states that work is finished, or `None` if it states neither or
    /// both.
    pub(super) fn finished(&self) -> Option<bool> {
        match self.signs[FINISHED] {
            PLUS => Some(true),
            MINUS => Some(false),
            _ => None,
        }
    }

    /// Returns whether the sentence states a success, or `None` if it states neither success nor
    /// failure. Finished work counts as a success.
    pub(super) fn succeeds(&self) -> Option<bool> {
        match (self.signs[SUCCEEDS], self.finished()) {
            (PLUS, _) | (0, Some(true)) => Some(true),
            (MINUS, _) => Some(false),
            _ => None,
        }
    }

    /// Returns true for a sentence without opposites and negations.
    pub(super) fn is_neutral(&self) -> bool {
        self.signs == [0; AXES] && !self.negates
    }

    /// Compares a claim with a source that shares its words.
    pub(super) fn against(&self, source: &Polarity) -> Verdict {
        let (mut agrees, mut opposite) = (false, false);
        for (own, other) in self.signs.iter().zip(&source.signs) {
            let single = *own == PLUS || *own == MINUS;
            agrees |= single && own & other != 0;
            opposite |= single && *other != 0 && own & other == 0;
        }
        let turned = self.order.iter().any(|(one, other)| source.order.contains(&(*other, *one)));
        opposite |= turned && self.order.is_disjoint(&source.order);
        if source.frees(self) {
            return if agrees { Verdict::Agrees } else { Verdict::Neutral };
        }
        opposite |= source.contrasts.iter().any(|contrast| self.takes_rejected(contrast));
        if agrees && !opposite {
            Verdict::Agrees
        } else if opposite {
            Verdict::Opposite
        } else if source.denies(self) {
            Verdict::Denied
        } else if self.denies(source) {
            Verdict::Denies
        } else {
            Verdict::Neutral
        }
    }

    /// Returns true if this sentence negates a word of the other, which itself negates nothing.
    fn denies(&self, other: &Polarity) -> bool {
        let denied = |word: &u64| other.words.contains(word) && !other.negated.contains(word);
        !other.negates && self.negated.iter().any(denied)
    }

    /// Returns true if the other has a condition under which this one allows what it forbids.
    fn frees(&self, other: &Polarity) -> bool {
        !other.excepts && self.conditions.iter().any(|word| other.held.contains(word))
    }

    /// Returns true if this sentence has what a contrast rejects, and nothing that it chooses.
    fn takes_rejected(&self, contrast: &Contrast) -> bool {
        let rejects = |word: &u64| self.contrasts.iter().any(|own| own.rejected.contains(word));
        let has = |word: &u64| self.held.contains(word) && !rejects(word);
        contrast.rejected.iter().any(has) && !contrast.chosen.iter().any(has)
    }

    /// Returns true if the sentence negates something.
    pub(super) fn negates(&self) -> bool {
        self.negates
    }

    /// Returns true if the sentence negates or limits something.
    pub(super) fn restricts(&self) -> bool {
        self.negates || self.limited
    }

    fn spaced(&mut self, text: &str) {
        let mut negated: Option<(usize, usize)> = None;
        let (mut clause, mut before) = (0, String::new());
        let mut lower = String::new();
        let (mut n, mut at) = (0, 0);
        let ends = |c: char| !c.is_alphanumeric() && c != '\'' && c != '’' && c != '_';
        for piece in text.split_inclusive(ends) {
            at += piece.len();
            let word = piece.trim_end_matches(ends);
            if !word.is_empty() {
                n += 1;
                lower.clear();
                let letters = word.chars().filter(|c| c.is_alphanumeric() || *c == '_');
                lower.extend(letters.flat_map(char::to_lowercase));
                self.limited |= LISTS.limiting.has(&lower);
                // `0 failed` is a negation; `set it to 0,` is not.
                let none = lower == "0" && piece.ends_with(' ');
                if (LISTS.negators.has(&lower) || none) && !forgets(&text[at..]) {
                    // `this, not that` does not negate the statement itself.
                    let start = at - piece.len();
                    let contrast = text[..start].trim_end().ends_with([',', '('])
                        && matches!(lower.as_str(), "not" | "nicht" | "pas" | "no");
                    let (inside, behind) = (&text[clause..start], &text[at..]);
                    let ends_clause = piece.ends_with(CLAUSE_ENDS);
                    if contrast {
                        self.contrast(&text[..start], behind);
                    } else if LISTS.excepting.has(&lower) {
                        self.excepts = true;
                        if self.negates {
                            let words = tokens(clause_of(behind)).into_iter();
                            let long = words.filter(|token| token.end - token.start > 2);
                            self.conditions.extend(long.map(|token| token.hash));
                        }
                    }
                    // `without X` negates X only.
                    self.negates |= !LISTS.excepting.has(&lower);
                    self.limited |= contrast;
                    negated = (!contrast).then_some((n, at));
                    // `names must not appear` also negates the words before it.
                    if !contrast && LISTS.modals.has(&before) {
                        self.negated.extend(said(inside));
                    }
                    // `delete nothing in it` negates the word before it.
                    if !contrast && !is_nothing(&lower) && !ends_clause {
                        self.negated.extend(said(clause_of(behind)).take(DENIED));
                    }
                } else {
                    negated = negated.filter(|(from, _)| n - from <= REACH);
                    let denied = negated.is_some() || begins_with_nothing(&text[at..]);
                    // `May 27` is not a permission.
                    if word != "May" && self.sign(&lower, denied) {
                        negated = None;
                    }
                }
            }
            if !word.is_empty() {
                before.clone_from(&lower);
            }
            if piece.ends_with(CLAUSE_ENDS) {
                (negated, clause) = (None, at);
            }
        }
    }

    /// Adds a contrast: the numbers of both sides, or else one word of each.
    fn contrast(&mut self, before: &str, behind: &str) {
        let before = before.trim_end().trim_end_matches([',', '(']);
        let chosen = before.rsplit(CLAUSE_ENDS).next().unwrap_or_default();
        let rejected = clause_of(behind);
        let numbers = |text: &str| -> Vec<u64> {
            let numbers = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Number);
            numbers.map(|token| token.hash).collect()
        };
        let mut contrast = Contrast { chosen: numbers(chosen), rejected: numbers(rejected) };
        if contrast.rejected.is_empty() {
            // Words on both sides do not distinguish them: `by mail, not by phone`.
            let (one, other): (Vec<u64>, Vec<u64>) =
                (said(chosen).collect(), said(rejected).collect());
            let last = one.iter().rfind(|word| !other.contains(word));
            let first = other.iter().find(|word| !one.contains(word));
            contrast.chosen = last.copied().into_iter().collect();
            contrast.rejected = first.copied().into_iter().collect();
        }
        contrast.rejected.retain(|word| !contrast.chosen.contains(word));
        self.contrasts.push(contrast);
    }

    /// Adds the order of two things: `A before B`, `B, not A`, `A first, then B`.
    fn ordered(&mut self, text: &str) {
        // The content words of the previous part and of this one.
        let (mut before, mut now): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let (mut first, mut link, mut last) = (false, None::<Link>, 0);
        each_token(text, |token| {
            let gap = &text[last.min(token.start)..token.start];
            last = token.end;
            if gap.contains([',', ';', ':']) {
                before = std::mem::take(&mut now);
                link = link.take().filter(Link::is_unused);
            }
            let word = text[token.start..token.end].to_lowercase();
            let arrow = gap.contains('→') || gap.contains("->");
            let between = match () {
                () if arrow || LISTS.forward.has(&word) => Some(false),
                () if LISTS.backward.has(&word) => Some(true),
                () => None,
            };
            if let Some(backward) = between {
                let earlier = if now.is_empty() { &before } else { &now };
                link = Link::of(earlier, backward, &word);
            }
            first |= matches!(word.as_str(), "first" | "zuerst");
            let stop = token.kind == TokenKind::Word && is_stop(&word);
            if token.kind == TokenKind::Part || between.is_some() && !arrow || stop {
                return;
            }
            if let Some(open) = &mut link {
                self.order.extend(open.orders(token.hash));
            }
            link = link.take().filter(Link::is_open);
            now.push(token.hash);
            if first {
                self.order.extend(before.iter().take(DENIED).map(|one| (*one, token.hash)));
            }
        });
    }

    /// Adds the signs of a word. Returns true if it has any.
    fn sign(&mut self, word: &str, negated: bool) -> bool {
        let mut found = false;
        for (sign, axis) in self.signs.iter_mut().zip(&LISTS.opposites) {
            for (list, value, turned) in [(&axis.plus, PLUS, MINUS), (&axis.minus, MINUS, PLUS)] {
                if list.has(word) {
                    *sign |= if negated { turned } else { value };
                    found = true;
                }
            }
        }
        found
    }

    fn unspaced(&mut self, text: &str) {
        let mut turned = 0;
        for (sign, axis) in self.signs.iter_mut().zip(&LISTS.opposites) {
            let both = [(&axis.plus, PLUS, MINUS), (&axis.minus, MINUS, PLUS)];
            for (list, value, other) in both {
                for (at, word) in list.places_in(text) {
                    let (before, behind) = around(text, at, word.len(), 2, 4);
                    let near = |text: &str| LISTS.negators.are_in_unspaced(text);
                    let negated = near(before) || near(behind);
                    turned += u32::from(negated);
                    *sign |= if negated { other } else { value };
                }
            }
        }
        self.limited |= LISTS.limiting.are_in_unspaced(text);
        for (at, word) in LISTS.negators.places_in(text) {
            self.negates = true;
            if turned == 0 {
                let (before, behind) = around(text, at, word.len(), 4, 4);
                let near = [behind, before].into_iter().flat_map(tokens);
                self.negated.extend(near.map(|token| token.hash));
            }
        }
    }
}

/// Marks that end a clause.
const CLAUSE_ENDS: [char; 8] = [',', ';', '.', ':', '(', ')', '!', '?'];

/// Returns the first clause of a text.
fn clause_of(text: &str) -> &str {
    &text[..text.find(CLAUSE_ENDS).unwrap_or(text.len())]
}

/// Returns true for a content word.
fn says(text: &str, token: &Token) -> bool {
    let word = &text[token.start..token.end];
    match token.kind {
        TokenKind::Name => word.len() > 1 && !is_stop(word),
        TokenKind::Word => word.len() > 2 && !is_stop(word),
        _ => false,
    }
}

/// Returns the content words of a text, in order.
fn said(text: &str) -> impl Iterator<Item = u64> + '_ {
    tokens(text).into_iter().filter(|token| says(text, token)).map(|token| token.hash)
}

/// Returns true if the next word is `nothing`, which negates the word before it: `delete nothing`.
fn begins_with_nothing(text: &str) -> bool {
    let next = text.trim_start().split(|c: char| !c.is_alphanumeric()).next();
    next.is_some_and(is_nothing)
}

fn is_nothing(word: &str) -> bool {
    matches!(word, "nothing" | "none" | "nichts" | "rien" | "nada")
}

/// Returns up to `before` characters before a word and up to `after` characters after it.
fn around(text: &str, at: usize, length: usize, before: usize, after: usize) -> (&str, &str) {
    let (head, tail) = (&text[..at], &text[at + length..]);
    let start = head.char_indices().rev().nth(before - 1).map_or(0, |(start, _)| start);
    let end = tail.char_indices().nth(after).map_or(tail.len(), |(end, _)| end);
    (&head[start..], &tail[..end])
}

#[cfg(test)]
#[path = "polarity_tests.rs"]
mod tests;
