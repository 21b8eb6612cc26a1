//! Verifies that the values of a claim belong to its other words. A value is wrong if the sources
//! of these words have another value of its kind.

use super::binding::is_bound_elsewhere;
use super::evidence::{Evidence, Item};
use super::lists::LISTS;
use super::names::PREFIX;
use super::rejection::Rejection;
use super::token::{self, Token, TokenKind, plain_number};
use crate::snapshot::text::identifiers::IdentifierKind;

/// Maximum of a whole number that the summariser may have counted itself.
const COUNTED: f64 = 30.0;
/// Minimum share of the other words that the best units must cover to contradict a value.
const MOST: f32 = 0.5;
/// Minimum share of a unit, relative to the best, to count as equally good.
const CLOSE: f32 = 0.85;
/// Minimum share of a claim that a source must cover to contradict it.
pub(super) const ABOUT: f32 = 0.3;
/// Maximum relative error of a number that is stated as approximate.
const ROUNDED: f64 = 0.06;

/// Returns a fault for the first value of a claim that nobody said or that its sources contradict.
pub(super) fn wrong_value(
    evidence: &Evidence<'_, '_>,
    text: &str,
    items: &[Item],
) -> Option<Rejection> {
    items.iter().find_map(|item| match item.kind {
        TokenKind::Number if item.units == 0 => unknown_number(evidence, text, item),
        TokenKind::Name if item.units == 0 && is_unknown_name(evidence, text, item) => {
            Some(Rejection::Ungrounded {
                kind: IdentifierKind::Id,
                text: text[item.start..item.end].to_owned(),
            })
        }
        TokenKind::Number | TokenKind::Name if item.units > 0 => {
            let wrong = is_bound_elsewhere(evidence, text, items, item)
                || is_value(item, text)
                    && (is_replaced(evidence, text, items, item)
                        || is_crossed(evidence, text, items, item));
            wrong.then(|| Rejection::WrongValue {
                value: text[item.start..item.end].to_owned(),
                line: text.to_owned(),
            })
        }
        _ => None,
    })
}

/// Returns true for a number, and for a name with digits.
pub(super) fn is_value(item: &Item, text: &str) -> bool {
    let digits = || text[item.start..item.end].contains(|c: char| c.is_ascii_digit());
    item.kind == TokenKind::Number || item.kind == TokenKind::Name && digits()
}

/// Returns true for a name that nobody used. Excludes names of capitals only, parts of patterns and
/// placeholders, and beginnings of longer names.
fn is_unknown_name(evidence: &Evidence<'_, '_>, text: &str, item: &Item) -> bool {
    let name = &text[item.start..item.end];
    let edge = |c: Option<char>| c.is_some_and(|c| "*<>{}$…".contains(c));
    let capitals = name.bytes().all(|b| b.is_ascii_uppercase());
    let hole =
        edge(text[..item.start].chars().next_back()) || edge(text[item.end..].chars().next());
    let begins = || name.len() >= PREFIX && evidence.source.index.begins(name);
    !capitals && !hole && !begins()
}

/// Returns a fault for a number that nobody said. It may be a small count, or rounded if the claim
/// says so.
fn unknown_number(evidence: &Evidence<'_, '_>, text: &str, item: &Item) -> Option<Rejection> {
    let spelled = &text[item.start..item.end];
    let plain = plain_number(spelled);
    let number: f64 = plain.parse().ok()?;
    let (before, after) = (&text[..item.start], &text[item.end..]);
    let exact = before.ends_with(['$', '€', '£', '.', '#', '_', '/'])
        || after.trim_start().starts_with(['%', '€']);
    if number <= COUNTED && number.fract() == 0.0 && !exact {
        return None;
    }
    let near = before.split_whitespace().rev().take(2);
    let about = before.trim_end().ends_with(['~', '≈'])
        || near.into_iter().any(|word| LISTS.approximate.has(&word.to_lowercase()))
        || LISTS.approximate.are_in_unspaced(before);
    let unit = after.trim_start().to_lowercase();
    let scaled = unit.starts_with(['k', 'm', 'b', 't']);
    let grouped = spelled.split_once('.').filter(|(_, rest)| rest.len() == 3);
    let values = [Some(number), grouped.and_then(|(a, b)| format!("{a}{b}").parse().ok())];
    let held = values.into_iter().flatten().any(|value: f64| {
        [1.0, 1e3, 1e6, 1e9, 1024.0, 1_048_576.0].iter().any(|scale| {
            let allowed = if about {
                ROUNDED
            } else if scaled && *scale > 1.0 {
                0.01
            } else {
                return false;
            };
            evidence.has_number_near(value * scale, allowed)
        })
    });
    (!held)
        .then(|| Rejection::Ungrounded { kind: IdentifierKind::Number, text: spelled.to_owned() })
}

/// Returns true if the sources have another value in place of this one. The units that cover most
/// of the other words in the same part of the claim must have a value of the same shape, and the
/// units with this value must cover few of those words.
fn is_replaced(evidence: &Evidence<'_, '_>, text: &str, items: &[Item], value: &Item) -> bool {
    let others: Vec<Item> = items
        .iter()
        .filter(|item| item.id != value.id && item.part == value.part)
        .filter(|item| item.kind != TokenKind::Part && item.units > 0)
        .cloned()
        .collect();
    if others.len() < 2 {
        return false;
    }
    let units = evidence.candidates(&others, &|_| true);
    let shares: Vec<(f32, u32)> =
        units.iter().map(|unit| (evidence.held(&others, &[*unit]), *unit)).collect();
    let best = shares.iter().map(|(share, _)| *share).fold(0.0, f32::max);
    let has = |unit: u32| evidence.nearness(unit, value) >= 0.7;
    let own = shares.iter().filter(|(_, unit)| evidence.holds(*unit, value));
    let own = own.map(|(share, _)| *share).fold(0.0, f32::max);
    let near = || shares.iter().filter(|(share, _)| *share >= CLOSE * best).map(|(_, unit)| *unit);
    let shape = shape(&text[value.start..value.end]);
    let rival = |unit: u32| {
        let said = &evidence.unit(unit).text;
        tokens(said).iter().any(|token| {
            token.kind == value.kind
                && items.iter().all(|item| item.hash != token.hash)
                && self::shape(&said[token.start..token.end]) == shape
        })
    };
    best >= MOST && own < ABOUT && !near().any(has) && near().any(rival)
}

/// Returns true if two values of a claim come from different rows. They occur together in no
/// source, but each occurs with another value of the other's shape.
fn is_crossed(evidence: &Evidence<'_, '_>, text: &str, items: &[Item], value: &Item) -> bool {
    let shape_of = |item: &Item| shape(&text[item.start..item.end]);
    let own = shape_of(value);
    let together = |other: &&Item| {
        let gap = text.get(value.end..other.start).unwrap_or_default();
        other.units > 0
            && is_value(other, text)
            && !gap.is_empty()
            && !gap.contains('/')
            && other.end - other.start > 1
            && (other.part == value.part || gap == " (")
            && shape_of(other) != own
    };
    value.end - value.start > 1
        && items.iter().filter(together).any(|other| {
            let (one, two) = (evidence.places(value), evidence.places(other));
            let both = |unit: &u32| evidence.holds(*unit, other);
            !one.iter().any(both)
                && one.iter().any(|unit| has_shape(evidence, *unit, &shape_of(other)))
                && two.iter().any(|unit| has_shape(evidence, *unit, &own))
        })
}

/// Returns true if a unit has a value of this shape.
fn has_shape(evidence: &Evidence<'_, '_>, unit: u32, wanted: &str) -> bool {
    let said = &evidence.unit(unit).text;
    let tokens = tokens(said);
    let mut values = tokens.iter().filter(|token| token.kind != TokenKind::Word);
    values.any(|token| shape(&said[token.start..token.end]) == wanted)
}

/// Maximum number of tokens of a source to compare.
const TOKENS: usize = 300;

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = token::tokens(text);
    tokens.truncate(TOKENS);
    tokens
}

/// Returns the shape of a value: each run of digits becomes `0`, of capitals `A`, of other letters
/// `a`, and marks stay.
pub(super) fn shape(value: &str) -> String {
    let mut shape = String::new();
    for c in value.chars() {
        let class = match c {
            '0'..='9' => '0',
            c if c.is_uppercase() => 'A',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    shape
}
