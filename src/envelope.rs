//! The envelope: the shape of every JSON answer (`openapi.yaml`), `{"success", "answer",
//! "messages", "metadata"}`. Messages are raw bytes of the request or of a splice and are
//! copied unchanged.

use raw_json::quote;
use serde::Serialize;

use crate::params::Params;

/// An answer or a failure, before serialisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    success: bool,
    answer: String,
    /// A JSON array.
    messages: String,
    /// The system prompt, JSON.
    system: Option<String>,
    /// Members of `metadata`: name and JSON value.
    metadata: Vec<(&'static str, String)>,
    /// The paths of files and their contents as JSON strings, for `metadata.write_file_dict`.
    files: Option<Vec<(String, String)>>,
}

/// The value of `metadata.error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ErrorFacts {
    /// A stable code in snake case.
    pub code: &'static str,
    /// One sentence: what was found and what is accepted.
    pub message: String,
    /// The field of the request.
    pub field: Option<String>,
    /// The request's id, if the log has more about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Answer {
    /// Creates a success with this text.
    pub(crate) fn text(answer: String) -> Answer {
        Answer {
            success: true,
            answer,
            messages: "[]".to_owned(),
            system: None,
            metadata: Vec::new(),
            files: None,
        }
    }

    /// Creates a failure.
    pub(crate) fn failure(facts: &ErrorFacts) -> Answer {
        let mut answer = Answer::text(facts.message.clone());
        answer.success = false;
        answer.put("error", facts);
        answer
    }

    /// Adds messages, a JSON array.
    pub(crate) fn with_messages(mut self, messages: String) -> Answer {
        self.messages = messages;
        self
    }

    /// Adds the system prompt, JSON; also to `metadata`, for clients that know only the four
    /// members.
    pub(crate) fn with_system(mut self, system: Option<String>) -> Answer {
        if let Some(system) = system {
            self.put_json("system", system.clone());
            self.system = Some(system);
        }
        self
    }

    /// Appends lines to the text.
    pub(crate) fn with_note(mut self, lines: &str) -> Answer {
        if !lines.is_empty() && !self.answer.ends_with('\n') {
            self.answer.push('\n');
        }
        self.answer.push_str(lines);
        self
    }

    /// Adds a warning for each unknown field.
    pub(crate) fn with_unknown(self, params: &Params<'_>) -> Answer {
        self.with_warnings(params.unknown_warnings())
    }

    /// Adds warnings to `metadata.report`, if there are any.
    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> Answer {
        if !warnings.is_empty() {
            #[derive(Serialize)]
            struct Report {
                warnings: Vec<String>,
            }
            self.put("report", &Report { warnings });
        }
        self
    }

    /// Adds a member of `metadata`.
    pub(crate) fn put(&mut self, name: &'static str, value: &impl Serialize) {
        // Structs, lists and strings always serialise.
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.metadata.push((name, json));
    }

    /// Adds a member of `metadata` that is JSON already.
    pub(crate) fn put_json(&mut self, name: &'static str, json: String) {
        self.metadata.push((name, json));
    }

    /// Adds the contents of files, JSON strings, by path.
    pub(crate) fn with_files(mut self, files: Vec<(String, String)>) -> Answer {
        self.files = Some(files);
        self
    }

    /// Returns the text.
    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// Returns a member of `metadata` as JSON.
    pub(crate) fn metadata(&self, name: &str) -> Option<&str> {
        self.metadata.iter().find(|(known, _)| *known == name).map(|(_, json)| json.as_str())
    }

    /// Returns the messages, a JSON array.
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// Returns an upper bound on the size of the answer and its JSON, in bytes.
    pub(crate) fn held_bytes(&self) -> u64 {
        let copied = self.messages.len()
            + self.system.as_ref().map_or(0, String::len)
            + self.members_bytes();
        (2 * copied + self.answer.len() + escaped(&self.answer)) as u64 + 120
    }

    /// Returns about the size of `metadata`, in bytes.
    fn members_bytes(&self) -> usize {
        let members = self.metadata.iter().map(|(name, json)| name.len() + json.len() + 4);
        let files = self.files.iter().flatten();
        let files = files.map(|(path, json)| escaped(path) + json.len() + 4);
        members.sum::<usize>() + files.sum::<usize>()
    }

    /// Serialises the answer.
    pub fn into_json(self) -> String {
        let bytes = self.messages.len() + self.members_bytes() + self.answer.len() + 120;
        let mut out = String::with_capacity(bytes);
        out.push_str(if self.success { "{\"success\":true" } else { "{\"success\":false" });
        out.push_str(",\"answer\":");
        push_quoted(&mut out, &self.answer);
        out.push_str(",\"messages\":");
        out.push_str(&self.messages);
        if let Some(system) = &self.system {
            out.push_str(",\"system\":");
            out.push_str(system);
        }
        out.push_str(",\"metadata\":{");
        push_members(&mut out, self.metadata);
        if let Some(files) = self.files {
            let separator = if out.ends_with('{') { "" } else { "," };
            out.push_str(separator);
            out.push_str("\"write_file_dict\":{");
            push_members(&mut out, files);
            out.push('}');
        }
        out.push_str("}}");
        out
    }
}

/// Adds members whose values are JSON. Drops each after it is copied, because together they may be
/// as long as a history.
fn push_members(out: &mut String, members: Vec<(impl AsRef<str>, String)>) {
    for (index, (name, json)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&quote(name.as_ref()));
        out.push(':');
        out.push_str(&json);
    }
}

/// Returns the length of a text as a JSON string, in bytes.
fn escaped(text: &str) -> usize {
    let length = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

/// Size of the chunks in which a text is escaped, in bytes: an escaped copy of the whole would
/// double a large answer's memory.
const QUOTED: usize = 64 * 1024;

/// Adds a text as a JSON string.
fn push_quoted(out: &mut String, text: &str) {
    out.reserve(escaped(text) + 2);
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let (part, behind) = rest.split_at(rest.floor_char_boundary(QUOTED.min(rest.len())));
        let quoted = quote(part);
        out.push_str(&quoted[1..quoted.len() - 1]);
        rest = behind;
    }
    out.push('"');
}

/// Returns a number with its noun: "1 file", "2 files".
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_quoted_as_a_short_one() {
        for text in ["", "\0\u{1f}\"\\\n", "é漢𝄞\u{7f}"] {
            for times in [1, 40_000] {
                let text = text.repeat(times);
                let mut out = String::new();
                push_quoted(&mut out, &text);
                assert_eq!(out, quote(&text));
                assert_eq!(out.len(), escaped(&text) + 2);
                let answer = Answer::text(text.clone()).with_messages("[1]".to_owned());
                let held = answer.held_bytes();
                assert!(held >= (text.len() + answer.into_json().len()) as u64);
            }
        }
    }
}
