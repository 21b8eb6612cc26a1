//! The text of a candidate.

use std::borrow::Cow;

use crate::measure::text_of;
use crate::pipeline::context::Context;
use crate::pipeline::moves::plan::Candidate;

/// Unescapes the text of a candidate.
pub(crate) fn candidate_text<'a>(context: &'a Context<'_>, candidate: &Candidate) -> Cow<'a, str> {
    text_of(context.history().messages()[candidate.index], &candidate.slot.slot).text
}
