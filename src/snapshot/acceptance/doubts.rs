//! The doubt about a claim. Hardly any sign of doubt proves that a claim is false, because a true
//! claim may use other words than its sources. Each sign therefore has a value from 0 to 1 and a
//! weight, and the weighted sum decides.
//!
//! The signs and weights come from a logistic regression over the claims of `tests/replies` and of
//! further replies like them. A sign is omitted if held-out histories are judged equally well
//! without it.

use super::claim::{Reports, StepState};
use super::evidence::Item;
use super::judge::{Case, Judge};
use super::lists::{LISTS, words};
use super::polarity::Verdict;
use super::rejection::Rejection;
use super::source::Speaker;
use super::token::TokenKind;
use super::wording::permits;
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::identifiers::{IdentifierKind, file_name, identifiers};

/// Maximum number of words that nobody said to count.
const UNKNOWN: usize = 6;

/// The doubt about a claim.
pub(super) struct Doubt {
    pub(super) sum: f32,
    /// True if most of it is about whether something was done.
    pub(super) of_deed: bool,
}

impl Judge<'_, '_, '_> {
    /// Weighs the signs of doubt about a claim. `fault` is the fault according to its sources.
    pub(super) fn doubt(&self, case: &Case<'_, '_>, fault: Option<&Rejection>) -> Doubt {
        let deed = of_deed(case) + self.of_change(case);
        let sum = deed + self.of_words(case) + self.of_speakers(case) + of_fault(fault);
        Doubt { sum, of_deed: 2.0 * deed > sum }
    }

    /// Weighs words that no source covers together, and words that nobody said. A fact gets more
    /// doubt, because later turns build on facts and most false claims are facts. A negation gets
    /// less, because it is seldom false.
    fn of_words(&self, case: &Case<'_, '_>) -> f32 {
        // A fragment (`not followed`) has no sources of its own.
        let whole = case.items.iter().filter(|item| item.kind != TokenKind::Part).count() > 1;
        let says = case.sources.iter().filter(|source| {
            let read = self.reading(source.unit);
            let verdict = case.polarity.against(&read.polarity);
            !read.asks && matches!(verdict, Verdict::Agrees | Verdict::Neutral)
        });
        // A call and its result are two sources in one turn.
        let held = says.map(|source| {
            let in_turn = self.evidence.share(source.unit, &case.items, true);
            f32::midpoint(source.share, in_turn)
        });
        let held = held.fold(0.0, f32::max) / case.scale;
        let far = sign(whole) * (1.0 - held).clamp(0.0, 1.0);
        // Pairs of characters change with their neighbours.
        let is_word = |item: &&Item| item.kind == TokenKind::Word && case.scale >= 1.0;
        let words = case.items.iter().filter(is_word);
        let unknown = words.filter(|item| item.units == 0).count().min(UNKNOWN);
        // A report of a page's words is not a fact.
        let fact = case.claim.section == Section::KeyKnowledge && !case.attributed;
        let denies = case.polarity.negates();
        0.74 * far + 0.08 * unknown as f32 + 0.44 * sign(fact) - 0.4 * sign(denies)
    }

    /// Weighs a change of files that no call made and nobody reports.
    fn of_change(&self, case: &Case<'_, '_>) -> f32 {
        let claim = case.claim;
        let is_past = claim.state != StepState::Open && claim.section >= Section::KeyKnowledge;
        if !is_past
            || case.attributed
            || case.polarity.negates()
            || !LISTS.changing.are_in(&case.own)
        {
            return 0.0;
        }
        let files = identifiers(claim.text).into_iter();
        let mut files = files.filter(|found| found.kind == IdentifierKind::Path).peekable();
        let named = files.peek().is_some();
        0.8 * sign(named && !files.any(|file| self.is_changed(case, file_name(file.text))))
    }

    /// Returns true if a call changed a file of this name, or if somebody reports that it changed.
    fn is_changed(&self, case: &Case<'_, '_>, file: &str) -> bool {
        let name = file.to_lowercase();
        let tells = |unit: &u32| {
            let (said, read) = (self.evidence.unit(*unit), self.reading(*unit));
            let is_told = said.speaker != Speaker::Call && !read.asks && !read.intends;
            is_told && LISTS.changing.are_in(&said.text) && said.text.to_lowercase().contains(&name)
        };
        let start = raw_json::offset_in(case.claim.text, file);
        let words = case.items.iter().filter(|item| item.start >= start && item.units > 0);
        let rarest = words.filter(|item| item.end <= start + file.len()).min_by_key(|i| i.units);
        self.evidence.source.changed.contains(&name)
            || rarest.is_some_and(|item| self.evidence.places(item).iter().any(tells))
    }

    /// Weighs sources whose speakers have no authority for the claim.
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
            doubt += 0.4 * sign(claim.reports == Reports::Act) + 1.3 * (others - user).max(0.0);
        }
        doubt += 0.75 * sign(permits(&case.own));
        if claim.section == Section::ActiveConstraints {
            let set = case.most(|unit| self.is_authority(unit));
            doubt += 0.8 * (1.0 - set / case.scale).max(0.0);
        }
        if claim.section == Section::TaskState && claim.state != StepState::Done {
            let tools = |unit: u32| speaker(unit) == Speaker::Tool;
            doubt += 1.4 * (case.most(tools) - case.most(|unit| !tools(unit))).max(0.0);
        }
        doubt
    }
}

/// Weighs the fault according to the sources.
fn of_fault(fault: Option<&Rejection>) -> f32 {
    fault.map_or(0.0, |fault| if fault.is_proof() { 1.55 } else { 0.97 })
}

/// Weighs a finished step, and an event.
fn of_deed(case: &Case<'_, '_>) -> f32 {
    let claim = case.claim;
    let done = claim.state == StepState::Done;
    0.57 * sign(done) + 0.29 * sign(is_event(case) && claim.reports == Reports::Nothing)
}

/// Returns true for a claim that something happened.
fn is_event(case: &Case<'_, '_>) -> bool {
    LISTS.happening.are_in(&case.own)
        || words(&case.own).any(|word| word.len() > 4 && word.ends_with("ed"))
        || case.polarity.succeeds().is_some()
        || case.polarity.finished().is_some()
}

fn sign(is: bool) -> f32 {
    f32::from(u8::from(is))
}
