//! Artifacts: files that were read, made or changed, and addresses that were opened.

use std::collections::HashMap;

use super::call_record::{CallRecord, PATHS};
use super::code;
use super::input::Input;
use super::item::{Item, points};
use super::labels::Labels;
use super::shell::{self, FileOp, Touch};
use super::terms::Terms;
use crate::snapshot::text::identifiers::{Identifier, IdentifierKind, canonical};

/// Arguments that name an address.
const URLS: [&str; 4] = ["url", "uri", "link", "href"];
/// Lines of a patch that name a file.
const PATCHED: [(&str, FileOp); 5] = [
    ("*** Update File: ", FileOp::Edited),
    ("*** Add File: ", FileOp::Created),
    ("*** Delete File: ", FileOp::Deleted),
    ("*** Move to: ", FileOp::Created),
    ("+++ b/", FileOp::Edited),
];

impl FileOp {
    fn label(self, labels: &Labels) -> &'static str {
        match self {
            FileOp::Opened => labels.opened,
            FileOp::Run => labels.run,
            FileOp::Read => labels.read,
            FileOp::Edited => labels.edited,
            FileOp::Written => labels.written,
            FileOp::Created => labels.created,
            FileOp::Deleted => labels.deleted,
        }
    }
}

/// A file or an address.
struct Artifact {
    name: String,
    /// What was done with it, in order of the first time, and how often.
    ops: Vec<(FileOp, usize)>,
    last: usize,
}

/// Returns the artifacts with their operations. A changed one is worth more than one that
/// was read, and a later one more than an earlier one.
pub(super) fn artifacts(input: &Input<'_>, terms: &Terms) -> Vec<Item> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for call in input.calls.iter().filter(|call| !call.failed) {
        for (name, kind, op) in touched(call) {
            let name = name.trim();
            if name.is_empty() || name.len() > 300 || name.contains('\n') {
                continue;
            }
            let key = canonical(&Identifier { kind, text: name }).into_owned();
            let place = *places.entry(key).or_insert_with(|| {
                artifacts.push(Artifact { name: name.to_owned(), ops: Vec::new(), last: 0 });
                artifacts.len() - 1
            });
            artifacts[place].note(op, call.index);
        }
    }
    let item = |artifact: Artifact| {
        let late = input.lateness(artifact.last, 6);
        let worth = if artifact.is_changed() { 24 } else { 3 } + late;
        let text = artifact.line(&input.labels);
        let found = terms.of_text(&artifact.name, artifact.last);
        Item { terms: found, ..Item::new(text, points(worth), artifact.last) }
    };
    artifacts.into_iter().map(item).collect()
}

impl Artifact {
    fn note(&mut self, op: FileOp, at: usize) {
        self.last = at;
        match self.ops.iter_mut().find(|(known, _)| *known == op) {
            Some((_, times)) => *times += 1,
            None => self.ops.push((op, 1)),
        }
    }

    fn is_changed(&self) -> bool {
        self.ops.iter().any(|(op, _)| *op >= FileOp::Edited)
    }

    /// Of a file that was changed only the changes count.
    fn line(&self, labels: &Labels) -> String {
        let changed = self.is_changed();
        let ops = self.ops.iter().filter(|(op, _)| !changed || *op >= FileOp::Edited);
        let ops: Vec<String> = ops
            .map(|(op, times)| match (op, times) {
                (FileOp::Edited, 2..) => format!("{} ×{times}", op.label(labels)),
                _ => op.label(labels).to_owned(),
            })
            .collect();
        format!("{}: {}", self.name, ops.join(", "))
    }
}

/// Returns the artifacts of a call.
fn touched(call: &CallRecord<'_>) -> Vec<Touch> {
    let mut found = Vec::new();
    if let Some(url) = call.argument(&URLS) {
        found.push((url.to_owned(), IdentifierKind::Url, FileOp::Opened));
    }
    let patched = found.len();
    of_patch(call, &mut found);
    if found.len() > patched {
        return found;
    }
    if let Some(path) = call.argument(&PATHS) {
        let op = op_of(&call.verb().to_ascii_lowercase());
        found.push((path.to_owned(), IdentifierKind::Path, op));
    } else if let Some(command) = call.command() {
        let is_code = call.runs_code();
        if !is_code {
            found.extend(shell::touched(command));
        }
        if is_code || code::is_inline(command) {
            found.extend(code::touched(command));
        }
    }
    found
}

/// Returns the operation of a tool by its name.
fn op_of(name: &str) -> FileOp {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["delete", "remove", "unlink"]) {
        FileOp::Deleted
    } else if has(&["replace", "edit", "patch", "update", "insert", "modify", "append", "undo"]) {
        FileOp::Edited
    } else if has(&["create", "mkdir", "touch"]) {
        FileOp::Created
    } else if has(&["write", "save", "put", "upload"]) {
        FileOp::Written
    } else {
        FileOp::Read
    }
}

/// Files that a patch in the arguments names.
fn of_patch(call: &CallRecord<'_>, found: &mut Vec<Touch>) {
    for line in call.texts().filter(|text| text.contains('\n')).flat_map(str::lines) {
        for (mark, op) in PATCHED {
            if let Some(path) = line.strip_prefix(mark) {
                found.push((path.to_owned(), IdentifierKind::Path, op));
            }
        }
    }
}
