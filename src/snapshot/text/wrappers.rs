//! Wrappers: marks by which agents insert other text into a user's message. The table is data
//! (`wrappers.toml`).

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::word_lists::List;

/// The speaker of a text, which decides how a snapshot may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Speaker {
    /// The user: source of goals and rules.
    User,
    /// The operator: source of rules, but not of goals.
    Operator,
    /// The agent: its findings and actions.
    Agent,
    /// A tool or a document: a source of facts only.
    Tool,
    /// A framework, such as the time of day.
    Framework,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    answers: List,
    expands: List,
    wrappers: Vec<Wrapper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapper {
    #[serde(rename = "agent")]
    _agent: String,
    speaker: Speaker,
    #[serde(default)]
    tags: Option<List>,
    #[serde(default)]
    lines: Vec<String>,
}

/// The table, ready for use.
struct Table {
    answers: List,
    expands: List,
    speakers: HashMap<String, Speaker>,
    lines: Vec<(String, Speaker)>,
    /// Matches the opening and closing marks of all tags.
    marks: Regex,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("wrappers.toml"))
        .expect("the file is embedded, and tests read it");
    let mut speakers = HashMap::new();
    let mut lines = Vec::new();
    for wrapper in &file.wrappers {
        let tags = wrapper.tags.iter().flat_map(List::iter);
        speakers.extend(tags.map(|tag| (tag.to_owned(), wrapper.speaker)));
        lines.extend(wrapper.lines.iter().map(|line| (line.clone(), wrapper.speaker)));
    }
    let mut tags: Vec<&str> = speakers.keys().map(String::as_str).collect();
    tags.sort_unstable();
    let pattern = format!(r"<(/?)({})(?:\s[^<>\n]*)?>", tags.join("|"));
    let marks = RegexBuilder::new(&pattern).case_insensitive(true).build();
    let marks = marks.expect("the tags are names");
    Table { answers: file.answers, expands: file.expands, speakers, lines, marks }
});

/// A user's message, split by speaker.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped<'a> {
    /// The parts in order.
    pub(crate) parts: Vec<(Speaker, &'a str)>,
    /// True if the message names a slash command, whose expansion is the next text.
    pub(crate) expands: bool,
}

/// Splits a text of a user's message by speaker. An element without a closing tag is text.
pub(crate) fn unwrapped(text: &str) -> Unwrapped<'_> {
    let mut found = Unwrapped::default();
    let mut from = 0;
    let mut at = 0;
    // Names of tags without a closing tag in the rest of the text.
    let mut unclosed: Vec<String> = Vec::new();
    while let Some(mark) = TABLE.marks.captures_at(text, at) {
        let (whole, name) = (mark.get_match(), mark[2].to_ascii_lowercase());
        at = whole.end();
        let speaker = TABLE.speakers[&name];
        // A command with an output ran by itself.
        let expands = found.expands && speaker != Speaker::Tool;
        found.expands = expands || TABLE.expands.has(&name);
        if speaker == Speaker::User {
            found.add(Speaker::User, &text[from..whole.start()]);
            from = at;
            continue;
        }
        if !mark[1].is_empty() || unclosed.contains(&name) {
            continue;
        }
        let closing =
            |next: &regex::Captures<'_>| !next[1].is_empty() && next[2].eq_ignore_ascii_case(&name);
        let mut next = at;
        let close = std::iter::from_fn(|| {
            let mark = TABLE.marks.captures_at(text, next)?;
            next = mark.get_match().end();
            Some(mark)
        });
        match close.into_iter().find(closing) {
            Some(close) => {
                found.add(Speaker::User, &text[from..whole.start()]);
                found.add(speaker, &text[at..close.get_match().start()]);
                (from, at) = (close.get_match().end(), close.get_match().end());
            }
            None => unclosed.push(name),
        }
    }
    found.add(Speaker::User, &text[from..]);
    found
}

impl<'a> Unwrapped<'a> {
    fn add(&mut self, speaker: Speaker, part: &'a str) {
        let part = part.trim();
        let begins = |line: &&(String, Speaker)| part.starts_with(line.0.as_str());
        let led = TABLE.lines.iter().find(begins).filter(|_| speaker == Speaker::User);
        let speaker = led.map_or(speaker, |(_, speaker)| *speaker);
        if !part.is_empty() {
            self.parts.push((speaker, part));
        }
    }
}

/// Returns true if the text has an element that contains the user's words.
pub(crate) fn holds_users_words(text: &str) -> bool {
    let mut marks = TABLE.marks.captures_iter(text);
    marks.any(|mark| TABLE.speakers[&mark[2].to_ascii_lowercase()] == Speaker::User)
}

/// Returns true for a tool whose result is the user's answer.
pub(crate) fn is_answer_tool(name: &str) -> bool {
    let name = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
    let name = name.rsplit("__").next().unwrap_or(name).to_ascii_lowercase().replace('-', "_");
    TABLE.answers.has(&name)
}

#[cfg(test)]
mod tests {
    use super::Speaker::{Agent, Framework, Operator, Tool, User};
    use super::{is_answer_tool, unwrapped};

    #[test]
    fn what_the_user_wrote_inside_is_kept() {
        for (text, parts) in [
            ("Fix it.", vec![(User, "Fix it.")]),
            (
                "<system-reminder>\nToday.\n</system-reminder>\nFix it.",
                vec![(Framework, "Today."), (User, "Fix it.")],
            ),
            (
                "Caveat: The messages below were generated by the user while running local commands",
                vec![(
                    Framework,
                    "Caveat: The messages below were generated by the user while running local commands",
                )],
            ),
            (
                "<task>\nFix it.\n</task>\n<file_content path=\"a\">\nmust\n</file_content>",
                vec![(User, "Fix it."), (Tool, "must")],
            ),
            ("<user_query>Fix it.</user_query>", vec![(User, "Fix it.")]),
            (
                "# AGENTS.md instructions for /a\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
                vec![(
                    Operator,
                    "# AGENTS.md instructions for /a\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
                )],
            ),
            (
                "<environment_context>\n<cwd>/a</cwd>\n</environment_context>",
                vec![(Framework, "<cwd>/a</cwd>")],
            ),
            (
                "This session is being continued from a previous conversation. Done.",
                vec![(
                    Agent,
                    "This session is being continued from a previous conversation. Done.",
                )],
            ),
            (
                "Why does <system-reminder> appear?",
                vec![(User, "Why does <system-reminder> appear?")],
            ),
            ("Keep <b>this</b> as it is.", vec![(User, "Keep <b>this</b> as it is.")]),
        ] {
            assert_eq!(unwrapped(text).parts, parts, "{text}");
        }
        let command = "<command-message>orchestrator is running…</command-message>\n\
                       <command-name>/orchestrator</command-name>\n\
                       <command-args>create an app</command-args>";
        let found = unwrapped(command);
        let user = found.parts.iter().filter(|(speaker, _)| *speaker == User);
        assert_eq!(user.collect::<Vec<_>>(), [&(User, "create an app")]);
        assert!(found.expands);
        let local = "<command-name>/memory</command-name>\n\
                     <local-command-stdout>Opened CLAUDE.md</local-command-stdout>";
        assert!(!unwrapped(local).expands);
    }

    #[test]
    fn an_answer_is_known_by_its_tool() {
        for tool in
            ["ask_user", "AskUserQuestion", "mcp__ui__ask-user", "functions.ask_followup_question"]
        {
            assert!(is_answer_tool(tool), "{tool}");
        }
        assert!(!is_answer_tool("ask_model") && !is_answer_tool("task_user"));
    }

    #[test]
    fn many_marks_that_nothing_closes_are_text() {
        let text = "<rules> <task> ".repeat(20_000);
        assert!(!unwrapped(&text).parts.is_empty());
    }
}
