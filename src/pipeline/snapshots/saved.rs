//! The savings by references of earlier calls. A history that is posted again is judged by its
//! original size, so that it is not compressed only because it was compacted (I3).

use crate::measure::{MeasuredSlot, text_of};
use crate::pipeline::context::Context;

/// Returns the tokens that references of earlier calls save, according to the references.
pub(crate) fn saved_before(context: &Context<'_>) -> u64 {
    let mut saved = 0;
    for (measured, raw) in context.measured.iter().zip(context.history().messages()) {
        for (result, slots) in measured.view.results.iter().zip(&measured.results) {
            let id = result.call_id.as_deref();
            saved += slots.iter().map(|slot| saving(context, raw, id, slot)).sum::<u64>();
        }
        saved += measured.texts.iter().map(|slot| saving(context, raw, None, slot)).sum::<u64>();
    }
    saved
}

/// Returns the tokens that a text saves if it is a reference.
fn saving(context: &Context<'_>, raw: &str, id: Option<&str>, slot: &MeasuredSlot) -> u64 {
    // The end of the literal shows for nearly all texts that they need no unescaping.
    if !raw[slot.slot.span.clone()].ends_with(")\"") {
        return 0;
    }
    let proven = context.prover().proven(&text_of(raw, &slot.slot).text, id);
    let whole = proven.and_then(|proven| proven.tokens).unwrap_or(0);
    whole.saturating_sub(slot.tokens)
}
