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
/// Maximum characters of a shown path, and of a call in a source.
const PATH: usize = 60;
const SOURCE: usize = 60;
/// Maximum bytes of a shown argument next to a command.
const OTHER: usize = 40;
/// Arguments that contain the path of a file.
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
/// Arguments that contain a command.
const COMMANDS: [&str; 4] = ["command", "cmd", "script", "code"];
/// Arguments with the text that a change removes, and with the text that it adds.
const REMOVED: [&str; 5] = ["old_string", "old_str", "oldText", "old_text", "search"];
const ADDED: [&str; 6] = ["new_string", "new_str", "newText", "new_text", "replace", "content"];
/// Arguments with content; the others describe the call.
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

/// A call and its result.
pub(super) struct CallRecord<'a> {
    /// The message with the call.
    pub(super) index: usize,
    /// The name of the tool.
    pub(super) tool: &'a str,
    /// The arguments, unchanged.
    pub(super) raw: &'a str,
    /// The members of the arguments with unescaped strings; empty if the arguments are not an
    /// object.
    pub(super) arguments: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Names of arguments that distinguish the commands of a tool, such as a host.
    telling: HashSet<Cow<'a, str>>,
    /// The index of the message with the result, the position in it, and the result; `None` before
    /// it came.
    pub(super) result: Option<(usize, usize, &'a ToolResult<'a>)>,
    /// True if the result says that the call failed.
    pub(super) failed: bool,
}

/// Returns the calls of a transcript in order, each with its result. If an id occurs twice, a
/// result belongs to the latest call before it.
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
            // Formats without ids return results in the order of the calls.
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

/// Finds the arguments next to commands in which the calls of a tool differ: short words that are
/// not numbers.
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
    // `null` means that an argument was omitted.
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

/// Returns an argument in readable form: a list of strings, such as the words of a command, becomes
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
        // A shell line among the words is quoted, so that it remains one word.
        match word.contains([' ', '\n']) && !word.contains('\'') {
            true if words.len() > 1 && !word.contains("*** Begin Patch") => format!("'{word}'"),
            _ => word.into_owned(),
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ").into()
}

impl<'a> CallRecord<'a> {
    /// Returns the value of the first argument with one of these names.
    pub(super) fn argument(&self, names: &[&str]) -> Option<&str> {
        let named = |name: &&str| self.arguments.iter().find(|(key, _)| key == name);
        names.iter().find_map(named).map(|(_, value)| value.as_ref())
    }

    /// Returns the file that the call names.
    pub(super) fn path(&self) -> Option<&str> {
        self.argument(&PATHS)
    }

    /// Returns the names of the scripts that its command runs, without folders.
    pub(super) fn scripts(&self) -> Vec<String> {
        let touched = self.command().map(shell::touched).unwrap_or_default();
        let run = touched.into_iter().filter(|(_, _, op)| *op == FileOp::Run);
        run.map(|(name, ..)| file_name(&name).to_owned()).collect()
    }

    /// Returns the command that the call runs in a shell.
    pub(super) fn command(&self) -> Option<&str> {
        self.argument(&COMMANDS).filter(|_| self.path().is_none())
    }

    /// Returns the name of the operation. An editor with one tool for all operations has it in
    /// `command`.
    pub(super) fn verb(&self) -> &str {
        let of_editor = self.path().and_then(|_| self.argument(&["command", "cmd"]));
        of_editor.unwrap_or(self.tool)
    }

    /// Returns true for a call whose command is code of a language other than shell.
    pub(super) fn runs_code(&self) -> bool {
        let name = self.tool.to_ascii_lowercase();
        let is_named = ["python", "javascript", "notebook", "jupyter", "node"];
        self.argument(&["code"]).is_some() || is_named.iter().any(|word| name.contains(word))
    }

    /// Returns the texts of the arguments.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let values = self.arguments.iter().map(|(_, value)| value.as_ref());
        values.chain(self.arguments.is_empty().then_some(self.raw))
    }

    /// Returns the words of the arguments; names and numbers stay whole.
    pub(super) fn words(&self) -> HashSet<&str> {
        let is_inner = |c: char| c.is_alphanumeric() || "_-./:@%".contains(c);
        let texts = self.texts().map(|text| &text[..text.floor_char_boundary(COMPARED)]);
        let words = texts.flat_map(move |text| text.split(move |c: char| !is_inner(c)));
        words.filter(|word| !word.is_empty()).collect()
    }

    /// Returns the files that a patch in the arguments names, in order.
    pub(super) fn patched(&self) -> Vec<(&str, FileOp)> {
        let lines = self.texts().filter(|text| text.contains('\n')).flat_map(str::lines);
        let of_line = |line| {
            let mut marks = PATCHED.iter();
            marks.find_map(|(mark, op)| Some((str::strip_prefix(line, *mark)?, *op)))
        };
        lines.filter_map(of_line).collect()
    }

    /// Returns the texts that a change adds and removes, according to the arguments.
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

    /// Returns the source for lines of the result, which is in message `index`.
    pub(super) fn source(&self, index: usize) -> String {
        let about = self.about(SOURCE);
        // A bracket would end the source.
        let about = if about.contains(['[', ']']) { String::new() } else { about };
        format!("#{index} {} {about}", self.tool).trim_end().to_owned()
    }

    /// Describes the call on one line, the most specific argument first.
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
        // Short values first: a verb and a name fit next to a long value.
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

    /// Returns true for a call that only reads. Its result is what it read, and an exit code in it
    /// belongs to something else.
    pub(super) fn reads(&self) -> bool {
        if let Some(command) = self.command() {
            return shell::only_reads(command);
        }
        begins_a_word(
            self.verb(),
            &["read", "view", "open", "list", "search", "grep", "find", "fetch", "get", "show"],
        )
    }

    /// Returns true for a call that changes the file that it names. Its result states the outcome
    /// at its beginning, and checks of the change may follow.
    pub(super) fn changes_file(&self) -> bool {
        let names_one = self.path().is_some() && FileOp::of_tool(self.verb()) >= FileOp::Edited;
        names_one || !self.patched().is_empty()
    }

    /// Returns true for a call that the user declined.
    pub(super) fn is_declined(&self) -> bool {
        self.result.is_some_and(|(_, _, result)| is_declined(&result.text))
    }

    /// Returns true for a call whose result says where something is: a search, or another agent's
    /// report.
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

/// Returns a command. If it is longer than `room`, omits a leading `cd` to a folder.
fn in_room(command: &str, room: usize) -> &str {
    let inner = || command.strip_prefix("cd ")?.split_once(" && ").map(|(_, inner)| inner.trim());
    let is_long = command.chars().nth(room).is_some();
    inner().filter(|inner| is_long && !inner.is_empty()).unwrap_or(command)
}

/// Returns true if a word in a tool's name, such as `web_search` or `SemanticSearch`, begins with
/// one of `beginnings`.
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
