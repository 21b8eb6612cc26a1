//! Makes the report of a decision.

use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::{Destination, Move};
use crate::pipeline::moves::plan::{Candidate, Skipped};
use crate::pipeline::report::{Action, ActionKind, Checks, Outcome, Report, SnapshotSource, ratio};
use crate::pipeline::rewrite::rewritten_tokens;
use crate::pipeline::settings::Run;
use crate::pipeline::snapshots::plan::Compression;
use crate::pipeline::snapshots::set::Snapshots;
use crate::pipeline::warnings::{missed_target, unreadable_files, warnings_of};
use crate::snapshot::format::bridge::needs_bridge;
use context_store::Call;

/// Makes the report of a decision that leaves this number of tokens and messages.
pub(crate) fn describe_decision(
    context: &Context<'_>,
    decision: &Decision,
    (tokens, messages): (u64, usize),
    checks: Checks,
) -> Report {
    let mut report = describe_moves(context, &decision.moves, &decision.skipped, tokens, checks);
    report.rewritten_tokens = rewritten_tokens(context, decision, tokens);
    let compression = decision.snapshots.as_ref().map(|(compression, _)| compression);
    report.warnings.extend(missed_target(context, &decision.moves, compression, tokens));
    if let Some((compression, snapshots)) = &decision.snapshots {
        report.messages_after = messages;
        add_snapshots(context, compression, snapshots, &mut report);
        report.warnings.extend(unreadable_files(context, &snapshots.blocks));
    } else {
        report.warnings.extend(unreadable_files(context, &context.place().blocks));
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
    let place = &compression.cut.place;
    let holder = if place.is_beside() { None } else { Some(place.index().unwrap_or(0)) };
    let needs_bridge =
        needs_bridge(context.history(), &context.views(), place, &compression.cut.gone);
    let bridge = compression.cut.bridge.filter(|_| !needs_bridge);
    let first = [holder, bridge, Some(compression.cut.gone.start), report.first_changed_index];
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
    if !snapshots.report.rejected.is_empty()
        && snapshots.report.source == SnapshotSource::Extractive
    {
        report.warnings.push(format!(
            "the built-in summariser wrote the snapshot, because {}",
            snapshots.report.rejected.join("; ")
        ));
    }
    report.snapshot = Some(snapshots.report.clone());
    report.retention = Some(snapshots.retention);
}

/// Makes the report of moves that leave `after` tokens.
pub(crate) fn describe_moves(
    context: &Context<'_>,
    moves: &[Move],
    skipped: &[Skipped],
    after: u64,
    checks: Checks,
) -> Report {
    let shown = |candidate: &Candidate| candidate.call(context);
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
        rewritten_tokens: 0,
        dry_run: context.settings.run() == Run::Dry,
        actions,
        snapshot: None,
        retention: None,
        checks,
        repairs: mends.clone(),
        warnings: context.request.warnings.clone(),
    };
    report.warnings.extend(warnings_of(context, &report));
    report
}

impl Action {
    fn moved(item: &Move, call: Call) -> Action {
        let (kind, why) = match item.destination {
            Destination::NewFile { records: Some(_), .. } => {
                (ActionKind::Materialize, "moved to a file of records")
            }
            Destination::NewFile { .. } => (ActionKind::Compact, "moved to a file"),
            Destination::ExistingFile { .. } => {
                (ActionKind::Compact, "was read back from this file")
            }
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
