//! Writing the files of moves. Another request may take a name in between: then the
//! content has the next one, and what stays of it in the history names that.

use std::borrow::Cow;
use std::collections::HashSet;

use super::moves::{Move, Target};
use super::replacement::Place;
use super::run::Job;
use crate::store::{Claim, ClaimedFile, StoreError};

impl Job<'_> {
    /// Writes what is not there yet; says which moves wrote a file.
    pub(super) fn write(&self, moves: &mut [Move]) -> Result<Vec<bool>, StoreError> {
        let mut seen = HashSet::new();
        let mut new: Vec<usize> = Vec::new();
        for (index, item) in moves.iter().enumerate() {
            if let Target::File { claim, .. } = &item.target
                && !claim.stored
                && seen.insert(claim.name.clone())
            {
                new.push(index);
            }
        }
        let files: Vec<ClaimedFile> = new
            .iter()
            .filter_map(|index| match &moves[*index].target {
                Target::File { stem, claim, .. } => Some(ClaimedFile {
                    stem: stem.clone(),
                    claim: claim.clone(),
                    origin: self.origin_of(&moves[*index]),
                }),
                Target::Source { .. } => None,
            })
            .collect();
        if files.is_empty() {
            return Ok(vec![false; moves.len()]);
        }
        let text = |index: usize| self.stored_text(&moves[new[index]]);
        let written = self.store.write(&files, text)?;
        for (ClaimedFile { claim: asked, .. }, got) in files.iter().zip(&written) {
            if asked.name != got.name {
                self.renamed(moves, asked, got)?;
            }
        }
        let mut created = vec![false; moves.len()];
        for (index, claim) in new.iter().zip(&written) {
            created[*index] = !claim.stored;
        }
        Ok(created)
    }

    /// The content of the file of a move.
    pub(super) fn stored_text<'a>(&'a self, item: &'a Move) -> Cow<'a, str> {
        match &item.target {
            Target::File { records: Some(records), .. } => {
                self.records_text(&item.candidate, records)
            }
            Target::File { .. } | Target::Source { .. } => self.text(&item.candidate),
        }
    }

    /// Another request took a name in between: the content got the next one.
    fn renamed(&self, moves: &mut [Move], asked: &Claim, got: &Claim) -> Result<(), StoreError> {
        for item in moves.iter_mut() {
            let Target::File { claim, records, .. } = &mut item.target else { continue };
            if claim.name == asked.name {
                *claim = got.clone();
                item.path = self.store.spell(&got.name);
                let (records, words) = (records.as_ref(), self.words(item.budget)?);
                let place = Place { path: &item.path, content: got.hash };
                item.replacement = self.replacement(&item.candidate, records, place, &words);
            }
        }
        Ok(())
    }
}
