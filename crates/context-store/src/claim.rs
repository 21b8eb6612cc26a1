//! Claims: how a content gets its name. The stem's own, unless that stands for other
//! content, or did so once; nothing is written here, and whoever writes under a name that
//! was taken in between asks again.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use fair_share::on;
use rayon::prelude::*;

use super::file::open_regular;
use super::index::{Index, Told};
use super::ledger::Print;
use super::record::Record;
use super::write::{Durability, Store, sync_folder};
use super::{Chat, FileName, LOOKS, Location, Stem, StoreError};

/// How many names before the first free number may have a content that is stored again.
const SAME_CONTENT: u64 = 1_024;

/// A content and the name that it has, or will have once written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name.
    pub name: FileName,
    /// The content's hash.
    pub hash: blake3::Hash,
    /// True where a file of that name already holds this content.
    pub stored: bool,
}

/// The content that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// It was never given out.
    Free,
    /// Its file is gone, and was of this content: only this may have the name again.
    Claimed(blake3::Hash),
    /// Its file holds this content.
    Content(blake3::Hash),
    /// It is another's: of a content that nobody knows, of a file whose content is not
    /// what was recorded, of a folder, a link or a device.
    Taken,
}

/// True for a name that is another's, whatever it holds.
pub type Others<'a> = &'a (dyn Fn(&FileName) -> bool + Sync);
pub(super) const NO_OTHERS: fn(&FileName) -> bool = |_| false;

/// The names given out in one request.
#[derive(Debug, Default)]
pub struct Claims(HashMap<FileName, Claim>);

impl Store {
    /// Finds a name for each content, in order: the stem's own, unless it holds
    /// other content or was claimed for other content before. `claims` are those
    /// of the whole request: two lists must not take one name for two contents.
    pub fn claim(
        &self,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        self.claim_beside(&NO_OTHERS, claims, wanted)
    }

    /// The same, and none of the `others`, whatever they hold: where equal contents
    /// are told apart by their names.
    pub fn claim_beside(
        &self,
        others: Others<'_>,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        let opened = self.opened()?;
        // Nearly all get their first names.
        let plain = wanted.iter().filter(|(stem, _)| stem.least().is_none());
        let first = plain.filter_map(|(stem, hash)| stem.names(hash).next());
        let seen = opened.as_ref().map(|opened| self.seen(opened, first.collect()));
        let mut seen = seen.unwrap_or_default();
        let mut granted = Vec::with_capacity(wanted.len());
        for (stem, hash) in wanted {
            let names = (&*claims, others);
            let claim = self.free_name(opened.as_ref(), stem, *hash, names, &mut seen)?;
            claims.0.insert(claim.name.clone(), claim.clone());
            granted.push(claim);
        }
        Ok(granted)
    }

    /// The folder with its index; None where it is not there.
    pub(super) fn opened(&self) -> Result<Option<Opened>, StoreError> {
        let folder = match self.folder().dir().open_dir(self.folder().relative()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.failed("opening", None, source)),
        };
        let index = Index::open(&folder)
            .map_err(|source| self.failed("opening the index of", None, source))?;
        Ok(Some(Opened { folder, index, markers: None }))
    }

    /// True where every claimed file is there, holds the claimed content, and has not
    /// come to its end.
    pub fn holds(&self, claims: &[&Claim]) -> bool {
        let Ok(Some(opened)) = self.opened() else { return false };
        let holds = |claim: &&&Claim| {
            let held = match self.look(&opened, &claim.name) {
                Ok(Some(held)) => Ok(held),
                Ok(None) => self.content(&opened, &claim.name),
                Err(error) => Err(error),
            };
            matches!(held, Ok(Held::Content(hash)) if hash == claim.hash)
                && opened.lives(&claim.name)
        };
        on(|| claims.par_iter().with_min_len(LOOKS).all(|claim| holds(&claim)))
    }

    /// The contents of those names that metadata alone tells, looked at in parallel. No
    /// file is read: that would keep the counting threads waiting for the disk.
    fn seen(&self, opened: &Opened, names: Vec<FileName>) -> HashMap<FileName, Held> {
        let look = |name| Some((self.look(opened, &name).ok()??, name));
        let seen: Vec<(Held, FileName)> =
            on(|| names.into_par_iter().with_min_len(LOOKS).filter_map(look).collect());
        seen.into_iter().map(|(held, name)| (name, held)).collect()
    }

    /// The first free name of a stem, or the one that has the content. `seen` is what
    /// somebody has seen already.
    pub(super) fn free_name(
        &self,
        opened: Option<&Opened>,
        stem: &Stem,
        hash: blake3::Hash,
        (claims, others): (&Claims, Others<'_>),
        seen: &mut HashMap<FileName, Held>,
    ) -> Result<Claim, StoreError> {
        let first = opened.map_or(Ok(0), |opened| self.first_number(opened, stem))?;
        for name in stem.names_from(&hash, first) {
            if let Some(other) = claims.0.get(&name) {
                if other.hash == hash && !others(&name) {
                    return Ok(other.clone());
                }
                continue;
            }
            if others(&name) {
                continue;
            }
            let held = match opened {
                Some(opened) => seen
                    .remove(&name)
                    .map_or_else(|| self.content(opened, &name), Ok)
                    .map_err(|source| self.failed("reading", Some(&name), source))?,
                None => Held::Free,
            };
            let is_least = stem.least().is_none_or(|least| {
                stem.number_of(name.as_str()).is_some_and(|number| number >= least)
            });
            match held {
                Held::Content(held) if held == hash => {
                    return Ok(Claim { name, hash, stored: true });
                }
                Held::Claimed(held) if held == hash => {
                    return Ok(Claim { name, hash, stored: false });
                }
                Held::Free if is_least => return Ok(Claim { name, hash, stored: false }),
                Held::Free | Held::Claimed(_) | Held::Content(_) | Held::Taken => {}
            }
        }
        let path = stem.names(&hash).next().map_or_else(String::new, |name| self.spell(&name));
        Err(StoreError::NoName { path })
    }

    /// Where the search for a numbered name begins: a little before the first free
    /// number, among the names that may have the content already. It is found by
    /// doubling steps, since what was once given out stays taken.
    fn first_number(&self, opened: &Opened, stem: &Stem) -> Result<u64, StoreError> {
        let Some(least) = stem.least() else { return Ok(0) };
        let taken = |number: u64| -> Result<bool, StoreError> {
            let Some(name) = stem.numbered_name(number) else { return Ok(false) };
            let failed = |source| self.failed("looking for", Some(&name), source);
            match opened.folder.symlink_metadata(name.as_str()) {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
            Ok(opened.told(&name).map_err(failed)? != Told::Nothing)
        };
        let (mut free, mut step) = (least, 1);
        let mut last_taken = None;
        while taken(free)? {
            last_taken = Some(free);
            free += step;
            step *= 2;
        }
        if let Some(mut low) = last_taken {
            while free - low > 1 {
                let middle = low + (free - low) / 2;
                if taken(middle)? { low = middle } else { free = middle }
            }
        }
        Ok(free.saturating_sub(SAME_CONTENT))
    }

    /// The hash of the file at `at`, from the ledger where it is known.
    pub fn hash_of(&self, at: &Location) -> io::Result<blake3::Hash> {
        let metadata = at.dir().symlink_metadata(at.relative())?;
        if let Some(hash) = self.ledger.content(&at.key(), Print::of(&metadata)) {
            return Ok(hash);
        }
        let mut file = open_regular(at.dir(), at.relative())?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        Ok(hasher.finalize())
    }

    /// The content of a name by its metadata; None where its file must be read.
    fn look(&self, opened: &Opened, name: &FileName) -> io::Result<Option<Held>> {
        let metadata = match opened.folder.symlink_metadata(name.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let held = match opened.told(name)? {
                    Told::Nothing => Held::Free,
                    Told::Record(record) => record.hash.map_or(Held::Taken, Held::Claimed),
                    Told::Unreadable => Held::Taken,
                };
                return Ok(Some(held));
            }
            Err(error) => return Err(error),
        };
        if !metadata.is_file() {
            return Ok(Some(Held::Taken));
        }
        let known = self.ledger.content(&self.key(name), Print::of(&metadata));
        Ok(known.map(Held::Content))
    }

    /// The content of a name; its file is read only where metadata does not tell.
    pub(super) fn content(&self, opened: &Opened, name: &FileName) -> io::Result<Held> {
        if let Some(held) = self.look(opened, name)? {
            return Ok(held);
        }
        let mut file = open_regular(&opened.folder, Path::new(name.as_str()))?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        let hash = hasher.finalize();
        // A file without a record is what it holds; one with a record is what that says.
        if opened.record(name).is_some_and(|record| record.hash != Some(hash)) {
            return Ok(Held::Taken);
        }
        // A file this process did not write may still wait for its sync, left
        // by one that died in between; it is not vouched for before that.
        if self.durability == Durability::Sync {
            file.sync_all()?;
            sync_folder(&opened.folder)?;
            self.sync_way()?;
        }
        self.ledger.note(self.key(name), &file.metadata(), hash);
        Ok(Held::Content(hash))
    }
}

/// A folder and its index, where it has one.
pub(super) struct Opened {
    pub(super) folder: Dir,
    pub(super) index: Option<Index>,
    /// The folder of the markers of a chat that files are written for. A deletion may take
    /// it away meanwhile: [`super::deletion_watch`] sees to that.
    pub(super) markers: Option<(Chat, Dir)>,
}

impl Opened {
    pub(super) fn told(&self, name: &FileName) -> io::Result<Told> {
        self.index.as_ref().map_or(Ok(Told::Nothing), |index| index.told(name))
    }

    pub(super) fn record(&self, name: &FileName) -> Option<Record> {
        self.index.as_ref()?.record(name)
    }

    /// True where no record says that the file ended. A deletion takes that back where it
    /// finds another chat: who ends files is waited for.
    fn lives(&self, name: &FileName) -> bool {
        let has_ended = || self.record(name).is_some_and(|record| record.ended.is_some());
        let Some(index) = self.index.as_ref().filter(|_| has_ended()) else { return true };
        index.lock().is_ok_and(|_locked| !has_ended())
    }
}

#[cfg(test)]
#[path = "claim_tests.rs"]
mod tests;
