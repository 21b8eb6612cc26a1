//! Finding a stored result by what an agent knows of it: the id of its call, or its
//! name without folder or extension. The names that an id can mean are looked at; the
//! folder is never listed.

use std::collections::BTreeSet;
use std::time::SystemTime;

use cap_std::fs::Dir;
use redact::hidden;

use super::index::Index;
use super::origin::cut;
use super::walk::walk;
use super::{FileName, Location, Roots, Stem};

/// The files of `folder` that `id` means, newest first: results of the call of that
/// id, and files of that name.
pub fn find_result(folder: &Location, id: &str) -> Vec<Location> {
    let Ok(dir) = folder.dir().open_dir(folder.relative()) else { return Vec::new() };
    let index = Index::open(&dir).ok().flatten();
    let mut found: Vec<(SystemTime, FileName)> = Vec::new();
    for name in meant(index.as_ref(), id) {
        let Ok(metadata) = dir.symlink_metadata(name.as_str()) else { continue };
        if metadata.is_file() {
            let modified = metadata.modified().map(cap_std::time::SystemTime::into_std);
            found.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), name));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name)| folder.child(name.as_str())).collect()
}

/// The file of `folder` that `id` meant until it came to its end.
pub fn gone_result(folder: &Location, id: &str) -> Option<Location> {
    let dir: Dir = folder.dir().open_dir(folder.relative()).ok()?;
    let index = Index::open(&dir).ok()??;
    let has_ended = |name: &FileName| index.record(name).is_some_and(|r| r.ended.is_some());
    let name = meant(Some(&index), id).into_iter().find(has_ended)?;
    Some(folder.child(name.as_str()))
}

/// The names that an id can mean: those that it says, and those that the index has for
/// a call of that id.
fn meant(index: Option<&Index>, id: &str) -> BTreeSet<FileName> {
    let mut names = BTreeSet::new();
    let spelled = ["", ".txt", ".jsonl", ".json"].map(|extension| format!("{id}{extension}"));
    names.extend(spelled.iter().filter_map(|name| FileName::of_minted(name)));
    // An id with a secret in it stands for itself in no name and in no record.
    for id in [id, &hidden(id)] {
        names.extend(Stem::plain_name(id).and_then(|name| FileName::of_minted(name.as_str())));
        if let Some(index) = index {
            let is_of_call = |name: &FileName| {
                let record = index.record(name);
                let of = record.and_then(|record| record.origin.call.call_id);
                of.as_deref() == Some(cut(id))
            };
            names.extend(index.names_of_call(id).into_iter().filter(is_of_call));
        }
    }
    names.retain(|name| Stem::minted_for_any(name.as_str()));
    names
}

/// Every folder under the roots that holds stored files; bounded as a sweep is.
pub fn stores(roots: &Roots) -> Vec<Location> {
    let mut folders = walk(roots).folders;
    folders.sort_by(|a, b| a.spelled().cmp(b.spelled()));
    folders
}
