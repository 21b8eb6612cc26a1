//! The label that a value belongs to: `exit code 139` is wrong if the messages have `exit code 1`,
//! although `139` occurs elsewhere in them.

use super::evidence::{Evidence, Item};
use super::token::{Token, TokenKind};
use super::values::{ABOUT, shape, tokens};

/// Maximum bytes between a label and its value in a source.
const GAP: usize = 6;
/// The accepted texts between a label and its value in a claim.
const BETWEEN: [&str; 7] = [" ", "=", " = ", ":", " at ", " is ", " was "];

/// A value of a claim, and the word before it, its label.
struct Binding<'b, 's, 'a> {
    evidence: &'b Evidence<'s, 'a>,
    label: &'b Item,
    value: &'b Item,
}

/// Returns true if in the sources the label of a value has other values of its kind, but never this
/// one.
pub(super) fn is_bound_elsewhere(
    evidence: &Evidence<'_, '_>,
    text: &str,
    items: &[Item],
    value: &Item,
) -> bool {
    let spelled = &text[value.start..value.end];
    let range = text[value.end..].starts_with(['-', '–']) || text[value.end..].starts_with(" to ");
    if range {
        return false;
    }
    let says = value.kind == TokenKind::Number || spelled.contains(|c: char| c.is_ascii_digit());
    let label = items.iter().find(|item| {
        let gap = text.get(item.end..value.start);
        item.units > 0
            && item.kind != TokenKind::Part
            && gap.is_some_and(|gap| BETWEEN.contains(&gap))
    });
    let Some(label) = label.filter(|label| says && label.kind != TokenKind::Number) else {
        return false;
    };
    let binding = Binding { evidence, label, value };
    // Two words before a value, such as `exit code`, suffice as a name.
    let two = items
        .iter()
        .any(|item| item.kind == TokenKind::Word && text.get(item.end..label.start) == Some(" "));
    if binding.is_held() || !two && !binding.is_named_elsewhere() {
        return false;
    }
    let kind = kind_of(spelled);
    let near: Vec<Item> = items.iter().filter(|item| item.part == value.part).cloned().collect();
    let rival = |next: &Token, said: &str| next.hash != value.hash && kind_of(said) == kind;
    let mut labelled = evidence.places(label).iter();
    labelled.any(|unit| {
        let named = label.kind == TokenKind::Name;
        (named || evidence.share(*unit, &near, false) >= ABOUT) && binding.follows(*unit, &rival)
    })
}

impl Binding<'_, '_, '_> {
    /// Returns true if in this unit a value that `is` accepts follows the label.
    fn follows(&self, unit: u32, is: &dyn Fn(&Token, &str) -> bool) -> bool {
        let said = &self.evidence.unit(unit).text;
        let tokens = tokens(said);
        tokens.iter().enumerate().any(|(at, label)| {
            // In `tomlkit-0.13.3`, label and value are parts of one name.
            let is_value = |token: &&Token| {
                token.start >= label.end && [self.value.kind, TokenKind::Part].contains(&token.kind)
            };
            label.hash == self.label.hash
                && tokens[at + 1..].iter().find(is_value).is_some_and(|next| {
                    next.start - label.end <= GAP && is(next, &said[next.start..next.end])
                })
        })
    }

    /// Returns true if the value occurs directly after the label, with a label that has no value
    /// after it, or near the label if no source has a value directly after it.
    fn is_held(&self) -> bool {
        let mut labelled = self.evidence.places(self.label).iter();
        let silent = !labelled.any(|unit| self.follows(*unit, &|_, _| true));
        self.evidence.places(self.value).iter().any(|unit| {
            self.follows(*unit, &|next, _| next.hash == self.value.hash)
                || self.evidence.holds(*unit, self.label) && !self.follows(*unit, &|_, _| true)
                || silent && self.evidence.nearness(*unit, self.label) >= 0.7
        })
    }

    /// Returns true if somewhere another label precedes the value.
    fn is_named_elsewhere(&self) -> bool {
        self.evidence.places(self.value).iter().any(|unit| {
            let tokens = tokens(&self.evidence.unit(*unit).text);
            let place = tokens.iter().position(|token| token.hash == self.value.hash);
            let before = place.and_then(|at| Some((tokens.get(at.checked_sub(1)?)?, tokens[at])));
            before.is_some_and(|(word, value)| {
                word.kind != TokenKind::Number
                    && word.hash != self.label.hash
                    && value.start.saturating_sub(word.end) <= GAP
            })
        })
    }
}

/// Returns the kind of a value: a whole number, a fraction, or the shape of a name.
fn kind_of(value: &str) -> String {
    if value.starts_with(|c: char| c.is_ascii_digit()) && !value.contains(char::is_alphabetic) {
        let dots = value.matches('.').count();
        return ["0", "0.0"].get(dots).map_or_else(|| "0.0.0".to_owned(), ToString::to_string);
    }
    shape(value)
}
