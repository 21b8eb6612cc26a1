//! The savings by references of earlier calls: a history that is posted again is judged by
//! what it was, for it is not to be compressed only because it was compacted (I3).

use crate::measure::{MeasuredSlot, text_of};
use crate::pipeline::context::Context;

/// Tokens that references of earlier calls save, as they say themselves.
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

/// Returns the number of tokens that a text saves if it is a reference.
fn saving(context: &Context<'_>, raw: &str, id: Option<&str>, slot: &MeasuredSlot) -> u64 {
    // A look at the end of the literal spares unescaping nearly every text.
    if !raw[slot.slot.span.clone()].ends_with(")\"") {
        return 0;
    }
    let proven = context.prover().proven(&text_of(raw, &slot.slot).text, id);
    let whole = proven.and_then(|proven| proven.tokens).unwrap_or(0);
    whole.saturating_sub(slot.tokens)
}
