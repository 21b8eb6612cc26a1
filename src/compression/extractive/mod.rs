//! The built-in summariser: a snapshot made of extracts, without a model. It
//! reads structure where there is some – calls and their outcomes, settings,
//! errors, plans – and ranks prose only where nothing else tells.
//!
//! Everything but a few labels is verbatim. Words of a tool stand under their
//! source and never among the goals and constraints. Same input, same bytes.

mod budget;
mod facts;
mod goals;
mod item;
mod labels;
mod ledger;
mod plan;
mod rank;
mod trail;

use super::directives::spoken;
use super::language::{Language, language_of};
use super::snapshot::{Section, Summary};
use super::transcript::Said;
use item::Item;
use labels::Labels;
use ledger::Action;

/// What the parts of a summary are made from.
struct Source<'a> {
    messages: &'a [Said<'a>],
    actions: Vec<Action<'a>>,
    labels: Labels,
}

/// The summary of `messages` in at most `budget` tokens, all sections together.
/// `earlier` is the summary that this one replaces: older than every message.
pub fn summarise(
    messages: &[Said<'_>],
    earlier: Option<&Summary>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Summary {
    let labels = Labels::of(language(messages, earlier));
    let source = Source { messages, actions: ledger::actions(messages), labels };
    let mut sections: [Vec<Item>; 6] = Default::default();
    sections[Section::OverallGoal as usize] = goals::goals(&source, earlier, budget, count);
    sections[Section::ActiveConstraints as usize] = goals::constraints(&source);
    sections[Section::KeyKnowledge as usize] = facts::facts(&source);
    sections[Section::ArtifactTrail as usize] = trail::trail(&source);
    sections[Section::RecentActions as usize] = ledger::recent(&source);
    sections[Section::TaskState as usize] = plan::state(&source);
    if let Some(earlier) = earlier {
        for section in Section::ALL {
            // The goals are merged already.
            if section != Section::OverallGoal {
                item::merge(&mut sections[section as usize], earlier.get(section), section);
            }
        }
    }
    budget::spend(sections, budget, count)
}

/// The language that the labels are in: that of the user, or else of anyone.
fn language(messages: &[Said<'_>], earlier: Option<&Summary>) -> Language {
    let mut sample = String::new();
    let of_anyone = messages.iter().flat_map(|message| &message.texts).map(AsRef::as_ref);
    let of_before = earlier.map(|summary| summary.get(Section::OverallGoal));
    for text in spoken(messages).chain(of_before).chain(of_anyone) {
        sample.push_str(super::sentences::prefix(text, 2_000));
        sample.push('\n');
        if sample.len() > 16_000 {
            break;
        }
    }
    language_of(&sample)
}

#[cfg(test)]
mod tests;
