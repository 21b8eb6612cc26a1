//! Texts that are arrays of records, and the files of records that replace them. The bytes of a
//! file depend only on the text and its tool, so that a history that is posted again finds its
//! files on any machine (I4).

use std::borrow::Cow;
use std::sync::Arc;

use crate::compaction::reference;
use crate::descriptor::Richness;
use crate::descriptor::calls::Offer;
use crate::descriptor::note::{NoteFacts, note};
use crate::pipeline::context::Context;
use crate::pipeline::material::Material;
use crate::pipeline::moves::plan::Candidate;
use crate::reading::extract::trial::{tried, tried_statements};
use context_store::{LroPrefix, Stem};
use record_files::estimate;
use record_files::file::{Facts, identity, render};
use record_files::find::{self, Accept, Found};
use record_files::recipes::{Detail, Profile};
use record_files::schema::{Schema, infer_hiding};
use token_count::Tokenizer;

/// The timestamp in files of a compaction, which have none of their own.
const NO_MOMENT: &str = "1970-01-01T00:00:00Z";

/// The file of records of a text, with the schema of the records. Only the request that made it has
/// it; the next one finds the stored file and the cached replacement.
#[derive(Debug)]
pub(crate) struct MadeRecords {
    pub(crate) material: Arc<Material>,
    content: String,
    count: usize,
    around: Option<String>,
    schema: Schema,
}

/// A candidate's file of records, with its content if this request made it.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    pub(crate) material: Arc<Material>,
    made: Option<Arc<MadeRecords>>,
}

/// Returns the file of records that a candidate becomes; `None` if it moves as text.
pub(crate) fn find_records(context: &Context<'_>, candidate: &Candidate) -> Option<Records> {
    if !context.settings.materialize || !context.offloader.records {
        return None;
    }
    let key = candidate.slot.hash.map(|hash| key(&hash, candidate));
    if let Some(known) = key.and_then(|key| context.offloader.materials.get(&key)) {
        return known.map(|material| Records { material, made: None });
    }
    let made = make_records(context, candidate).map(Arc::new);
    let material = made.as_ref().map(|made| Arc::clone(&made.material));
    if let Some(key) = key {
        context.offloader.materials.insert(key, material.clone());
    }
    Some(Records { material: material?, made })
}

/// Returns the content of a candidate's file of records.
pub(crate) fn records_text<'a>(
    context: &Context<'_>,
    item: &'a Candidate,
    records: &'a Records,
) -> Cow<'a, str> {
    match &records.made {
        Some(made) => Cow::Borrowed(&made.content),
        // The text alone decides whether it is material, so it still is.
        None => {
            Cow::Owned(make_records(context, item).map(|made| made.content).unwrap_or_default())
        }
    }
}

fn make_records(context: &Context<'_>, candidate: &Candidate) -> Option<MadeRecords> {
    let text = candidate.text(context);
    // The text is a string of the caller's, so the file must rebuild it byte for byte.
    let found = find::find_records(&text, Accept::Objects).filter(Found::exact)?;
    // The name and the header of the file show the operation.
    let operation = candidate.call(context).tool.unwrap_or_default();
    // The same tokenizer for every model: the file's bytes must not depend on the model.
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let facts = Facts {
        operation: operation.clone(),
        detail: Detail::Full.name().to_owned(),
        schema_version: record_files::file::header::SCHEMA_VERSION.to_owned(),
        timestamp: NO_MOMENT.to_owned(),
        profile: Some(Profile::General.name().to_owned()),
        estimated_tokens: estimate::tokens(&text, &count),
        ..Facts::default()
    };
    let content = render(&found, &facts);
    let material = Arc::new(Material {
        stem: Stem::of_lro(LroPrefix::Lro, &operation, 0, &identity(&found, &facts)),
        hash: blake3::hash(content.as_bytes()),
        bytes: content.len() as u64,
    });
    let redact = context.offloader.redact;
    let schema = infer_hiding(found.records(), &redact.secrets(found.body()));
    let around = found.around().map(|around| redact.text(around).into_owned());
    Some(MadeRecords { material, content, count: found.count(), around, schema })
}

/// Returns the note on records in their message; with `whole`, more than the reference may stay.
pub(crate) fn descriptor_of(
    context: &Context<'_>,
    candidate: &Candidate,
    records: &Records,
    path: &str,
    whole: bool,
) -> String {
    let line = reference::line(path);
    let made = records.made.clone().or_else(|| make_records(context, candidate).map(Arc::new));
    let Some(made) = made else { return line };
    let (tokens, kind) = (candidate.slot.tokens, candidate.slot.slot.kind);
    let bytes = made.material.bytes;
    if !whole {
        let facts = format!("{} records, {tokens} tokens, {bytes} bytes; moved whole", made.count);
        return format!("{}\n{line}", reference::records_note(&facts, kind));
    }
    let (schema, workers) = (&made.schema, &context.offloader.workers);
    let (recipes, statements) = match context.settings.descriptor {
        Richness::Pointer | Richness::NoRecipes => (Vec::new(), Vec::new()),
        Richness::Full | Richness::NoSchema | Richness::Compact => {
            let lines: Vec<&str> = made.content.lines().skip(1).collect();
            let recipes = tried(Profile::General, Detail::Full, schema, &lines, workers).0;
            (recipes, tried_statements(schema, &lines, workers))
        }
    };
    let tools = &context.settings.reload_tools;
    let facts = NoteFacts {
        tokens,
        bytes,
        around: made.around.as_deref(),
        offer: Offer { path, tools, schema, recipes: &recipes, statements: &statements },
    };
    let note = note(&facts, context.settings.descriptor);
    format!("{}\n{line}", reference::of_kind(&note, kind))
}

fn key(text: &blake3::Hash, candidate: &Candidate) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(text.as_bytes());
    hasher.update(candidate.tool.as_deref().unwrap_or_default().as_bytes());
    hasher.finalize()
}
