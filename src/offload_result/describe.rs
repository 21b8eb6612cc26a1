//! The descriptor that a caller gets: as rich as it asked for, leaner where that
//! would cost more than the result itself.

use redact::Redact;

use super::described_records::DescribedRecords;
use super::request::Request;
use crate::compaction::call::{ReloadTool, ReloadTools};
use crate::compaction::preview::summary;
use crate::compaction::preview_settings::{PreviewSettings, PreviewSize};
use crate::descriptor::summary::Summary;
use crate::descriptor::{self, Richness};
use record_files::estimate;
use record_files::recipes::Profile;

use crate::descriptor::guidance;
use token_count::Tokenizer;

/// Size of the summary of a text, in tokens.
const PREVIEW_TOKENS: u64 = 120;
/// Longest JSON schema of a descriptor, in bytes.
const SCHEMA_BYTES: usize = 6_000;

/// Texts of a result next to its records.
pub(super) struct ShownText<'a> {
    /// The scalars that stood around them, as a JSON object.
    pub(super) around: Option<&'a str>,
    /// The summary of a text without records.
    pub(super) preview: Option<&'a str>,
}

/// The heuristic summary of a text (`file-backed-tool-results`, "Implementation
/// Sketch").
pub(super) fn preview_of(text: &str, redact: Redact) -> String {
    let (budget, tokenizer) = (PreviewSize::Tokens(PREVIEW_TOKENS), Tokenizer::O200kBase);
    summary(text, &PreviewSettings { budget, tokenizer, tools: ReloadTools::default(), redact })
}

/// The descriptor, JSON; None where even the leanest costs as much as the result.
pub(super) fn describe(
    request: &Request<'_>,
    described: &DescribedRecords,
    shown: &ShownText<'_>,
    path: &str,
    inline_tokens: u64,
) -> Option<String> {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let guidance = guidance(request, described, path, inline_tokens);
    let detail = (request.profile != Profile::Mif6400).then_some(request.detail.as_str());
    let summary = Summary::new(
        &described.schema,
        &request.operation,
        detail,
        inline_tokens,
        request.score_field.as_deref(),
    );
    let facts = descriptor::Facts {
        summary: &summary,
        file_path: path,
        schema: &described.schema,
        schema_bytes: SCHEMA_BYTES,
        recipes: &described.recipes,
        guidance: &guidance,
        around: shown.around,
        preview: shown.preview,
    };
    let asked = Richness::ALL.iter().skip_while(|richness| **richness != request.descriptor);
    asked
        .map(|richness| descriptor::render(&facts, *richness))
        .find(|text| estimate::tokens(text, &count) < inline_tokens)
}

/// Renders the guidance for the file, for the tools that the agent has.
fn guidance(
    request: &Request<'_>,
    described: &DescribedRecords,
    path: &str,
    inline_tokens: u64,
) -> String {
    let facts = guidance::Facts {
        profile: request.profile,
        count: described.schema.records(),
        tokens: inline_tokens,
        path,
        detail: &request.detail,
        recipes: &described.recipes,
        schema: &described.schema,
    };
    match request.reload_tools.name(ReloadTool::LroExtract) {
        Some(name) => guidance::extract(&facts, name),
        None => guidance::shell(&facts),
    }
}
