//! Forgetting what made files that expired long ago: their names stay taken for good, the
//! words of their calls do not stay.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;

use super::ends::{self, BATCH};
use super::index::Index;
use super::record::Record;
use super::{FileName, Origin, stamp};

/// For how many days an expired file is told by the call that made it.
const REMEMBERED_DAYS: u64 = 30;

const DAY: Duration = Duration::from_hours(24);

/// The day of a moment.
pub(super) fn day_of(at: SystemTime) -> u64 {
    stamp::unix(at) / DAY.as_secs()
}

/// Forgets the calls of files that ended more than thirty days before `now`.
pub(super) fn forget_ended(index: &Index, now: SystemTime) -> io::Result<()> {
    let today = day_of(now);
    for day in index.days()? {
        if day.saturating_add(REMEMBERED_DAYS) >= today {
            break;
        }
        let Some(folder) = index.ended_on(day)? else { continue };
        let mut names = Vec::new();
        for entry in folder.entries()? {
            names.extend(entry?.file_name().to_str().and_then(FileName::of_minted));
            if names.len() >= BATCH {
                forget(index, &std::mem::take(&mut names), day)?;
            }
        }
        forget(index, &names, day)?;
    }
    Ok(())
}

fn forget(index: &Index, names: &[FileName], day: u64) -> io::Result<()> {
    let _locked = index.lock()?;
    let mut forgotten = Vec::new();
    for name in names {
        // One that was made again is forgotten after its next end.
        let record = index.record(name).filter(|record| record.ended.is_some());
        if let Some(record) = record.filter(|record| record.origin != Origin::default()) {
            forget_ways(index, name, &record)?;
            forgotten.push((name, Record { origin: Origin::default(), ..record }));
        }
    }
    if ends::put(index, &forgotten).contains(&false) {
        return Err(io::Error::other("words of expired files could not be forgotten"));
    }
    names.iter().try_for_each(|name| index.forget_end(day, name))
}

/// Removes the ways that lead to a file: from its call and from its chats.
fn forget_ways(index: &Index, name: &FileName, record: &Record) -> io::Result<()> {
    record.origin.keys(name).try_for_each(|key| index.forget_call(&key, name))?;
    if let Some(chat) = record.origin.chat {
        index.forget_chat(chat, name)?;
        while let Some(other) = index.sharer_beside(name, chat)? {
            index.forget_chat(other, name)?;
            index.forget_shared(name, other)?;
        }
    }
    Ok(())
}

/// Removes files of the index that a process left half written.
pub(super) fn tidy(folder: &Dir, is_old: impl Fn(SystemTime) -> bool) -> io::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let ulid = name.to_str().and_then(|name| name.strip_suffix(".tmp"));
        if ulid.is_some_and(|text| ulid::Ulid::from_string(text).is_ok())
            && is_old(entry.metadata()?.modified()?.into_std())
        {
            super::own_file::unmark(folder, &name.to_string_lossy())?;
        }
    }
    Ok(())
}
