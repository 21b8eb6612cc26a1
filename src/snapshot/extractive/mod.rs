//! The built-in summariser: a snapshot made of extracts, without a model. It reads
//! structure – calls and their outcomes, settings, errors, plans – and ranks the remaining
//! prose. The user's `directives` and the list of `files` are extracted for a model's
//! summary, too.
//!
//! Everything but a few labels is verbatim. Words of a tool stand under their
//! source and never among the goals and constraints. Same input, same bytes.

pub(crate) mod directives;
pub(crate) mod files;

mod artifacts;
mod budget;
mod call_record;
mod facts;
mod goals;
mod input;
mod item;
mod labels;
mod plan;
mod rank;
mod recent;

use crate::snapshot::extractive::directives::spoken;
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::language::{Language, language_of};
use crate::snapshot::transcript::TranscriptMessage;
use input::Input;
use item::Item;
use labels::Labels;

/// The summary of `messages` in at most `budget` tokens, all sections together.
/// `earlier` is the summary that this one replaces: older than every message.
pub(crate) fn summarise(
    messages: &[TranscriptMessage<'_>],
    earlier: Option<&Summary>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Summary {
    let labels = Labels::of(language(messages, earlier));
    let input = Input { messages, calls: call_record::call_records(messages), labels };
    let mut sections: [Vec<Item>; 6] = Default::default();
    sections[Section::OverallGoal as usize] = goals::goals(&input, earlier, budget, count);
    sections[Section::ActiveConstraints as usize] = goals::constraints(&input);
    sections[Section::KeyKnowledge as usize] = facts::facts(&input);
    sections[Section::ArtifactTrail as usize] = artifacts::artifacts(&input);
    sections[Section::RecentActions as usize] = recent::recent(&input);
    sections[Section::TaskState as usize] = plan::state(&input);
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
fn language(messages: &[TranscriptMessage<'_>], earlier: Option<&Summary>) -> Language {
    let mut sample = String::new();
    let of_anyone = messages.iter().flat_map(|message| &message.texts).map(AsRef::as_ref);
    let of_before = earlier.map(|summary| summary.get(Section::OverallGoal));
    for text in spoken(messages).chain(of_before).chain(of_anyone) {
        sample.push_str(crate::snapshot::text::sentences::prefix(text, 2_000));
        sample.push('\n');
        if sample.len() > 16_000 {
            break;
        }
    }
    language_of(&sample)
}

#[cfg(test)]
mod tests;
