//! The bridge: where the user must speak first and the snapshots stand in the
//! system prompt, a history whose user messages left begins with the model. A
//! message of the service's own then stands at its front.

use crate::history::History;
use crate::history::dialect::Opening;
use crate::history::message::{MessageView, Role};
use crate::history::own::BRIDGE;
use crate::tokens::measure::text_of;

/// True for a bridge.
pub fn is_bridge(history: &History<'_>, index: usize, view: &MessageView) -> bool {
    if view.role != Role::System || history.dialect().opening() == Opening::Any {
        return false;
    }
    let raw = history.messages()[index];
    history.dialect().content_slots(raw).iter().any(|slot| text_of(raw, slot).text == BRIDGE)
}

/// True where the messages need a bridge once those before `left` are gone and
/// their snapshots stand beside the messages.
pub fn needs_bridge(history: &History<'_>, views: &[&MessageView], left: usize) -> bool {
    let first = |from: usize| views[from..].iter().find(|view| view.role != Role::System);
    let model_first = |from| first(from).is_some_and(|view| view.role == Role::Assistant);
    let bridged = || (0..left).any(|index| is_bridge(history, index, views[index]));
    // A request without a message is none.
    history.dialect().opening() == Opening::User
        && (first(left).is_none() || model_first(left) && (!model_first(0) || bridged()))
}
