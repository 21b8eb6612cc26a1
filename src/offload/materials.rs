//! Materials: texts that are arrays of records, and the files of records they
//! become. The file's bytes depend on nothing but the text and its tool – no
//! clock, no chance – so that a history that is posted again finds its files on
//! any machine (I4).

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::plan::Candidate;
use super::request::Records;
use super::run::Job;
use crate::compaction::reference;
use crate::lro::descriptor::Richness;
use crate::lro::file::{Facts, identity, render};
use crate::lro::note::{NoteFacts, note};
use crate::lro::profile::{Detail, Profile};
use crate::lro::recipes::{TEN, candidates};
use crate::lro::records::{Accept, Found, find};
use crate::lro::schema::infer;
use crate::lro::{self, estimate};
use crate::store::{LroPrefix, Stem};

/// The moment that files of a compaction name: they carry none of their own.
const NO_MOMENT: &str = "1970-01-01T00:00:00Z";

/// A text as a file of records.
#[derive(Debug, Clone)]
pub struct Material {
    pub(super) stem: Stem,
    pub(super) hash: blake3::Hash,
    /// The file's length.
    pub(super) bytes: u64,
}

/// Which texts are records, by content and tool; those that are none, too.
pub type Materials = Cache<blake3::Hash, Option<Arc<Material>>>;

/// The file that a text becomes, and what is said of it.
struct Made {
    material: Material,
    content: String,
    found: Found,
}

impl Job<'_> {
    /// The file of records that a candidate becomes; None where it moves as text.
    pub(super) fn material(&self, candidate: &Candidate) -> Option<Arc<Material>> {
        let wanted = self.settings.records == Records::Materialize && self.offloader.records;
        if !wanted {
            return None;
        }
        let known = candidate.slot.hash.map(|hash| key(&hash, candidate));
        if let Some(known) = known.and_then(|key| self.offloader.materials.get(&key)) {
            return known;
        }
        let made = self.make(candidate).map(|made| Arc::new(made.material));
        if let Some(key) = known {
            self.offloader.materials.insert(key, made.clone());
        }
        made
    }

    /// The content of a candidate's file of records.
    pub(super) fn records_of(&self, candidate: &Candidate) -> String {
        // What was material once is material again: the text decides alone.
        self.make(candidate).map(|made| made.content).unwrap_or_default()
    }

    fn make(&self, candidate: &Candidate) -> Option<Made> {
        let text = self.text(candidate);
        // Only what rebuilds byte for byte: the text was a string of the caller's.
        let found = find(&text, Accept::Objects).filter(Found::exact)?;
        let operation = candidate.tool.as_deref().unwrap_or_default();
        let count = |text: &str| self.tokenizer.count(text);
        let facts = Facts {
            operation: operation.to_owned(),
            detail: Detail::Full.name().to_owned(),
            schema_version: lro::header::SCHEMA_VERSION.to_owned(),
            timestamp: NO_MOMENT.to_owned(),
            profile: Some(Profile::General.name().to_owned()),
            estimated_tokens: estimate::tokens(&text, &count),
            ..Facts::default()
        };
        let content = render(&found, &facts);
        let material = Material {
            stem: Stem::of_lro(LroPrefix::Lro, operation, 0, &identity(&found, &facts)),
            hash: blake3::hash(content.as_bytes()),
            bytes: content.len() as u64,
        };
        Some(Made { material, content, found })
    }

    /// What stays of records in their message; `whole` where a preview may stay.
    pub(super) fn descriptor(&self, candidate: &Candidate, path: &str, whole: bool) -> String {
        let (tokens, kind) = (candidate.slot.tokens, candidate.slot.slot.kind);
        let Some(made) = self.make(candidate) else { return reference::line(path) };
        let bytes = made.material.bytes;
        let line = reference::line(path);
        if !whole {
            let count = made.found.count();
            let facts = format!("{count} records, {tokens} tokens, {bytes} bytes; moved whole");
            return format!("{}\n{line}", reference::records_note(&facts, kind));
        }
        let schema = infer(made.found.records());
        let recipes = match self.settings.descriptor {
            Richness::Pointer | Richness::NoRecipes => Vec::new(),
            Richness::Full | Richness::NoSchema | Richness::Compact => {
                let mut all = candidates(Profile::General, Detail::Full, &schema);
                all.truncate(TEN);
                all
            }
        };
        let around = made.found.around();
        let facts = NoteFacts {
            tokens,
            bytes,
            schema: &schema,
            around: around.as_deref(),
            path,
            tools: &self.settings.reload_tools,
            recipes: &recipes,
        };
        let note = note(&facts, self.settings.descriptor);
        format!("{}\n{line}", reference::of_kind(&note, kind))
    }
}

fn key(text: &blake3::Hash, candidate: &Candidate) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    hasher.update(candidate.tool.as_deref().unwrap_or_default().as_bytes());
    hasher.finalize()
}
