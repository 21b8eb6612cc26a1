//! The state of a text above the threshold. A reference is never moved again; a text that a
//! retrieval tool returned shrinks to a reference to its file, without a new file; anything
//! else is content.
//!
//! A reference counts only if its code proves that this service wrote it for that call and
//! that its file is unchanged: anything else is content, and moving it keeps its bytes.

use std::sync::Arc;

use crate::measure::{Measured, text_of};
use crate::pipeline::context::Context;
use crate::pipeline::moves::plan::Candidate;
use crate::reading::restore::proof::{Prover, Unproven};
use crate::reading::restore::read_back::ReadBack;
use crate::reading::restore::recognise;
use context_store::Stem;

/// The state of a text.
pub(crate) enum TextState {
    Content,
    Reference,
    /// A reference of this service whose file is gone or changed. It stays: if it moved again, its
    /// preview would replace the content of the file.
    Broken,
    ReadBack(Box<ReadBack>),
}

/// Determines the state of one candidate's text.
pub(crate) fn text_state(
    context: &Context<'_>,
    candidate: &Candidate,
    prover: &Prover<'_>,
) -> TextState {
    let (history, folder) = (context.history(), context.store.folder());
    let message = history.messages()[candidate.index];
    let literal = &message[candidate.slot.slot.span.clone()];
    let arguments = candidate.arguments.as_ref();
    let arguments = arguments.map(|(index, slot)| text_of(history.messages()[*index], slot).text);
    let named =
        arguments.map_or_else(Vec::new, |text| recognise::paths(&text, prover.roots, folder));
    // Looks at the ends of the literal first, which avoids unescaping nearly every text.
    let grep = recognise::may_be_found(literal);
    if !literal.ends_with(")\"") && !grep && named.is_empty() {
        return TextState::Content;
    }
    let text = text_of(message, &candidate.slot.slot).text;
    let id = candidate.call_id.as_deref();
    match prover.reference(&text, id) {
        Some(Ok(_)) => return TextState::Reference,
        Some(Err(Unproven { broken: true, .. })) => return TextState::Broken,
        Some(Err(_)) | None => {}
    }
    match recognise::recognise(&named, &text, prover, folder) {
        // A post must not use files that an earlier post of the same history wrote (I4, I5): a
        // whole file with the name of the call's own result, or the file of a later result.
        Some(from) if from.is_whole() && Stem::is_result_name(id, name_of(&from.path)) => {
            TextState::Content
        }
        Some(from) if comes_later(context, candidate.index, name_of(&from.path)) => {
            TextState::Content
        }
        Some(from) => TextState::ReadBack(Box::new(from)),
        None => TextState::Content,
    }
}

/// Returns true if the first result that may have given the file its name is message `index` or a
/// later one: nobody can have read that file before.
fn comes_later(context: &Context<'_>, index: usize, name: &str) -> bool {
    let is_named = |measured: &Arc<Measured>| {
        let mut ids = measured.view.results.iter().filter_map(|result| result.call_id.as_deref());
        ids.any(|id| Stem::is_result_name(Some(id), name))
    };
    context.measured.iter().position(is_named).is_some_and(|first| first >= index)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
