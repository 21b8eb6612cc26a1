//! Artifacts: files that were read, created or changed, and addresses that were opened.

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

/// Arguments that contain an address.
const URLS: [&str; 4] = ["url", "uri", "link", "href"];
/// Number of newest changed files whose items belong to the core.
const CORE: usize = 6;
/// Maximum number of files to take from a result.
const FOUND: usize = 5;

/// A file or an address.
struct Artifact {
    name: String,
    /// The operations in the order of their first occurrence, each with its count.
    ops: Vec<(FileOp, usize)>,
    /// The last message; `None` if only an earlier trail names it.
    last: Option<usize>,
}

/// Returns the artifacts with their operations, those of the `earlier` trail first. A changed file
/// is worth more than one that was read, and a later one more than an earlier one.
pub(super) fn artifacts(input: &Input<'_>, earlier: &str, terms: &Terms) -> Vec<Item> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // A model writes its trail in its own words.
    let mut items: Vec<Item> = Vec::new();
    for (at, item) in parse(earlier).into_iter().enumerate() {
        match Artifact::parse(&item.text) {
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
            artifacts[place].note(op, 1, Some(call.index));
        }
    }
    let artifacts = each_once(artifacts);
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

/// Merges the absolute path of a file and its path relative to a working directory, under the
/// relative one. The relative path must contain a folder, and exactly one absolute path must end
/// with it.
fn each_once(artifacts: Vec<Artifact>) -> Vec<Artifact> {
    let mut absolute: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, artifact) in artifacts.iter().enumerate() {
        if artifact.name.starts_with('/') {
            absolute.entry(file_name(&artifact.name).to_owned()).or_default().push(at);
        }
    }
    let twin = |short: &str| {
        let short = short.trim_start_matches("./");
        let is_relative = short.contains('/') && !short.starts_with(['/', '~', '.']);
        let named = absolute.get(file_name(short)).filter(|_| is_relative)?;
        let ends = |at: &&usize| {
            artifacts[**at].name.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
        };
        let mut same = named.iter().filter(ends);
        same.next().filter(|_| same.next().is_none()).copied()
    };
    let twins: Vec<Option<usize>> = artifacts.iter().map(|one| twin(&one.name)).collect();
    let mut left: Vec<Option<Artifact>> = artifacts.into_iter().map(Some).collect();
    for (at, long) in twins.into_iter().enumerate() {
        let Some(mut long) = long.and_then(|long| left[long].take()) else { continue };
        let Some(mut short) = left[at].take() else { continue };
        let is_later = long.last > short.last;
        if !is_later {
            std::mem::swap(&mut long.ops, &mut short.ops);
        }
        let last = long.last.max(short.last);
        for (op, times) in long.ops {
            short.note(op, times, last);
        }
        left[at] = Some(short);
    }
    left.into_iter().flatten().collect()
}

/// Returns the names of files that calls created, changed or deleted, without folders.
pub(crate) fn changed_files(messages: &[TranscriptMessage<'_>]) -> HashSet<String> {
    let calls = call_records(messages);
    let touched = calls.iter().filter(|call| !call.failed).flat_map(touched);
    let changed = touched.filter(|(_, _, op)| *op >= FileOp::Edited);
    changed.map(|(name, ..)| file_name(name.trim()).to_lowercase()).collect()
}

/// Returns the name of an artifact in a form for comparing.
fn key_of(name: &str) -> String {
    let kind = if name.contains("://") { IdentifierKind::Url } else { IdentifierKind::Path };
    canonical(&Identifier { kind, text: name }).into_owned()
}

impl Artifact {
    /// Parses a line of a trail that [`line`](Self::line) rendered.
    fn parse(line: &str) -> Option<Artifact> {
        let (name, ops) = line.rsplit_once(": ")?;
        let op = |text: &str| {
            let (label, times) = text.split_once(" ×").unwrap_or((text, "1"));
            Some((FileOp::labelled(label)?, times.parse().ok()?))
        };
        let ops = ops.split(", ").map(op).collect::<Option<Vec<_>>>()?;
        Some(Artifact { name: name.to_owned(), ops, last: None })
    }

    fn note(&mut self, op: FileOp, times: usize, at: Option<usize>) {
        self.last = self.last.max(at);
        // Another operation shows that the file exists, so it is not deleted any more.
        if op != FileOp::Deleted && op > FileOp::Found {
            self.ops.retain(|(known, _)| *known != FileOp::Deleted);
        }
        match self.ops.iter_mut().find(|(known, _)| *known == op) {
            Some((_, known)) => *known += times,
            None => self.ops.push((op, times)),
        }
    }

    fn is_changed(&self) -> bool {
        self.ops.iter().any(|(op, _)| *op >= FileOp::Edited)
    }

    /// Renders the artifact as a line of the trail. If the file was changed, lists the changes
    /// only. Lists `Found` only if there is no other operation.
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
    let patched = call.patched();
    if !patched.is_empty() {
        let of = |(path, op): (&str, FileOp)| (path.to_owned(), IdentifierKind::Path, op);
        found.extend(patched.into_iter().map(of));
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

/// Returns the first few files that the result of a search, or the report of another agent, names.
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
        let read = Artifact::parse(&line).map(|artifact| artifact.line(&labels));
        assert_eq!(read.as_deref(), Some(line.as_str()));
        // The user may have changed the language since.
        let chinese = Artifact::parse("src/a.rs: 已建, 已改 ×3").unwrap();
        assert_eq!(chinese.line(&labels), "src/a.rs: created, edited ×3");
        for line in ["no trail", "a: sold", "a: edited ×many"] {
            assert!(Artifact::parse(line).is_none(), "{line}");
        }
    }
}
