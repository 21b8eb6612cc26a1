//! The answer: messages, files and report put together from what was decided and
//! what was checked.

use std::collections::HashSet;
use std::sync::Arc;

use chat_history::message::{Role, SlotKind};
use chat_history::splice::quote;

use crate::compression::block::Block;
use crate::compression::originals::Originals;
use crate::measure::Measured;
use crate::pipeline::call::shown_call;
use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::stored_text;
use crate::pipeline::moves::item::{BROKEN, Move, Target, tokens_left};
use crate::pipeline::moves::plan::{Candidate, Skipped};
use crate::pipeline::report::{Action, ActionKind, Checks, Outcome, Report, Source, ratio};
use crate::pipeline::request::{Files, Run};
use crate::pipeline::snapshots::assemble::{assemble, tokens_of};
use crate::pipeline::snapshots::plan::Compression;
use crate::pipeline::snapshots::set::Snapshots;
use context_store::{Call, StoreError, regular_len};

/// A file of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOfCall {
    /// As the caller spells it.
    pub path: String,
    /// True where the call wrote it, false where it was there.
    pub created: bool,
    /// Its content as a JSON string literal, where the answer repeats it.
    pub content: Option<String>,
}

/// The result of an offload.
#[derive(Debug)]
pub struct Offloaded {
    /// The messages, a JSON array.
    pub messages: String,
    /// The system prompt beside them where snapshots were put into it: JSON.
    pub system: Option<String>,
    /// The files, in the order of the messages.
    pub files: Vec<FileOfCall>,
    /// The report.
    pub report: Report,
}

/// The words of every warning with which the caller gets its own messages back.
pub const UNCHANGED: &str = "the messages are unchanged";

/// The warning of an answer for which no file could be written.
pub(crate) fn failure(error: &StoreError) -> String {
    format!("{UNCHANGED}, no file could be written: {error}")
}

/// Which files a call wrote: those of its moves and those of its snapshots, in order.
pub(crate) struct Written {
    pub(crate) moves: Vec<bool>,
    pub(crate) files: Vec<bool>,
}

/// The answer that leaves the messages alone.
pub(crate) fn unchanged(
    context: &Context<'_>,
    skipped: &[Skipped],
    warnings: Vec<String>,
) -> Offloaded {
    let before = context.tokens_before();
    let mut report = report_of_moves(context, &[], skipped, before, Checks::HOLD);
    report.warnings.extend(warnings);
    with_messages_as_posted(context, report)
}

/// The answer of a dry run, or of a decision that changes nothing.
pub(crate) fn planned(context: &Context<'_>, decision: &Decision) -> Offloaded {
    let Some((compression, snapshots)) = &decision.snapshots else {
        let after = tokens_left(context, &decision.moves);
        let messages = context.measured.len();
        let report = report_of(context, decision, (after, messages), Checks::HOLD);
        return with_messages_as_posted(context, report);
    };
    let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
    let assembled = assemble(context, compression, &decision.moves, &rendered);
    let after = (tokens_of(context, &assembled), assembled.from.len());
    let mut report = report_of(context, decision, after, Checks::HOLD);
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

/// The files of the call, each once, with contents where they are wanted. A
/// string's literal is copied as posted, not unescaped and escaped again.
pub(crate) fn files_of(
    context: &Context<'_>,
    decision: &Decision,
    written: &Written,
) -> Vec<FileOfCall> {
    let include = context.settings.files == Files::Include;
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for (item, created) in decision.moves.iter().zip(&written.moves) {
        if matches!(item.target, Target::Source { .. }) || !seen.insert(item.path.clone()) {
            continue;
        }
        let slot = &item.candidate.slot.slot;
        let raw = &context.history().messages()[item.candidate.index][slot.span.clone()];
        let records = matches!(item.target, Target::File { records: Some(_), .. });
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

/// The report of a decision that leaves so many tokens and messages.
pub(crate) fn report_of(
    context: &Context<'_>,
    decision: &Decision,
    (tokens, messages): (u64, usize),
    checks: Checks,
) -> Report {
    let mut report = report_of_moves(context, &decision.moves, &decision.skipped, tokens, checks);
    if let Some((compression, snapshots)) = &decision.snapshots {
        report.messages_after = messages;
        add_snapshots(context, compression, snapshots, &mut report);
    }
    report
}

fn add_snapshots(
    context: &Context<'_>,
    compression: &Compression,
    snapshots: &Snapshots,
    report: &mut Report,
) {
    report.outcome = match report.outcome {
        Outcome::Compacted => Outcome::CompactedAndCompressed,
        _ => Outcome::Compressed,
    };
    let place = &compression.place;
    let holder = if place.is_beside() { None } else { Some(place.index().unwrap_or(0)) };
    let first = [holder, Some(compression.gone.start), report.first_changed_index];
    report.first_changed_index = first.into_iter().flatten().min();
    report.actions.extend(snapshots.report.groups.iter().map(|group| Action {
        index: group.first,
        action: ActionKind::Compress,
        tool_call_id: None,
        tool: None,
        tokens_before: group.tokens_before,
        tokens_after: group.tokens_after,
        path: Some(group.path.clone()),
        why: format!("messages {} to {} became a snapshot", group.first, group.last),
    }));
    report.actions.sort_by_key(|action| action.index);
    if !snapshots.report.rejected.is_empty() && snapshots.report.source == Source::Extractive {
        report.warnings.push(format!(
            "the built-in summariser wrote the snapshot, because {}",
            snapshots.report.rejected.join("; ")
        ));
    }
    report.warnings.extend(out_of_reach(context, &snapshots.blocks));
    report.snapshot = Some(snapshots.report.clone());
    report.retention = Some(snapshots.retention);
}

fn report_of_moves(
    context: &Context<'_>,
    moves: &[Move],
    skipped: &[Skipped],
    after: u64,
    checks: Checks,
) -> Report {
    let shown = |candidate: &Candidate| shown_call(context, candidate);
    let moved = moves.iter().map(|item| Action::moved(item, shown(&item.candidate)));
    let skipped = skipped.iter().map(|skipped| Action::skipped(skipped, shown(&skipped.candidate)));
    let mut actions: Vec<Action> = moved.chain(skipped).collect();
    actions.sort_by_key(|action| action.index);
    let before = context.tokens_before();
    let moved = moves.iter().map(|m| m.candidate.index);
    let count = context.history().messages().len();
    let mends = &context.request.mends;
    let mut report = Report {
        outcome: if moves.is_empty() { Outcome::Unchanged } else { Outcome::Compacted },
        format: context.history().dialect().name(),
        format_source: context.history().source().words(),
        tokenizer: context.tokenizer.name(),
        tokens_before: before,
        tokens_after: after,
        compaction_ratio: ratio(before, after),
        messages_before: count,
        messages_after: count,
        first_changed_index: moved.chain(mends.iter().map(|m| m.index)).min(),
        dry_run: context.settings.run == Run::Dry,
        actions,
        snapshot: None,
        retention: None,
        checks,
        repairs: mends.clone(),
        warnings: context.request.warnings.clone(),
    };
    add_warnings(context, &mut report);
    report
}

fn add_warnings(context: &Context<'_>, report: &mut Report) {
    let settings = context.settings;
    for action in report.actions.iter().filter(|action| action.why == BROKEN) {
        report.warnings.push(format!("messages[{}] {BROKEN}; it is left as it is", action.index));
    }
    report.warnings.extend(unknown_parts(context));
    let recent = context.recent_from(settings.recent_for_compaction());
    let opened = report.actions.iter().filter(|a| a.action.moved() && a.index >= recent);
    let opened = opened.count();
    if opened > 0 {
        report.warnings.push(format!(
            "target_tokens asked for {opened} results of the newest messages to move"
        ));
    }
    if let Some(target) = settings.target_tokens.filter(|target| report.tokens_after > *target) {
        let left = report.tokens_after;
        // Where newest results moved, what was fixed before says nothing.
        let fixed = Some(fixed_tokens(context)).filter(|fixed| opened == 0 && *fixed < left);
        let fixed = fixed.map_or_else(String::new, |fixed| {
            format!(", {fixed} of them in tools, system messages and the newest messages")
        });
        report
            .warnings
            .push(format!("target_tokens {target} cannot be met: {left} tokens remain{fixed}"));
    }
}

/// A warning of parts that are counted and never read.
fn unknown_parts(context: &Context<'_>) -> Option<String> {
    let unknown = |(index, measured): (usize, &Arc<Measured>)| {
        measured.view.unknown.clone().map(|kind| (index, kind))
    };
    let mut unknown = context.measured.iter().enumerate().filter_map(unknown);
    let (index, kind) = unknown.next()?;
    let more = match unknown.count() {
        0 => String::new(),
        more => format!("; so are parts of {more} more messages"),
    };
    let format = context.history().dialect().name();
    Some(format!(
        "messages[{index}] has a part of type \"{kind}\", which {format} does not know: it is \
         counted as the JSON it is, and never moved{more}"
    ))
}

fn fixed_tokens(context: &Context<'_>) -> u64 {
    let recent = context.recent_from(context.settings.recent_for_compaction());
    let fixed = context.measured.iter().enumerate();
    let fixed = fixed.filter(|(i, m)| *i >= recent || m.view.role == Role::System);
    context.beside + fixed.map(|(_, m)| m.tokens).sum::<u64>()
}

impl Action {
    fn moved(item: &Move, call: Call) -> Action {
        let (kind, why) = match item.target {
            Target::File { records: Some(_), .. } => {
                (ActionKind::Materialize, "moved to a file of records")
            }
            Target::File { .. } => (ActionKind::Compact, "moved to a file"),
            Target::Source { .. } => (ActionKind::Compact, "was read back from this file"),
        };
        Action {
            tokens_after: item.replacement.tokens,
            path: Some(item.path.clone()),
            ..Action::new(&item.candidate, call, kind, why)
        }
    }

    fn skipped(skipped: &Skipped, call: Call) -> Action {
        Action::new(&skipped.candidate, call, ActionKind::Keep, skipped.why)
    }

    fn new(candidate: &Candidate, call: Call, action: ActionKind, why: &str) -> Action {
        Action {
            index: candidate.index,
            action,
            tool_call_id: call.call_id,
            tool: call.tool,
            tokens_before: candidate.slot.tokens,
            tokens_after: candidate.slot.tokens,
            path: None,
            why: why.to_owned(),
        }
    }
}

/// Most files out of reach that are named.
const LOST_TOLD: usize = 5;

/// A warning for each file of originals that cannot be read. It is named all
/// the same: a store that is away for a while must not cost its references.
fn out_of_reach(context: &Context<'_>, blocks: &[Block]) -> Vec<String> {
    let readable =
        |path: &str| context.offloader.roots.locate(path).is_ok_and(|at| regular_len(&at).is_ok());
    let originals = blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
    let files = blocks.iter().flat_map(|b| &b.files).map(|file| file.path.clone());
    let lists = blocks.iter().filter_map(|b| Some(b.more.as_ref()?.list.clone()));
    let paths = originals.chain(files).chain(lists);
    let lost = paths.filter(|path| context.settings.run == Run::Real && !readable(path));
    let told = lost.take(LOST_TOLD);
    told.map(|path| format!("\"{path}\" of an earlier snapshot cannot be read")).collect()
}
