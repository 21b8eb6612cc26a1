//! Claiming names for contents. Nothing is written; a writer that finds its name taken in
//! between searches again.

use std::collections::HashMap;

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

/// Returns the states that metadata alone tells, read in parallel. No file is read: that
/// would keep the counting threads waiting for the disk.
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

/// Returns true if every claimed file is there, holds the claimed content, and has not
/// ended.
pub(crate) fn holds((store, chat): (&StoreFolder, &KnownChat), claims: &[&Claim]) -> bool {
    let Ok(Some(opened)) = Opened::open(store, chat) else { return false };
    let is_local = opened.folder.local().is_some();
    let holds = |claim: &&Claim| {
        matches!(opened.state(&claim.name), Ok(NameState::Stored(hash)) if hash == claim.hash)
            && opened.is_alive(&claim.name)
    };
    if !is_local {
        return writers::all(claims.len(), |at| holds(&claims[at])).into_iter().all(|held| held);
    }
    on(|| claims.par_iter().with_min_len(MIN_FILES_PER_TASK).all(holds))
}

#[cfg(test)]
#[path = "claiming_tests.rs"]
mod tests;
