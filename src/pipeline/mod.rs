//! The pipeline: turns a history into a smaller valid one. [`Offloader::offload`] is the list of
//! its steps; each is a function that takes the [`Context`] and returns a value.
//!
//! If a step after the plan fails, the caller gets its own messages and a warning: offloading is
//! an optimisation and never costs a turn.

mod answer;
mod chat;
mod choose;
mod commit;
mod context;
mod decide;
mod describe;
mod error;
mod idle_settings;
mod leases;
mod material;
mod moves;
mod recent;
mod replacement;
mod replay;
mod report;
mod request;
mod rewrite;
mod settings;
mod snapshots;
mod summariser;
mod warnings;

pub(crate) use answer::{FileOfCall, Offloaded, UNCHANGED};
use answer::{failure, unchanged};
use commit::commit;
use context::Context;
pub(crate) use context::Offloader;
use decide::{Undecided, decide};
pub(crate) use error::OffloadError;
pub(crate) use leases::expanded_files;
use leases::renew_leases;
pub(crate) use material::Materials;
pub(crate) use replacement::replacements;
pub(crate) use report::{Action, GroupReport, Outcome, Report, SnapshotReport, SnapshotSource};
pub(crate) use request::Request;
pub(crate) use settings::{Run, Settings};
pub(crate) use summariser::{Summariser, SummariserKind};

use context_store::{Ahead, Allowance};

impl Offloader {
    /// Runs one request, which may read stored files within `allowance`.
    ///
    /// # Errors
    ///
    /// Fails if the messages are not a history, or the folder is outside the roots; nothing was
    /// changed.
    pub(crate) fn offload(
        &self,
        request: &Request<'_>,
        allowance: Allowance<'_>,
    ) -> Result<Offloaded, OffloadError> {
        let context = Context::measure(self, request, allowance)?;
        if self.roots.objects().is_some() {
            let chat = chat::chat_of(&context);
            context.reader.set_chat(chat, self.lifetimes);
            context.store.set_chat(chat, self.lifetimes);
            let messages = context.history().messages().iter().copied();
            context.prover().look_ahead(messages.zip(context.views()), Ahead::Records);
        }
        let answer = if context.is_small_enough() {
            unchanged(&context, &[], Vec::new())
        } else {
            // Each further round uses cached snapshots that cover more messages than those of the
            // round before: there are no more rounds than messages, and hardly ever more than two.
            loop {
                match decide(&context) {
                    Ok(decision) => {
                        if let Some(answer) = commit(&context, decision) {
                            break answer;
                        }
                    }
                    Err(Undecided { skipped, error, warnings }) => {
                        let warnings = [vec![failure(&error)], warnings].concat();
                        break unchanged(&context, &skipped, warnings);
                    }
                }
            }
        };
        if request.settings.run() == Run::Real {
            renew_leases(&context);
        }
        Ok(answer)
    }
}
