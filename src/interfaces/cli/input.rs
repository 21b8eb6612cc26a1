//! A history from a file or standard input: an array of messages, or an object with messages,
//! `tools` and a system prompt, under any provider's names, such as a saved request body.

use std::io::Read;

use chat_history::splice::{Edit, splice};
use raw_json as raw;
use raw_json::quote;

use super::error::CliError;

/// Reads a file, or standard input for `-`.
pub(super) fn read(name: &str) -> Result<String, CliError> {
    let mut text = String::new();
    if name == "-" {
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(CliError::io("reading standard input"))?;
    } else {
        text =
            std::fs::read_to_string(name).map_err(CliError::io(format_args!("reading {name}")))?;
    }
    Ok(text)
}

/// Returns strings as a JSON array; `None` if there are none.
pub(super) fn list(words: &[String]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    (!words.is_empty()).then(|| format!("[{}]", quoted.join(",")))
}

/// Members that hold the messages in requests to providers.
const MESSAGES: [&str; 3] = ["messages", "input", "contents"];
/// Members that hold the system prompt.
const SYSTEM: [&str; 4] = ["system", "instructions", "systemInstruction", "system_instruction"];

/// The parts of a history within its document.
pub(super) struct Document<'a> {
    text: &'a str,
    pub(super) messages: &'a str,
    pub(super) tools: Option<&'a str>,
    pub(super) system: Option<&'a str>,
    fields: raw::Fields<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(name: &str, text: &'a str) -> Result<Document<'a>, CliError> {
        let fail = |found: String| CliError::Input { what: name.to_owned(), found };
        let trimmed = text.trim_ascii();
        if trimmed.starts_with('[') {
            let fields = raw::Fields::default();
            return Ok(Document { text, messages: trimmed, tools: None, system: None, fields });
        }
        let fields = raw::fields(trimmed).map_err(|error| {
            fail(format!("no history was found ({error}); accepted is a JSON array of messages, or an object with \"messages\""))
        })?;
        let field = |name| raw::field(&fields, name).filter(|value| *value != "null");
        let messages = MESSAGES.into_iter().find_map(field).ok_or_else(|| {
            fail(
                "the object has no \"messages\"; accepted is an object with \"messages\" (or \
                 \"input\", \"contents\"), an array"
                    .into(),
            )
        })?;
        let system = SYSTEM.into_iter().find_map(field);
        let tools = field("tools");
        Ok(Document { text, messages, tools, system, fields })
    }

    /// Returns a member of the document: a saved request to this service has its settings.
    pub(super) fn setting(&self, name: &str) -> Option<&'a str> {
        raw::field(&self.fields, name)
    }

    /// Returns the document with other messages, and another system prompt if it has one;
    /// everything else is copied.
    pub(super) fn with(&self, messages: &str, system: Option<&str>) -> String {
        let edit = |old: &str, new: &str| {
            let start = raw::offset_in(self.text, old);
            Edit { span: start..start + old.len(), replacement: new.to_owned() }
        };
        let mut edits = vec![edit(self.messages, messages)];
        edits.extend(self.system.zip(system).map(|(old, new)| edit(old, new)));
        edits.sort_by_key(|edit| edit.span.start);
        splice(self.text, &edits)
    }

    /// Builds a request body from these parts and further members.
    pub(super) fn request(&self, members: &[(&str, String)]) -> String {
        let mut body = format!("{{\"messages\":{}", self.messages);
        let own = [("tools", self.tools), ("system", self.system)];
        for (name, value) in own.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
            body.push_str(&format!(",\"{name}\":{value}"));
        }
        for (name, value) in members {
            body.push_str(&format!(",\"{name}\":{value}"));
        }
        body.push('}');
        body
    }
}

/// Members of a request body; options that were not given are omitted.
#[derive(Default)]
pub(super) struct BodyMembers(pub(super) Vec<(&'static str, String)>);

impl BodyMembers {
    pub(super) fn text(mut self, name: &'static str, value: Option<&str>) -> BodyMembers {
        self.0.extend(value.map(|value| (name, quote(value))));
        self
    }

    pub(super) fn number(mut self, name: &'static str, value: Option<u64>) -> BodyMembers {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Adds a value that is JSON already.
    pub(super) fn json(mut self, name: &'static str, value: Option<String>) -> BodyMembers {
        self.0.extend(value.map(|value| (name, value)));
        self
    }

    pub(super) fn flag(mut self, name: &'static str, value: bool) -> BodyMembers {
        self.0.push((name, value.to_string()));
        self
    }

    pub(super) fn body(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    }
}
