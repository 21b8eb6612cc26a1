//! Judges the claims of a summary by their sources: by the speakers, by the values next to the
//! claim's other words, and by further signs of doubt.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::claim::{Claim, Reports};
use super::evidence::{Cover, Evidence, Item};
use super::lists::LISTS;
use super::orders::{Order, assented, orders_of_tools};
use super::polarity::{Polarity, Verdict};
use super::rejection::{Fault, Rejection};
use super::source::{Speaker, Unit};
use super::token::TokenKind;
use super::values::wrong_value;
use super::wording::{Reading, clauses, permits, without_names};
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::content_words::without_quotes;
use crate::snapshot::text::markers::is_constraint;
use crate::snapshot::text::word_shape::is_cjk;

/// Minimum share of a claim that an authoritative source must cover to contradict it.
const AUTHORITY: f32 = 0.4;
/// Minimum share of a clause that a source must cover to forbid it.
const FORBIDDEN: f32 = 0.5;
/// Minimum share of a claim that a source covers.
const LEAST: f32 = 0.2;
/// Number of best units that are sources of a claim.
const BEST: usize = 25;
/// Number of best units of each speaker that are sources as well.
const EACH: usize = 6;
/// The factor of the summary's highest doubt that is added to the doubt of each claim, and the
/// threshold at which a claim fails. A summary with one false claim usually has others, mostly
/// rules, facts and files. The other sections are the thread that an agent continues.
const OF_RULES_AND_FACTS: (f32, f32) = (0.5, 1.4);
const OF_THE_THREAD: (f32, f32) = (0.15, 1.0);

/// Judges claims by their sources.
pub(super) struct Judge<'e, 's, 'a> {
    pub(super) evidence: &'e Evidence<'s, 'a>,
    pub(super) assented: HashSet<u32>,
    pub(super) orders: Vec<Order>,
    /// The cached readings of units.
    readings: RefCell<HashMap<u32, Rc<Reading>>>,
}

impl<'e, 's, 'a> Judge<'e, 's, 'a> {
    pub(super) fn new(evidence: &'e Evidence<'s, 'a>) -> Judge<'e, 's, 'a> {
        let source = evidence.source;
        Judge {
            evidence,
            assented: assented(source),
            orders: orders_of_tools(source),
            readings: RefCell::default(),
        }
    }
}

/// A claim, with data derived from it.
pub(super) struct Case<'c, 't> {
    pub(super) claim: &'c Claim<'t>,
    /// The text of the claim without quotations.
    pub(super) own: String,
    pub(super) items: Vec<Item>,
    pub(super) polarity: Polarity,
    /// A factor for minimum shares: less than 1 in scripts without spaces, where a pair of
    /// characters changes with either of them.
    pub(super) scale: f32,
    /// True if the claim reports a statement of somebody other than the user.
    pub(super) attributed: bool,
    /// The units that cover most of the claim, best first.
    pub(super) sources: Vec<Source>,
}

impl Case<'_, '_> {
    /// Returns the highest share that a source accepted by `counts` covers.
    pub(super) fn most(&self, counts: impl Fn(u32) -> bool) -> f32 {
        let mut counted = self.sources.iter().filter(|source| counts(source.unit));
        counted.next().map_or(0.0, |source| source.share)
    }
}

/// The judgement of a claim.
pub(super) struct Judged {
    /// The fault according to its sources.
    pub(super) fault: Option<Rejection>,
    /// The weighted sum of the signs against it.
    pub(super) doubt: f32,
    /// True if the doubt is mainly about whether something was done.
    deed: bool,
}

impl Judged {
    /// Returns the reason that the claim fails, if it does. `most_doubted` is the highest doubt of
    /// the summary.
    pub(super) fn falls(self, claim: &Claim<'_>, most_doubted: f32) -> Option<Rejection> {
        let (distrust, too_much) = match claim.section {
            Section::ActiveConstraints | Section::KeyKnowledge | Section::ArtifactTrail => {
                OF_RULES_AND_FACTS
            }
            Section::OverallGoal | Section::RecentActions | Section::TaskState => OF_THE_THREAD,
        };
        let doubted = self.doubt > 0.0 && self.doubt + distrust * most_doubted >= too_much;
        match self.fault {
            Some(fault) if doubted || fault.is_proof() => Some(fault),
            // A goal is a paraphrase, so that only its author counts.
            fault if claim.section == Section::OverallGoal => fault,
            _ if !doubted => None,
            _ if self.deed => Some(Fault::NotDone.of(claim.text)),
            _ => Some(Fault::Unsupported.of(claim.text)),
        }
    }
}

/// A unit that covers a part of a claim.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) unit: u32,
    /// The share of the claim that the unit covers, 0 to 1.
    pub(super) share: f32,
}

impl Judge<'_, '_, '_> {
    /// Judges a claim. `missing` is the fault of a name in it that the messages do not contain.
    pub(super) fn judge(&self, claim: &Claim<'_>, missing: Option<Rejection>) -> Judged {
        let Some(case) = self.case(claim) else {
            return Judged { fault: missing, doubt: 0.0, deed: false };
        };
        let fault = missing
            .or_else(|| self.authority(&case))
            .or_else(|| wrong_value(self.evidence, claim.text, &case.items));
        let doubt = self.doubt(&case, fault.as_ref());
        Judged { doubt: doubt.sum, fault, deed: doubt.of_deed }
    }

    /// Derives the data for a claim. Returns `None` if it has no words to search for.
    pub(super) fn case<'c, 't>(&self, claim: &'c Claim<'t>) -> Option<Case<'c, 't>> {
        let own = without_quotes(claim.text);
        let items = self.evidence.items(claim.text);
        let sources = self.sources(&items);
        (!items.is_empty()).then(|| Case {
            claim,
            // A constraint may be about quoted text.
            polarity: match claim.section {
                Section::ActiveConstraints => Polarity::of(claim.text),
                _ => Polarity::of(&own),
            },
            scale: if claim.text.chars().any(is_cjk) { 0.6 } else { 1.0 },
            attributed: claim.reports == Reports::Nothing
                && LISTS.attributing.are_in(&without_names(&own)),
            own,
            items,
            sources,
        })
    }

    /// Returns the units that cover most of a claim, best first, and the latest first among equals.
    /// These are the best of all units and the best of each speaker.
    fn sources(&self, items: &[Item]) -> Vec<Source> {
        let share = |unit| Source { unit, share: self.evidence.share(unit, items, false) };
        let mut all: Vec<Source> =
            self.evidence.candidates(items, &|_| true).into_iter().map(share).collect();
        all.retain(|source| source.share >= LEAST);
        all.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.unit.cmp(&a.unit)));
        let mut by_speaker = [0; 6];
        let mut at = 0;
        all.retain(|source| {
            let known = &mut by_speaker[self.evidence.unit(source.unit).speaker as usize];
            (*known, at) = (*known + 1, at + 1);
            at <= BEST || *known <= EACH
        });
        all
    }

    /// Returns the cached reading of a unit.
    pub(super) fn reading(&self, unit: u32) -> Rc<Reading> {
        let read = || Rc::new(Reading::of(&self.evidence.unit(unit).text));
        Rc::clone(self.readings.borrow_mut().entry(unit).or_insert_with(read))
    }

    pub(super) fn users(&self, unit: &Unit<'_>) -> bool {
        unit.speaker == Speaker::User
            || unit.speaker == Speaker::Agent && self.assented.contains(&unit.turn)
    }

    /// Returns at most `most` units, of those that `counts` accepts, that together cover most of a
    /// claim.
    pub(super) fn cover(
        &self,
        case: &Case<'_, '_>,
        most: usize,
        counts: &dyn Fn(u32) -> bool,
    ) -> Cover {
        self.evidence.cover(&case.items, counts, most)
    }

    /// Returns true unless the unit contradicts the claim.
    pub(super) fn allows(&self, unit: u32, case: &Case<'_, '_>) -> bool {
        let verdict = case.polarity.against(&self.reading(unit).polarity);
        !matches!(verdict, Verdict::Opposite | Verdict::Denied)
    }

    /// Returns true if the speaker is the user, the operator, or the agent with the user's assent.
    pub(super) fn is_authority(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        matches!(said.speaker, Speaker::User | Speaker::System) || self.users(said)
    }

    /// Returns true unless the unit is an order of a tool, or the agent's report of somebody's
    /// statement.
    pub(super) fn is_own(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        match said.speaker {
            Speaker::Tool => self.orders[unit as usize] == Order::None,
            Speaker::Agent => !self.reading(unit).attributes,
            _ => true,
        }
    }

    /// Returns a fault if no speaker of the sources has the authority for the claim.
    fn authority(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let foreign = |fault: Fault| fault.of(case.claim.text);
        let authority = || self.cover(case, 3, &|unit| self.is_authority(unit));
        let found = match case.claim.section {
            Section::ActiveConstraints => {
                let own = authority();
                let few = own.share < 0.34 * case.scale;
                let held = !few && !self.opposed_by(case, &own.units);
                let fault = || (!held).then(|| foreign(Fault::ForeignConstraint));
                self.follows(case, &own).or_else(fault)
            }
            Section::OverallGoal => {
                let own = authority();
                let is_foreign = self.is_foreign_goal(case, &own) || self.is_forbidden(case);
                let fault = || is_foreign.then(|| foreign(Fault::ForeignGoal));
                self.follows(case, &own).or_else(fault)
            }
            Section::KeyKnowledge
            | Section::ArtifactTrail
            | Section::RecentActions
            | Section::TaskState => {
                let own = self.cover(case, 2, &|unit| self.is_own(unit) && self.allows(unit, case));
                self.follows(case, &own)
            }
        };
        found.or_else(|| self.reports(case)).or_else(|| self.permission(case))
    }

    /// Returns a fault if the claim reports a wish or an act of the user that is not in the user's
    /// messages. A wish may also be in an agent's text that the user assented to.
    fn reports(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let claim = case.claim;
        if claim.reports == Reports::Nothing {
            return None;
        }
        let acts = claim.reports == Reports::Act;
        let users = |unit| {
            let said = self.evidence.unit(unit);
            match acts {
                true => said.speaker == Speaker::User && !self.reading(unit).asks,
                // `The user must confirm` is a rule that the operator may set.
                false if claim.section == Section::ActiveConstraints => self.is_authority(unit),
                false => self.users(said),
            }
        };
        // The text after a colon may be the answer.
        let end = claim.text.find([':', '：']).unwrap_or(claim.text.len());
        let head: Vec<Item> = case.items.iter().filter(|item| item.end <= end).cloned().collect();
        let asked = if head.len() > 1 { &head } else { &case.items };
        let cover = self.evidence.cover(asked, &users, 3);
        let others = |unit| {
            let speaker = self.evidence.unit(unit).speaker;
            matches!(speaker, Speaker::Agent | Speaker::Call | Speaker::Tool)
        };
        let least = match acts {
            true => self.evidence.cover(asked, &others, 3).share - 0.1,
            false => 0.0,
        };
        let few = cover.share < 0.5 * case.scale || cover.share < least;
        (asked.len() > 1 && few || self.opposed_by(case, &cover.units))
            .then(|| Fault::ClaimedOrder.of(claim.text))
    }

    /// Returns true if those who may set goals said few words of this goal, and a tool said more or
    /// they said hardly any.
    fn is_foreign_goal(&self, case: &Case<'_, '_>, own: &Cover) -> bool {
        let few = own.share < 0.3 * case.scale && case.items.len() > 1;
        let tools = |unit| self.evidence.unit(unit).speaker == Speaker::Tool;
        let unknown = own.share < 0.15 && case.items.len() > 2;
        few && (unknown || self.cover(case, 1, &tools).share > own.share)
    }

    /// Returns true for a goal with a clause that those who may set goals forbid and nowhere ask
    /// for.
    fn is_forbidden(&self, case: &Case<'_, '_>) -> bool {
        clauses(case.claim.text).any(|clause| {
            let items = case.items.iter().filter(|item| clause.contains(&item.start));
            let items: Vec<Item> = items.cloned().collect();
            let polarity = Polarity::of(&case.claim.text[clause]);
            let own = self.evidence.cover(&items, &|unit| self.is_authority(unit), 3);
            let (mut forbids, mut asks) = (0.0_f32, 0.0_f32);
            for unit in own.units {
                let share = self.evidence.share(unit, &items, false);
                let said = &self.reading(unit).polarity;
                let opposes = matches!(polarity.against(said), Verdict::Opposite | Verdict::Denied);
                let is_rule = said.negates() && is_constraint(&self.evidence.unit(unit).text);
                let most = if opposes && is_rule { &mut forbids } else { &mut asks };
                *most = most.max(share);
            }
            let whole = items.iter().filter(|item| item.kind != TokenKind::Part).count() > 1;
            whole && forbids >= FORBIDDEN * case.scale && forbids > asks
        })
    }

    /// Returns a fault for a permission that no source gives.
    fn permission(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        if !permits(&case.own) || case.attributed {
            return None;
        }
        let counts = |unit: u32| {
            let said = self.evidence.unit(unit);
            let read = self.reading(unit);
            // A question of the agent that the user assented to gives the permission that it asks
            // for.
            let asks = read.asks && said.speaker != Speaker::Agent;
            let user = self.users(said) && !read.polarity.restricts() && !asks;
            self.is_own(unit)
                && (user || permits(&said.text) || LISTS.consenting.are_in(&said.text))
                && matches!(
                    case.polarity.against(&read.polarity),
                    Verdict::Agrees | Verdict::Neutral
                )
        };
        let most = if case.claim.reports == Reports::Order { 3 } else { 1 };
        let cover = self.cover(case, most, &counts);
        (cover.share < 0.5 * case.scale).then(|| Fault::ClaimedOrder.of(case.claim.text))
    }

    /// Returns true if, among the units that cover most of the claim's subject, contradiction is
    /// stronger than agreement.
    pub(super) fn opposed_by(&self, case: &Case<'_, '_>, units: &[u32]) -> bool {
        let neutral =
            |item: &&Item| Polarity::of(&case.claim.text[item.start..item.end]).is_neutral();
        let subject: Vec<Item> = case.items.iter().filter(neutral).cloned().collect();
        let shares: Vec<(f32, u32)> =
            units.iter().map(|unit| (self.evidence.share(*unit, &subject, false), *unit)).collect();
        let best = shares.iter().map(|(share, _)| *share).fold(0.0, f32::max);
        if subject.is_empty() || best < AUTHORITY * case.scale {
            return false;
        }
        let (mut agrees, mut opposes) = (0.0_f32, 0.0_f32);
        for (share, unit) in shares.into_iter().filter(|(share, _)| *share >= 0.6 * best) {
            match case.polarity.against(&self.reading(unit).polarity) {
                Verdict::Agrees => agrees = agrees.max(share),
                Verdict::Opposite | Verdict::Denied => opposes = opposes.max(share),
                _ => {}
            }
        }
        opposes > agrees
    }
}
