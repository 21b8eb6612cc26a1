//! Finding a stored result by what an agent knows of it: the id of its call, or its
//! name without folder or extension.

use std::time::SystemTime;

use cap_std::fs::Metadata;

use super::manifest::{Listing, Manifest};
use super::walk::walk;
use super::{FileName, Location, Roots, Stem};
use crate::redact::is_word;

/// The files of `folder` that `id` means, newest first: results of the call of that
/// id, and files of that name.
pub fn find_result(folder: &Location, id: &str) -> Vec<Location> {
    let Ok(dir) = folder.dir().open_dir(folder.relative()) else { return Vec::new() };
    // Files of records are named by their tool; the manifest knows their call.
    let manifest = Manifest::read(&dir).ok().flatten().unwrap_or_default();
    let of_call = |name: &FileName| {
        let listing = manifest.files.get(name);
        let call = listing.and_then(|listing| listing.entry.as_ref()).map(|entry| &entry.call);
        call.and_then(|call| call.call_id.as_deref()).is_some_and(|shown| is_word(shown, id))
    };
    let mut found: Vec<(SystemTime, FileName)> = Vec::new();
    for entry in dir.entries().into_iter().flatten().flatten() {
        let text = entry.file_name();
        let Some(name) = text.to_str().and_then(FileName::of_minted) else { continue };
        if !(Stem::minted_for_any(name.as_str()) && (is_named(name.as_str(), id) || of_call(&name)))
        {
            continue;
        }
        let Some(metadata) = entry.metadata().ok().filter(Metadata::is_file) else { continue };
        let modified =
            metadata.modified().map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std);
        found.push((modified, name));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, name)| folder.child(name.as_str())).collect()
}

/// The file of `folder` that `id` meant until its time was over.
pub fn gone_result(folder: &Location, id: &str) -> Option<Location> {
    let dir = folder.dir().open_dir(folder.relative()).ok()?;
    let manifest = Manifest::read(&dir).ok().flatten()?;
    let meant = |name: &FileName, listing: &Listing| {
        let call = listing.entry.as_ref().and_then(|entry| entry.call.call_id.as_deref());
        is_named(name.as_str(), id) || call.is_some_and(|shown| is_word(shown, id))
    };
    let mut gone = manifest.files.iter().filter(|(_, listing)| listing.ended.is_some());
    let (name, _) = gone.find(|(name, listing)| meant(name, listing))?;
    Some(folder.child(name.as_str()))
}

/// True where a file of that name is meant by the id of its call, or by its name
/// with or without its extension.
fn is_named(name: &str, id: &str) -> bool {
    Stem::minted(Some(id), name)
        || name == id
        || name.rsplit_once('.').is_some_and(|(stem, _)| stem == id)
}

/// Every folder under the roots that holds stored files; bounded as a sweep is.
pub fn stores(roots: &Roots) -> Vec<Location> {
    let mut folders = walk(roots).folders;
    folders.sort_by(|a, b| a.spelled().cmp(b.spelled()));
    folders
}
