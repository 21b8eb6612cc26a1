//! The chat of a request: its files have its name and belong to it. Without a name from the caller,
//! the name is derived from the beginning of the history.

use chat_history::message::{MessageView, Role};

use crate::pipeline::context::Context;
use crate::pipeline::snapshots::plan::Compression;
use crate::snapshot::format::block::Block;
use context_store::{Chat, group_of};

/// Number of digits of a derived name.
const DIGITS: usize = 16;

/// Returns the name for the files of a compression: the chat's id, the name of its earlier files,
/// or a hash of its beginning.
pub(crate) fn chat_name(context: &Context<'_>, compression: &Compression) -> String {
    let name = context.settings.chat_id.clone().or_else(|| named(&compression.earlier()));
    match name {
        Some(name) => context.offloader.redact.word(&name).into_owned(),
        None => made(context, compression.cut.gone.start),
    }
}

/// Returns the chat that files of this request belong to.
pub(crate) fn chat_of(context: &Context<'_>) -> Chat {
    *context.chat.get_or_init(|| match &context.settings.chat_id {
        Some(chat) => Chat::of(chat),
        None => Chat::of(&made_name(context)),
    })
}

/// Returns the same name as [`chat_name`], before anything is decided: a history that is too small
/// for a compression belongs to the same chat as later.
fn made_name(context: &Context<'_>) -> String {
    named(&context.place().blocks).unwrap_or_else(|| made(context, 0))
}

/// Returns the chat's name in the latest group file that the snapshots name.
fn named(blocks: &[Block]) -> Option<String> {
    let originals = blocks.iter().flat_map(|block| &block.originals);
    let mut named = originals.rev().filter_map(|originals| {
        let path = originals.paths().next()?;
        let name = path.rsplit('/').next().unwrap_or_default();
        Some(group_of(name)?.0.to_owned())
    });
    named.next()
}

/// Derives the name from the first message from `start` on that no offload changes: not a system
/// message, which may get snapshots, and without results, which may move. If there is none, uses
/// the first message.
fn made(context: &Context<'_>, start: usize) -> String {
    let views = &context.views()[start..];
    let begins = |view: &MessageView| view.role != Role::System;
    let stays = views.iter().position(|view| begins(view) && view.results.is_empty());
    let first = stays.or_else(|| views.iter().position(|view| begins(view)));
    let first = first.map_or("", |at| context.history().messages()[start + at]);
    blake3::hash(first.as_bytes()).to_hex()[..DIGITS].to_owned()
}
