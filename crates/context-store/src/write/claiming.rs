//! Claims names for contents. Writes nothing; a writer that finds its name taken in the meantime
//! searches again.

use std::collections::HashMap;
use std::io;

use fair_share::on;
use rayon::prelude::*;

use super::claim::{Claim, Claims, ExcludedNames};
use super::confirmed::KnownChat;
use super::name_search::NameSearch;
use super::opened::{NameState, Opened};
use crate::error::StoreError;
use crate::local::store_folder::StoreFolder;
use crate::local::writers;
use crate::names::file_name::FileName;
use crate::names::stem::Stem;
use crate::parallel::MIN_FILES_PER_TASK;

/// Claims a name for each content, in order.
pub(crate) fn claim(
    (store, chat): (&StoreFolder, &KnownChat),
    excluded: ExcludedNames<'_>,
    claims: &mut Claims,
    wanted: &[(Stem, blake3::Hash)],
) -> Result<Vec<Claim>, StoreError> {
    let opened = Opened::open(store, chat)?;
    // Nearly all get their first names.
    let unnumbered = wanted.iter().filter(|(stem, _)| stem.first_free_number().is_none());
    let first = unnumbered.filter_map(|(stem, hash)| stem.names(hash).next()).collect();
    let known = opened.as_ref().map(|opened| known_states(opened, first)).unwrap_or_default();
    let mut search = NameSearch { store, opened: opened.as_ref(), excluded, known };
    let mut granted = Vec::with_capacity(wanted.len());
    for (stem, hash) in wanted {
        let claim = search.find(stem, *hash, claims)?;
        claims.add(claim.clone());
        granted.push(claim);
    }
    Ok(granted)
}

/// Returns the states that metadata alone shows, read in parallel. Reads no file, because the
/// counting threads would wait for the disk.
fn known_states(opened: &Opened<'_>, names: Vec<FileName>) -> HashMap<FileName, NameState> {
    let state = |name| Some((opened.known_state(&name).ok()??, name));
    let known: Vec<(NameState, FileName)> = match opened.folder.local() {
        Some(_) => on(|| {
            names.into_par_iter().with_min_len(MIN_FILES_PER_TASK).filter_map(state).collect()
        }),
        None => {
            let states = writers::all(names.len(), |at| state(names[at].clone()));
            states.into_iter().flatten().collect()
        }
    };
    known.into_iter().map(|(state, name)| (name, state)).collect()
}

/// The state of files; of several, the worst one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilesState {
    /// Each exists, holds its content, and has not ended.
    Held,
    /// One no longer exists.
    Gone,
    /// One holds other content, or cannot be read.
    Broken,
}

impl FilesState {
    /// Returns the state of a file that cannot be read.
    pub fn of_error(error: &io::Error) -> FilesState {
        let is_gone = error.kind() == io::ErrorKind::NotFound;
        if is_gone { FilesState::Gone } else { FilesState::Broken }
    }
}

/// Returns the state of claimed files.
pub(crate) fn state_of((store, chat): (&StoreFolder, &KnownChat), claims: &[&Claim]) -> FilesState {
    let opened = match Opened::open(store, chat) {
        Ok(Some(opened)) => opened,
        Ok(None) => return FilesState::Gone,
        Err(_) => return FilesState::Broken,
    };
    let state = |claim: &&Claim| match opened.state(&claim.name) {
        Ok(NameState::Stored(hash)) if hash == claim.hash && opened.is_alive(&claim.name) => {
            FilesState::Held
        }
        Ok(NameState::Stored(hash)) if hash != claim.hash => FilesState::Broken,
        Ok(NameState::Stored(_) | NameState::Free | NameState::Reserved(_)) => FilesState::Gone,
        Ok(NameState::Taken) => FilesState::Broken,
        Err(error) => FilesState::of_error(&error),
    };
    let worst = if opened.folder.local().is_some() {
        on(|| claims.par_iter().with_min_len(MIN_FILES_PER_TASK).map(state).max())
    } else {
        writers::all(claims.len(), |at| state(&claims[at])).into_iter().max()
    };
    worst.unwrap_or(FilesState::Held)
}

#[cfg(test)]
#[path = "claiming_tests.rs"]
mod tests;
