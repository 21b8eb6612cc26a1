//! Judges the claims of a summary by their sources: who speaks there, whether the values of a
//! claim stand where its other words do, and how much else speaks against it.

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

/// The share of a claim that a source of those who may set it must carry to oppose it.
const AUTHORITY: f32 = 0.4;
/// The share of a clause that a source must carry to forbid it.
const FORBIDDEN: f32 = 0.5;
/// The least share of a claim that a source carries.
const LEAST: f32 = 0.2;
/// The best units that are sources of a claim.
const BEST: usize = 25;
/// The best units of each speaker that are.
const EACH: usize = 6;
/// The share of the highest doubt of a summary that each of its claims is doubted more, and the
/// doubt at which it then falls. Who tells one untruth tells others: most are rules, facts and
/// files. The other sections are the thread that an agent goes on from.
const OF_RULES_AND_FACTS: (f32, f32) = (0.5, 1.4);
const OF_THE_THREAD: (f32, f32) = (0.15, 1.0);

/// Judges claims against the sources.
pub(super) struct Judge<'e, 's, 'a> {
    pub(super) evidence: &'e Evidence<'s, 'a>,
    pub(super) assented: HashSet<u32>,
    pub(super) orders: Vec<Order>,
    /// The units that were read so far.
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

/// A claim with what is read in it.
pub(super) struct Case<'c, 't> {
    pub(super) claim: &'c Claim<'t>,
    /// Its text without quotes.
    pub(super) own: String,
    pub(super) items: Vec<Item>,
    pub(super) polarity: Polarity,
    /// A share of a claim that is enough in its script: pairs of characters change with either.
    pub(super) scale: f32,
    /// It says what somebody else says.
    pub(super) attributed: bool,
    /// The units that carry most of it, best first.
    pub(super) sources: Vec<Source>,
}

impl Case<'_, '_> {
    /// The most that a source of those that count carries.
    pub(super) fn most(&self, counts: impl Fn(u32) -> bool) -> f32 {
        let mut counted = self.sources.iter().filter(|source| counts(source.unit));
        counted.next().map_or(0.0, |source| source.share)
    }
}

/// The judgement of a claim.
pub(super) struct Judged {
    /// The reason that its sources have against it.
    pub(super) fault: Option<Rejection>,
    /// The sum of what speaks against it.
    pub(super) doubt: f32,
    /// It is doubted as a deed.
    deed: bool,
}

impl Judged {
    /// Why the claim falls, if it does: `most_doubted` is the highest doubt of the summary.
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
            // A goal is a paraphrase: only its author counts.
            fault if claim.section == Section::OverallGoal => fault,
            _ if !doubted => None,
            _ if self.deed => Some(Fault::NotDone.of(claim.text)),
            _ => Some(Fault::Unsupported.of(claim.text)),
        }
    }
}

/// A unit that carries a claim.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) unit: u32,
    /// The share that it carries, 0 to 1.
    pub(super) share: f32,
}

impl Judge<'_, '_, '_> {
    /// Judges a claim; `missing` is a name in it that the messages do not hold.
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

    /// Reads a claim; none where it says nothing that can be looked for.
    pub(super) fn case<'c, 't>(&self, claim: &'c Claim<'t>) -> Option<Case<'c, 't>> {
        let own = without_quotes(claim.text);
        let items = self.evidence.items(claim.text);
        let sources = self.sources(&items);
        (!items.is_empty()).then(|| Case {
            claim,
            // A constraint may be about what stands in quotes.
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

    /// The units that carry most of a claim, best and latest first: the best of all, and some
    /// of each speaker.
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

    /// The kind of sentence of each unit, read once.
    pub(super) fn reading(&self, unit: u32) -> Rc<Reading> {
        let read = || Rc::new(Reading::of(&self.evidence.unit(unit).text));
        Rc::clone(self.readings.borrow_mut().entry(unit).or_insert_with(read))
    }

    pub(super) fn users(&self, unit: &Unit<'_>) -> bool {
        unit.speaker == Speaker::User
            || unit.speaker == Speaker::Agent && self.assented.contains(&unit.turn)
    }

    /// The units that carry most of a claim, of those that count.
    pub(super) fn cover(
        &self,
        case: &Case<'_, '_>,
        most: usize,
        counts: &dyn Fn(u32) -> bool,
    ) -> Cover {
        self.evidence.cover(&case.items, counts, most)
    }

    /// True unless the unit says the opposite of a claim.
    pub(super) fn allows(&self, unit: u32, case: &Case<'_, '_>) -> bool {
        let verdict = case.polarity.against(&self.reading(unit).polarity);
        !matches!(verdict, Verdict::Opposite | Verdict::Denied)
    }

    /// True if the user, the operator, or the agent with the user's assent speaks.
    pub(super) fn is_authority(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        matches!(said.speaker, Speaker::User | Speaker::System) || self.users(said)
    }

    /// True for what is no order of a tool and no report of one.
    pub(super) fn is_own(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        match said.speaker {
            Speaker::Tool => self.orders[unit as usize] == Order::None,
            Speaker::Agent => !self.reading(unit).attributes,
            _ => true,
        }
    }

    /// Whether those speak in the sources of a claim who may say what it claims.
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

    /// A wish or deed of the user stands in the user's own messages, or in what the agent said
    /// and the user agreed to.
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
        // The text behind a colon may be the answer.
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

    /// A goal has some words of those who set goals, and more than a tool has.
    fn is_foreign_goal(&self, case: &Case<'_, '_>, own: &Cover) -> bool {
        let few = own.share < 0.3 * case.scale && case.items.len() > 1;
        let tools = |unit| self.evidence.unit(unit).speaker == Speaker::Tool;
        let unknown = own.share < 0.15 && case.items.len() > 2;
        few && (unknown || self.cover(case, 1, &tools).share > own.share)
    }

    /// True for a goal with a clause that those who set goals forbid, and nowhere ask for.
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

    /// A permission needs a source that gives it.
    fn permission(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        if !permits(&case.own) || case.attributed {
            return None;
        }
        let counts = |unit: u32| {
            let said = self.evidence.unit(unit);
            let read = self.reading(unit);
            // A question that was assented to gives what it asks for.
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

    /// True if of the units that carry most of the claim some say the opposite and none agrees.
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
