//! Accepts or rejects a model's summary. Every later turn relies on it, so it is verified
//! against the messages it replaces: it must be well formed, small enough and in the user's
//! language, name only what they name, and attribute no order to the user that the user
//! did not give.

mod attribution;
mod grounding;
mod negation;
pub(crate) mod rejection;
pub(crate) mod reply;
mod reports;

use chat_history::message::Role;

use crate::snapshot::acceptance::attribution::{TextsBySpeaker, unsupported};
use crate::snapshot::acceptance::grounding::{add_said, ungrounded};
use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::acceptance::reply::parse;
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::content_words::without_quotes;
use crate::snapshot::text::language::{Language, language_of};
use crate::snapshot::text::text_index::TextIndex;
use crate::snapshot::transcript::TranscriptMessage;

/// The text that a summary is verified against: the messages, and an earlier snapshot.
#[derive(Debug)]
pub(crate) struct SourceText<'a> {
    index: TextIndex,
    by_speaker: TextsBySpeaker<'a>,
    language: Language,
}

impl<'a> SourceText<'a> {
    /// Of the messages, the text of the earlier snapshot that is merged, and what
    /// of it are the user's own words (its directives and constraints).
    ///
    /// `system_and_user` are the system's and the user's messages of the whole history, also
    /// where only a group of it is summarized: constraints and orders are verified against
    /// them.
    pub(crate) fn new(
        messages: &'a [TranscriptMessage<'a>],
        system_and_user: &'a [TranscriptMessage<'a>],
        earlier: Option<&'a str>,
        earlier_user: &'a str,
    ) -> SourceText<'a> {
        let mut index = TextIndex::default();
        let mut by_speaker = TextsBySpeaker::default();
        let mut user = String::new();
        for message in system_and_user.iter().chain(messages) {
            for text in &message.texts {
                add_said(&mut index, text);
                match message.role {
                    Role::User => {
                        by_speaker.user.push(text);
                        user.push_str(text);
                        user.push('\n');
                    }
                    Role::System | Role::MidSystem => by_speaker.system.push(text),
                    Role::Tool => by_speaker.tools.push(text),
                    Role::Assistant | Role::Other => {}
                }
            }
            for call in &message.calls {
                call.id.into_iter().chain(call.name).for_each(|text| index.push(text));
                add_said(&mut index, &call.arguments);
            }
            for result in &message.results {
                let names = [result.call_id, result.tool, result.moved_to.as_deref()];
                names.into_iter().flatten().for_each(|text| index.push(text));
                add_said(&mut index, &result.text);
                by_speaker.tools.push(&result.text);
            }
        }
        for text in earlier.into_iter().chain([earlier_user]) {
            add_said(&mut index, text);
        }
        by_speaker.user.push(earlier_user);
        let language = match language_of(&user) {
            Language::Unknown => language_of(earlier_user),
            known => known,
        };
        SourceText { index, by_speaker, language }
    }

    /// The language that the user speaks; a summary is in the same.
    pub(crate) fn language(&self) -> Language {
        self.language
    }
}

/// The limits of a summary.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The most tokens that the snapshot may have.
    pub max_tokens: u64,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// Parses a reply and returns its summary, or all reasons to reject it, in the order
/// form, size, language, names, attributions. A reply that cannot be parsed is not
/// examined further.
pub(crate) fn accept(
    reply: &str,
    source: &SourceText<'_>,
    limits: &Limits<'_>,
) -> Result<Summary, Vec<Rejection>> {
    let summary = parse(reply).map_err(|why| vec![why])?;
    let texts = || Section::ALL.into_iter().map(|section| summary.get(section));
    let mut faults = Vec::new();
    let (found, limit) = ((limits.count)(&rendered(&summary)), limits.max_tokens);
    if found > limit {
        faults.push(Rejection::TooLarge { found, limit });
    }
    let own: String = texts().map(|text| without_quotes(text) + "\n").collect();
    let (found, expected) = (language_of(&own), source.language);
    if found != expected && found != Language::Unknown && expected != Language::Unknown {
        faults.push(Rejection::WrongLanguage { found, expected });
    }
    faults.extend(ungrounded(texts(), &source.index));
    faults.extend(unsupported(&summary, &source.by_speaker));
    if faults.is_empty() { Ok(summary) } else { Err(faults) }
}

/// The summary as it is counted: its sections within their tags.
fn rendered(summary: &Summary) -> String {
    let section = |section: Section| {
        let (tag, text) = (section.tag(), summary.get(section));
        format!("<{tag}>\n{text}\n</{tag}>\n")
    };
    let sections: String = Section::ALL.into_iter().map(section).collect();
    format!("<state_snapshot>\n{sections}</state_snapshot>\n")
}

#[cfg(test)]
mod tests;
