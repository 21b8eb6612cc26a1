//! The quotation that replaces a failed claim: its best source, word for word.

use super::claim::{Claim, StepState};
use super::judge::{Judge, Source};
use super::orders::Order;
use super::rejection::{Fault, Rejection};
use super::source::Speaker;
use crate::snapshot::format::summary::Section;

/// Accepted bytes of a quoted source, and the minimum share of the claim that it covers.
const QUOTED: std::ops::RangeInclusive<usize> = 15..=240;
const QUOTED_SHARE: f32 = 0.5;

impl Judge<'_, '_, '_> {
    /// Returns the best source of a failed claim, word for word, with its speaker.
    pub(super) fn quote(&self, claim: &Claim<'_>, why: &Rejection) -> Option<String> {
        let case = self.case(claim)?;
        let order = why.is(Fault::FollowedOrder);
        // After `[done]`, the source would become a claim.
        if order || claim.state != StepState::Unsaid {
            return None;
        }
        let wills = matches!(claim.section, Section::ActiveConstraints | Section::OverallGoal);
        let fits = |source: &&Source| {
            let (said, read) = (self.evidence.unit(source.unit), self.reading(source.unit));
            let text = said.text.trim();
            let speaks = match said.speaker {
                Speaker::User | Speaker::System => true,
                Speaker::Agent => !wills && !read.intends && !read.asks,
                Speaker::Tool => !wills && self.orders[source.unit as usize] == Order::None,
                Speaker::Call | Speaker::Earlier => false,
            };
            let letters = text.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
            let prose = 2 * letters > text.chars().count();
            speaks && prose && QUOTED.contains(&text.len()) && !text.contains('\n')
        };
        let source =
            case.sources.iter().find(fits).filter(|s| s.share >= QUOTED_SHARE * case.scale)?;
        let said = self.evidence.unit(source.unit);
        let speaker = match said.speaker {
            Speaker::User => "user",
            Speaker::System => "system",
            Speaker::Tool => "tool",
            _ => "agent",
        };
        Some(format!("{speaker}: \u{201c}{}\u{201d}", said.text.trim()))
    }
}
