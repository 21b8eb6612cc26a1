//! Standing: what a text above the threshold already is. A reference is never
//! moved again; what a reload tool brought back shrinks to the reference of the
//! file it came from, without a new file; anything else is content.
//!
//! A reference counts only if it names a file that this service could have
//! minted for that call and that is there: a forged one is content like any
//! other, and moving it keeps its bytes.

use std::sync::Arc;

use super::plan::Candidate;
use crate::compaction::reference::{self, Form};
use crate::history::History;
use crate::history::message::Call;
use crate::reload::read_back::{self, ReadBack};
use crate::store::{Location, Roots, Stem};
use crate::tokens::measure::{Measured, text_of};

/// What a text already is.
pub(super) enum Standing {
    Content,
    Reference,
    ReadBack(ReadBack),
}

/// Looks at one candidate's text.
pub(super) fn standing(
    history: &History<'_>,
    measured: &[Arc<Measured>],
    candidate: &Candidate,
    roots: &Roots,
    folder: &Location,
) -> Standing {
    let text = text_of(history.messages()[candidate.index], &candidate.slot.slot).text;
    if is_reference(&text, candidate.call_id.as_deref(), roots) {
        return Standing::Reference;
    }
    let arguments = caller(measured, candidate).and_then(|(index, call)| {
        let slot = call.arguments.as_ref()?;
        Some(text_of(history.messages()[index], slot).text)
    });
    match arguments.and_then(|arguments| read_back::recognise(&arguments, &text, roots, folder)) {
        Some(read_back) => Standing::ReadBack(read_back),
        None => Standing::Content,
    }
}

fn is_reference(text: &str, id: Option<&str>, roots: &Roots) -> bool {
    let Some(reference) = reference::parse(text) else { return false };
    let Ok(at) = roots.locate(reference.path) else { return false };
    let name = at.relative().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let minted = match reference.form {
        Form::Text { .. } | Form::Json => Stem::minted(id, name),
        Form::ReadBack { .. } | Form::Found { .. } => Stem::minted_for_any(name),
    };
    let as_said = |len: u64| match reference.form {
        Form::Text { bytes: Some(bytes) } => bytes == len,
        Form::Text { bytes: None } | Form::Json | Form::ReadBack { .. } | Form::Found { .. } => {
            true
        }
    };
    minted
        && at
            .dir()
            .symlink_metadata(at.relative())
            .is_ok_and(|metadata| metadata.is_file() && as_said(metadata.len()))
}

/// The call that a candidate answers: the nearest one of that id before it.
fn caller<'a>(measured: &'a [Arc<Measured>], candidate: &Candidate) -> Option<(usize, &'a Call)> {
    let id = candidate.call_id.as_ref()?;
    let before = measured[..candidate.index].iter().enumerate().rev();
    before
        .flat_map(|(index, message)| message.view.calls.iter().map(move |call| (index, call)))
        // A result stands right behind its turn; a search without end through a
        // history of orphans would be quadratic.
        .take(1_000)
        .find(|(_, call)| call.id.as_ref() == Some(id))
}
