//! The descriptor that a caller gets: as rich as requested, or leaner if it would cost more than
//! the result itself.

use chat_history::message::SlotKind;
use redact::Redact;

use super::described_records::DescribedRecords;
use super::request::Request;
use crate::compaction::call::ReloadTool;
use crate::compaction::preview::{MovedText, replacement};
use crate::compaction::preview_settings::{PreviewSettings, PreviewSize};
use crate::descriptor::calls::Offer;
use crate::descriptor::summary::Summary;
use crate::descriptor::{self, Richness};
use record_files::estimate;
use record_files::recipes::Profile;

use crate::descriptor::guidance;
use token_count::Tokenizer;

/// Size of the summary of a text, in tokens.
const PREVIEW_TOKENS: u64 = 120;
/// Maximum length of a JSON schema of a descriptor, in bytes.
const SCHEMA_BYTES: usize = 6_000;

/// The preview of a text, with the reference to its file, as in a history
/// (`file-backed-tool-results`, "Implementation Sketch").
pub(super) struct Preview {
    /// Its text.
    pub(super) text: String,
    tokens: u64,
}

impl Preview {
    /// Returns the preview of a result without records.
    pub(super) fn of(request: &Request<'_>, text: &str, path: &str, redact: Redact) -> Preview {
        let tokenizer = Tokenizer::O200kBase;
        let settings = PreviewSettings {
            budget: PreviewSize::Tokens(PREVIEW_TOKENS),
            tokenizer,
            tools: request.members.reload_tools.clone(),
            redact,
        };
        let tokens = tokenizer.count(text);
        let text =
            replacement(&MovedText { text, kind: SlotKind::String, tokens, path }, &settings);
        let tokens = estimate::tokens(&text, &|text| tokenizer.count(text));
        Preview { text, tokens }
    }

    /// Returns true if the preview costs less than `tokens`.
    pub(super) fn is_smaller(&self, tokens: u64) -> bool {
        self.tokens < tokens
    }
}

/// Returns the descriptor of a text as JSON.
pub(super) fn describe_text(
    request: &Request<'_>,
    preview: &Preview,
    path: &str,
    inline_tokens: u64,
) -> String {
    let lines = request.text().lines().count() as u64;
    let detail = detail_of(request);
    let summary = Summary::of_text(lines, &request.members.operation, detail, inline_tokens);
    descriptor::render_text(&summary, path, &preview.text)
}

/// Returns the descriptor as JSON, or `None` if even the leanest costs as much as the result.
pub(super) fn describe(
    request: &Request<'_>,
    described: &DescribedRecords,
    around: Option<&str>,
    path: &str,
    inline_tokens: u64,
) -> Option<String> {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let offer = Offer {
        path,
        tools: &request.members.reload_tools,
        schema: &described.schema,
        recipes: &described.recipes,
        statements: &described.statements,
    };
    let guidance = guidance(request, offer, inline_tokens);
    let summary = Summary::new(
        &described.schema,
        &request.members.operation,
        detail_of(request),
        inline_tokens,
        request.members.score_field.as_deref(),
    );
    let facts = descriptor::Facts {
        profile: request.members.profile,
        summary: &summary,
        offer,
        schema_bytes: SCHEMA_BYTES,
        guidance: &guidance,
        around,
    };
    let asked =
        Richness::ALL.iter().skip_while(|richness| **richness != request.members.descriptor);
    asked
        .map(|richness| descriptor::render(&facts, *richness))
        .find(|text| estimate::tokens(text, &count) < inline_tokens)
}

/// Returns the detail that a summary names; `lro-spec-6400-mif` has none.
fn detail_of<'a>(request: &'a Request<'_>) -> Option<&'a str> {
    (request.members.profile != Profile::Mif6400).then_some(&request.detail)
}

/// Renders the guidance for the file, for the tools that the agent has.
fn guidance(request: &Request<'_>, offer: Offer<'_>, inline_tokens: u64) -> String {
    let (profile, tokens, detail) = (request.members.profile, inline_tokens, &*request.detail);
    let facts = guidance::Facts { profile, tokens, detail, offer };
    match request.members.reload_tools.name(ReloadTool::LroExtract) {
        Some(name) => guidance::extract(&facts, name),
        None => guidance::shell(&facts),
    }
}
