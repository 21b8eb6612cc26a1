//! Records: the chat and the call that a file belongs to, for its lease and its deletion.

use std::time::SystemTime;

use crate::measure::text_of;
use crate::pipeline::answer::Written;
use crate::pipeline::call::shown_call;
use crate::pipeline::chat::chat_of;
use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::leases::renew;
use crate::pipeline::moves::item::{Move, Target};
use context_store::{Call, FileName, Folder, Origin};

/// Renews the files of a decision that were there, and notes that this chat has them. The
/// check of the answer comes after it: a file that another chat's deletion took
/// before this chat was noted is missed there.
pub(crate) fn record(context: &Context<'_>, decision: &Decision, written: &Written) {
    let (mut stored, mut sources) = (Vec::new(), Vec::new());
    for (item, created) in decision.moves.iter().zip(&written.moves) {
        match &item.target {
            Target::File { claim, .. } if !created => stored.push(claim.name.clone()),
            Target::File { .. } => {}
            Target::Source { .. } => sources.extend(context.offloader.roots.locate(&item.path)),
        }
    }
    renew(context, &sources);
    if !stored.is_empty() {
        context.store.renew(&stored, &context.offloader.lifetimes, SystemTime::now());
    }
    let own = decision.snapshots.iter().flat_map(|(_, snapshots)| &snapshots.files);
    let own = own.zip(&written.files).filter(|(_, created)| !*created);
    stored.extend(own.map(|(file, _)| file.claim.name.clone()));
    mention(context, &stored);
}

/// Notes that this chat has files of the store's folder.
pub(crate) fn mention(context: &Context<'_>, names: &[FileName]) {
    if !names.is_empty() {
        context.store.mention(chat_of(context), names, Folder::Store);
    }
}

/// The call and chat that make the file of a move.
pub(crate) fn origin_of(context: &Context<'_>, item: &Move) -> Origin {
    Origin { call: call_of(context, item), chat: Some(chat_of(context)), ttl_seconds: None }
}

/// The call and chat that make a file of a compression.
pub(crate) fn own_origin(context: &Context<'_>) -> Origin {
    let call = Call { tool: Some("context_offload".to_owned()), ..Call::default() };
    Origin { call, chat: Some(chat_of(context)), ttl_seconds: None }
}

fn call_of(context: &Context<'_>, item: &Move) -> Call {
    let candidate = &item.candidate;
    // The error of an expired file shows them to the agent.
    let arguments = candidate.arguments.as_ref().map(|(index, slot)| {
        let text = text_of(context.history().messages()[*index], slot).text;
        context.offloader.redact.text(text).into_owned()
    });
    Call { arguments, ..shown_call(context, candidate) }
}
