//! Assembles the history after a compression: removes messages, and adds snapshots. All other
//! messages are unchanged or compacted.

use std::ops::Range;

use chat_history::dialect::Opening;
use chat_history::service_messages::{BRIDGE, HOLDER_PLACEHOLDER, SYSTEM_PLACEHOLDER};
use chat_history::splice::{Edit, splice};

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::snapshot::format::bridge::needs_bridge;
use crate::snapshot::format::place::Place;

/// The messages that leave a history, and the place of the snapshots that replace them.
#[derive(Clone)]
pub(crate) struct Cut {
    /// The place of the snapshots.
    pub(crate) place: Place,
    /// The bridge of an earlier call. It is removed, and added again if needed.
    pub(crate) bridge: Option<usize>,
    /// The messages that leave, except system messages among them.
    pub(crate) gone: Range<usize>,
}

/// An assembled history.
pub(crate) struct Assembled {
    /// The messages as a JSON array.
    pub(crate) array: String,
    /// The separate system prompt, if any.
    pub(crate) system: Option<String>,
    /// The message of the answer that holds the snapshots; `None` if the system prompt holds them.
    pub(crate) holder: Option<usize>,
    /// The original index of each message of the answer; `None` for an added message.
    pub(crate) from: Vec<Option<usize>>,
}

/// Removes the compressed messages and inserts the snapshots.
pub(crate) fn assemble(
    context: &Context<'_>,
    cut: &Cut,
    moves: &[Move],
    blocks: &[String],
) -> Assembled {
    let history = context.history();
    let (place, system) = (&cut.place, context.request.system);
    let mut messages = Vec::with_capacity(history.messages().len() - cut.gone.len() + 1);
    let mut from = Vec::new();
    let like = history.messages().first().copied();
    let is_added = place.index().is_none() && !place.is_beside();
    let mut added = is_added.then(|| place.filled(history, system, blocks));
    // A user message must follow the system prompt, wherever a client put that.
    let at_once = history.dialect().opening() == Opening::Any;
    let mut bridge =
        new_bridge(context, cut).map(|text| history.dialect().user_message(text, like));
    let mut moves = moves.iter().peekable();
    for (index, raw) in history.messages().iter().enumerate() {
        if let Some(holder) = added.take_if(|_| at_once || context.is_compressible(index)) {
            messages.push(holder);
            from.push(None);
        }
        if is_removed(context, cut, index) {
            continue;
        }
        let earlier = std::iter::from_fn(|| moves.next_if(|item| item.candidate.index <= index));
        let own = earlier.filter(|item| item.candidate.index == index);
        let edits: Vec<Edit> = own.flat_map(|item| item.edits(0)).collect();
        if let Some(bridge) = bridge.take_if(|_| context.is_compressible(index)) {
            messages.push(bridge);
            from.push(None);
        }
        messages.push(if place.index() == Some(index) {
            place.filled(history, system, blocks)
        } else {
            splice(raw, &edits)
        });
        from.push(Some(index));
    }
    from.extend(bridge.iter().map(|_| None));
    messages.extend(bridge);
    let beside = place.is_beside();
    let holder = (!beside).then(|| from.iter().position(|from| *from == place.index()));
    Assembled {
        array: format!("[{}]", messages.join(",")),
        system: if beside {
            Some(place.filled(history, system, blocks))
        } else {
            system.map(str::to_owned)
        },
        holder: holder.flatten(),
        from,
    }
}

/// Returns the text of a bridge if one is needed: the remaining messages do not begin with the
/// user, and no user message of the service holds the snapshots.
fn new_bridge(context: &Context<'_>, cut: &Cut) -> Option<&'static str> {
    let (place, gone) = (&cut.place, &cut.gone);
    needs_bridge(context.history(), &context.views(), place, gone).then_some(BRIDGE)
}

/// Returns true for a message that is not in the answer: it was compressed, or it is a bridge,
/// which is added again if needed.
pub(crate) fn is_removed(context: &Context<'_>, cut: &Cut, index: usize) -> bool {
    (cut.gone.contains(&index) && context.is_compressible(index)) || cut.bridge == Some(index)
}

/// Renders the file with the originals of a group: a JSON array of the posted messages, each on
/// lines of its own. System messages stay in the history. Those within the group are copied to the
/// file; for each of those before it the file has a placeholder, so that the order can be restored.
/// A system message with snapshots has a placeholder at its position within the group.
pub(crate) fn originals_of(context: &Context<'_>, cut: &Cut, group: Range<usize>) -> String {
    let history = context.history();
    let place = &cut.place;
    let others = |index: &usize| {
        let own = [cut.bridge, place.index()];
        !context.is_compressible(*index) && !own.contains(&Some(*index))
    };
    let before = (0..group.start).filter(others).count();
    let own =
        |text: &str| history.dialect().service_message(text, history.messages().first().copied());
    let stub = own(SYSTEM_PLACEHOLDER);
    let mut text = format!("[{}", format!("\n{stub},").repeat(before));
    for index in group.clone() {
        text.push_str(if index == group.start { "\n" } else { ",\n" });
        match place.index() == Some(index) {
            true => text.push_str(&own(HOLDER_PLACEHOLDER)),
            false => text.push_str(history.messages()[index]),
        }
    }
    text.push_str("\n]\n");
    text
}

pub(crate) fn tokens_of(context: &Context<'_>, assembled: &Assembled) -> u64 {
    let measure = &context.offloader.measure;
    let after = context.history().reparse(&assembled.array);
    let measured = after.and_then(|history| measure.history(&history, context.tokenizer));
    let messages = measured.map_or(0, |all| all.iter().map(|m| m.tokens).sum::<u64>());
    context.beside_with(assembled.system.as_deref()) + messages
}
