//! The call of a result as it is shown: in names of files, in the report, and in what an
//! expired file's error says.

use super::plan::Candidate;
use super::run::Job;
use crate::store::Call;

impl Job<'_> {
    /// The tool and the id of the call, without secrets where none are shown.
    pub(super) fn call_shown(&self, candidate: &Candidate) -> Call {
        let redact = self.offloader.redact;
        let word = |word: Option<&str>| word.map(|word| redact.word(word).into_owned());
        Call {
            tool: word(candidate.tool.as_deref()),
            call_id: word(candidate.call_id.as_deref()),
            arguments: None,
        }
    }
}
