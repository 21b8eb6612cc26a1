//! The trail: files that were read, made or changed, and addresses opened.

use std::collections::HashMap;

use super::Source;
use super::item::Item;
use super::labels::Labels;
use super::ledger::Action;
use crate::compression::identifiers::{Identifier, Kind, canonical, identifiers};

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

/// What was done to a thing, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Opened,
    Run,
    Read,
    Edited,
    Written,
    Created,
    Deleted,
}

impl Deed {
    fn label(self, labels: &Labels) -> &'static str {
        match self {
            Deed::Opened => labels.opened,
            Deed::Run => labels.run,
            Deed::Read => labels.read,
            Deed::Edited => labels.edited,
            Deed::Written => labels.written,
            Deed::Created => labels.created,
            Deed::Deleted => labels.deleted,
        }
    }
}

/// A file or an address.
struct Thing {
    name: String,
    deeds: Vec<Deed>,
    last: usize,
}

/// What was touched, and how. What was changed is worth more than what was read,
/// the latest more than what came before.
pub(super) fn trail(source: &Source<'_>) -> Vec<Item> {
    let mut things: Vec<Thing> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut note = |name: &str, kind: Kind, deed: Deed, at: usize| {
        let name = name.trim();
        if name.is_empty() || name.len() > 300 || name.contains('\n') {
            return;
        }
        let key = canonical(&Identifier { kind, text: name }).into_owned();
        let place = *places.entry(key).or_insert_with(|| {
            things.push(Thing { name: name.to_owned(), deeds: Vec::new(), last: at });
            things.len() - 1
        });
        let thing = &mut things[place];
        thing.last = at;
        if !thing.deeds.contains(&deed) {
            thing.deeds.push(deed);
        }
    };
    for (at, action) in source.actions.iter().enumerate() {
        if !action.failed() {
            for (name, kind, deed) in touched(action) {
                note(&name, kind, deed, at);
            }
        }
    }
    let total = source.actions.len().max(1);
    let item = |thing: Thing| {
        let recent = u32::try_from(thing.last * 20 / total).unwrap_or(0);
        let changed = thing.deeds.iter().any(|deed| *deed >= Deed::Edited);
        let deeds: Vec<&str> = thing.deeds.iter().map(|deed| deed.label(&source.labels)).collect();
        let text = format!("{}: {}", thing.name, deeds.join(", "));
        Item::new(text, 20 + recent + if changed { 30 } else { 0 }, thing.last)
    };
    things.into_iter().map(item).collect()
}

/// What a call touches.
fn touched(action: &Action<'_>) -> Vec<(String, Kind, Deed)> {
    let mut found = Vec::new();
    let tool = action.tool.to_ascii_lowercase();
    if let Some(url) = action.argument(&URLS) {
        found.push((url.to_owned(), Kind::Url, Deed::Opened));
    }
    // Editors with one tool for all say in `command` what they do.
    let command = action.argument(&["command", "cmd"]);
    let path = action.argument(&PATHS);
    if let Some(path) = path {
        let verb = command.unwrap_or(&tool).to_ascii_lowercase();
        found.push((path.to_owned(), Kind::Path, deed_of(&verb)));
    } else if let Some(command) = command {
        of_shell(command, &mut found);
    }
    if action.raw.contains("*** Begin Patch") {
        of_patch(action, &mut found);
    }
    found
}

/// What a tool of this name does to its file.
fn deed_of(name: &str) -> Deed {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["delete", "remove", "unlink"]) {
        Deed::Deleted
    } else if has(&["replace", "edit", "patch", "update", "insert", "modify", "append", "undo"]) {
        Deed::Edited
    } else if has(&["create", "mkdir", "touch"]) {
        Deed::Created
    } else if has(&["write", "save", "put", "upload"]) {
        Deed::Written
    } else {
        Deed::Read
    }
}

/// Files that the commands of a shell line name, by what the commands do.
fn of_shell(command: &str, found: &mut Vec<(String, Kind, Deed)>) {
    for line in command.lines().take(40) {
        for part in line.split(['|', ';', '&']).filter(|part| part.len() < 600) {
            let part = part.trim();
            let mut words = part.split_whitespace().skip_while(|word| word.contains('='));
            let name = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            let deed = match name {
                "rm" | "rmdir" => Deed::Deleted,
                "sed" | "perl" if part.contains(" -i") => Deed::Edited,
                "touch" | "mkdir" => Deed::Created,
                "mv" | "cp" | "tee" => Deed::Written,
                "cat" | "head" | "tail" | "less" | "grep" | "rg" | "sed" | "awk" | "wc" | "nl" => {
                    Deed::Read
                }
                "python" | "python3" | "node" | "bash" | "sh" | "pytest" | "ruby" | "deno"
                | "bun" => Deed::Run,
                "curl" | "wget" => Deed::Opened,
                _ if part.contains('>') => Deed::Written,
                _ => continue,
            };
            let (read, written) = part.split_once('>').unwrap_or((part, ""));
            for (side, deed) in [(read, deed), (written, Deed::Written)] {
                for named in identifiers(side).into_iter().take(20) {
                    let fits = match named.kind {
                        Kind::Path => deed != Deed::Opened && !named.text.starts_with("/dev/"),
                        Kind::Url => true,
                        _ => false,
                    };
                    // `python -c` and patterns of `grep` name no files.
                    if fits && named.text != name && !name.ends_with(named.text) {
                        let deed = if named.kind == Kind::Url { Deed::Opened } else { deed };
                        found.push((named.text.to_owned(), named.kind, deed));
                    }
                }
            }
        }
    }
}

/// Files that a patch in the arguments names.
fn of_patch(action: &Action<'_>, found: &mut Vec<(String, Kind, Deed)>) {
    let texts = action.arguments.iter().map(|(_, value)| value.as_ref());
    let texts = texts.chain(action.arguments.is_empty().then_some(action.raw));
    for line in texts.flat_map(str::lines) {
        for (mark, deed) in [
            ("*** Update File: ", Deed::Edited),
            ("*** Add File: ", Deed::Created),
            ("*** Delete File: ", Deed::Deleted),
        ] {
            if let Some(path) = line.strip_prefix(mark) {
                found.push((path.to_owned(), Kind::Path, deed));
            }
        }
    }
}
