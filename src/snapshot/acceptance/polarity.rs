//! Whether a sentence says a thing or its opposite: pairs of opposite words, turned around by
//! negations, and the order of two things. It compares two sentences that share their words.

use std::collections::HashSet;

use super::lists::{LISTS, Unspaced};
use super::token::{TokenKind, each_token};
use crate::snapshot::text::content_words::is_stop;

/// Words behind a negation that it may turn around.
const REACH: usize = 4;
/// Words behind a negation that it denies.
const DENIED: usize = 4;
/// The most pairs of opposites.
const AXES: usize = 16;
/// The opposites that say whether work is finished.
const FINISHED: usize = 2;
/// The opposites that say whether something works.
const SUCCEEDS: usize = 0;

const PLUS: u8 = 1;
const MINUS: u8 = 2;

/// The signs of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Polarity {
    pub(super) signs: [u8; AXES],
    /// The words behind negations that turn no opposite around.
    negated: Vec<u64>,
    /// Negates something.
    negates: bool,
    /// Limits such as `only` and `unless`.
    pub(super) limited: bool,
    /// Its words.
    words: HashSet<u64>,
    /// Two things in their order: the second comes later, or is chosen.
    order: HashSet<(u64, u64)>,
}

/// The verdict of a source on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The same.
    Agrees,
    /// Nothing about it.
    Neutral,
    /// The source negates what the claim does not.
    Denied,
    /// The claim negates what the source does not.
    Denies,
    /// The opposite.
    Opposite,
}

impl Polarity {
    /// Reads a sentence.
    pub(super) fn of(text: &str) -> Polarity {
        let mut read = Polarity::default();
        each_token(text, |token| {
            let named = matches!(token.kind, TokenKind::Word | TokenKind::Name);
            if named && !is_stop(&text[token.start..token.end]) {
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

    /// True if it says that work is finished, false that it is not.
    pub(super) fn finished(&self) -> Option<bool> {
        match self.signs[FINISHED] {
            PLUS => Some(true),
            MINUS => Some(false),
            _ => None,
        }
    }

    /// True if it says that something works, false that it does not.
    pub(super) fn succeeds(&self) -> Option<bool> {
        match (self.signs[SUCCEEDS], self.finished()) {
            (PLUS, _) | (0, Some(true)) => Some(true),
            (MINUS, _) => Some(false),
            _ => None,
        }
    }

    /// True for a text without a sign and a negation.
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
        opposite |= self.denies_other(source) && source.denies_other(self);
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

    /// True if this negates a word that the other, without any negation, has.
    fn denies(&self, other: &Polarity) -> bool {
        !other.negates && self.negated.iter().any(|word| other.words.contains(word))
    }

    /// True if this negates words that the other has, and none that the other negates.
    fn denies_other(&self, other: &Polarity) -> bool {
        self.negated.iter().any(|word| other.words.contains(word))
            && !self.negated.iter().any(|word| other.negated.contains(word))
    }

    /// True if the sentence denies something.
    pub(super) fn negates(&self) -> bool {
        self.negates
    }

    /// True if the sentence denies or limits something.
    pub(super) fn restricts(&self) -> bool {
        self.negates || self.limited
    }

    fn spaced(&mut self, text: &str) {
        let mut negated: Option<(usize, usize)> = None;
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
                if LISTS.negators.has(&lower) || lower == "0" {
                    self.negates = true;
                    // `this, not that` negates nothing that is said.
                    let before = text[..at - piece.len()].trim_end();
                    let contrast = before.ends_with([',', '('])
                        && matches!(lower.as_str(), "not" | "nicht" | "pas" | "no");
                    self.limited |= contrast;
                    negated = (!contrast).then_some((n, at));
                    // `delete nothing in it` negates what is before it.
                    if !contrast && !is_nothing(&lower) {
                        self.negate(&text[at..]);
                    }
                } else {
                    negated = negated.filter(|(from, _)| n - from <= REACH);
                    let denied = negated.is_some() || begins_with_nothing(&text[at..]);
                    // `May 27` permits nothing.
                    if word != "May" && self.sign(&lower, denied) {
                        negated = None;
                    }
                }
            }
            if piece.ends_with([',', ';', '.', ':', '(', ')', '!', '?']) {
                negated = None;
            }
        }
    }

    /// Notes which of two things comes first: `A before B`, `B, not A`, `A first, then B`.
    fn ordered(&mut self, text: &str) {
        // The content words of the part before, and of this one.
        let (mut before, mut now): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let (mut first, mut link, mut last) = (false, None, 0);
        each_token(text, |token| {
            let gap = &text[last.min(token.start)..token.start];
            last = token.end;
            if gap.contains([',', ';', ':']) {
                before = std::mem::take(&mut now);
            }
            let word = text[token.start..token.end].to_lowercase();
            let arrow = gap.contains('→') || gap.contains("->");
            let between = match () {
                () if arrow || LISTS.forward.has(&word) => Some(false),
                () if LISTS.backward.has(&word) => Some(true),
                () => None,
            };
            if let Some(backward) = between {
                link = now.last().or(before.last()).map(|word| (*word, backward));
            }
            first |= matches!(word.as_str(), "first" | "zuerst");
            let stop = token.kind == TokenKind::Word && is_stop(&word);
            if token.kind == TokenKind::Part || between.is_some() && !arrow || stop {
                return;
            }
            if let Some((one, backward)) = link.take() {
                self.order.insert(if backward { (token.hash, one) } else { (one, token.hash) });
            }
            now.push(token.hash);
            if first {
                self.order.extend(before.iter().take(DENIED).map(|one| (*one, token.hash)));
            }
        });
    }

    /// Notes the words that a negation before them denies.
    fn negate(&mut self, behind: &str) {
        let end = behind.find([',', ';', '.', ':', '(', ')', '!', '?']).unwrap_or(behind.len());
        let mut found = 0;
        each_token(&behind[..end], |token| {
            let word = &behind[token.start..token.end];
            let named = matches!(token.kind, TokenKind::Word | TokenKind::Name);
            if found < DENIED && named && !is_stop(word) && word.len() > 1 {
                found += 1;
                self.negated.push(token.hash);
            }
        });
    }

    /// Notes the signs of a word; true if it has one.
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
            let both = [(&axis.plus_unspaced, PLUS, MINUS), (&axis.minus_unspaced, MINUS, PLUS)];
            for (list, value, other) in both {
                for (at, word) in places(text, list) {
                    let negated = is_near_negation(text, at, word.len());
                    turned += u32::from(negated);
                    *sign |= if negated { other } else { value };
                }
            }
        }
        self.limited |= LISTS.limiting_unspaced.is_in(text);
        for (at, word) in places(text, &LISTS.negators_unspaced) {
            self.negates = true;
            if turned == 0 {
                let behind = &text[at + word.len()..];
                let end = behind.char_indices().nth(4).map_or(behind.len(), |(end, _)| end);
                let before = text[..at].char_indices().rev().nth(3).map_or(0, |(start, _)| start);
                for near in [&behind[..end], &text[before..at]] {
                    each_token(near, |token| self.negated.push(token.hash));
                }
            }
        }
    }
}

/// True if the next word is `nothing`, which negates the word before it: `delete nothing`.
fn begins_with_nothing(text: &str) -> bool {
    let next = text.trim_start().split(|c: char| !c.is_alphanumeric()).next();
    next.is_some_and(is_nothing)
}

fn is_nothing(word: &str) -> bool {
    matches!(word, "nothing" | "none" | "nichts" | "rien" | "nada")
}

fn places<'t>(text: &'t str, list: &'t Unspaced) -> impl Iterator<Item = (usize, &'t str)> {
    list.iter().flat_map(move |word| text.match_indices(word))
}

/// True if a negation stands in the two characters before a word or the four after it.
fn is_near_negation(text: &str, at: usize, length: usize) -> bool {
    let before = text[..at].char_indices().rev().nth(1).map_or(0, |(start, _)| start);
    let behind = &text[at + length..];
    let after = behind.char_indices().nth(4).map_or(behind.len(), |(end, _)| end);
    LISTS.negators_unspaced.is_in(&text[before..at])
        || LISTS.negators_unspaced.is_in(&behind[..after])
}

#[cfg(test)]
mod tests {
    use super::{Polarity, Verdict};

    #[test]
    fn a_claim_is_compared_with_its_source() {
        for (claim, source, verdict) in [
            ("All tests pass", "3 tests failed", Verdict::Opposite),
            ("58 passed and 3 failed", "3 failed, 58 passed", Verdict::Neutral),
            ("Tests pass", "0 failed", Verdict::Agrees),
            ("The file is missing", "the file does not exist", Verdict::Agrees),
            ("Touch the schema", "Never touch the schema", Verdict::Opposite),
            ("The parser supports tabs", "The parser does not support tabs", Verdict::Denied),
            ("不要修改表结构", "可以修改表结构", Verdict::Opposite),
            ("测试通过", "测试失败", Verdict::Opposite),
            ("Delete nothing in it", "don't delete anything in it", Verdict::Agrees),
            ("right to left", "left to right", Verdict::Opposite),
            ("The code first, the analysis later", "Analysis first, then code", Verdict::Opposite),
            ("Aa, not Bb1", "rename Aa to Bb1", Verdict::Opposite),
            ("The work is not finished", "Finished the work", Verdict::Opposite),
        ] {
            assert_eq!(Polarity::of(claim).against(&Polarity::of(source)), verdict, "{claim}");
        }
    }
}
