//! Records the chat and the call of each file, for its lease and its deletion.

use crate::measure::text_of;
use crate::pipeline::answer::CreatedFiles;
use crate::pipeline::chat::chat_of;
use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::leases::renew;
use crate::pipeline::moves::item::{Destination, Move};
use context_store::{Call, FileName, MissingIndex, Origin};

/// Renews the files that were read back, and records that this chat refers to all files that it did
/// not make. The check of the answer comes later: it fails if another chat's deletion removed a
/// file before this chat was recorded.
pub(crate) fn record(context: &Context<'_>, decision: &Decision, written: &CreatedFiles) {
    let (mut stored, mut sources) = (Vec::new(), Vec::new());
    for (item, created) in decision.moves.iter().zip(&written.moves) {
        match &item.destination {
            Destination::NewFile { claim, .. } if !created => stored.push(claim.name.clone()),
            Destination::NewFile { .. } => {}
            Destination::ExistingFile { .. } => {
                sources.extend(context.roots.locate(&item.path));
            }
        }
    }
    renew(context, &sources);
    let own = decision.snapshots.iter().flat_map(|(_, snapshots)| &snapshots.files);
    let own = own.zip(&written.files).filter(|(_, created)| !*created);
    stored.extend(own.map(|(file, _)| file.claim.name.clone()));
    mention(context, &stored);
}

/// Records that this chat refers to files of the store's folder.
pub(crate) fn mention(context: &Context<'_>, names: &[FileName]) {
    if !names.is_empty() {
        context.store.note_references(chat_of(context), names, MissingIndex::Create);
    }
}

/// Returns the call and the chat that make the file of a move.
pub(crate) fn origin_of(context: &Context<'_>, item: &Move) -> Origin {
    Origin { call: call_of(context, item), chat: Some(chat_of(context)), ttl_seconds: None }
}

/// Returns the call and the chat that make a file of a compression.
pub(crate) fn own_origin(context: &Context<'_>) -> Origin {
    let call = Call { tool: Some("context_offload".to_owned()), ..Call::default() };
    Origin { call, chat: Some(chat_of(context)), ttl_seconds: None }
}

fn call_of(context: &Context<'_>, item: &Move) -> Call {
    let candidate = &item.candidate;
    // The error for an expired file shows them to the agent.
    let arguments = candidate.arguments.as_ref().map(|(index, slot)| {
        let text = text_of(context.history().messages()[*index], slot).text;
        context.offloader.redact.text(text).into_owned()
    });
    Call { arguments, ..candidate.call(context) }
}
