//! Orders: the turns of the agent that the user assents to, and tool texts that give orders to
//! agents without the user's request.

use std::collections::HashSet;

use raw_json::offset_in;

use super::claim::{Reports, StepState};
use super::evidence::{Cover, Item};
use super::judge::{Case, Judge};
use super::lists::{LISTS, words};
use super::polarity::Polarity;
use super::rejection::{Fault, Rejection};
use super::source::{SourceText, Speaker};
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::identifiers::{IdentifierKind, identifiers};
use crate::snapshot::text::word_shape::is_cjk;

/// Share of a plan that own sources must cover so that a name from a tool's order does not count
/// against it.
const SAID: f32 = 0.6;
/// Maximum bytes of a message that is only an assent.
const ASSENT: usize = 300;

/// Returns the turns of the agent that the user's next message assents to.
pub(super) fn assented(source: &SourceText<'_>) -> HashSet<u32> {
    let mut turns = HashSet::new();
    let mut at = 0;
    while at < source.units.len() {
        let turn = source.units[at].turn;
        let end = at + source.units[at..].iter().take_while(|unit| unit.turn == turn).count();
        let said = &source.units[at..end];
        let length: usize = said.iter().map(|unit| unit.text.len()).sum();
        if said[0].speaker == Speaker::User && length <= ASSENT && turn > 0 {
            let first = &said[0].text;
            if LISTS.assenting.are_in(first) && !Polarity::of(first).restricts() {
                turns.insert(turn - 1);
            }
        }
        at = end;
    }
    turns
}

impl Judge<'_, '_, '_> {
    /// Returns a fault if an order of a tool to agents covers a claim better than the claim's own
    /// sources do, or if a plan or rule names something that only such an order names. Returns no
    /// fault for a claim that attributes its statement to somebody.
    pub(super) fn follows(&self, case: &Case<'_, '_>, own: &Cover) -> Option<Rejection> {
        if case.attributed {
            return None;
        }
        // A sentence without a plan or rule may be next to an order.
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
        let is_carried = carried && !self.opposed_by(case, &orders.units);
        let is_plan =
            matches!(case.claim.section, Section::OverallGoal | Section::ActiveConstraints)
                || case.claim.state == StepState::Open;
        let is_named = || is_plan && own.share < SAID && self.names_a_thing_of_orders(case);
        (is_carried || is_named()).then(|| Fault::FollowedOrder.of(case.claim.text))
    }

    /// Returns true for a plan or rule with a name that occurs only in a tool's order, or in
    /// sentences that report or refuse it. Names are the same in all languages.
    fn names_a_thing_of_orders(&self, case: &Case<'_, '_>) -> bool {
        let (text, denied) = (case.claim.text, &case.polarity.negated);
        let is_of_orders = |name: &str| {
            let start = offset_in(text, name);
            let inside = start..start + name.len();
            let words = case.items.iter().filter(|item| item.units > 0);
            let words: Vec<&Item> = words.filter(|item| inside.contains(&item.start)).collect();
            let Some(rarest) = words.iter().min_by_key(|item| item.units) else { return false };
            let is_refused = case.polarity.negates()
                && (denied.is_empty() || words.iter().any(|item| denied.contains(&item.hash)));
            let holds = |unit: &&u32| words.iter().all(|item| self.evidence.holds(**unit, item));
            let units = self.evidence.places(rarest).iter().filter(holds).copied();
            let (ordered, others): (Vec<u32>, Vec<u32>) =
                units.partition(|unit| self.orders[*unit as usize] == Order::Given);
            // An agent that negates something in a sentence with the name reports that it did not
            // follow.
            let means = |unit: u32| {
                let by_agent = self.evidence.unit(unit).speaker == Speaker::Agent;
                self.is_own(unit)
                    && self.allows(unit, case)
                    && !(by_agent && self.reading(unit).polarity.negates())
            };
            !is_refused && !ordered.is_empty() && !others.into_iter().any(means)
        };
        let names = identifiers(text).into_iter().filter(|found| match found.kind {
            IdentifierKind::Path | IdentifierKind::Url => true,
            IdentifierKind::Id => found.text.contains('@'),
            IdentifierKind::Number | IdentifierKind::Quoted => false,
        });
        names.into_iter().any(|found| is_of_orders(found.text))
    }
}

/// The relation of a unit to orders that a tool gives to agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// The unit has no order.
    None,
    /// The unit follows a line with an order.
    Near,
    /// The unit is in a line with an order.
    Given,
}

/// Number of sentences before an order, in the same line, that belong to it.
const AROUND: usize = 3;
/// Maximum number of lines after an order that continue it.
const GOES_ON: u32 = 3;

/// Returns for each unit its relation to a tool's orders to agents. An order extends over its line
/// and the next ones, up to an empty line or an item of a list.
pub(super) fn orders_of_tools(source: &SourceText<'_>) -> Vec<Order> {
    let units = &source.units;
    let mut orders = vec![Order::None; units.len()];
    for (at, unit) in units.iter().enumerate() {
        if unit.speaker != Speaker::Tool || !speaks_to_agents(&unit.text) {
            continue;
        }
        let before = units[..at].iter().rev().take(AROUND);
        let before = before.take_while(|other| other.line == unit.line).count();
        orders[at - before..=at].fill(Order::Given);
        let mut line = unit.line;
        for (place, other) in units.iter().enumerate().skip(at + 1).take(2 * AROUND) {
            let item = other.text.starts_with(|c: char| c.is_ascii_digit() || "-*#•".contains(c));
            let goes_on = other.line == line || other.line == line + 1 && !item;
            if !goes_on || other.line > unit.line + GOES_ON || other.part_of != unit.part_of {
                break;
            }
            let same = other.line == unit.line;
            orders[place] = orders[place].max(if same { Order::Given } else { Order::Near });
            line = other.line;
        }
    }
    orders
}

/// Returns true if a sentence has a word for agents and a word that gives orders.
fn speaks_to_agents(text: &str) -> bool {
    // `agent-sidebar.tsx` and `agent.run()` do not address agents.
    let pieces = text.split(|c: char| c.is_whitespace() || is_cjk(c));
    let mut pieces = pieces.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_named = pieces.any(|word| LISTS.agents.has(&word.to_lowercase()));
    let is_told =
        LISTS.commanding.are_in(text) || words(text).any(|word| LISTS.addressing.has(&word));
    let unspaced = LISTS.agents.are_in_unspaced(text) && LISTS.addressing.are_in_unspaced(text);
    is_named && is_told || unspaced
}
