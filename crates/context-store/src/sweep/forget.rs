//! Removes the origin of files that expired long ago: their names stay taken for good, but the call
//! and the chat are removed.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Dir;

use crate::folder::Folder;
use crate::index::batches::each_batch;
use crate::index::ends::write_ends;
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::local::publish::is_ulid_tmp;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::{End, Record};
use crate::records::timestamp::unix_day;

/// Number of days for which the call that made an expired file stays recorded.
const REMEMBERED_DAYS: u64 = 30;

/// Removes the origins of files that ended more than thirty days before `now`. Calls `keep` before
/// each of them, and stops if it fails.
pub(super) fn forget_ended(
    index: &Index,
    now: SystemTime,
    keep: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let today = unix_day(now);
    for day in index.markers().end_days()? {
        if day.saturating_add(REMEMBERED_DAYS) >= today {
            break;
        }
        if let Some(folder) = index.markers().open_day(day)? {
            each_batch(&folder, |names| forget(index, names, day, keep))?;
        }
    }
    Ok(())
}

fn forget(
    index: &Index,
    names: &[FileName],
    day: u64,
    keep: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<()> {
    let _locked = index.lock()?;
    let mut forgotten = Vec::new();
    for name in names {
        keep()?;
        // The origin of a file that was made again stays until after its next end.
        let record = index.records.get(name)?.filter(|record| record.ended.is_some());
        if let Some(record) = record.filter(|record| record.origin != Origin::default()) {
            remove_markers(index, name, &record)?;
            forgotten.push((name, Record { origin: Origin::default(), ..record }));
        }
    }
    if write_ends(&index.records, &forgotten).contains(&false) {
        let reason = "the origins of expired files could not be forgotten; is the disk full?";
        return Err(io::Error::other(reason));
    }
    names.iter().try_for_each(|name| index.markers().remove(Marker::EndedOn(day, name)))
}

/// Removes the markers that lead to a file from its call and from its chats.
fn remove_markers(index: &Index, name: &FileName, record: &Record) -> io::Result<()> {
    let markers = index.markers();
    markers.remove_call(name, &record.origin)?;
    if let Some(chat) = record.origin.chat {
        markers.remove(Marker::OfChat(chat, name))?;
        while let Some(other) = markers.sharer_except(name, chat)? {
            markers.remove(Marker::OfChat(other, name))?;
            markers.remove(Marker::SharedWith(name, other))?;
        }
    }
    Ok(())
}

/// Ends the files whose write was interrupted by a crash: no answer refers to them.
pub(super) fn end_unfinished(
    index: &Index,
    files: &Dir,
    now: SystemTime,
    is_old: impl Fn(SystemTime) -> bool,
) -> io::Result<()> {
    let Some(begun) = index.markers().unfinished()? else { return Ok(()) };
    let mut old = Vec::new();
    for name in begun.names()? {
        let name = name?;
        if begun.stat(&name)?.is_some_and(|stat| is_old(stat.modified)) {
            old.extend(FileName::parse(&name));
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    let _locked = index.lock()?;
    let mut ends = Vec::new();
    for name in &old {
        let record = index.records.get(name)?.filter(|record| record.ended.is_none());
        if let Some(record) = record.filter(|_| !files.exists(name.as_str())) {
            index.markers().add(Marker::EndedOn(unix_day(now), name))?;
            ends.push((name, record.ended(now, End::Expired)));
        }
    }
    if write_ends(&index.records, &ends).contains(&false) {
        return Err(io::Error::other("unfinished files could not be ended; is the disk full?"));
    }
    old.iter().try_for_each(|name| index.markers().finish(name))
}

/// Removes temporary files of the index that a crashed process left.
pub(super) fn remove_temporary(
    folder: &Folder,
    is_old: impl Fn(SystemTime) -> bool,
) -> io::Result<()> {
    for name in folder.names()? {
        let name = name?;
        if is_ulid_tmp(&name) && folder.stat(&name)?.is_some_and(|stat| is_old(stat.modified)) {
            folder.unmark(&name)?;
        }
    }
    Ok(())
}
