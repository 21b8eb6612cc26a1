//! Writing files. Each is reserved, published and recorded; the folder is synced once for
//! all files of a request, and only then is any of their names given out (I2 in
//! `docs/invariants.md`). Files of one request are written and synced in parallel, which
//! makes syncing affordable: the disk merges the flushes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::time::SystemTime;

use super::claim::{Claim, ClaimedFile, Claims, ExcludedNames};
use super::confirmed::Confirmed;
use super::deletion_watch::DeletionWatch;
use super::name_search::NameSearch;
use super::opened::{NameState, Opened};
use super::reserve::{Reservation, reserve};
use crate::clock::folder_clock;
use crate::error::StoreError;
use crate::folder::Stat;
use crate::index::folder_index::Index;
use crate::local::file_cache::SeenObject;
use crate::local::publish::Durability;
use crate::local::store_folder::StoreFolder;
use crate::local::writers;

/// A written file.
struct Written {
    /// The claim, with the name that the file got.
    claim: Claim,
    /// The reservation of this call; None if the file was stored before.
    reservation: Option<Reservation>,
    /// The facts of the file; None unless this call wrote it.
    stat: Option<Stat>,
}

/// Writes files under claimed names, in parallel; returns their claims with the names that
/// they got.
pub(crate) fn write<'a>(
    store: &StoreFolder,
    excluded: ExcludedNames<'_>,
    files: &[ClaimedFile],
    content: impl Fn(usize) -> Cow<'a, str> + Sync,
) -> Result<Vec<Claim>, StoreError> {
    let failed = |step| move |source| store.error(step, None, source);
    let folder = store.make()?;
    let index = Index::make(&folder).map_err(failed("making the index of"))?;
    folder_clock::observe_if_set(store, &folder, &index.private);
    let mut opened = Opened { store, folder, index: Some(index), markers: None, confirmed: None };
    let watch = DeletionWatch::begin(&mut opened, files).map_err(failed("making the index of"))?;
    let (chat, begun) = (watch.chat(), objects_now(store));
    let writer = Writer { opened: &opened, excluded };
    let written = writers::each(store.durability, files.len(), |index| {
        writer.write(&files[index], &content(index))
    })?;
    let reserved = written.iter().zip(files).filter_map(|(written, file)| {
        Some((&written.claim.name, &file.origin, written.reservation.as_ref()?))
    });
    let confirmed = watch.end(&opened, reserved).map_err(failed("recording"))?;
    if store.durability == Durability::Sync {
        opened.folder.sync().map_err(failed("syncing"))?;
    }
    let sizes = written.iter().filter_map(|written| written.stat.map(|stat| stat.len));
    metrics::counter!("unburden_written_bytes_total").increment(sizes.sum());
    metrics::counter!("unburden_files_written_total").increment(written.len() as u64);
    let finish = |Written { claim, reservation, stat }: Written| {
        // After the sync: a cached name is given out without one.
        if let Some(stamp) = stat.and_then(|stat| stat.stamp) {
            store.cache.add_synced(store.cache_key(&claim.name), stamp, claim.hash);
        }
        if let Some(begun) = begun.filter(|_| reservation.is_some()) {
            let (life, bytes) = reservation.map_or((0, 0), |own| (own.life, own.bytes));
            let seen = SeenObject { hash: claim.hash, bytes, life, lease: Some(begun) };
            store.cache.see_object(store.cache_key(&claim.name), seen);
            if let Some(known) = chat.zip(confirmed) {
                Confirmed::add(&store.cache, &store.location, known, &claim.name);
            }
        }
        claim
    };
    Ok(written.into_iter().map(finish).collect())
}

/// Returns the time by the clock of the object store; None in a local folder.
fn objects_now(store: &StoreFolder) -> Option<SystemTime> {
    store.location.place().map(|place| place.objects.server_now())
}

struct Writer<'a> {
    opened: &'a Opened<'a>,
    excluded: ExcludedNames<'a>,
}

impl Writer<'_> {
    fn write(&self, file: &ClaimedFile, content: &str) -> Result<Written, StoreError> {
        let (opened, store) = (self.opened, self.opened.store);
        let mut claim = file.claim.clone();
        while !claim.stored {
            let failed = |step, source| store.error(step, Some(&claim.name), source);
            let reservation = reserve(opened, &claim, content.len() as u64, &file.origin)
                .map_err(|source| failed("recording", source))?;
            if let Some(reserved) = &reservation {
                let file = &reserved.file;
                match opened.folder.publish(file, content.as_bytes(), store.durability) {
                    Ok(stat) => return Ok(Written { claim, reservation, stat }),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(source) => return Err(failed("writing", source)),
                }
                if self.is_stored(&claim, reserved) {
                    opened.folder.touch(file);
                    claim.stored = true;
                    return Ok(Written { claim, reservation, stat: None });
                }
            }
            claim = self.next_claim(file)?;
        }
        Ok(Written { claim, reservation: None, stat: None })
    }

    /// Returns true if another writer came first with the same content.
    fn is_stored(&self, claim: &Claim, reserved: &Reservation) -> bool {
        if self.opened.folder.local().is_none() {
            // Only who reserved this life for this content wrote there.
            return self.opened.folder.is_there(&reserved.file).unwrap_or(false);
        }
        let state = self.opened.state(&claim.name);
        matches!(state, Ok(NameState::Stored(hash)) if hash == claim.hash)
    }

    fn next_claim(&self, file: &ClaimedFile) -> Result<Claim, StoreError> {
        let Writer { opened, excluded } = *self;
        let (store, known) = (opened.store, HashMap::new());
        let mut search = NameSearch { store, opened: Some(opened), excluded, known };
        search.find(&file.stem, file.claim.hash, &Claims::default())
    }
}
