//! Judges the claims of a summary by their sources: who speaks there, whether a source says
//! the same or the opposite, and whether the values of a claim stand where its other words do.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::claim::{Claim, Reports, StepState};
use super::evidence::{Cover, Evidence, Item, has_authority};
use super::lists::{Beginnings, LISTS};
use super::orders::{Order, assented, orders_of_tools};
use super::polarity::{Polarity, Verdict};
use super::rejection::Rejection;
use super::source::{Speaker, Unit};
use super::values::wrong_value;
use super::wording::{Reading, attributes, happened, has_word};
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::content_words::without_quotes;
use crate::snapshot::text::word_lists::WORDS;
use crate::snapshot::text::word_shape::is_cjk;

/// The share of a claim that a source of those who may set it must carry to oppose it.
const AUTHORITY: f32 = 0.4;
/// The share of a fact.
const FACT: f32 = 0.6;
/// Units around one in which a call is looked for.
const CALLS: usize = 12;

/// Judges claims against the sources.
pub(super) struct Judge<'e, 's, 'a> {
    evidence: &'e Evidence<'s, 'a>,
    assented: HashSet<u32>,
    orders: Vec<Order>,
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
struct Case<'c, 't> {
    claim: &'c Claim<'t>,
    items: Vec<Item>,
    polarity: Polarity,
    /// A share of a claim that is enough in its script: pairs of characters change with either.
    scale: f32,
    attributed: bool,
}

impl Judge<'_, '_, '_> {
    /// Returns the first fault of a claim.
    pub(super) fn fault(&self, claim: &Claim<'_>) -> Option<Rejection> {
        let own = without_quotes(claim.text);
        let items = self.evidence.items(claim.text);
        if items.is_empty() {
            return None;
        }
        let case = Case {
            claim,
            items,
            polarity: Polarity::of(&own),
            scale: if claim.text.chars().any(is_cjk) { 0.6 } else { 1.0 },
            attributed: claim.reports == Reports::Nothing && attributes(&own),
        };
        self.authority(&case)
            .or_else(|| self.completion(&case))
            .or_else(|| wrong_value(self.evidence, claim.text, &case.items))
            .or_else(|| self.opposite(&case))
            .or_else(|| self.unsupported(&case))
    }

    /// The kind of sentence of each unit, read once.
    fn reading(&self, unit: u32) -> Rc<Reading> {
        let read = || Rc::new(Reading::of(&self.evidence.unit(unit).text));
        Rc::clone(self.readings.borrow_mut().entry(unit).or_insert_with(read))
    }

    fn users(&self, unit: &Unit<'_>) -> bool {
        unit.speaker == Speaker::User
            || unit.speaker == Speaker::Agent && self.assented.contains(&unit.turn)
    }

    /// The units that carry most of a claim, of those that count.
    fn cover(&self, case: &Case<'_, '_>, most: usize, counts: &dyn Fn(u32) -> bool) -> Cover {
        self.evidence.cover(&case.items, counts, most, false)
    }

    /// True unless the unit says the opposite of a claim.
    fn allows(&self, unit: u32, case: &Case<'_, '_>) -> bool {
        let verdict = case.polarity.against(&self.reading(unit).polarity);
        !matches!(verdict, Verdict::Opposite | Verdict::Denied)
    }

    /// True if the user, the operator, or the agent with the user's assent speaks.
    fn is_authority(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        has_authority(said) || self.users(said)
    }

    /// True for what is no order of a tool and no report of one.
    fn is_own(&self, unit: u32) -> bool {
        let said = self.evidence.unit(unit);
        match said.speaker {
            Speaker::Tool => self.orders[unit as usize] == Order::None,
            Speaker::Agent => !self.reading(unit).attributes,
            _ => true,
        }
    }

    /// Whether those speak in the sources of a claim who may say what it claims.
    fn authority(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let line = || case.claim.text.to_owned();
        let authority = || self.cover(case, 3, &|unit| self.is_authority(unit));
        let foreign = match case.claim.section {
            Section::ActiveConstraints => {
                let own = authority();
                let few = own.share < 0.34 * case.scale;
                let held = !few && !self.opposed_by(case, &own.units, AUTHORITY);
                self.follows(case, &own)
                    .or_else(|| (!held).then(|| Rejection::ForeignConstraint { line: line() }))
            }
            Section::OverallGoal => {
                let own = authority();
                let goal = || Rejection::ForeignGoal { sentence: line() };
                self.follows(case, &own).or_else(|| self.is_foreign_goal(case, &own).then(goal))
            }
            Section::KeyKnowledge
            | Section::ArtifactTrail
            | Section::RecentActions
            | Section::TaskState => {
                let own = self.cover(case, 2, &|unit| self.is_own(unit) && self.allows(unit, case));
                let task = || Rejection::ForeignTask { line: line() };
                self.follows(case, &own).or_else(|| self.is_foreign_task(case).then(task))
            }
        };
        foreign.or_else(|| self.reports(case)).or_else(|| self.permission(case))
    }

    /// True of what a tool's order to agents carries better than its own sources do, unless it
    /// says that a tool says so.
    fn follows(&self, case: &Case<'_, '_>, own: &Cover) -> Option<Rejection> {
        if case.attributed {
            return None;
        }
        // A sentence without plan or rule may stand next to an order.
        let facts = matches!(
            case.claim.section,
            Section::KeyKnowledge | Section::ArtifactTrail | Section::RecentActions
        ) || case.claim.state == StepState::Done;
        let (least, share) = if facts { (Order::Given, 0.6) } else { (Order::Near, 0.45) };
        let orders = self.cover(case, 2, &|unit| self.orders[unit as usize] >= least);
        let held = self.evidence.held(&case.items, &orders.units);
        let carried = held >= share * case.scale
            && !(case.claim.reports == Reports::Order && own.share >= 0.6)
            && held > own.share + 0.05;
        (carried && !self.opposed_by(case, &orders.units, AUTHORITY))
            .then(|| Rejection::FollowedOrder { line: case.claim.text.to_owned() })
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
                false => self.users(said),
            }
        };
        // The text behind a colon may be the answer.
        let end = claim.text.find([':', '：']).unwrap_or(claim.text.len());
        let head: Vec<Item> = case.items.iter().filter(|item| item.end <= end).cloned().collect();
        let asked = if head.len() > 1 { &head } else { &case.items };
        let cover = self.evidence.cover(asked, &users, 3, false);
        let others = |unit| {
            let speaker = self.evidence.unit(unit).speaker;
            matches!(speaker, Speaker::Agent | Speaker::Call | Speaker::Tool)
        };
        let least = match acts {
            true => self.evidence.cover(asked, &others, 3, false).share - 0.1,
            false => 0.0,
        };
        let few = cover.share < 0.5 * case.scale || cover.share < least;
        (asked.len() > 1 && few || self.opposed_by(case, &cover.units, AUTHORITY))
            .then(|| Rejection::ClaimedOrder { sentence: claim.text.to_owned() })
    }

    /// A goal has some words of those who set goals, and more than a tool has.
    fn is_foreign_goal(&self, case: &Case<'_, '_>, own: &Cover) -> bool {
        let few = own.share < 0.3 * case.scale && case.items.len() > 1;
        let tools = |unit| self.evidence.unit(unit).speaker == Speaker::Tool;
        let unknown = own.share < 0.15 && case.items.len() > 2;
        few && (unknown || self.cover(case, 1, &tools).share > own.share)
            || self.opposed_by(case, &own.units, FACT)
    }

    /// True of an open step that stands in a tool's result and hardly anywhere else.
    fn is_foreign_task(&self, case: &Case<'_, '_>) -> bool {
        let open = case.claim.section == Section::TaskState && case.claim.state != StepState::Done;
        let tools = |unit| self.evidence.unit(unit).speaker == Speaker::Tool;
        let others = |unit| !tools(unit) && self.is_own(unit);
        open && !case.attributed && {
            let tool = self.cover(case, 1, &tools).share;
            tool >= 0.8 * case.scale && tool > self.cover(case, 2, &others).share + 0.3
        }
    }

    /// A permission needs a source that gives it.
    fn permission(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let text = case.claim.text;
        let permits = |text: &str| {
            has_word(text, |word| LISTS.permitting.has(word))
                || LISTS.permitting_unspaced.is_in(text)
        };
        let consents = |text: &str| has_word(text, |word| LISTS.consenting.has(word));
        if !permits(text) || case.attributed {
            return None;
        }
        let counts = |unit: u32| {
            let said = self.evidence.unit(unit);
            let read = self.reading(unit);
            let user = self.users(said) && !read.polarity.restricts() && !read.asks;
            self.is_own(unit)
                && (user || permits(&said.text) || consents(&said.text))
                && matches!(
                    case.polarity.against(&read.polarity),
                    Verdict::Agrees | Verdict::Neutral
                )
        };
        let most = if case.claim.reports == Reports::Order { 3 } else { 1 };
        let cover = self.cover(case, most, &counts);
        (cover.share < 0.5 * case.scale)
            .then(|| Rejection::ClaimedOrder { sentence: text.to_owned() })
    }

    /// An event needs an agent or a tool that says or does it: a request, a plan, a
    /// question or a rule is no source of it.
    fn completion(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let (claim, text) = (case.claim, case.claim.text);
        let happens = claim.state == StepState::Done
            || matches!(claim.section, Section::RecentActions | Section::ArtifactTrail)
            || happened(text)
            || has_word(text, |word| {
                word.ends_with("ed") && LISTS.actions.iter().any(|list| list.has(word))
            });
        let planned = claim.section == Section::TaskState && claim.state == StepState::Open;
        if !happens
            || planned
            || case.attributed
            || claim.reports != Reports::Nothing
            || claim.section == Section::ActiveConstraints
        {
            return None;
        }
        let not_done = || Some(Rejection::NotDone { line: text.to_owned() });
        let did = |unit: u32| self.is_done_in(unit, case);
        let done = self.cover(case, 2, &did).share;
        let any = self.cover(case, 2, &|_| true).share;
        if case.items.len() > 2
            && done < 0.4 * case.scale
            && any > done + 0.35
            && !has_word(text, |word| WORDS.person.has(word))
        {
            return not_done();
        }
        if claim.state == StepState::Done && done < 0.3 * case.scale && case.items.len() > 2 {
            return not_done();
        }
        // `passed without warnings` denies no action.
        let denied = has_word(text, |word| {
            LISTS.negators.has(word) && !matches!(word, "without" | "ohne" | "sans" | "sin")
        });
        let acted = |list: &&Beginnings| has_word(text, |word| list.has(word));
        let is_shown = |list: &Beginnings| {
            self.evidence.candidates(&case.items, &did).into_iter().any(|unit| {
                let said = self.evidence.unit(unit);
                let called = said.speaker == Speaker::Call;
                if self.is_called_in_turn(unit, list) {
                    return true;
                }
                let past = |word: &str| {
                    !word.is_ascii()
                        || word.ends_with("ed")
                        || word.len() > 6 && word.ends_with('t')
                        || matches!(word, "paid" | "held" | "pushed")
                };
                has_word(&said.text, |word| list.has(word) && (called || past(word)))
            })
        };
        if denied || LISTS.actions.iter().filter(acted).all(is_shown) {
            return None;
        }
        not_done()
    }

    /// True if a call near a unit, in the same turn, has one of these words.
    fn is_called_in_turn(&self, unit: u32, list: &Beginnings) -> bool {
        let units = &self.evidence.source.units;
        let at = unit as usize;
        let near = &units[at.saturating_sub(CALLS)..(at + CALLS).min(units.len())];
        near.iter().any(|other| {
            other.speaker == Speaker::Call
                && other.turn == units[at].turn
                && has_word(&other.text, |word| list.has(word))
        })
    }

    fn is_done_in(&self, unit: u32, case: &Case<'_, '_>) -> bool {
        let said = self.evidence.unit(unit);
        match said.speaker {
            Speaker::System => false,
            Speaker::User if !self.reading(unit).happened => false,
            Speaker::User | Speaker::Agent => {
                let read = self.reading(unit);
                let verdict = || case.polarity.against(&read.polarity);
                !read.intends
                    && !read.asks
                    && matches!(verdict(), Verdict::Agrees | Verdict::Neutral)
            }
            Speaker::Call | Speaker::Tool | Speaker::Earlier => {
                self.orders[unit as usize] == Order::None
            }
        }
    }

    /// True if of the units that carry most of the claim some say the opposite and none agrees.
    fn opposed_by(&self, case: &Case<'_, '_>, units: &[u32], least: f32) -> bool {
        let subject: Vec<Item> = self.subject(case);
        if subject.is_empty() {
            return false;
        }
        let shares: Vec<(f32, u32)> =
            units.iter().map(|unit| (self.evidence.share(*unit, &subject, false), *unit)).collect();
        let best = shares.iter().map(|(share, _)| *share).fold(0.0, f32::max);
        if best < least * case.scale {
            return false;
        }
        let fact = least > AUTHORITY;
        let (mut agrees, mut opposes) = (0.0_f32, 0.0_f32);
        for (share, unit) in shares {
            let said = self.evidence.unit(unit);
            let read = self.reading(unit);
            let states = said.speaker != Speaker::Call && !read.asks && !read.intends;
            if share < 0.6 * best || fact && !states {
                continue;
            }
            match case.polarity.against(&read.polarity) {
                Verdict::Agrees if fact => return false,
                Verdict::Neutral if fact && share >= 0.9 * best => return false,
                Verdict::Agrees => agrees = agrees.max(share),
                Verdict::Opposite if share >= 0.9 * best => opposes = opposes.max(share),
                Verdict::Denied if !fact && share >= 0.9 * best => opposes = opposes.max(share),
                Verdict::Neutral | Verdict::Opposite | Verdict::Denied | Verdict::Denies => {}
            }
        }
        opposes > agrees
    }

    /// The words of a claim that say nothing of its sign.
    fn subject(&self, case: &Case<'_, '_>) -> Vec<Item> {
        let items = case
            .items
            .iter()
            .filter(|item| Polarity::of(&case.claim.text[item.start..item.end]).is_neutral());
        items.cloned().collect()
    }

    fn opposite(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let subject = self.subject(case);
        let all = |_: u32| true;
        let units = self.evidence.candidates(&subject, &all);
        self.opposed_by(case, &units, FACT)
            .then(|| Rejection::Opposite { line: case.claim.text.to_owned() })
    }

    fn unsupported(&self, case: &Case<'_, '_>) -> Option<Rejection> {
        let all = |_: u32| true;
        let cover = self.evidence.cover(&case.items, &all, 3, true);
        let words = case.items.len() > 2 && case.scale == 1.0 && !case.polarity.negates();
        (cover.share < 0.3 && words)
            .then(|| Rejection::Unsupported { line: case.claim.text.to_owned() })
    }
}
