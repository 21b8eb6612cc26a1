//! Whether the values of a claim belong to its other words: a value that stands beside none of
//! its neighbours, where a neighbour has another value of the same kind beside it, is wrong.

use super::binding::is_bound_elsewhere;
use super::evidence::{Evidence, Item};
use super::lists::LISTS;
use super::rejection::Rejection;
use super::token::{Token, TokenKind, each_token, plain_number};
use crate::snapshot::text::identifiers::IdentifierKind;

/// Numbers up to this may be counted by the summariser.
const COUNTED: f64 = 30.0;
/// Words between a value and a neighbour, in the claim and in its source.
const NEAR: usize = 3;
/// The share of a claim that a source must carry to be held against it.
pub(super) const ABOUT: f32 = 0.3;
/// The most sources that are held against a value.
pub(super) const SOURCES: usize = 40;
/// Bytes of a text that is hardly more than a value.
const BARE: usize = 24;
/// How far a number that is not meant exactly may be off.
const ROUNDED: f64 = 0.06;

/// Returns the first value of a claim that nobody said or that its sources contradict.
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
            let wrong = is_contradicted(evidence, text, items, item);
            wrong.then(|| Rejection::WrongValue {
                value: text[item.start..item.end].to_owned(),
                line: text.to_owned(),
            })
        }
        _ => None,
    })
}

/// Fewest characters of an id that a longer one may begin with.
const PREFIX: usize = 8;

/// True for a name with more than capitals that is no part of a pattern or a placeholder, and
/// that no longer name begins with.
fn is_unknown_name(evidence: &Evidence<'_, '_>, text: &str, item: &Item) -> bool {
    let name = &text[item.start..item.end];
    let edge = |c: Option<char>| c.is_some_and(|c| "*<>{}$…".contains(c));
    let capitals = name.bytes().all(|b| b.is_ascii_uppercase());
    let hole =
        edge(text[..item.start].chars().next_back()) || edge(text[item.end..].chars().next());
    let begins = || name.len() >= PREFIX && evidence.source.index.begins(name);
    !capitals && !hole && !begins()
}

/// A number that stands nowhere may be a count, or rounded and said to be.
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
        || LISTS.approximate_unspaced.is_in(before);
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

/// The neighbours of a value: by them a source tells which value it is.
fn neighbours<'i>(items: &'i [Item], value: &Item) -> Vec<&'i Item> {
    let near = |item: &&Item| {
        item.id != value.id
            && item.units > 0
            && item.kind != TokenKind::Part
            && item.place.abs_diff(value.place) <= NEAR
            && item.part.abs_diff(value.part) <= 1
    };
    items.iter().filter(near).collect()
}

fn is_contradicted(evidence: &Evidence<'_, '_>, text: &str, items: &[Item], value: &Item) -> bool {
    if is_bound_elsewhere(evidence, text, items, value) {
        return true;
    }
    let near = neighbours(items, value);
    if near.is_empty() {
        return false;
    }
    let own = evidence.places(value);
    let beside = |unit: &u32| {
        let tokens = tokens(&evidence.unit(*unit).text);
        near.iter().any(|item| stand_near(&tokens, item.hash, |token| token.hash == value.hash))
    };
    let parent = |unit: &u32| near.iter().any(|item| evidence.nearness(*unit, item) >= 0.7);
    // A result that is nothing but a value says nothing of its neighbours.
    let bare = |unit: &u32| {
        let text = &evidence.unit(*unit).text;
        text.len() < BARE && near.iter().any(|item| evidence.nearness(*unit, item) > 0.0)
    };
    if own.iter().any(|unit| beside(unit) || parent(unit) || bare(unit)) {
        return false;
    }
    let shape = shape(&text[value.start..value.end]);
    near.iter().any(|item| {
        evidence.places(item).iter().rev().take(SOURCES).any(|unit| {
            evidence.share(*unit, items, false) >= ABOUT && {
                let said = &evidence.unit(*unit).text;
                let rival = |token: &Token| {
                    token.kind == value.kind
                        && items.iter().all(|item| item.hash != token.hash)
                        && self::shape(&said[token.start..token.end]) == shape
                };
                stand_near(&tokens(said), item.hash, |token| rival(token))
            }
        })
    })
}

/// The most tokens of a source that are compared.
const TOKENS: usize = 300;

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    each_token(text, |token| {
        if tokens.len() < TOKENS {
            tokens.push(token);
        }
    });
    tokens
}

/// True if a token of that kind stands near the word.
fn stand_near(tokens: &[Token], word: u64, is: impl Fn(&Token) -> bool) -> bool {
    let places = tokens.iter().enumerate().filter(|(_, token)| token.hash == word);
    places.into_iter().any(|(at, _)| {
        let from = at.saturating_sub(2 * NEAR);
        let to = tokens.len().min(at + 2 * NEAR + 1);
        tokens[from..to].iter().any(&is)
    })
}

/// The shape of a value: `0` for digits, `a` for letters, and its marks.
pub(super) fn shape(value: &str) -> String {
    let mut shape = String::new();
    for c in value.chars() {
        let class = match c {
            '0'..='9' => '0',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if class == '0' || c.is_uppercase() || !shape.ends_with(class) {
            shape.push(class);
        }
    }
    shape
}
