//! Artifacts: files that were read, made or changed, and addresses that were opened.

use std::collections::{HashMap, HashSet};

use super::call_record::{CallRecord, call_records};
use super::code;
use super::file_op::FileOp;
use super::input::Input;
use super::item::{CHOSEN_ONCE, Item, parse, points};
use super::labels::Labels;
use super::outcome::without_echo;
use super::result_text::{printed, windows};
use super::shell::{self, Touch};
use super::terms::Terms;
use crate::snapshot::text::identifiers::{
    Identifier, IdentifierKind, canonical, file_name, identifiers,
};
use crate::snapshot::transcript::TranscriptMessage;

/// Arguments that name an address.
const URLS: [&str; 4] = ["url", "uri", "link", "href"];
/// The changed files of which the trail has the newest before all that is no core.
const CORE: usize = 6;
/// Files of a result that are taken into the trail.
const FOUND: usize = 5;
/// Lines of a patch that name a file.
const PATCHED: [(&str, FileOp); 5] = [
    ("*** Update File: ", FileOp::Edited),
    ("*** Add File: ", FileOp::Created),
    ("*** Delete File: ", FileOp::Deleted),
    ("*** Move to: ", FileOp::Created),
    ("+++ b/", FileOp::Edited),
];

/// A file or an address.
struct Artifact {
    name: String,
    /// What was done with it, in order of the first time, and how often.
    ops: Vec<(FileOp, usize)>,
    /// The last message; None in an earlier trail.
    last: Option<usize>,
}

/// Returns the artifacts with their operations, those of the `earlier` trail first. A changed one
/// is worth more than one that was read, and a later one more than an earlier one.
pub(super) fn artifacts(input: &Input<'_>, earlier: &str, terms: &Terms) -> Vec<Item> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // A model writes its trail in its own words.
    let mut items: Vec<Item> = Vec::new();
    for (at, item) in parse(earlier).into_iter().enumerate() {
        match Artifact::parse(&item.text, &input.labels) {
            Some(artifact) => {
                places.insert(key_of(&artifact.name), artifacts.len());
                artifacts.push(artifact);
            }
            None => items.push(Item::new(item.text, points(CHOSEN_ONCE), at)),
        }
    }
    let old = artifacts.len() + items.len();
    for call in input.calls.iter().filter(|call| !call.failed) {
        for (name, kind, op) in touched(call).into_iter().chain(found(call)) {
            let name = name.trim();
            if name.is_empty() || name.len() > 300 || name.contains('\n') {
                continue;
            }
            let key = canonical(&Identifier { kind, text: name }).into_owned();
            let place = *places.entry(key).or_insert_with(|| {
                artifacts.push(Artifact { name: name.to_owned(), ops: Vec::new(), last: None });
                artifacts.len() - 1
            });
            artifacts[place].note(op, call.index);
        }
    }
    let mut changes: Vec<usize> =
        artifacts.iter().filter(|artifact| artifact.is_changed()).filter_map(|a| a.last).collect();
    changes.sort_unstable();
    let core = changes.len().checked_sub(CORE).map_or(0, |at| changes[at]);
    let item = |(at, artifact): (usize, Artifact)| {
        let late = artifact.last.map_or(0, |last| input.lateness(last, 6));
        let is_changed = artifact.is_changed();
        let is_found = artifact.ops.iter().all(|(op, _)| *op == FileOp::Found);
        let worth = late + if is_changed { 24 } else { 3 - 2 * u32::from(is_found) };
        let core = is_changed && artifact.last.is_some_and(|last| last >= core);
        let text = artifact.line(&input.labels);
        let found = terms.of_text(&artifact.name, artifact.last.unwrap_or(0));
        let order = artifact.last.map_or(at, |last| old + last);
        Item { terms: found, core, ..Item::new(text, points(worth), order) }
    };
    items.extend(artifacts.into_iter().enumerate().map(item));
    items
}

/// Returns the names of the files that calls created, changed or deleted, without their folders.
pub(crate) fn changed_files(messages: &[TranscriptMessage<'_>]) -> HashSet<String> {
    let calls = call_records(messages);
    let touched = calls.iter().filter(|call| !call.failed).flat_map(touched);
    let changed = touched.filter(|(_, _, op)| *op >= FileOp::Edited);
    changed.map(|(name, ..)| file_name(name.trim()).to_lowercase()).collect()
}

/// The name of a file as it is compared.
fn key_of(name: &str) -> String {
    let kind = if name.contains("://") { IdentifierKind::Url } else { IdentifierKind::Path };
    canonical(&Identifier { kind, text: name }).into_owned()
}

impl Artifact {
    /// Reads a line of a trail, as `line` writes it.
    fn parse(line: &str, labels: &Labels) -> Option<Artifact> {
        let (name, ops) = line.rsplit_once(": ")?;
        let op = |text: &str| {
            let (label, times) = text.split_once(" ×").unwrap_or((text, "1"));
            let op = FileOp::ALL.into_iter().find(|op| op.label(labels) == label)?;
            Some((op, times.parse().ok()?))
        };
        let ops = ops.split(", ").map(op).collect::<Option<Vec<_>>>()?;
        Some(Artifact { name: name.to_owned(), ops, last: None })
    }

    fn note(&mut self, op: FileOp, at: usize) {
        self.last = Some(at);
        // A file with which something is done again is there: its deletion is over.
        if op != FileOp::Deleted && op > FileOp::Found {
            self.ops.retain(|(known, _)| *known != FileOp::Deleted);
        }
        match self.ops.iter_mut().find(|(known, _)| *known == op) {
            Some((_, times)) => *times += 1,
            None => self.ops.push((op, 1)),
        }
    }

    fn is_changed(&self) -> bool {
        self.ops.iter().any(|(op, _)| *op >= FileOp::Edited)
    }

    /// Of a file that was changed only the changes count, and a place in a result only where nothing
    /// was done with the file.
    fn line(&self, labels: &Labels) -> String {
        let has = |least: &FileOp| self.ops.iter().any(|(op, _)| op >= least);
        let least = [FileOp::Edited, FileOp::Opened].into_iter().find(has);
        let ops = self.ops.iter().filter(|(op, _)| Some(*op) >= least);
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
    if let Some(path) = call.path() {
        let op = FileOp::of_tool(call.verb());
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

/// Returns the files that the result of a search names, or the report of another agent: the first
/// few.
fn found(call: &CallRecord<'_>) -> Vec<Touch> {
    let Some((_, _, result)) = call.result.filter(|_| call.locates()) else { return Vec::new() };
    let (head, _) = windows(without_echo(call, printed(&result.text)));
    let mut seen = HashSet::new();
    let is_file = |named: &Identifier<'_>| {
        named.kind == IdentifierKind::Path
            && named.text.contains('/')
            && file_name(named.text).trim_matches('.').contains('.')
    };
    let files = identifiers(head).into_iter().filter(is_file);
    files
        .filter(|named| seen.insert(named.text))
        .take(FOUND)
        .map(|named| (named.text.to_owned(), named.kind, FileOp::Found))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::{Artifact, FileOp};
    use crate::snapshot::extractive::labels::Labels;
    use crate::snapshot::text::language::Language;

    #[test]
    fn a_line_of_a_trail_is_read_as_it_was_written() {
        let labels = Labels::of(Language::English);
        let ops = vec![(FileOp::Created, 1), (FileOp::Edited, 3)];
        let line = Artifact { name: "src/a: b.rs".to_owned(), ops, last: None }.line(&labels);
        assert_eq!(line, "src/a: b.rs: created, edited ×3");
        let read = Artifact::parse(&line, &labels).map(|artifact| artifact.line(&labels));
        assert_eq!(read.as_deref(), Some(line.as_str()));
        for line in ["no trail", "a: sold", "a: edited ×many"] {
            assert!(Artifact::parse(line, &labels).is_none(), "{line}");
        }
    }
}
