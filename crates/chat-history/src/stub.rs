//! Stubs: what repair puts where a result is missing. A caller who posts between a
//! call and its result goes on from the history that came back, so the result comes
//! behind the stub: then the stub is in its way, and the result is the one to keep.

use std::collections::{BTreeMap, HashSet};

use super::History;
use super::message::{MessageView, SlotKind, ToolResult};
use super::raw;

/// Stands for a result that is missing.
pub const STUB: &str = "(no result: the history that was sent has none for this call)";

/// A screenshot of one white pixel: the output of a computer takes no text.
pub const NO_SCREENSHOT: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklE\
                             QVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/// How much longer the JSON of a stub may be than its words, in bytes.
const AROUND: usize = 64;

/// The stubs whose results came after all: by message, the places of its results.
/// Only ids tell which result that is; where they repeat, it is one before the next
/// call of the same id.
pub(super) fn overtaken(
    history: &History<'_>,
    views: &[MessageView],
) -> BTreeMap<usize, Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    // From the end, so that what came is known before what it came behind.
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
