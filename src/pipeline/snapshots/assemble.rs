//! Assembles the history after a compression: messages leave, snapshots are added, and every
//! other message is unchanged or as compaction leaves it.

use std::ops::Range;

use chat_history::dialect::Opening;
use chat_history::service_messages::{BRIDGE, HOLDER_PLACEHOLDER, SYSTEM_PLACEHOLDER};
use chat_history::splice::{Edit, splice};

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::snapshot::format::bridge::needs_bridge;
use crate::snapshot::format::place::Place;

/// The messages that leave a history, and the place of the snapshots that stand for them.
#[derive(Clone)]
pub(crate) struct Cut {
    /// The place of the snapshots.
    pub(crate) place: Place,
    /// The bridge of an earlier call, which is put up anew where it is needed.
    pub(crate) bridge: Option<usize>,
    /// The messages that leave, system messages among them excepted.
    pub(crate) gone: Range<usize>,
}

/// A history put together anew.
pub(crate) struct Assembled {
    /// The messages, a JSON array.
    pub(crate) array: String,
    /// The separate system prompt, where there is one.
    pub(crate) system: Option<String>,
    /// The message of the answer that holds the snapshots; None where the system
    /// prompt does.
    pub(crate) holder: Option<usize>,
    /// For each message of the answer but an added one, where it came from.
    pub(crate) from: Vec<Option<usize>>,
}

/// Takes the compressed messages out and puts the snapshots in.
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
    // A user's message stands behind the prompt, wherever a client put that.
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

/// The message to put before those that stay, where these do not begin with the
/// user and no user's message of the service's own holds the snapshots.
fn new_bridge(context: &Context<'_>, cut: &Cut) -> Option<&'static str> {
    let (place, gone) = (&cut.place, &cut.gone);
    needs_bridge(context.history(), &context.views(), place, gone).then_some(BRIDGE)
}

/// True for a message that the answer does not have: one that was compressed,
/// or a bridge, which is put up anew where it is needed.
pub(crate) fn is_removed(context: &Context<'_>, cut: &Cut, index: usize) -> bool {
    (cut.gone.contains(&index) && context.is_compressible(index)) || cut.bridge == Some(index)
}

/// The originals of a group, as its file holds them: a JSON array of the
/// messages that came, a message begins a line. System messages stay in the
/// history; those between the others are copied, and those before the group
/// have a stub each, so that the order can be found again. The one that holds
/// the snapshots has a stub where it stands between them.
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
