//! `/offload_result`: returns a result unchanged or the descriptor of its file.

use raw_json as raw;
use serde::Serialize;

use super::budget::GrowingReservation;
use super::failure::Failure;
use super::state::Service;
use crate::envelope::Answer;
use crate::offload_result::{GivenResult, OffloadResultError, Outcome, Request};
use crate::params::Params;
use context_store::{MAX_WHOLE_FILE_BYTES, Reader};

#[derive(Serialize)]
struct NotOffloaded {
    offloaded: bool,
    estimated_tokens: u64,
    threshold_tokens: u64,
    why: String,
}

impl Service {
    /// `POST /offload_result`.
    pub fn offload_result(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let request = Request::read(&params)?.shown_by(self.large.redact);
        let memory = GrowingReservation::new(&self.budget);
        let hold = |bytes: u64| memory.take(bytes);
        let reader =
            Reader::new(&self.large.file_cache, self.allowance(MAX_WHOLE_FILE_BYTES, &hold));
        let outcome = self.large.offload(&request, &reader).map_err(
            |OffloadResultError::Folder(source)| Failure::Store { field: "output_dir", source },
        )?;
        let mut warnings = params.unknown_warnings();
        let answer = match outcome {
            Outcome::Inline { estimated_tokens, threshold_tokens, why } => {
                let mut answer = inline(&request.given);
                let offloaded = false;
                let facts = NotOffloaded { offloaded, estimated_tokens, threshold_tokens, why };
                answer.put("offload", &facts);
                answer
            }
            Outcome::Offloaded { answer, descriptor, file, warnings: more } => {
                warnings.extend(more);
                let mut answer = Answer::text(answer);
                answer.put_json("offload", descriptor);
                answer.put("file", &file);
                answer
            }
            Outcome::Truncated { results, warning, estimated_tokens, threshold_tokens } => {
                let text = if raw::is_string(&results) {
                    raw::unescape(&results).text.into_owned()
                } else {
                    results.clone()
                };
                let mut answer = Answer::text(format!("{text}\n[{warning}]"));
                answer.put_json("results", results);
                let (offloaded, why) = (false, warning.clone());
                let facts = NotOffloaded { offloaded, estimated_tokens, threshold_tokens, why };
                answer.put("offload", &facts);
                warnings.push(warning);
                answer
            }
        };
        Ok(answer.with_warnings(warnings))
    }
}

/// Returns the result unchanged.
fn inline(given: &GivenResult<'_>) -> Answer {
    match given {
        GivenResult::Results(results) => {
            let mut answer = Answer::text((*results).to_owned());
            answer.put_json("results", (*results).to_owned());
            answer
        }
        GivenResult::Content(content) => {
            let mut answer = Answer::text(content.clone().into_owned());
            answer.put("results", content);
            answer
        }
    }
}
