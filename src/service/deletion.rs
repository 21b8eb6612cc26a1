//! `DELETE /chats/{chat_id}`, `unburden delete`: deletes what was stored for a chat, in the
//! given stores or in every store under the roots. Returns true if nothing failed. An unknown
//! chat is a success: nothing is left of it, and whether it existed is not revealed.

use std::time::SystemTime;

use serde::Serialize;

use super::failure::Failure;
use super::lifecycle::{push_errors, push_list, truncation_warning};
use super::offload::log_chat;
use super::requests::Deletion;
use super::state::Service;
use crate::envelope::{Answer, counted};
use crate::params::Params;
use context_store::{self as store, Chat, KeptReason, Location, Run, delete_chat};

#[derive(Serialize)]
struct KeptFile<'a> {
    path: &'a str,
    reason: &'static str,
    why: &'static str,
}

impl Service {
    /// `DELETE /chats/{chat_id}`, `unburden delete`: deletes what was stored for a chat, in the
    /// given stores or in every store under the roots. Returns true if nothing failed. An
    /// unknown chat is a success: nothing is left of it, and whether it existed is not
    /// revealed.
    pub fn delete_chat(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let Deletion { chat_id, dry_run, store_dir, folders } = Deletion::from_params(&params)?;
        log_chat(&chat_id);
        let run = if dry_run { Run::Dry } else { Run::Real };
        let stores = match (store_dir, folders) {
            (Some(folder), _) => Some(self.located("store_dir", &[folder])?),
            (None, folders) => folders.map(|list| self.located("folders", &list)).transpose()?,
        };
        let now = SystemTime::now();
        let deletion = delete_chat(&self.roots, stores, Chat::of(&chat_id), now, run);
        if run == Run::Real {
            self.offloader.forget();
            // All tenants lose their token caches then, so only if something was deleted.
            if deletion.deleted.total() > 0 {
                token_count::forget();
            }
            log_deletion(&deletion);
        }
        let mut answer = Answer::text(deletion_text(&deletion, run));
        put_report(&mut answer, &deletion);
        answer.put("dry_run", &(run == Run::Dry));
        let whole = deletion.complete && deletion.errors.is_empty();
        let mut warnings = params.unknown_warnings();
        warnings.extend(truncation_warning("deleted", &deletion.deleted));
        warnings.extend(truncation_warning("kept", &deletion.kept));
        warnings.extend(truncation_warning("errors", &deletion.errors));
        Ok((answer.with_warnings(warnings), whole))
    }

    /// Returns the places that a member of a request names.
    pub(super) fn located(
        &self,
        field: &'static str,
        folders: &[String],
    ) -> Result<Vec<Location>, Failure> {
        let locate = |folder: &String| self.roots.locate(folder);
        let places: Result<_, _> = folders.iter().map(locate).collect();
        places.map_err(|source| Failure::Store { field, source })
    }
}

/// Logs counts, but no names.
fn log_deletion(deletion: &store::Deletion) {
    tracing::info!(
        folders = deletion.folders,
        deleted = deletion.deleted.total(),
        bytes = deletion.bytes,
        kept = deletion.kept.total(),
        errors = deletion.errors.total(),
        "a chat was deleted"
    );
}

fn put_report(answer: &mut Answer, deletion: &store::Deletion) {
    let kept = deletion.kept.iter().map(|file| {
        let (reason, why) = reason(file.reason);
        KeptFile { path: &file.path, reason, why }
    });
    answer.put("folders", &deletion.folders);
    answer.put("deleted", &deletion.deleted);
    answer.put("bytes_freed", &deletion.bytes);
    answer.put("kept", &kept.collect::<Vec<_>>());
    answer.put("errors", &deletion.errors);
    answer.put("complete", &(deletion.complete && deletion.errors.is_empty()));
}

/// Returns why a file stays: a stable code, and a text.
fn reason(why: KeptReason) -> (&'static str, &'static str) {
    match why {
        KeptReason::Shared => ("shared", "another chat refers to it, too"),
        KeptReason::UnknownMaker => ("unknown_maker", "no record names its chat"),
        KeptReason::Foreign => ("foreign", "it is not a regular file of this service's user"),
    }
}

fn deletion_text(deletion: &store::Deletion, run: Run) -> String {
    let verb = match run {
        Run::Real => "Deleted",
        Run::Dry => "Dry run: would delete",
    };
    let (deleted, kept) = (counted(deletion.deleted.total(), "file"), deletion.kept.total());
    let folders = counted(deletion.folders, "store");
    let mut out = format!(
        "{verb} {deleted} of the chat ({} bytes); {kept} stay; {folders} examined.",
        deletion.bytes
    );
    push_list(&mut out, "", &deletion.deleted, |file| {
        format!("{} ({} bytes)", file.path, file.bytes)
    });
    push_list(&mut out, "stays: ", &deletion.kept, |file| {
        format!("{}: {}", file.path, reason(file.reason).1)
    });
    push_errors(&mut out, "not deleted: ", &deletion.errors);
    if !deletion.complete {
        out.push_str("\nThe roots hold too many entries to search all of them; name the store.");
    }
    out
}
