//! Stubs whose results are also in the history. A caller may post a history between a call and its
//! result, and append the result to the answer; the result then supersedes the stub.

use std::collections::{BTreeMap, HashSet};

use raw_json as raw;

use crate::History;
use crate::message::{MessageView, SlotKind, ToolResult};
use crate::service_messages::{NO_SCREENSHOT, STUB};

/// Maximum number of bytes that the JSON of a stub may have in addition to its text.
const AROUND: usize = 64;

/// Returns the stubs whose results are also in the history: for each message, their places among
/// its results. Only ids tell which result a stub replaces; if an id repeats, it is one before the
/// next call with that id.
pub(super) fn superseded(
    history: &History<'_>,
    views: &[MessageView],
) -> BTreeMap<usize, Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // From the end, so that a result is found before its stub.
    let mut came: HashSet<&str> = HashSet::new();
    for (index, view) in views.iter().enumerate().rev() {
        for (place, result) in view.results.iter().enumerate().rev() {
            let Some(id) = result.call_id.as_deref() else { continue };
            if !is_stub(history.messages()[index], result) {
                came.insert(id);
            } else if came.contains(id) {
                found.entry(index).or_default().insert(0, place);
            }
        }
        for call in &view.calls {
            came.remove(call.id.as_deref().unwrap_or_default());
        }
    }
    found
}

fn is_stub(message: &str, result: &ToolResult) -> bool {
    if result.slots.is_empty() {
        return message.contains(NO_SCREENSHOT);
    }
    let texts = || result.slots.iter().map(|slot| (slot.kind, &message[slot.span.clone()]));
    let says = |(kind, raw): (SlotKind, &str)| {
        raw.len() <= STUB.len() + AROUND
            && match kind {
                SlotKind::String => raw::unescape(raw).text == STUB,
                SlotKind::Json => raw.contains(STUB),
            }
    };
    texts().all(|slot| slot.1 == r#""""# || says(slot)) && texts().any(says)
}
