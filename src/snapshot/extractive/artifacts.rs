//! Artifacts: files that were read, made or changed, and addresses that were opened.

use std::collections::HashMap;

use super::call_record::CallRecord;
use super::input::Input;
use super::item::Item;
use super::labels::Labels;
use crate::snapshot::text::identifiers::{Identifier, IdentifierKind, canonical, identifiers};

/// Arguments that name a file.
const PATHS: [&str; 10] = [
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
];
/// Arguments that name an address.
const URLS: [&str; 4] = ["url", "uri", "link", "href"];

/// An operation on an artifact, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileOp {
    Opened,
    Run,
    Read,
    Edited,
    Written,
    Created,
    Deleted,
}

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
    ops: Vec<FileOp>,
    last: usize,
}

/// Returns the artifacts with their operations. A changed one is worth more than one that
/// was read, and a later one more than an earlier one.
pub(super) fn artifacts(input: &Input<'_>) -> Vec<Item> {
    let mut artifacts: Vec<Artifact> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut note = |name: &str, kind: IdentifierKind, op: FileOp, at: usize| {
        let name = name.trim();
        if name.is_empty() || name.len() > 300 || name.contains('\n') {
            return;
        }
        let key = canonical(&Identifier { kind, text: name }).into_owned();
        let place = *places.entry(key).or_insert_with(|| {
            artifacts.push(Artifact { name: name.to_owned(), ops: Vec::new(), last: at });
            artifacts.len() - 1
        });
        let artifact = &mut artifacts[place];
        artifact.last = at;
        if !artifact.ops.contains(&op) {
            artifact.ops.push(op);
        }
    };
    for (at, call) in input.calls.iter().enumerate() {
        if !call.failed() {
            for (name, kind, op) in touched(call) {
                note(&name, kind, op, at);
            }
        }
    }
    let total = input.calls.len().max(1);
    let item = |artifact: Artifact| {
        let recent = u32::try_from(artifact.last * 20 / total).unwrap_or(0);
        let changed = artifact.ops.iter().any(|op| *op >= FileOp::Edited);
        let ops: Vec<&str> = artifact.ops.iter().map(|op| op.label(&input.labels)).collect();
        let text = format!("{}: {}", artifact.name, ops.join(", "));
        Item::new(text, 20 + recent + if changed { 30 } else { 0 }, artifact.last)
    };
    artifacts.into_iter().map(item).collect()
}

/// Returns the artifacts of a call.
fn touched(call: &CallRecord<'_>) -> Vec<(String, IdentifierKind, FileOp)> {
    let mut found = Vec::new();
    let tool = call.tool.to_ascii_lowercase();
    if let Some(url) = call.argument(&URLS) {
        found.push((url.to_owned(), IdentifierKind::Url, FileOp::Opened));
    }
    // Editors with one tool for all say in `command` what they do.
    let command = call.argument(&["command", "cmd"]);
    let path = call.argument(&PATHS);
    if let Some(path) = path {
        let verb = command.unwrap_or(&tool).to_ascii_lowercase();
        found.push((path.to_owned(), IdentifierKind::Path, op_of(&verb)));
    } else if let Some(command) = command {
        of_shell(command, &mut found);
    }
    if call.raw.contains("*** Begin Patch") {
        of_patch(call, &mut found);
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

/// Files that the commands of a shell line name, by what the commands do.
fn of_shell(command: &str, found: &mut Vec<(String, IdentifierKind, FileOp)>) {
    for line in command.lines().take(40) {
        for part in line.split(['|', ';', '&']).filter(|part| part.len() < 600) {
            let part = part.trim();
            let mut words = part.split_whitespace().skip_while(|word| word.contains('='));
            let name = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            let op = match name {
                "rm" | "rmdir" => FileOp::Deleted,
                "sed" | "perl" if part.contains(" -i") => FileOp::Edited,
                "touch" | "mkdir" => FileOp::Created,
                "mv" | "cp" | "tee" => FileOp::Written,
                "cat" | "head" | "tail" | "less" | "grep" | "rg" | "sed" | "awk" | "wc" | "nl" => {
                    FileOp::Read
                }
                "python" | "python3" | "node" | "bash" | "sh" | "pytest" | "ruby" | "deno"
                | "bun" => FileOp::Run,
                "curl" | "wget" => FileOp::Opened,
                _ if part.contains('>') => FileOp::Written,
                _ => continue,
            };
            let (read, written) = part.split_once('>').unwrap_or((part, ""));
            for (side, op) in [(read, op), (written, FileOp::Written)] {
                for named in identifiers(side).into_iter().take(20) {
                    let fits = match named.kind {
                        IdentifierKind::Path => {
                            op != FileOp::Opened && !named.text.starts_with("/dev/")
                        }
                        IdentifierKind::Url => true,
                        _ => false,
                    };
                    // `python -c` and patterns of `grep` name no files.
                    if fits && named.text != name && !name.ends_with(named.text) {
                        let op =
                            if named.kind == IdentifierKind::Url { FileOp::Opened } else { op };
                        found.push((named.text.to_owned(), named.kind, op));
                    }
                }
            }
        }
    }
}

/// Files that a patch in the arguments names.
fn of_patch(call: &CallRecord<'_>, found: &mut Vec<(String, IdentifierKind, FileOp)>) {
    let texts = call.arguments.iter().map(|(_, value)| value.as_ref());
    let texts = texts.chain(call.arguments.is_empty().then_some(call.raw));
    for line in texts.flat_map(str::lines) {
        for (mark, op) in [
            ("*** Update File: ", FileOp::Edited),
            ("*** Add File: ", FileOp::Created),
            ("*** Delete File: ", FileOp::Deleted),
        ] {
            if let Some(path) = line.strip_prefix(mark) {
                found.push((path.to_owned(), IdentifierKind::Path, op));
            }
        }
    }
}
