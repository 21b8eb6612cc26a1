//! The whole history of one with snapshots. Its original messages are read back from their files,
//! so that a new snapshot is made from all messages. Extracts of extracts would lose more with each
//! call.

use std::collections::HashSet;

use chat_history::History;
use chat_history::message::MessageView;

use crate::pipeline::context::Context;
use crate::reading::restore::regroup::regroup;
use crate::snapshot::format::originals::Originals;
use context_store::Location;

/// Maximum bytes of messages to read back.
const READ_BACK: u64 = 8 << 20;

/// A history without snapshots.
pub(crate) struct WholeHistory<'a> {
    pub(crate) history: History<'a>,
    pub(crate) views: Vec<MessageView>,
}

impl<'a> WholeHistory<'a> {
    /// Parses an array of messages that were parsed before.
    pub(crate) fn parse(context: &Context<'_>, array: &'a str) -> Option<WholeHistory<'a>> {
        let history = context.history().reparse(array).ok()?;
        let views = history.views().ok()?;
        Some(WholeHistory { history, views })
    }
}

/// Returns the messages of a history, including the originals of its snapshots, as a JSON array.
/// Returns `None` if it has no snapshot, if a file is missing, or if the files have more than
/// `READ_BACK` bytes.
pub(crate) fn messages_with_originals(context: &Context<'_>) -> Option<String> {
    let place = context.place();
    let originals = place.blocks.iter().flat_map(|block| &block.originals);
    let paths = originals.flat_map(Originals::paths);
    let files: Vec<Location> =
        paths.map(|path| context.roots.locate(&path).ok()).collect::<Option<_>>()?;
    let lens = context.reader.lens(&files).into_iter();
    let bytes = lens.map(Result::ok).sum::<Option<u64>>()?;
    if files.is_empty() || bytes > READ_BACK {
        return None;
    }
    let (mut seen, mut unresolved) = (HashSet::new(), Vec::new());
    let system = context.request.system;
    let prover = context.prover();
    let whole = regroup(context.history(), system, &prover, &mut seen, &mut unresolved).ok()??;
    unresolved.is_empty().then_some(whole.array)
}
