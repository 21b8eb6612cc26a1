//! The descriptor that a caller gets: as rich as it asked for, leaner where that
//! would cost more than the result itself.

use redact::Redact;

use super::material::Material;
use super::request::Request;
use crate::compaction::call::{ReloadTool, ReloadTools};
use crate::compaction::preview::summary;
use crate::compaction::spec::{Budget, Spec};
use crate::descriptor::guidance;
use crate::descriptor::summary::Summary;
use crate::descriptor::{self, Richness};
use record_files::estimate;
use record_files::profile::Profile;
use token_count::Tokenizer;

/// Size of the summary of a text, in tokens.
const PREVIEW_TOKENS: u64 = 120;
/// Longest JSON schema of a descriptor, in bytes.
const SCHEMA_BYTES: usize = 6_000;

/// What the result says of itself besides its records.
pub(super) struct Said<'a> {
    /// The scalars that stood around them, as a JSON object.
    pub(super) around: Option<&'a str>,
    /// What of a text says most.
    pub(super) preview: Option<&'a str>,
}

/// The heuristic summary of a text (`file-backed-tool-results`, "Implementation
/// Sketch").
pub(super) fn preview_of(text: &str, redact: Redact) -> String {
    let (budget, tokenizer) = (Budget::Tokens(PREVIEW_TOKENS), Tokenizer::O200kBase);
    summary(text, &Spec { budget, tokenizer, tools: ReloadTools::default(), redact })
}

/// The descriptor, JSON; None where even the leanest costs as much as the result.
pub(super) fn describe(
    request: &Request<'_>,
    material: &Material,
    said: &Said<'_>,
    path: &str,
    inline_tokens: u64,
) -> Option<String> {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let guidance = guidance(request, material, path, inline_tokens);
    let detail = (request.profile != Profile::Mif6400).then_some(request.detail.as_str());
    let summary = Summary::new(
        &material.schema,
        &request.operation,
        detail,
        inline_tokens,
        request.score_field.as_deref(),
    );
    let facts = descriptor::Facts {
        summary: &summary,
        file_path: path,
        schema: &material.schema,
        schema_bytes: SCHEMA_BYTES,
        recipes: &material.recipes,
        guidance: &guidance,
        around: said.around,
        preview: said.preview,
    };
    let asked = Richness::ALL.iter().skip_while(|richness| **richness != request.descriptor);
    asked
        .map(|richness| descriptor::render(&facts, *richness))
        .find(|text| estimate::tokens(text, &count) < inline_tokens)
}

/// What to do with the file, for the tools that the agent has.
fn guidance(request: &Request<'_>, material: &Material, path: &str, inline_tokens: u64) -> String {
    let facts = guidance::Facts {
        profile: request.profile,
        count: material.schema.records(),
        tokens: inline_tokens,
        path,
        detail: &request.detail,
        recipes: &material.recipes,
        schema: &material.schema,
    };
    match request.reload_tools.name(ReloadTool::LroExtract) {
        Some(name) => guidance::extract(&facts, name),
        None => guidance::shell(&facts),
    }
}
