//! The warnings of a report.

use std::sync::Arc;

use chat_history::message::Role;

use crate::measure::Measured;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::BROKEN;
use crate::pipeline::report::Report;
use crate::pipeline::settings::{CountedParts, Run};
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use context_store::Location;

/// Returns the warnings of a report.
pub(crate) fn warnings_of(context: &Context<'_>, report: &Report) -> Vec<String> {
    let settings = context.settings;
    let mut warnings = Vec::new();
    for action in report.actions.iter().filter(|action| action.why == BROKEN) {
        warnings.push(format!("messages[{}] {BROKEN}; it is left as it is", action.index));
    }
    warnings.extend(unknown_parts(context));
    let recent = context.recent_for_compaction();
    let moved_recent = report.actions.iter().filter(|a| a.action.moved() && a.index >= recent);
    let moved_recent = moved_recent.count();
    if moved_recent > 0 {
        warnings.push(format!(
            "target_tokens asked for {moved_recent} results of the newest messages to move"
        ));
    }
    if let Some(target) = settings.target_tokens.filter(|target| report.tokens_after > *target) {
        let left = report.tokens_after;
        // If newest results moved, the tokens fixed before say nothing.
        let fixed = Some(fixed_tokens(context)).filter(|fixed| moved_recent == 0 && *fixed < left);
        let fixed = fixed.map_or_else(String::new, |fixed| {
            let tools = match settings.counted_parts {
                CountedParts::All => "tools, ",
                CountedParts::Messages => "",
            };
            format!(", {fixed} of them in {tools}system messages and the newest messages")
        });
        let over = left - target;
        warnings.push(format!(
            "target_tokens {target} cannot be met: {left} tokens remain, {over} too many{fixed}"
        ));
    }
    warnings
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
    let recent = context.recent_for_compaction();
    let fixed = context.measured.iter().enumerate();
    let fixed = fixed.filter(|(i, m)| *i >= recent || m.view.role == Role::System);
    context.beside + fixed.map(|(_, m)| m.tokens).sum::<u64>()
}

/// Most unreadable files that are named.
const LOST_TOLD: usize = 5;

/// Returns a warning for each file of originals that cannot be read. Its references stay: a
/// store may be absent for a while.
pub(crate) fn unreadable_files(context: &Context<'_>, blocks: &[Block]) -> Vec<String> {
    let originals = blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
    let files = blocks.iter().flat_map(|b| &b.files).map(|file| file.path.clone());
    let lists = blocks.iter().filter_map(|b| Some(b.more.as_ref()?.list.clone()));
    let paths = originals.chain(files).chain(lists);
    let paths: Vec<String> = paths.filter(|_| context.settings.run() == Run::Real).collect();
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
