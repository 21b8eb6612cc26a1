//! The text that a summary is verified against, divided into units: a sentence, a line of output,
//! or the scalar members of a JSON object. A unit has a speaker, a turn, and possibly a parent
//! unit.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use chat_history::message::Role;
use raw_json as raw;
use regex::{Captures, Regex};

use crate::snapshot::extractive::artifacts::changed_files;
use crate::snapshot::extractive::said::{Origin, Said, is_users, said_by_message};
use crate::snapshot::text::language::{Languages, languages_of};
use crate::snapshot::text::markers::fixed;
use crate::snapshot::text::sentences::sentences_of_line;
use crate::snapshot::text::text_index::TextIndex;
use crate::snapshot::text::wrappers::Speaker as Spoken;
use crate::snapshot::transcript::TranscriptMessage;

/// The speaker of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The user, also as quoted in an earlier snapshot.
    User,
    /// The operator.
    System,
    /// The agent, in text.
    Agent,
    /// The agent, in a call.
    Call,
    /// A tool.
    Tool,
    /// An earlier snapshot.
    Earlier,
}

impl Speaker {
    /// Returns the speaker of a text in a message of the user. What frameworks put there, such as a
    /// summary by which an agent goes on, has the user's authority; documents and outputs have not.
    fn in_message_of_user(said: &Said<'_>) -> Speaker {
        match said.speaker {
            Spoken::Tool if said.origin != Origin::Pasted => Speaker::Tool,
            _ => Speaker::User,
        }
    }
}

/// A piece of text with one statement.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) speaker: Speaker,
    /// The number of the turn: a message that is not a tool's, together with the tool messages
    /// after it.
    pub(super) turn: u32,
    /// The number of its text. Adjacent units of one text belong together.
    pub(super) part_of: u32,
    /// The number of its line, counted through all texts.
    pub(super) line: u32,
    /// The unit of the JSON object that contains this one.
    pub(super) parent: Option<u32>,
}

/// The text that a summary is verified against: the messages, and an earlier snapshot.
#[derive(Debug, Default)]
pub(crate) struct SourceText<'a> {
    pub(super) index: TextIndex,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) turns: u32,
    /// The names of files that calls created, changed or deleted, in lower case.
    pub(super) changed: HashSet<String>,
    languages: Languages,
    texts: u32,
    lines: u32,
}

/// Maximum bytes of a sentence or a JSON string that is not split further.
const LONG: usize = 400;
/// Maximum depth of JSON to parse.
const DEEP: usize = 12;

impl<'a> SourceText<'a> {
    /// Collects the text of the messages, of the `earlier` snapshot that is merged, and of the
    /// user's words in that: its goal, directives and constraints.
    ///
    /// `system_and_user` are the system and user messages of the whole history, even if only a
    /// group of it is summarised. Constraints and orders are verified against them.
    pub(crate) fn new(
        messages: &'a [TranscriptMessage<'a>],
        system_and_user: &'a [TranscriptMessage<'a>],
        earlier: Option<&'a str>,
        earlier_user: &'a str,
    ) -> SourceText<'a> {
        let mut source = SourceText { changed: changed_files(messages), ..SourceText::default() };
        let own: HashSet<usize> = messages.iter().map(|said| said.index).collect();
        let beside = system_and_user
            .iter()
            .filter(|said| said.role == Role::System || !own.contains(&said.index));
        let mut all: Vec<&TranscriptMessage<'a>> = beside.chain(messages).collect();
        all.sort_by_key(|said| said.index);
        for text in earlier_user.lines() {
            source.say(text, Speaker::User);
            source.next_turn();
        }
        for text in earlier.into_iter().flat_map(str::lines) {
            source.say(text, Speaker::Earlier);
            source.next_turn();
        }
        let by_message = said_by_message(all.iter().copied());
        let spoken = by_message.iter().flatten().filter(|said| said.speaker == Spoken::User);
        source.languages = languages_of(spoken.map(|said| &*said.text));
        all.into_iter().zip(by_message).for_each(|(message, said)| source.add(message, said));
        if source.languages == Languages::default() {
            source.languages = languages_of([earlier_user].into_iter());
        }
        source
    }

    /// Returns the languages of the user. A summary must be in one of them.
    pub(crate) fn languages(&self) -> &Languages {
        &self.languages
    }

    fn next_turn(&mut self) {
        self.turns += 1;
    }

    /// Adds a message with its texts by speaker: a message of the user also has texts of tools and
    /// of frameworks.
    fn add(&mut self, message: &'a TranscriptMessage<'a>, said: Vec<Said<'a>>) {
        if message.role != Role::Tool {
            self.next_turn();
        }
        let is_user = message.role == Role::User;
        for text in &message.texts {
            match message.role {
                Role::User => self.know(text),
                Role::System | Role::MidSystem => self.say(text, Speaker::System),
                Role::Tool => self.say(text, Speaker::Tool),
                Role::Assistant | Role::Other => self.say(text, Speaker::Agent),
            }
        }
        let mut before = None;
        // In other messages, only answers to a tool are the user's.
        for part in said.into_iter().filter(|part| is_user || part.speaker == Spoken::User) {
            let speaker = Speaker::in_message_of_user(&part);
            if !is_user {
                self.next_turn();
            }
            // The words of a document do not belong to those of the user before it.
            if !is_user || before.replace(speaker) != Some(speaker) {
                self.begin_text();
            }
            self.cut(part.text, speaker, None, DEEP);
        }
        for call in &message.calls {
            call.id.into_iter().chain(call.name).for_each(|text| self.say(text, Speaker::Call));
            self.say(&call.arguments, Speaker::Call);
        }
        for result in &message.results {
            let names = [result.call_id, result.tool, result.moved_to.as_deref()];
            names.into_iter().flatten().for_each(|text| self.say(text, Speaker::Tool));
            match is_users(result) {
                true => self.know(&result.text),
                false => self.say(&result.text, Speaker::Tool),
            }
        }
    }

    /// Adds a text with its units.
    fn say(&mut self, text: &'a str, speaker: Speaker) {
        self.know(text);
        self.begin_text();
        self.cut(Cow::Borrowed(text), speaker, None, DEEP);
    }

    /// Adds the names of a text.
    fn know(&mut self, text: &str) {
        self.index.push(text);
        if text.contains('\\') {
            self.index.push(&without_escapes(text));
        }
    }

    fn begin_text(&mut self) {
        self.texts += 1;
        self.lines += 2;
    }

    fn cut(&mut self, text: Cow<'a, str>, speaker: Speaker, parent: Option<u32>, deep: usize) {
        if self.json(&text, speaker, parent, deep) {
            return;
        }
        match text {
            Cow::Borrowed(text) => {
                for line in lines(text) {
                    self.lines += 1;
                    each_piece(line, |piece| self.unit(Cow::Borrowed(piece), speaker, parent));
                }
            }
            Cow::Owned(text) => {
                for line in lines(&text) {
                    self.lines += 1;
                    each_piece(line, |piece| {
                        self.unit(Cow::Owned(piece.to_owned()), speaker, parent);
                    });
                }
            }
        }
    }

    fn unit(&mut self, text: Cow<'a, str>, speaker: Speaker, parent: Option<u32>) {
        let (turn, part_of, line) = (self.turns, self.texts, self.lines);
        self.units.push(Unit { text, speaker, turn, part_of, line, parent });
    }

    /// Divides a JSON object or array into units. Returns false for any other text.
    fn json(&mut self, text: &str, speaker: Speaker, parent: Option<u32>, deep: usize) -> bool {
        let text = text.trim();
        if deep == 0 || !text.starts_with(['{', '[']) {
            return false;
        }
        if text.starts_with('[') {
            let Ok(elements) = raw::elements(text) else { return false };
            let mut scalars = String::new();
            for element in elements {
                match element.starts_with(['{', '[']) {
                    true => _ = self.json(element, speaker, parent, deep - 1),
                    false => member(&mut scalars, "", element),
                }
            }
            self.cut(Cow::Owned(scalars), speaker, parent, 0);
            return true;
        }
        let Ok(fields) = raw::fields(text) else { return false };
        let mut scalars = String::new();
        let mut nested = Vec::new();
        for (key, value) in &fields {
            let inside = value.starts_with(['{', '[']);
            let long = value.starts_with('"') && (value.len() > LONG || value.contains("\\n"));
            match inside || long {
                true => nested.push((key, *value, inside)),
                false => member(&mut scalars, key, value),
            }
        }
        nested.iter().for_each(|(key, ..)| member(&mut scalars, key, ""));
        let own = u32::try_from(self.units.len()).ok();
        self.unit(Cow::Owned(scalars), speaker, parent);
        for (_, value, inside) in nested {
            match inside {
                true => {
                    if !self.json(value, speaker, own, deep - 1) {
                        self.cut(Cow::Owned(value.to_owned()), speaker, own, 0);
                    }
                }
                false => {
                    let text = raw::unescape(value).text.into_owned();
                    self.cut(Cow::Owned(text), speaker, own, deep - 1);
                }
            }
        }
        true
    }
}

/// Returns the lines of a text, split at escaped line breaks as well.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split("\\n"))
}

/// Appends a scalar member of an object as `key: value`.
fn member(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    if !key.is_empty() {
        out.push_str(": ");
    }
    match raw::is_string(value) {
        true => out.push_str(&raw::unescape(value).text),
        false => out.push_str(value),
    }
    out.push('\n');
}

/// Calls back with the clauses of the sentences of a line. A long sentence is split at brackets
/// instead.
fn each_piece<'t>(line: &'t str, mut each: impl FnMut(&'t str)) {
    for sentence in sentences_of_line(line) {
        if sentence.len() <= LONG {
            // The text after these marks has its own subject and polarity.
            let clauses =
                sentence.split_inclusive("; ").flat_map(|part| part.split_inclusive('，'));
            clauses.for_each(&mut each);
            continue;
        }
        let mut start = 0;
        for (at, c) in sentence.char_indices() {
            let ends = "{}[];".contains(c) || at - start > 4 * LONG && c == ' ';
            if ends && at - start > LONG / 8 {
                each(&sentence[start..at]);
                start = at;
            }
        }
        each(&sentence[start..]);
    }
}

/// Matches an escape of a JSON string.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    let unit = "[[:xdigit:]]{4}";
    let pair = r"u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}";
    fixed(&format!(r#"\\(?:[ntr"\\/]|{pair}|u{unit})"#))
});

/// Returns the text with the escapes of JSON strings resolved, whether it is JSON or not. Line
/// breaks and tabs become spaces.
fn without_escapes(text: &str) -> Cow<'_, str> {
    ESCAPE.replace_all(text, |escape: &Captures<'_>| match &escape[0] {
        r"\n" | r"\t" | r"\r" => " ".to_owned(),
        other => serde_json::from_str(&format!("\"{other}\"")).unwrap_or_else(|_| other.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::without_escapes;

    #[test]
    fn escapes_are_resolved() {
        let text = r#"{\"a\": \"C:\\b\nc \u4e2d \ud83d\ude00 \q \ud800\" \u12"#;
        assert_eq!(without_escapes(text), r#"{"a": "C:\b c 中 😀 \q \ud800" \u12"#);
        assert_eq!(without_escapes("\\"), "\\");
    }
}
