//! The commit: writes, records, splices and checks a decision, in that order. If a step fails, the
//! caller gets its own messages and a warning.

mod cache;
mod check;
mod check_compacted;
mod check_compressed;
mod record;
mod splice;
mod subject;
mod write;

use chat_history::HistoryError;

use self::cache::cache;
use self::check::check;
use self::record::record;
use self::splice::{After, spliced};
use self::subject::Checked;
use self::write::write;
use super::answer::{Offloaded, UNCHANGED, failure, files_of, planned, unchanged};
use super::context::Context;
use super::decide::Decision;
use super::describe::describe_decision;
use super::report::Checks;
use super::settings::Run;
use context_store::{FilesState, StoreError};

/// The failure of a commit.
enum Failure {
    /// A file could not be written.
    Store(StoreError),
    /// The answer cannot be parsed.
    Unreadable(HistoryError),
    /// A file of the answer was deleted before the answer was sent.
    Deleted(Checks),
    /// The answer violates an invariant.
    Checks(Checks),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Failure {
        Failure::Unreadable(error)
    }
}

/// Commits a decision; for a dry run, only reports it. Returns `None` if another post cached
/// snapshots of the history since the decision.
pub(super) fn commit(context: &Context<'_>, mut decision: Decision) -> Option<Offloaded> {
    let mut answer = if decision.changes_nothing() || context.settings.run() == Run::Dry {
        planned(context, &decision)
    } else {
        match committed(context, &mut decision) {
            Ok(answer) => answer?,
            Err(failed) => refused(context, &decision, failed),
        }
    };
    answer.report.warnings.extend(decision.warnings);
    Some(answer)
}

fn committed(context: &Context<'_>, decision: &mut Decision) -> Result<Option<Offloaded>, Failure> {
    let written = write(context, decision)?;
    record(context, decision, &written);
    if let Some((_, snapshots)) = &mut decision.snapshots {
        // Sealed only now, because files may have got other names when they were written.
        snapshots.seal(&context.key()?);
    }
    let after = spliced(context, decision);
    let Checked { checks, files, tokens } = check(context, decision, &after)?;
    match checks.failed()[..] {
        [] => {}
        [_] if files == FilesState::Gone => return Err(Failure::Deleted(checks)),
        _ => return Err(Failure::Checks(checks)),
    }
    let files = files_of(context, decision, &written);
    let (size, messages, system) = match after {
        After::Compacted { array, .. } => {
            ((context.beside + tokens, context.measured.len()), array, None)
        }
        After::Compressed(assembled) => {
            let size =
                (context.beside_with(assembled.system.as_deref()) + tokens, assembled.from.len());
            (size, assembled.array, assembled.system)
        }
    };
    let report = describe_decision(context, decision, size, checks);
    let Some((compression, snapshots)) = &decision.snapshots else {
        return Ok(Some(Offloaded { messages, system: None, files, report }));
    };
    if !snapshots.report.reused && !cache(context, compression, snapshots, &decision.moves) {
        return Ok(None);
    }
    let system = system.filter(|_| compression.cut.place.is_beside());
    Ok(Some(Offloaded { messages, system, files, report }))
}

fn refused(context: &Context<'_>, decision: &Decision, failed: Failure) -> Offloaded {
    let (warning, checks) = match failed {
        Failure::Store(error) => (failure(&error), Checks::HOLD),
        Failure::Unreadable(error) => {
            tracing::error!(%error, "an answer cannot be read back");
            (format!("the answer cannot be read back ({error}); {UNCHANGED}"), Checks::HOLD)
        }
        Failure::Deleted(checks) => {
            tracing::info!("a file of an answer was deleted meanwhile");
            (format!("a file of the answer was deleted meanwhile; {UNCHANGED}"), checks)
        }
        Failure::Checks(checks) => {
            let names = checks.failed().join(", ");
            tracing::error!(checks = names, "an answer failed its checks");
            (format!("the check {names} failed; {UNCHANGED}"), checks)
        }
    };
    let mut answer = unchanged(context, &decision.skipped, vec![warning]);
    answer.report.checks = checks;
    answer
}
