//! Writes files. Each is reserved, published and recorded; the folder is synced once for all files
//! of a request, and only then is any of their names returned (I2 in `docs/invariants.md`). Files
//! of one request are written and synced in parallel, which makes syncing affordable: the disk
//! merges the flushes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::time::SystemTime;

use super::claim::{Claim, ClaimedFile, Claims, ExcludedNames};
use super::confirmed::Confirmed;
use super::deletion_watch::{DeletionWatch, settle};
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
    /// The reservation of this call; `None` if the file was stored before.
    reservation: Option<Reservation>,
    /// The facts of the file; `None` unless this call wrote it.
    stat: Option<Stat>,
}

/// Writes files under claimed names, in parallel; returns their claims with their final names.
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
        // After the sync: a cached name is returned without one.
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

/// Returns the time by the clock of the object store; `None` in a local folder.
fn objects_now(store: &StoreFolder) -> Option<SystemTime> {
    store.location.place().map(|place| place.objects.server_now())
}

/// How often a file that ends while it is made is made again.
const LIVES: usize = 16;

/// The outcome of writing a file under one name.
enum Attempt {
    Written(Written),
    /// The name belongs to other content.
    Taken,
    /// The file ended meanwhile: the next attempt is for its next life.
    Over,
}

struct Writer<'a> {
    opened: &'a Opened<'a>,
    excluded: ExcludedNames<'a>,
}

impl Writer<'_> {
    fn write(&self, file: &ClaimedFile, content: &str) -> Result<Written, StoreError> {
        let (mut claim, mut lives) = (file.claim.clone(), 0);
        while !claim.stored {
            let failed = |(step, source)| self.opened.store.error(step, Some(&claim.name), source);
            match self.attempt(&claim, file, content).map_err(failed)? {
                Attempt::Written(written) => return Ok(written),
                Attempt::Taken => claim = self.next_claim(file)?,
                Attempt::Over if lives < LIVES => lives += 1,
                Attempt::Over => {
                    let reason = "it ends again and again while it is made; try again";
                    return Err(failed(("writing", io::Error::other(reason))));
                }
            }
        }
        Ok(Written { claim, reservation: None, stat: None })
    }

    fn attempt(
        &self,
        claim: &Claim,
        file: &ClaimedFile,
        content: &str,
    ) -> Result<Attempt, (&'static str, io::Error)> {
        let (opened, mut claim) = (self.opened, claim.clone());
        let reserved = reserve(opened, &claim, content.len() as u64, &file.origin);
        let Some(reserved) = reserved.map_err(|source| ("recording", source))? else {
            return Ok(Attempt::Taken);
        };
        let durability = opened.store.durability;
        let stat = match opened.folder.publish(&reserved.file, content.as_bytes(), durability) {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !self.is_stored(&claim) {
                    return Ok(Attempt::Taken);
                }
                opened.folder.touch(&reserved.file);
                claim.stored = true;
                None
            }
            Err(source) => return Err(("writing", source)),
        };
        if let Some(index) = &opened.index {
            index.markers().finish(&claim.name).map_err(|source| ("recording", source))?;
        }
        match settle(opened, (&claim.name, &file.origin), &reserved) {
            Ok(true) => Ok(Attempt::Written(Written { claim, reservation: Some(reserved), stat })),
            Ok(false) => Ok(Attempt::Over),
            Err(source) => Err(("recording", source)),
        }
    }

    /// Returns true if another writer came first with the same content. In an object store, only
    /// writers that reserved this life for this content wrote there.
    fn is_stored(&self, claim: &Claim) -> bool {
        let state = || self.opened.state(&claim.name);
        self.opened.folder.local().is_none()
            || matches!(state(), Ok(NameState::Stored(hash)) if hash == claim.hash)
    }

    fn next_claim(&self, file: &ClaimedFile) -> Result<Claim, StoreError> {
        let Writer { opened, excluded } = *self;
        let (store, known) = (opened.store, HashMap::new());
        let mut search = NameSearch { store, opened: Some(opened), excluded, known };
        search.find(&file.stem, file.claim.hash, &Claims::default())
    }
}
