//! Finds a stored result by the id of its call, its name, or its identity. Looks up the possible
//! names and never lists the folder.

use std::collections::BTreeSet;
use std::io;
use std::time::SystemTime;

use redact::hidden;

use crate::folder::{Folder, Stat};
use crate::index::folder_index::Index;
use crate::index::records::RecordState;
use crate::local::location::Location;
use crate::names::file_name::{FileName, is_reference_target};
use crate::names::lro_name::{self, LroName, LroPrefix, identity_bits, identity_key};
use crate::names::stem::{Stem, safe_operation};
use crate::records::origin::cut;

/// Returns the files of `folder` to which `id` refers, newest first: results of the call with that
/// id, and files of that name, with or without extension.
///
/// # Errors
///
/// Fails if the folder or its index cannot be read.
pub fn find_results(folder: &Location, id: &str) -> io::Result<Vec<Location>> {
    let Some(dir) = folder.open_folder()? else { return Ok(Vec::new()) };
    let index = Index::open(&dir)?;
    let mut found: Vec<(SystemTime, FileName)> = Vec::new();
    for name in names_of(index.as_ref(), id)? {
        let stat = stat_of(&dir, index.as_ref(), &name)?.filter(|stat| stat.is_file);
        found.extend(stat.map(|stat| (stat.modified, name)));
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Ok(found.into_iter().map(|(_, name)| folder.child(name.as_str())).collect())
}

/// Returns the path of an ended file of `folder` to which `id` referred.
///
/// # Errors
///
/// Fails if the folder or its index cannot be read.
pub fn find_ended_result(folder: &Location, id: &str) -> io::Result<Option<Location>> {
    let Some(dir) = folder.open_folder()? else { return Ok(None) };
    let Some(index) = Index::open(&dir)? else { return Ok(None) };
    for name in names_of(Some(&index), id)? {
        if index.records.get(&name)?.is_some_and(|record| record.ended.is_some()) {
            return Ok(Some(folder.child(name.as_str())));
        }
    }
    Ok(None)
}

/// Returns the names to which an id can refer: those that follow from it, and those that the index
/// has for a call with that id.
fn names_of(index: Option<&Index>, id: &str) -> io::Result<BTreeSet<FileName>> {
    let mut names = BTreeSet::new();
    let spelled = ["", ".txt", ".jsonl", ".json"].map(|extension| format!("{id}{extension}"));
    names.extend(spelled.iter().filter_map(|name| FileName::parse(name)));
    // With redaction, names and records have a mark in place of a secret in the id.
    for id in [id, &hidden(id)] {
        let is_of_call = |name: &FileName| -> io::Result<bool> {
            let record = index.map_or(Ok(None), |index| index.records.get(name))?;
            let call = record.and_then(|record| record.origin.call.call_id);
            Ok(call.is_none_or(|call| call == cut(id)))
        };
        let first = Stem::first_result_name(id).and_then(|name| FileName::parse(name.as_str()));
        if let Some(first) = first
            // Another id can have the same form in a name.
            && (first.as_str().contains(id) || is_of_call(&first)?)
        {
            names.insert(first);
        }
        let Some(index) = index else { continue };
        for name in index.markers().names_of_call(id)? {
            let record = index.records.get(&name)?;
            let call = record.and_then(|record| record.origin.call.call_id);
            if call.as_deref() == Some(cut(id)) {
                names.insert(name);
            }
        }
    }
    names.retain(|name| is_reference_target(name.as_str()));
    Ok(names)
}

/// Finds the file of a large result by its identity.
pub(crate) fn find_lro(
    folder: &Location,
    prefix: LroPrefix,
    operation: &str,
    hash: &blake3::Hash,
) -> io::Result<Option<FileName>> {
    let Some(dir) = folder.open_folder()? else { return Ok(None) };
    let (operation, bits) = (safe_operation(operation), identity_bits(hash));
    let key = identity_key(prefix, &operation, bits);
    let index = Index::open(&dir)?;
    let mut names: Vec<FileName> = match &index {
        Some(index) => index.markers().names_of_call(&key)?,
        None => Vec::new(),
    };
    let key_of = |name: &FileName| LroName::parse(name.as_str())?.identity_key();
    names.retain(|name| key_of(name).as_ref() == Some(&key));
    // A file of a compaction has no time in its name.
    names.extend(FileName::parse(&lro_name::spell(prefix, &operation, 0, bits)));
    names.sort_unstable();
    // Others may write to the folder: only this user's own files count.
    let is_own_file = |name: &FileName| {
        let found = stat_of(&dir, index.as_ref(), name);
        found.is_ok_and(|found| found.is_some_and(|found| found.is_file && found.is_own))
    };
    Ok(names.into_iter().find(is_own_file))
}

/// Returns the facts of a file; `None` if it does not exist. Its time is that of its lease.
pub(crate) fn stat_of(
    folder: &Folder,
    index: Option<&Index>,
    name: &FileName,
) -> io::Result<Option<Stat>> {
    if folder.local().is_some() {
        return folder.stat(name.as_str());
    }
    let Some(index) = index else { return Ok(None) };
    let RecordState::Present(record) = index.records.read(name)? else { return Ok(None) };
    if record.ended.is_some() {
        return Ok(None);
    }
    let Some(stat) = folder.stat(&record.file(name))? else { return Ok(None) };
    Ok(Some(Stat { modified: record.version.written_at.unwrap_or(stat.modified), ..stat }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::on_both;
    use crate::testing::shop;

    on_both! {
        fn a_repeated_result_finds_its_oldest_file() {
            let shop = shop();
            let (mine, other) = (blake3::hash(b"mine"), blake3::hash(b"other"));
            let find = |hash| shop.store.find_lro(LroPrefix::Lro, "a b", hash).unwrap();
            assert_eq!(find(&mine), None);
            let late = shop.write(Stem::of_lro(LroPrefix::Lro, "a b", 9, &mine), "late");
            assert_eq!(find(&mine), Some(late));
            let early = shop.write(Stem::of_lro(LroPrefix::Lro, "a b", 3, &mine), "early");
            shop.write(Stem::of_lro(LroPrefix::Lro, "c", 0, &mine), "other word");
            shop.write(Stem::of_lro(LroPrefix::Atlatl, "a b", 0, &mine), "other prefix");
            assert_eq!(find(&mine), Some(early));
            assert_eq!(find(&other), None);
            // Other bytes with the same identity and time do not overwrite it.
            let next = shop.write(Stem::of_lro(LroPrefix::Lro, "a b", 3, &mine), "other bytes");
            assert_eq!(LroName::parse(next.as_str()).unwrap().ulid.timestamp_ms(), 4);
        }
    }
}
