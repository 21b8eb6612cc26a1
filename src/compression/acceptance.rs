//! Whether a model's reply may stand in place of the messages it was made from.
//! A summary is believed by every turn after it, so it is held to its source:
//! well formed, small enough, in the user's language, naming only what the source
//! names, and claiming no order that the user did not give.

use chat_history::message::Role;

use crate::compression::claims::{Voices, unsupported};
use crate::compression::content_words::without_quotes;
use crate::compression::grounding::{add_said, ungrounded};
use crate::compression::haystack::Haystack;
use crate::compression::language::{Language, language_of};
use crate::compression::rejection::Rejection;
use crate::compression::reply::parse;
use crate::compression::snapshot::{Section, Summary};
use crate::compression::transcript::Said;

/// What a summary may say: the messages, and what an earlier snapshot held.
#[derive(Debug)]
pub struct Source<'a> {
    haystack: Haystack,
    voices: Voices<'a>,
    language: Language,
}

impl<'a> Source<'a> {
    /// Of the messages, the text of the earlier snapshot that is merged, and what
    /// of it are the user's own words (its directives and constraints).
    ///
    /// `voices` are the system's and the user's messages of the whole history, also
    /// where only a group of it is compressed: a constraint or an order is held to
    /// them.
    pub fn new(
        messages: &'a [Said<'a>],
        voices: &'a [Said<'a>],
        earlier: Option<&'a str>,
        earlier_user: &'a str,
    ) -> Source<'a> {
        let mut haystack = Haystack::default();
        let beside = voices;
        let mut voices = Voices::default();
        let mut user = String::new();
        for said in beside.iter().chain(messages) {
            for text in &said.texts {
                add_said(&mut haystack, text);
                match said.role {
                    Role::User => {
                        voices.user.push(text);
                        user.push_str(text);
                        user.push('\n');
                    }
                    Role::System | Role::MidSystem => voices.system.push(text),
                    Role::Tool => voices.tools.push(text),
                    Role::Assistant | Role::Other => {}
                }
            }
            for call in &said.calls {
                call.id.into_iter().chain(call.name).for_each(|text| haystack.push(text));
                add_said(&mut haystack, &call.arguments);
            }
            for result in &said.results {
                let names = [result.call_id, result.tool, result.moved_to.as_deref()];
                names.into_iter().flatten().for_each(|text| haystack.push(text));
                add_said(&mut haystack, &result.text);
                voices.tools.push(&result.text);
            }
        }
        for text in earlier.into_iter().chain([earlier_user]) {
            add_said(&mut haystack, text);
        }
        voices.user.push(earlier_user);
        let language = match language_of(&user) {
            Language::Unknown => language_of(earlier_user),
            known => known,
        };
        Source { haystack, voices, language }
    }

    /// The language that the user speaks; a summary is in the same.
    pub fn language(&self) -> Language {
        self.language
    }
}

/// What bounds a summary.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// The most tokens that the snapshot may have.
    pub max_tokens: u64,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// Reads a reply and takes its summary, or says everything that speaks against
/// it, in the order form, size, language, names, claims. What has no form is not
/// looked at further.
pub fn accept(
    reply: &str,
    source: &Source<'_>,
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
    faults.extend(ungrounded(texts(), &source.haystack));
    faults.extend(unsupported(&summary, &source.voices));
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
#[path = "acceptance_tests.rs"]
mod tests;
