//! How much speaks against a claim that is not plainly false. No sign of doubt is a proof: what
//! is true may be said in other words. So each sign, from 0 to 1, has a weight, and their sum
//! decides.
//!
//! The signs and weights are those of a logistic regression over the claims of `tests/replies`,
//! divided so that a claim falls at 1. Signs without which histories that were left out are
//! judged as well are not here.

use super::claim::{Reports, StepState};
use super::judge::{Case, Judge};
use super::lists::LISTS;
use super::source::Speaker;
use super::token::TokenKind;
use super::wording::{happened, has_word, permits};
use crate::snapshot::format::summary::Section;

/// The sum of what speaks against a claim.
pub(super) struct Doubt {
    pub(super) sum: f32,
    /// Most of it is whether something is done.
    pub(super) of_deed: bool,
}

impl Judge<'_, '_, '_> {
    /// Weighs the signs of doubt about a claim.
    pub(super) fn doubt(&self, case: &Case<'_, '_>) -> Doubt {
        let deed = of_deed(case);
        let sum = deed + of_words(case) + self.of_speakers(case);
        Doubt { sum, of_deed: 2.0 * deed > sum }
    }

    /// Others than those who may say it.
    fn of_speakers(&self, case: &Case<'_, '_>) -> f32 {
        let claim = case.claim;
        let speaker = |unit: u32| self.evidence.unit(unit).speaker;
        let mut doubt = 0.0;
        if claim.reports != Reports::Nothing {
            let others = case.most(|unit| {
                matches!(speaker(unit), Speaker::Agent | Speaker::Call | Speaker::Tool)
            });
            let user =
                case.most(|unit| self.users(self.evidence.unit(unit)) && !self.reading(unit).asks);
            doubt += 0.55 * sign(claim.reports == Reports::Act) + (others - user).max(0.0);
        }
        if permits(&case.own) {
            let given = case.most(|unit| self.gives(unit)) / case.scale;
            doubt += 0.95 - 0.4 * given.min(1.0);
        }
        if claim.section == Section::ActiveConstraints {
            let set = case.most(|unit| self.is_authority(unit));
            doubt += (1.0 - set / case.scale).max(0.0);
        }
        if claim.section == Section::TaskState && claim.state != StepState::Done {
            let tools = |unit: u32| speaker(unit) == Speaker::Tool;
            doubt += 1.65 * (case.most(tools) - case.most(|unit| !tools(unit))).max(0.0);
        }
        doubt
    }

    /// True if the user or the operator permits something in a unit, or assents to it.
    fn gives(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        let consents = |word: &str| LISTS.consenting.has(word) || LISTS.assenting.has(word);
        let read = self.reading(unit);
        self.is_authority(unit)
            && (said.speaker == Speaker::Agent || !read.asks)
            && !read.polarity.negates()
            && (said.speaker == Speaker::Agent
                || permits(&said.text)
                || has_word(&said.text, consents))
    }
}

/// Words that no source carries together, and words that leave no exception. Later turns build
/// on facts, and most false lines are such.
fn of_words(case: &Case<'_, '_>) -> f32 {
    let absolute = has_word(&case.own, |word| LISTS.absolute.has(word))
        || LISTS.absolute_unspaced.is_in(&case.own);
    // A fragment (`not followed`) has no sources of its own.
    let whole = case.items.iter().filter(|item| item.kind != TokenKind::Part).count() > 1;
    let far = sign(whole) * (1.0 - case.best() / case.scale).clamp(0.0, 1.0);
    let fact = case.claim.section == Section::KeyKnowledge;
    0.8 * far + 0.15 * sign(absolute) + 0.5 * sign(fact)
}

/// A finished step, and an event.
fn of_deed(case: &Case<'_, '_>) -> f32 {
    let claim = case.claim;
    let done = claim.state == StepState::Done;
    0.6 * sign(done) + 0.2 * sign(is_event(case) && claim.reports == Reports::Nothing)
}

/// True for a claim that something happened.
fn is_event(case: &Case<'_, '_>) -> bool {
    happened(&case.own)
        || has_word(&case.own, |word| word.len() > 4 && word.ends_with("ed"))
        || case.polarity.succeeds().is_some()
        || case.polarity.finished().is_some()
}

fn sign(is: bool) -> f32 {
    f32::from(u8::from(is))
}
