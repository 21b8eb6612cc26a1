//! The built-in summariser: writes a snapshot from extracts, without a model. It reads structure
//! (calls and their outcomes, settings, errors, plans) and ranks the remaining prose. The user's
//! `directives` and the list of `files` are extracted for a model's summary, too.
//!
//! All text except a few labels is verbatim. Text of a tool is attributed to its source and never
//! becomes a goal or a constraint. The same input gives the same bytes.

pub(crate) mod artifacts;
pub(crate) mod directives;
pub(crate) mod files;
pub(crate) mod said;

mod budget;
mod call_record;
mod code;
mod exchanges;
mod facts;
mod failure;
mod file_op;
mod follow_ups;
mod goals;
mod input;
mod item;
mod json_lines;
mod labels;
mod outcome;
mod plan;
mod recent;
mod replaced_lines;
mod result_text;
mod retractions;
mod shell;
mod terms;

use crate::snapshot::format::summary::{BySection, Section, Summary};
use crate::snapshot::text::language::{Language, language_of};
use crate::snapshot::text::wrappers::Speaker;
use crate::snapshot::transcript::TranscriptMessage;
use input::Input;
use item::Item;
use labels::Labels;
use said::Said;
use terms::Terms;

/// The input of a summary.
pub(crate) struct Source<'a> {
    /// The messages.
    pub(crate) messages: &'a [TranscriptMessage<'a>],
    /// The same messages, split by speaker.
    pub(crate) said: &'a [Said<'a>],
    /// The user's directives next to the summary, which need not repeat what they name.
    pub(crate) directives: &'a [String],
    /// The summary that this one replaces. It is older than all messages.
    pub(crate) earlier: Option<&'a Summary>,
}

/// Summarises `source` in at most `budget` tokens for all sections together.
pub(crate) fn summarise(source: &Source<'_>, budget: u64, count: &dyn Fn(&str) -> u64) -> Summary {
    let earlier = source.earlier;
    let labels = Labels::of(language(source));
    let input = Input::read(source.messages, source.said, labels);
    let terms = Terms::of(&input);
    let mut sections = BySection::<Vec<Item>>::default();
    sections[Section::OverallGoal] = goals::goals(&input, earlier, budget, count);
    sections[Section::ActiveConstraints] = goals::constraints(&input, source.directives, &terms);
    let (rules, answers) = goals::answers(&input, &terms);
    sections[Section::ActiveConstraints].extend(rules);
    sections[Section::KeyKnowledge] = facts::facts(&input, &terms);
    sections[Section::KeyKnowledge].extend(answers);
    let trail = earlier.map_or("", |summary| summary.get(Section::ArtifactTrail));
    sections[Section::ArtifactTrail] = artifacts::artifacts(&input, trail, &terms);
    sections[Section::RecentActions] = recent::recent(&input, &terms);
    sections[Section::TaskState] = plan::state(&input, &terms, budget);
    if let Some(earlier) = earlier {
        let known = &mut sections[Section::KeyKnowledge];
        item::merge_last_words(known, earlier.get(Section::TaskState), &terms);
        // The other sections are merged already.
        for section in [
            Section::ActiveConstraints,
            Section::KeyKnowledge,
            Section::RecentActions,
            Section::TaskState,
        ] {
            item::merge(&mut sections[section], earlier.get(section), section, &terms);
        }
    }
    goals::add_retractions(&mut sections[Section::ActiveConstraints], &input);
    budget::spend(sections.0, source.directives, budget, count)
}

/// Returns the rules of a model's summary, together with later sentences of the user that take
/// rules back.
pub(crate) fn amended(rules: &str, source: &Source<'_>) -> String {
    goals::amended(rules, source.said)
}

/// Returns the language for the labels: that of the user, otherwise that of any speaker.
fn language(source: &Source<'_>) -> Language {
    let mut sample = String::new();
    let by_user = source.said.iter().filter(|said| said.speaker == Speaker::User);
    let of_user = by_user.map(|said| said.text.as_ref());
    let of_anyone = source.messages.iter().flat_map(|message| &message.texts).map(AsRef::as_ref);
    let of_before = source.earlier.map(|summary| summary.get(Section::OverallGoal));
    for text in of_user.chain(of_before).chain(of_anyone) {
        sample.push_str(crate::snapshot::text::sentences::prefix(text, 2_000));
        sample.push('\n');
        if sample.len() > 16_000 {
            break;
        }
    }
    language_of(&sample)
}

#[cfg(test)]
mod room_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trail_tests;
#[cfg(test)]
mod words_tests;
