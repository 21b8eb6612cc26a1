//! Call records: tool calls with their arguments and outcomes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use raw_json::{Fields, elements, fields, is_string, unescape};

use super::file_op::FileOp;
use super::outcome::is_failed;
use super::shell;
use crate::snapshot::text::identifiers::file_name;
use crate::snapshot::text::markers::is_declined;
use crate::snapshot::text::sentences::{cut, cut_inside, cut_left};
use crate::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

/// Bytes of an argument whose words are compared.
const COMPARED: usize = 4_000;
/// Longest shown path, and call in a source, in characters.
const PATH: usize = 60;
const SOURCE: usize = 60;
/// Longest argument beside a command that is shown, in bytes.
const OTHER: usize = 40;
/// Arguments that name a file.
const PATHS: [&str; 11] = [
    "path",
    "file_path",
    "file",
    "filename",
    "absolute_path",
    "target_file",
    "notebook_path",
    "filepath",
    "relative_path",
    "filePath",
    "relativePath",
];
/// Arguments that hold a command.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];
/// Arguments that a change takes text from, and that it puts in the place of it.
const REMOVED: [&str; 5] = ["old_string", "old_str", "oldText", "old_text", "search"];
const ADDED: [&str; 6] = ["new_string", "new_str", "newText", "new_text", "replace", "content"];
/// Arguments that hold content; what a call is about stands in the others.
const CONTENT: [&str; 14] = [
    "content",
    "file_text",
    "text",
    "body",
    "old_string",
    "new_string",
    "old_str",
    "new_str",
    "patch",
    "diff",
    "todos",
    "thought",
    "replace",
    "data",
];

/// Lines of a patch that name a file.
const PATCHED: [(&str, FileOp); 5] = [
    ("*** Update File: ", FileOp::Edited),
    ("*** Add File: ", FileOp::Created),
    ("*** Delete File: ", FileOp::Deleted),
    ("*** Move to: ", FileOp::Created),
    ("+++ b/", FileOp::Edited),
];

/// One call and its result.
pub(super) struct CallRecord<'a> {
    /// The message that asked.
    pub(super) index: usize,
    /// The tool.
    pub(super) tool: &'a str,
    /// The arguments, unchanged.
    pub(super) raw: &'a str,
    /// Their members, strings unescaped; empty where they are no object.
    pub(super) arguments: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The arguments beside a command that tell calls of the tool apart, such as a host.
    telling: HashSet<Cow<'a, str>>,
    /// The message, the place in it, and the result, once there is one.
    pub(super) result: Option<(usize, usize, &'a ToolResult<'a>)>,
    /// The result says that the call failed.
    pub(super) failed: bool,
}

/// The calls of a transcript in order, each with its result. An id that was used
/// twice belongs to the latest call before the result.
pub(super) fn call_records<'a>(messages: &'a [TranscriptMessage<'a>]) -> Vec<CallRecord<'a>> {
    let mut records: Vec<CallRecord<'a>> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for message in messages {
        for call in &message.calls {
            if let Some(id) = call.id {
                by_id.insert(id, records.len());
            }
            records.push(record_of(message.index, call));
        }
        for (place, result) in message.results.iter().enumerate() {
            let by_id = result.call_id.and_then(|id| by_id.get(id).copied());
            let open = |record: &CallRecord<'_>| record.result.is_none();
            // Formats without ids answer in order.
            let found = by_id.or_else(|| {
                let same =
                    |record: &CallRecord<'_>| result.tool.is_none_or(|tool| tool == record.tool);
                records
                    .iter()
                    .rev()
                    .take(64)
                    .position(|record| open(record) && same(record))
                    .map(|back| records.len() - 1 - back)
            });
            if let Some(at) = found.filter(|at| open(&records[*at])) {
                records[at].result = Some((message.index, place, result));
            }
        }
    }
    tell_apart(&mut records);
    for record in &mut records {
        record.failed = is_failed(record);
    }
    records
}

/// Finds the arguments beside commands by which the calls of a tool differ: short words.
fn tell_apart(records: &mut [CallRecord<'_>]) {
    let is_word = |value: &str| {
        value.len() <= OTHER
            && !value.contains(char::is_whitespace)
            && value.parse::<f64>().is_err()
    };
    let mut values: HashMap<(String, String), HashSet<String>> = HashMap::new();
    let commands = || records.iter().filter(|record| record.command().is_some());
    for record in commands() {
        for (name, value) in record.arguments.iter().filter(|(_, value)| is_word(value)) {
            let key = (record.tool.to_owned(), name.to_string());
            values.entry(key).or_default().insert(value.to_string());
        }
    }
    for record in records.iter_mut().filter(|record| record.command().is_some()) {
        let tells = |(name, value): &&(Cow<'_, str>, Cow<'_, str>)| {
            let differ = values.get(&(record.tool.to_owned(), name.to_string()));
            let is_other = !COMMANDS.contains(&name.as_ref()) && !CONTENT.contains(&name.as_ref());
            is_other && is_word(value) && differ.is_some_and(|values| values.len() > 1)
        };
        let telling = record.arguments.iter().filter(tells).map(|(name, _)| name.clone());
        record.telling = telling.collect();
    }
}

fn record_of<'a>(index: usize, call: &'a ToolCall<'a>) -> CallRecord<'a> {
    let raw = call.arguments.as_ref();
    // Null stands for an argument that was left out.
    let given = |members: Fields<'a>| {
        let given = members.into_iter().filter(|(_, raw)| *raw != "null");
        given.map(|(name, raw)| (name, value(raw))).collect()
    };
    let arguments = fields(raw).map(given);
    CallRecord {
        index,
        tool: call.name.unwrap_or("tool"),
        raw,
        arguments: arguments.unwrap_or_default(),
        telling: HashSet::new(),
        result: None,
        failed: false,
    }
}

/// An argument as a person reads it; a list of strings, such as the words of a command, as
/// one text.
fn value(raw: &str) -> Cow<'_, str> {
    if is_string(raw) {
        return unescape(raw).text;
    }
    let words = raw.starts_with('[').then(|| elements(raw).ok()).flatten().unwrap_or_default();
    if words.is_empty() || !words.iter().all(|word| is_string(word)) {
        return raw.into();
    }
    let quoted = |word: &&str| {
        let word = unescape(word).text;
        // A shell line among the words stays one word.
        match word.contains([' ', '\n']) && !word.contains('\'') {
            true if words.len() > 1 && !word.contains("*** Begin Patch") => format!("'{word}'"),
            _ => word.into_owned(),
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ").into()
}

impl<'a> CallRecord<'a> {
    /// The value of the first argument that has one of these names.
    pub(super) fn argument(&self, names: &[&str]) -> Option<&str> {
        let named = |name: &&str| self.arguments.iter().find(|(key, _)| key == name);
        names.iter().find_map(named).map(|(_, value)| value.as_ref())
    }

    /// The file that the call names.
    pub(super) fn path(&self) -> Option<&str> {
        self.argument(&PATHS)
    }

    /// The names of the scripts that its command runs, without their folders.
    pub(super) fn scripts(&self) -> Vec<String> {
        let touched = self.command().map(shell::touched).unwrap_or_default();
        let run = touched.into_iter().filter(|(_, _, op)| *op == FileOp::Run);
        run.map(|(name, ..)| file_name(&name).to_owned()).collect()
    }

    /// The command that the call runs in a shell.
    pub(super) fn command(&self) -> Option<&str> {
        self.argument(&COMMANDS).filter(|_| self.path().is_none())
    }

    /// The name of what the call does: editors with one tool for all say it in `command`.
    pub(super) fn verb(&self) -> &str {
        let of_editor = self.path().and_then(|_| self.argument(&["command", "cmd"]));
        of_editor.unwrap_or(self.tool)
    }

    /// True for a call whose command is code of a language, not of a shell.
    pub(super) fn runs_code(&self) -> bool {
        let name = self.tool.to_ascii_lowercase();
        let is_named = ["python", "javascript", "notebook", "jupyter", "node"];
        self.argument(&["code"]).is_some() || is_named.iter().any(|word| name.contains(word))
    }

    /// The texts of the arguments.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let values = self.arguments.iter().map(|(_, value)| value.as_ref());
        values.chain(self.arguments.is_empty().then_some(self.raw))
    }

    /// The words of its arguments, whole names and numbers.
    pub(super) fn words(&self) -> HashSet<&str> {
        let is_inner = |c: char| c.is_alphanumeric() || "_-./:@%".contains(c);
        let texts = self.texts().map(|text| &text[..text.floor_char_boundary(COMPARED)]);
        let words = texts.flat_map(move |text| text.split(move |c: char| !is_inner(c)));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// The files that a patch in its arguments names, in order.
    pub(super) fn patched(&self) -> Vec<(&str, FileOp)> {
        let lines = self.texts().filter(|text| text.contains('\n')).flat_map(str::lines);
        let of_line = |line| {
            let mut marks = PATCHED.iter();
            marks.find_map(|(mark, op)| Some((str::strip_prefix(line, *mark)?, *op)))
        };
        lines.filter_map(of_line).collect()
    }

    /// What a change adds and takes away, as far as the arguments say so.
    pub(super) fn change(&self) -> (Vec<Cow<'_, str>>, Vec<Cow<'_, str>>) {
        let all = |names: &[&str]| {
            let named = self.arguments.iter().filter(|(name, _)| names.contains(&name.as_ref()));
            named.map(|(_, value)| Cow::Borrowed(value.as_ref())).collect::<Vec<_>>()
        };
        let (mut added, mut removed) = (all(&ADDED), all(&REMOVED));
        for patch in self.texts().filter(|text| text.contains("*** Begin Patch")) {
            let lines = |mark: char| {
                let lines = patch.lines().filter_map(|line| line.strip_prefix(mark));
                lines.collect::<Vec<_>>().join("\n")
            };
            added.push(lines('+').into());
            removed.push(lines('-').into());
        }
        (added, removed)
    }

    /// The source of its result's lines, in message `index`.
    pub(super) fn source(&self, index: usize) -> String {
        let about = self.about(SOURCE);
        // Brackets end a source.
        let about = if about.contains(['[', ']']) { String::new() } else { about };
        format!("#{index} {} {about}", self.tool).trim_end().to_owned()
    }

    /// Describes the call on one line: what it is about first.
    pub(super) fn about(&self, limit: usize) -> String {
        if let Some(command) = self.command() {
            let others = self.arguments.iter().filter(|(name, _)| self.telling.contains(name));
            let others: String =
                others.map(|(name, value)| format!("{name}={} ", cut(value, OTHER))).collect();
            let room = limit.saturating_sub(others.chars().count()).max(limit / 2);
            return format!("{others}{}", cut_inside(in_room(command.trim(), room), room));
        }
        let patched = if self.path().is_none() { self.patched() } else { Vec::new() };
        if !patched.is_empty() {
            let files: Vec<&str> = patched.iter().map(|(path, _)| path.trim()).collect();
            return cut_left(&files.join(", "), limit);
        }
        if self.arguments.is_empty() {
            return if self.raw.trim() == "{}" { String::new() } else { cut(self.raw, limit) };
        }
        let path = self.path().map(|path| cut_left(path, PATH));
        let rest = self.arguments.iter().filter(|(name, _)| {
            let name = name.as_ref();
            let is_shown = path.is_some() && PATHS.contains(&name);
            !(CONTENT.contains(&name) || is_shown)
        });
        let mut shown: Vec<_> = rest.collect();
        if let ([(_, value)], None) = (&shown[..], &path) {
            return cut(value, limit);
        }
        // Short ones first: a verb and a name fit beside a long value.
        shown.sort_by_key(|(_, value)| value.len());
        let mut out = path.unwrap_or_default();
        for (name, value) in shown {
            let room = limit.saturating_sub(out.chars().count());
            if room < name.len() + 8 {
                break;
            }
            let value = cut(value, room - name.len());
            if value.is_empty() || value.starts_with(" …") {
                continue;
            }
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&format!("{name}={value}"));
        }
        out
    }

    /// True for a tool that shows what is there: its result is what it read, and an
    /// exit code in it is someone else's.
    pub(super) fn reads(&self) -> bool {
        if let Some(command) = self.command() {
            return shell::only_reads(command);
        }
        begins_a_word(
            self.verb(),
            &["read", "view", "open", "list", "search", "grep", "find", "fetch", "get", "show"],
        )
    }

    /// True for a tool that changes the file it names: its result says at its beginning how that
    /// went, and may go on with checks of what it changed.
    pub(super) fn changes_file(&self) -> bool {
        let names_one = self.path().is_some() && FileOp::of_tool(self.verb()) >= FileOp::Edited;
        names_one || !self.patched().is_empty()
    }

    /// True for a call that the user declined.
    pub(super) fn is_declined(&self) -> bool {
        self.result.is_some_and(|(_, _, result)| is_declined(&result.text))
    }

    /// True for a call whose result says where something is: a search, or another agent's report.
    pub(super) fn locates(&self) -> bool {
        match self.command() {
            Some(command) => shell::only_searches(command),
            None => begins_a_word(
                self.verb(),
                &["search", "grep", "find", "glob", "task", "agent", "subagent"],
            ),
        }
    }
}

/// A command, without the folder that it is run in if it is longer than `room`.
fn in_room(command: &str, room: usize) -> &str {
    let inner = || command.strip_prefix("cd ")?.split_once(" && ").map(|(_, inner)| inner.trim());
    let is_long = command.chars().nth(room).is_some();
    inner().filter(|inner| is_long && !inner.is_empty()).unwrap_or(command)
}

/// True where a word of a tool's name, such as `web_search` or `SemanticSearch`, begins with one of
/// these.
fn begins_a_word(name: &str, beginnings: &[&str]) -> bool {
    let mut begins = true;
    let mut before = ' ';
    for (at, c) in name.char_indices() {
        begins = begins || (c.is_uppercase() && before.is_lowercase());
        let rest = &name.as_bytes()[at..];
        let is_word = |word: &&str| {
            rest.get(..word.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(word.as_bytes()))
        };
        if begins && beginnings.iter().any(is_word) {
            return true;
        }
        begins = matches!(c, '_' | '-' | '.' | ' ');
        before = c;
    }
    false
}
