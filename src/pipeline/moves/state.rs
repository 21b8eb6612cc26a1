//! The state of a text above the threshold. A reference is never moved again; a text that a
//! retrieval tool returned shrinks to a reference to its file, without a new file; anything
//! else is content.
//!
//! A reference counts only if its code proves that this service wrote it for that call and
//! that its file is unchanged: anything else is content, and moving it keeps its bytes.

use chat_history::History;

use crate::measure::text_of;
use crate::pipeline::moves::plan::Candidate;
use crate::reading::restore::proof::{Prover, Unproven};
use crate::reading::restore::read_back::ReadBack;
use crate::reading::restore::recognise;
use context_store::{Location, Stem};

/// The state of a text.
pub(crate) enum TextState {
    Content,
    Reference,
    /// A reference of this service whose file is gone or changed. It stays: moved again, its
    /// preview would replace the content of the file.
    Broken,
    ReadBack(Box<ReadBack>),
}

/// Looks at one candidate's text.
pub(crate) fn text_state(
    history: &History<'_>,
    candidate: &Candidate,
    prover: &Prover<'_>,
    folder: &Location,
) -> TextState {
    let message = history.messages()[candidate.index];
    let literal = &message[candidate.slot.slot.span.clone()];
    let arguments = candidate.arguments.as_ref();
    let arguments = arguments.map(|(index, slot)| text_of(history.messages()[*index], slot).text);
    let named =
        arguments.map_or_else(Vec::new, |text| recognise::paths(&text, prover.roots, folder));
    // A look at the ends of the literal spares unescaping nearly every text.
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
        // A whole file that a call got by the name of its own result may be the one that an
        // earlier post of it wrote: the same post must not find itself (I4, I5).
        Some(from) if from.is_whole() && Stem::is_result_name(id, name_of(&from.path)) => {
            TextState::Content
        }
        Some(from) => TextState::ReadBack(Box::new(from)),
        None => TextState::Content,
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
