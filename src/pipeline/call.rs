//! The call of a result, as shown in file names, in the report, and in the error for an expired
//! file.

use crate::pipeline::context::Context;
use crate::pipeline::moves::plan::Candidate;
use context_store::Call;

/// Returns the tool and the id of the call, without secrets if these are redacted.
pub(crate) fn shown_call(context: &Context<'_>, candidate: &Candidate) -> Call {
    let redact = context.offloader.redact;
    let word = |word: Option<&str>| word.map(|word| redact.word(word).into_owned());
    Call {
        tool: word(candidate.tool.as_deref()),
        call_id: word(candidate.call_id.as_deref()),
        arguments: None,
    }
}
