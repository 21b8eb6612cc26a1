//! How much speaks against a claim that is not plainly false. No sign of doubt is a proof: what
//! is true may be said in other words. So each sign, from 0 to 1, has a weight, and their sum
//! decides.
//!
//! The weights are those of a logistic regression over the claims of `tests/replies` (the first
//! and second part), rounded.
//! Signs that true claims have as often (an event, a finished step, a permission) are held low:
//! none of them is enough alone.

use super::claim::{Reports, StepState};
use super::evidence::Item;
use super::judge::{Case, Judge};
use super::lists::{Beginnings, LISTS};
use super::orders::Order;
use super::polarity::Verdict;
use super::source::{Speaker, Unit};
use super::token::TokenKind;
use super::values::{is_uncounted, is_value};
use super::wording::{happened, has_word, permits};
use crate::snapshot::format::summary::Section;

/// The share of a claim that a source carries from which it is too little.
const THIN: f32 = 0.6;
/// The share of the other words at which a value, or a word, stands with them.
const VALUE: f32 = 0.5;
const WORD: f32 = 0.3;
/// The share of a deed that a source of it carries.
const SHOWN: f32 = 0.4;
/// The share of a deed that a plain statement of the agent carries.
const STATED: f32 = 0.85;
/// The share of a success.
const PROVEN: f32 = 0.3;
/// Units around one in which a call is looked for.
const CALLS: usize = 12;
/// The share of a permission.
const GIVEN: f32 = 0.25;
/// The doubt about a number that nobody said, in place of its distance from the other words.
const UNSAID: f32 = 0.25;

/// The sum of what speaks against a claim.
pub(super) struct Doubt {
    pub(super) sum: f32,
    /// Most of it is whether something is done.
    pub(super) of_deed: bool,
}

impl Judge<'_, '_, '_> {
    /// Weighs the signs of doubt about a claim.
    pub(super) fn doubt(&self, case: &Case<'_, '_>) -> Doubt {
        let deed = self.of_deed(case);
        let sum = deed + self.of_words(case) + self.of_polarity(case) + self.of_speakers(case);
        Doubt { sum, of_deed: 2.0 * deed > sum }
    }

    /// Words that nobody said, or that stand in no source of the others.
    fn of_words(&self, case: &Case<'_, '_>) -> f32 {
        let (mut all, mut unknown, mut apart, mut unbound) = (0.0, 0.0, 0.0, 0.0_f32);
        for item in &case.items {
            all += item.weight;
            if item.kind == TokenKind::Part {
                continue;
            }
            if item.units == 0 {
                unknown += item.weight;
                if is_uncounted(item, case.claim.text) {
                    unbound = unbound.max(UNSAID);
                }
                continue;
            }
            if is_value(item, case.claim.text) {
                let bound = self.bound(case, item, true).or_else(|| self.bound(case, item, false));
                unbound = unbound.max(VALUE - bound.unwrap_or(VALUE));
            } else if self.bound(case, item, false).is_some_and(|share| share < WORD * case.scale) {
                apart += if item.kind == TokenKind::Word { item.weight } else { 0.0 };
            }
        }
        let thin = (THIN * case.scale - case.best()).max(0.0);
        case.scale * (0.2 * unknown + 0.4 * apart) / all + 1.5 * unbound + 0.3 * thin
    }

    /// The most that a unit with this word carries of the others, of its part of the claim or of
    /// all; none where there are no others.
    fn bound(&self, case: &Case<'_, '_>, item: &Item, part: bool) -> Option<f32> {
        let beside = |other: &&Item| {
            other.id != item.id && other.units > 0 && (!part || other.part == item.part)
        };
        let others: Vec<Item> = case.items.iter().filter(beside).cloned().collect();
        let places = self.evidence.places(item).iter();
        let shares = places.map(|unit| self.evidence.share(*unit, &others, false));
        (!others.is_empty()).then(|| shares.fold(0.0, f32::max))
    }

    /// Sources that say the opposite, and words that leave no exception.
    fn of_polarity(&self, case: &Case<'_, '_>) -> f32 {
        let verdict = |unit| case.polarity.against(&self.reading(unit).polarity);
        let negates = |unit| self.reading(unit).polarity.negates();
        let opposed = |unit: u32| case.polarity.meets_opposite(&self.reading(unit).polarity);
        let denied = case.near().any(|unit| verdict(unit) == Verdict::Denied);
        let by_best = !case.polarity.negates() && case.all_of_best(negates);
        let absolute = has_word(&case.own, |word| LISTS.absolute.has(word))
            || LISTS.absolute_unspaced.is_in(&case.own);
        let opposed = case.most(opposed) / case.best().max(f32::MIN_POSITIVE);
        0.65 * sign(denied) + 0.3 * sign(by_best) + 0.4 * opposed + 0.15 * sign(absolute)
    }

    /// An event that no source shows.
    fn of_deed(&self, case: &Case<'_, '_>) -> f32 {
        let claim = case.claim;
        let done = claim.state == StepState::Done;
        let event = is_event(case);
        let told = matches!(claim.section, Section::ActiveConstraints | Section::OverallGoal)
            || claim.reports != Reports::Nothing
            || claim.state == StepState::Open;
        let acts = matches!(claim.section, Section::RecentActions | Section::ArtifactTrail);
        // A fragment (`not followed`) has no sources of its own.
        let whole = case.items.iter().filter(|item| item.kind != TokenKind::Part).count() > 1;
        let deed = whole && !told && (done || acts || event);
        let states = |unit: u32| {
            let read = self.reading(unit);
            self.evidence.unit(unit).speaker == Speaker::Agent && !read.intends && !read.asks
        };
        let doubted = deed && case.most(states) < STATED;
        let unshown = doubted && case.most(|unit| self.shows(unit)) < SHOWN * case.scale;
        let planned =
            doubted && case.all_of_best(|unit| !self.shows(unit) && !self.is_earlier(unit));
        0.3 * sign(event && claim.reports == Reports::Nothing)
            + 0.35 * sign(done)
            + 0.45 * sign(unshown)
            + 0.25 * sign(planned)
            + 1.1 * sign(deed && self.is_untaken(case))
            + 0.95 * sign(self.is_unproven(case))
    }

    /// Others than those who may say it.
    fn of_speakers(&self, case: &Case<'_, '_>) -> f32 {
        let claim = case.claim;
        let speaker = |unit: u32| self.evidence.unit(unit).speaker;
        let tools = |unit: u32| speaker(unit) == Speaker::Tool;
        let mut doubt = 0.0;
        if claim.reports != Reports::Nothing {
            let others = case.most(|unit| {
                matches!(speaker(unit), Speaker::Agent | Speaker::Call | Speaker::Tool)
            });
            let user =
                case.most(|unit| self.users(self.evidence.unit(unit)) && !self.reading(unit).asks);
            doubt += 0.3 + 0.8 * (others - user).max(0.0);
        }
        if permits(&case.own) {
            let given = case.most(|unit| self.gives(unit)) >= GIVEN;
            doubt += 0.35 + 0.4 * sign(!given);
        }
        if claim.section == Section::ActiveConstraints {
            let limits =
                |unit: u32| self.is_authority(unit) && self.reading(unit).polarity.restricts();
            let unlimited = !case.polarity.restricts() && case.near().any(limits);
            let set = case.most(|unit| self.is_authority(unit));
            doubt += 0.5 * sign(unlimited) + 0.9 * (1.0 - set / case.scale).max(0.0);
        }
        if claim.section == Section::TaskState && claim.state != StepState::Done {
            doubt += 2.0 * (case.most(tools) - case.most(|unit| !tools(unit))).max(0.0);
        }
        let order = |unit: u32| self.orders[unit as usize] != Order::None;
        let own = case.most(|unit| self.is_authority(unit));
        let ordered = case.near().any(order) && case.most(order) > own;
        doubt + 0.9 * sign(ordered && !case.attributed)
    }

    /// True if something happens in a unit, or a tool says it.
    fn shows(&self, unit: u32) -> bool {
        let read = || self.reading(unit);
        match self.evidence.unit(unit).speaker {
            Speaker::Tool | Speaker::Call | Speaker::Earlier => true,
            Speaker::Agent | Speaker::User => read().happened && !read().intends && !read().asks,
            Speaker::System => false,
        }
    }

    fn is_earlier(&self, unit: u32) -> bool {
        self.evidence.unit(unit).speaker == Speaker::Earlier
    }

    /// True if the user or the operator permits something in a unit, or assents to it.
    fn gives(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        let consents = |word: &str| LISTS.consenting.has(word) || LISTS.assenting.has(word);
        let read = self.reading(unit);
        self.is_authority(unit)
            && !read.asks
            && !read.polarity.negates()
            && (said.speaker == Speaker::Agent
                || permits(&said.text)
                || has_word(&said.text, consents))
    }

    /// True if an action of the claim is taken in no source, and in no call around one.
    fn is_untaken(&self, case: &Case<'_, '_>) -> bool {
        let of_claim = |list: &&Beginnings| has_word(&case.own, |word| list.has(word));
        let units = &self.evidence.source.units;
        let taken = |list: &Beginnings, unit: u32| {
            let at = unit as usize;
            let around = &units[at.saturating_sub(CALLS)..(at + CALLS).min(units.len())];
            let named = |said: &Unit<'_>| has_word(&said.text, |word| list.has(word));
            let called = |said: &Unit<'_>| {
                said.speaker == Speaker::Call && said.turn == units[at].turn && named(said)
            };
            self.shows(unit) && (named(&units[at]) || around.iter().any(called))
        };
        let mut actions = LISTS.actions.iter().filter(of_claim);
        actions.any(|list| !case.sources.iter().any(|source| taken(list, source.unit)))
    }

    /// True if a success of the claim is confirmed by no source.
    fn is_unproven(&self, case: &Case<'_, '_>) -> bool {
        let confirms = |unit: u32| {
            let read = self.reading(unit);
            let who = self.evidence.unit(unit).speaker;
            read.polarity.succeeds() == Some(true)
                && !read.intends
                && matches!(who, Speaker::Tool | Speaker::Agent | Speaker::User)
        };
        case.claim.section != Section::ActiveConstraints
            && case.polarity.succeeds() == Some(true)
            && case.most(confirms) < PROVEN
    }
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
