//! The answer: the messages, files and report of a decision.

use std::collections::HashSet;

use chat_history::message::SlotKind;
use raw_json::quote;

use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::describe::{describe_decision, describe_moves};
use crate::pipeline::moves::item::{Destination, stored_text, tokens_left};
use crate::pipeline::moves::plan::Skipped;
use crate::pipeline::report::{Checks, Report};
use crate::pipeline::snapshots::assemble::{assemble, tokens_of};
use crate::pipeline::warnings::{missed_target, unreadable_files};
use crate::snapshot::format::block::Block;
use context_store::StoreError;

/// A file of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileOfCall {
    /// Its path, as the caller spells it.
    pub path: String,
    /// True if the call wrote it; false if it existed.
    pub created: bool,
    /// Its content as a JSON string literal, if the answer repeats it.
    pub content: Option<String>,
}

/// The result of an offload.
#[derive(Debug)]
pub(crate) struct Offloaded {
    /// The messages, a JSON array.
    pub messages: String,
    /// The separate system prompt if snapshots were put into it: JSON.
    pub system: Option<String>,
    /// The files, in the order of the messages.
    pub files: Vec<FileOfCall>,
    /// The report.
    pub report: Report,
}

/// Part of every warning with which the caller gets its own messages back.
pub(crate) const UNCHANGED: &str = "the messages are unchanged";

/// Counts and logs an answer for which no file could be written, and returns its warning.
pub(crate) fn failure(error: &StoreError) -> String {
    metrics::counter!("unburden_offload_write_failed_total").increment(1);
    tracing::warn!(%error, "no file of an answer could be written");
    format!("{UNCHANGED}, no file could be written: {error}")
}

/// For each file of the moves and of the snapshots, in order: true if the call wrote it.
pub(crate) struct CreatedFiles {
    pub(crate) moves: Vec<bool>,
    pub(crate) files: Vec<bool>,
}

/// Returns the answer that leaves the messages unchanged.
pub(crate) fn unchanged(
    context: &Context<'_>,
    skipped: &[Skipped],
    warnings: Vec<String>,
) -> Offloaded {
    let before = context.tokens_before();
    let mut report = describe_moves(context, &[], skipped, before, Checks::HOLD);
    report.warnings.extend(missed_target(context, &[], None, before));
    report.warnings.extend(unreadable_files(context, &context.place().blocks));
    report.warnings.extend(warnings);
    with_messages_as_posted(context, report)
}

/// Returns the answer of a dry run, or of a decision that changes nothing.
pub(crate) fn planned(context: &Context<'_>, decision: &Decision) -> Offloaded {
    let Some((compression, snapshots)) = &decision.snapshots else {
        let after = tokens_left(context, &decision.moves);
        let messages = context.measured.len();
        let report = describe_decision(context, decision, (after, messages), Checks::HOLD);
        return with_messages_as_posted(context, report);
    };
    let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
    let assembled = assemble(context, &compression.cut, &decision.moves, &rendered);
    let after = (tokens_of(context, &assembled), assembled.from.len());
    let mut report = describe_decision(context, decision, after, Checks::HOLD);
    if context.offloader.summariser.model().is_some() && !snapshots.report.reused {
        report.warnings.push(
            "dry run: no model was called, the snapshot's size is the built-in summariser's"
                .to_owned(),
        );
    }
    with_messages_as_posted(context, report)
}

fn with_messages_as_posted(context: &Context<'_>, report: Report) -> Offloaded {
    let messages = context.history().array().to_owned();
    Offloaded { messages, system: None, files: Vec::new(), report }
}

/// Returns the files of the call, each once, with contents if requested. Copies a string's literal
/// as posted instead of unescaping and escaping it again.
pub(crate) fn files_of(
    context: &Context<'_>,
    decision: &Decision,
    written: &CreatedFiles,
) -> Vec<FileOfCall> {
    let include = context.settings.include_files;
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for (item, created) in decision.moves.iter().zip(&written.moves) {
        if matches!(item.destination, Destination::ExistingFile { .. })
            || !seen.insert(item.path.clone())
        {
            continue;
        }
        let slot = &item.candidate.slot.slot;
        let raw = &context.history().messages()[item.candidate.index][slot.span.clone()];
        let records = matches!(item.destination, Destination::NewFile { records: Some(_), .. });
        let content = include.then(|| match slot.kind {
            _ if records => quote(&stored_text(context, item)),
            SlotKind::String => raw.to_owned(),
            SlotKind::Json => quote(raw),
        });
        files.push(FileOfCall { path: item.path.clone(), created: *created, content });
    }
    let own = decision.snapshots.iter().flat_map(|(_, snapshots)| &snapshots.files);
    files.extend(own.zip(&written.files).map(|(file, created)| FileOfCall {
        path: file.path.clone(),
        created: *created,
        content: include.then(|| quote(&file.content)),
    }));
    files
}
