//! The warnings of a report.

use std::collections::HashSet;
use std::sync::Arc;

use chat_history::message::Role;

use crate::envelope::counted;
use crate::measure::Measured;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{BROKEN, Move};
use crate::pipeline::report::Report;
use crate::pipeline::settings::{CountedParts, Mode, Run};
use crate::pipeline::snapshots::assemble::is_removed;
use crate::pipeline::snapshots::plan::Compression;
use crate::pipeline::snapshots::region::{count_blocks, largest_region, tokens_after};
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use context_store::Location;

/// Returns the warnings of a report.
pub(crate) fn warnings_of(context: &Context<'_>, report: &Report) -> Vec<String> {
    let mut warnings = Vec::new();
    for action in report.actions.iter().filter(|action| action.why == BROKEN) {
        warnings.push(format!("messages[{}] {BROKEN}; it is left as it is", action.index));
    }
    warnings.extend(unknown_parts(context));
    let recent = context.recent_for_compaction();
    let moved_recent = report.actions.iter().filter(|a| a.action.moved() && a.index >= recent);
    let moved_recent = moved_recent.count();
    if moved_recent > 0 {
        let results = counted(moved_recent, "result");
        warnings.push(format!("target_tokens required {results} of the newest messages to move"));
    }
    warnings
}

/// Returns a warning for parts that are counted but never read.
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

/// Returns a warning if more than the target remains: how much, and of what.
pub(crate) fn missed_target(
    context: &Context<'_>,
    moves: &[Move],
    compression: Option<&Compression>,
    left: u64,
) -> Option<String> {
    let settings = context.settings;
    let target = settings.target_tokens.filter(|target| left > *target)?;
    let tokens = tokens_after(context, moves);
    let place = context.place();
    let newest_from = match settings.mode() {
        Mode::Compact => context.recent_for_compaction(),
        Mode::Auto | Mode::Compress => largest_region(context, &tokens, &place).range().end,
    };
    let is_own = |index: usize| {
        let holder = place.index().filter(|_| place.is_own_message());
        holder == Some(index)
            || compression.is_some_and(|compression| is_removed(context, &compression.cut, index))
    };
    let (mut fixed, mut newest, mut others) = (context.beside, 0, 0);
    for (index, tokens) in tokens.iter().enumerate().filter(|(index, _)| !is_own(*index)) {
        match (context.measured[index].view.role, index >= newest_from) {
            (Role::System, _) => fixed += tokens,
            (_, true) => newest += tokens,
            (_, false) => others += tokens,
        }
    }
    if !place.is_own_message() {
        fixed = fixed.saturating_sub(count_blocks(context, &place.blocks));
    }
    let tools = match settings.counted_parts {
        CountedParts::All => "tools and system messages",
        CountedParts::Messages => "system messages",
    };
    let snapshots = left.saturating_sub(fixed + newest + others);
    let parts = [
        (fixed, tools),
        (snapshots, "snapshots"),
        (newest, "the newest messages"),
        (others, "other messages"),
    ];
    let parts = parts.iter().filter(|(tokens, _)| *tokens > 0);
    let parts: Vec<String> = parts.map(|(tokens, of)| format!("{tokens} in {of}")).collect();
    Some(format!(
        "target_tokens {target} cannot be met: {left} tokens remain, {} too many: {}",
        left - target,
        parts.join(", ")
    ))
}

/// Maximum number of unreadable files to name.
const LOST_TOLD: usize = 5;

/// Returns a warning for each file of originals that cannot be read. Its references stay, because a
/// store may be unavailable for a while.
pub(crate) fn unreadable_files(context: &Context<'_>, blocks: &[Block]) -> Vec<String> {
    let originals = blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
    let files = blocks.iter().flat_map(|b| &b.files).map(|file| file.path.clone());
    let lists = blocks.iter().filter_map(|b| Some(b.more.as_ref()?.list.clone()));
    let paths = originals.chain(files).chain(lists);
    let mut seen = HashSet::new();
    let is_asked = |path: &String| context.settings.run() == Run::Real && seen.insert(path.clone());
    let paths: Vec<String> = paths.filter(is_asked).collect();
    let located: Vec<Option<Location>> =
        paths.iter().map(|path| context.roots.locate(path).ok()).collect();
    let files: Vec<Location> = located.iter().flatten().cloned().collect();
    let mut lens = context.reader.lens(&files).into_iter();
    let is_lost =
        |at: &Option<Location>| at.is_none() || lens.next().is_none_or(|length| length.is_err());
    let is_lost: Vec<bool> = located.iter().map(is_lost).collect();
    let lost = paths.iter().zip(is_lost).filter(|(_, is_lost)| *is_lost).take(LOST_TOLD);
    lost.map(|(path, _)| format!("\"{path}\" of an earlier snapshot cannot be read")).collect()
}
