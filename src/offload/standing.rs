//! Standing: what a text above the threshold already is. A reference is never
//! moved again; what a reload tool brought back shrinks to the reference of the
//! file it came from, without a new file; anything else is content.
//!
//! A reference counts only if it names a file that this service could have
//! minted for that call: any other is content, and moving it keeps its bytes. One
//! whose file is gone stays as it is: moved again, its preview would take the
//! place of what the file held.

use super::plan::Candidate;
use crate::compaction::reference::{self, Form};
use crate::history::History;
use crate::reload::read_back::{self, ReadBack};
use crate::store::{Location, Roots, Stem};
use crate::tokens::measure::text_of;

/// What a text already is.
pub(super) enum Standing {
    Content,
    Reference,
    /// A reference whose file is not there, or not as long as it says.
    Broken,
    ReadBack(ReadBack),
}

/// Looks at one candidate's text.
pub(super) fn standing(
    history: &History<'_>,
    candidate: &Candidate,
    roots: &Roots,
    folder: &Location,
) -> Standing {
    let message = history.messages()[candidate.index];
    let literal = &message[candidate.slot.slot.span.clone()];
    let arguments = candidate.arguments.as_ref();
    let arguments = arguments.map(|(index, slot)| text_of(history.messages()[*index], slot).text);
    let named = arguments.map_or_else(Vec::new, |text| read_back::paths(&text, roots, folder));
    // A look at the ends of the literal spares unescaping nearly every text.
    let grep = literal.starts_with("\"Found ");
    if !literal.ends_with(")\"") && !grep && named.is_empty() {
        return Standing::Content;
    }
    let text = text_of(message, &candidate.slot.slot).text;
    if let Some(standing) = reference_standing(&text, candidate.call_id.as_deref(), roots) {
        return standing;
    }
    let id = candidate.call_id.as_deref();
    match read_back::recognise(&named, &text, roots, folder) {
        // What a call got whole from the name that its own result gets may be what an
        // earlier post of it wrote: the same post must not find itself (I4, I5).
        Some(from) if from.is_whole() && Stem::minted(id, name_of(&from.path)) => Standing::Content,
        Some(from) => Standing::ReadBack(from),
        None => Standing::Content,
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// What a text is that ends in a reference; None where it does not.
pub(super) fn reference_standing(text: &str, id: Option<&str>, roots: &Roots) -> Option<Standing> {
    let reference = reference::parse(text)?;
    let at = roots.locate(reference.path).ok()?;
    let name = at.relative().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let minted = match reference.form {
        Form::Text { .. } | Form::Json { .. } => Stem::minted(id, name),
        Form::Records { .. } | Form::Again(_) => Stem::of_records(name),
        Form::ReadBack { .. } | Form::Found { .. } => Stem::minted_for_any(name),
    };
    let file = at.dir().symlink_metadata(at.relative());
    let there = file.is_ok_and(|file| file.is_file() && reference.form.allows(file.len()));
    minted.then_some(if there { Standing::Reference } else { Standing::Broken })
}
