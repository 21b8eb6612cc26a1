//! Claims: how a content gets its name. The stem's own, unless that holds other content
//! or was claimed for other content before; nothing is written here, and whoever writes
//! under a name that was taken in between asks again.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rayon::prelude::*;

use super::file::open_regular;
use super::ledger::Print;
use super::write::{Durability, Store, sync_folder};
use super::{FileName, LOOKS, Location, Stem, StoreError, manifest};

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

/// What a name holds.
pub(super) enum Held {
    Nothing,
    Content(blake3::Hash),
    /// A folder, a link or a device: as good as taken by other content.
    NoFile,
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
        let folder = match self.folder().dir().open_dir(self.folder().relative()) {
            Ok(folder) => Some(folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(self.failed("opening", None, source)),
        };
        // Nearly all get their first names. Not where names are numbered: a look from
        // before the folder is listed says that there is nothing where a file has come,
        // and the content would get a second one.
        let plain = wanted.iter().filter(|(stem, _)| stem.least().is_none());
        let first = plain.filter_map(|(stem, hash)| stem.names(hash).next());
        let seen = folder.as_ref().map(|folder| self.seen(folder, first.collect()));
        let mut seen = seen.unwrap_or_default();
        let mut granted = Vec::with_capacity(wanted.len());
        for (stem, hash) in wanted {
            let names = (&*claims, others);
            let claim = self.free_name(folder.as_ref(), stem, *hash, names, &mut seen)?;
            claims.0.insert(claim.name.clone(), claim.clone());
            granted.push(claim);
        }
        Ok(granted)
    }

    /// True where every claimed file is there and holds the claimed content.
    pub fn holds(&self, claims: &[&Claim]) -> bool {
        let Ok(folder) = self.folder().dir().open_dir(self.folder().relative()) else {
            return false;
        };
        let mut seen = self.seen(&folder, claims.iter().map(|claim| claim.name.clone()).collect());
        let holds = |claim: &&Claim| {
            let seen = seen.remove(&claim.name).map(Ok);
            let held = seen.unwrap_or_else(|| self.content(&folder, &claim.name));
            matches!(held, Ok(Held::Content(hash)) if hash == claim.hash)
        };
        claims.iter().all(holds)
    }

    /// What files hold that a look tells, at all of them beside one another. None is
    /// read: that would keep the counting threads waiting for the disk.
    fn seen(&self, folder: &Dir, names: Vec<FileName>) -> HashMap<FileName, Held> {
        let look = |name| Some((self.look(folder, &name).ok()??, name));
        let names = names.into_par_iter().with_min_len(LOOKS);
        let seen: Vec<(Held, FileName)> = names.filter_map(look).collect();
        seen.into_iter().map(|(held, name)| (name, held)).collect()
    }

    /// The first free name of a stem, or the one that has the content. `seen` is what
    /// somebody has seen in files already.
    pub(super) fn free_name(
        &self,
        folder: Option<&Dir>,
        stem: &Stem,
        hash: blake3::Hash,
        (claims, others): (&Claims, Others<'_>),
        seen: &mut HashMap<FileName, Held>,
    ) -> Result<Claim, StoreError> {
        let least = match folder {
            Some(folder) => self.least_number(folder, stem)?,
            None => stem.least(),
        };
        for name in stem.names(&hash) {
            let taken_before =
                least.is_some_and(|least| stem.number_of(name.as_str()) < Some(least));
            if let Some(other) = claims.0.get(&name) {
                if other.hash == hash && !others(&name) {
                    return Ok(other.clone());
                }
                continue;
            }
            let held = match folder {
                Some(folder) => seen
                    .remove(&name)
                    .map_or_else(|| self.content(folder, &name), Ok)
                    .map_err(|source| self.failed("reading", Some(&name), source))?,
                None => Held::Nothing,
            };
            match held {
                Held::Content(held) if held == hash && !others(&name) => {
                    return Ok(Claim { name, hash, stored: true });
                }
                Held::Content(_) | Held::NoFile => {}
                // A hole was a file once, and histories may still name it.
                Held::Nothing if taken_before || others(&name) => {}
                Held::Nothing => return Ok(Claim { name, hash, stored: false }),
            }
        }
        let path = stem.names(&hash).next().map_or_else(String::new, |name| self.spell(&name));
        Err(StoreError::NoName { path })
    }

    /// The least number that a new file may have: beyond all that are there, and
    /// all that the manifest says were.
    fn least_number(&self, folder: &Dir, stem: &Stem) -> Result<Option<u64>, StoreError> {
        let Some(mut least) = stem.least() else { return Ok(None) };
        let failed = |source| self.failed("listing", None, source);
        for entry in folder.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| stem.number_of(name));
            least = least.max(number.map_or(0, |number| number.saturating_add(1)));
        }
        manifest::names(folder, |name| {
            let number = stem.number_of(name).map_or(0, |number| number.saturating_add(1));
            least = least.max(number);
        })
        .map_err(failed)?;
        Ok(Some(least))
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

    /// What the file of that name in `folder` holds; None where it must be read.
    fn look(&self, folder: &Dir, name: &FileName) -> io::Result<Option<Held>> {
        let metadata = match folder.symlink_metadata(name.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(Held::Nothing));
            }
            Err(error) => return Err(error),
        };
        if !metadata.is_file() {
            return Ok(Some(Held::NoFile));
        }
        let known = self.ledger.content(&self.key(name), Print::of(&metadata));
        Ok(known.map(Held::Content))
    }

    /// What the file of that name in `folder` holds.
    pub(super) fn content(&self, folder: &Dir, name: &FileName) -> io::Result<Held> {
        if let Some(held) = self.look(folder, name)? {
            return Ok(held);
        }
        let mut file = open_regular(folder, Path::new(name.as_str()))?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        let hash = hasher.finalize();
        // A file this process did not write may still wait for its sync, left
        // by one that died in between; it is not vouched for before that.
        if self.durability == Durability::Sync {
            file.sync_all()?;
            sync_folder(folder)?;
            self.sync_way()?;
        }
        self.ledger.note(self.key(name), &file.metadata(), hash);
        Ok(Held::Content(hash))
    }
}
