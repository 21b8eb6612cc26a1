//! The search for the name of a content: the first name of its stem that holds the content or is
//! free.

use std::collections::HashMap;
use std::io;

use super::claim::{Claim, Claims, ExcludedNames};
use super::opened::{NameState, Opened};
use crate::error::StoreError;
use crate::index::records::RecordState;
use crate::local::store_folder::StoreFolder;
use crate::names::file_name::FileName;
use crate::names::stem::Stem;

/// Number of names before the first free number that are searched for the same content.
const SAME_CONTENT: u64 = 1_024;

/// A search for names in one folder.
pub(crate) struct NameSearch<'a> {
    pub(crate) store: &'a StoreFolder,
    /// The folder; `None` if there is none yet.
    pub(crate) opened: Option<&'a Opened<'a>>,
    /// Names that the content must not get.
    pub(crate) excluded: ExcludedNames<'a>,
    /// States that are already known; each is used once.
    pub(crate) known: HashMap<FileName, NameState>,
}

impl NameSearch<'_> {
    /// Returns the first name of the stem that is free or has the content, and that no claim has
    /// for other content.
    pub(crate) fn find(
        &mut self,
        stem: &Stem,
        hash: blake3::Hash,
        claims: &Claims,
    ) -> Result<Claim, StoreError> {
        let first_free = stem.first_free_number();
        let is_new_number =
            |name: &FileName| first_free.is_none_or(|first| name.number() >= Some(first));
        for name in stem.names_from(&hash, self.first_number(stem)?) {
            if (self.excluded)(&name) {
                continue;
            }
            if let Some(other) = claims.get(&name) {
                if other.hash == hash {
                    return Ok(other.clone());
                }
                continue;
            }
            let stored = match self.state(&name)? {
                NameState::Stored(held) if held == hash => true,
                NameState::Reserved(held) if held == hash => false,
                NameState::Free if is_new_number(&name) => false,
                NameState::Free
                | NameState::Reserved(_)
                | NameState::Stored(_)
                | NameState::Taken => continue,
            };
            return Ok(Claim { name, hash, stored });
        }
        let first = stem.names(&hash).next();
        let path = first.map_or_else(String::new, |name| self.store.path_of(&name));
        Err(StoreError::NoName { path })
    }

    fn state(&mut self, name: &FileName) -> Result<NameState, StoreError> {
        let Some(opened) = self.opened else { return Ok(NameState::Free) };
        match self.known.remove(name) {
            Some(state) => Ok(state),
            None => {
                opened.state(name).map_err(|source| self.store.error("reading", Some(name), source))
            }
        }
    }

    /// Returns the number at which the search for a numbered name begins: a little before the first
    /// free number, among names that may already hold the content. An assigned number stays taken,
    /// so doubling steps find the first free one.
    fn first_number(&self, stem: &Stem) -> Result<u64, StoreError> {
        let (Some(mut free), Some(opened)) = (stem.first_free_number(), self.opened) else {
            return Ok(0);
        };
        let is_taken = |number: u64| -> Result<bool, StoreError> {
            let Some(name) = stem.numbered_name(number) else { return Ok(false) };
            is_taken(opened, &name)
                .map_err(|source| self.store.error("looking for", Some(&name), source))
        };
        let (mut last_taken, mut step) = (None, 1);
        while is_taken(free)? {
            last_taken = Some(free);
            free += step;
            step *= 2;
        }
        if let Some(mut low) = last_taken {
            while free - low > 1 {
                let middle = low + (free - low) / 2;
                if is_taken(middle)? { low = middle } else { free = middle }
            }
        }
        Ok(free.saturating_sub(SAME_CONTENT))
    }
}

/// Returns true if the name has a file or a record.
fn is_taken(opened: &Opened<'_>, name: &FileName) -> io::Result<bool> {
    let is_local = opened.folder.local().is_some();
    Ok(is_local && opened.folder.is_there(name.as_str())?
        || opened.read_record(name)? != RecordState::Absent)
}
