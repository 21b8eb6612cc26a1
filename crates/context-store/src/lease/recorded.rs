//! Leases that are records: a renewal writes the record again, unless it has changed since it was
//! read. A sweep ends a record in the same way, so that one of the two fails and tries again: a
//! file is either renewed or gone, never both.

use std::io;

use super::lifetimes::Lifetimes;
use super::renewal::Lease;
use crate::folder::{Folder, until_unchanged};
use crate::index::folder_index::Index;
use crate::index::records::RecordState;
use crate::local::location::Location;
use crate::local::store_folder::StoreFolder;
use crate::local::writers;
use crate::names::file_name::{FileName, has_own_ttl};
use crate::objects::file::StoredObject;
use crate::records::record::Record;
use crate::write::confirmed::KnownChat;

/// A lease is renewed once one part in this many has passed.
const FRESH: u32 = 8;

/// Renews the leases of files. References of a chat that this process has seen need no request
/// while their lease is fresh.
pub(crate) fn renew(
    store: &StoreFolder,
    folder: &Folder,
    names: &[FileName],
    lifetimes: &Lifetimes,
    chat: &KnownChat,
) -> Vec<Lease> {
    let index = match Index::open(folder) {
        Ok(Some(index)) => index,
        Ok(None) => return vec![Lease::Gone; names.len()],
        Err(error) => {
            tracing::warn!(%error, "leases could not be renewed");
            return vec![Lease::Held; names.len()];
        }
    };
    let confirmed = chat.confirmed(&store.location, &index);
    let renewal = Renewal { store, folder, index: &index, lifetimes };
    let renew = |at: usize| {
        let name = &names[at];
        let known = confirmed.as_ref().and_then(|known| known.seen(&store.cache, name, FRESH));
        if known.is_some() { Lease::Held } else { renewal.renew(name) }
    };
    writers::all(names.len(), renew)
}

struct Renewal<'a> {
    store: &'a StoreFolder,
    folder: &'a Folder,
    index: &'a Index,
    lifetimes: &'a Lifetimes,
}

impl Renewal<'_> {
    fn now(&self) -> Option<std::time::SystemTime> {
        self.store.location.place().map(|place| place.objects.server_now())
    }

    fn renew(&self, name: &FileName) -> Lease {
        let renewed = until_unchanged(|| self.try_renew(name));
        let lease = renewed.unwrap_or_else(|error| {
            tracing::warn!(%error, "a lease could not be renewed");
            Lease::Held
        });
        if lease == Lease::Gone {
            self.store.cache.forget(&self.store.cache_key(name));
        }
        lease
    }

    fn try_renew(&self, name: &FileName) -> io::Result<Lease> {
        let RecordState::Present(record) = self.index.records.read(name)? else {
            return Ok(Lease::Gone);
        };
        if record.ended.is_some() {
            return Ok(Lease::Gone);
        }
        let seen = self.store.cache.seen(&self.store.cache_key(name));
        let is_seen = seen.is_some_and(|seen| seen.life == record.life);
        if !is_seen && !self.folder.is_there(&record.file(name))? {
            return Ok(Lease::Gone);
        }
        let ttl = lifetime(&self.store.location, self.lifetimes, name, &record)?;
        let age = match (self.now(), record.version.written_at) {
            (Some(now), Some(since)) => now.duration_since(since).unwrap_or_default(),
            _ => std::time::Duration::ZERO,
        };
        let (cache, key) = (&self.store.cache, self.store.cache_key(name));
        if ttl.is_some_and(|ttl| age > ttl / FRESH) {
            self.index.records.replace(name, &record)?;
            let mut renewed = record;
            renewed.version.written_at = self.now();
            cache.see(key, &renewed);
        } else {
            cache.see(key, &record);
        }
        Ok(Lease::Held)
    }
}

/// Returns the lifetime of a file in an object store.
pub(crate) fn lifetime(
    folder: &Location,
    lifetimes: &Lifetimes,
    name: &FileName,
    record: &Record,
) -> io::Result<Option<std::time::Duration>> {
    let mut head = Vec::new();
    if has_own_ttl(name)
        && super::lifetimes::is_lro(name)
        && let Some(place) = folder.place()
    {
        let object = StoredObject::of(&place, name, record.clone());
        head = object.start(super::lifetimes::HEADER_BYTES)?;
    }
    Ok(lifetimes.of(name, || record.origin.ttl_seconds, &head))
}
