//! The checks of an answer with snapshots. Messages are missing from it, so the whole answer is
//! parsed again, and each remaining message is compared with its original.

use std::sync::Arc;

use chat_history::dialect::{Problem, no_new_problems};
use chat_history::message::{MessageView, Role};
use chat_history::{History, HistoryError};
use fair_share::on;

use crate::measure::Measured;
use crate::pipeline::commit::subject::{Checked, Subject};
use crate::pipeline::report::Checks;
use crate::pipeline::snapshots::assemble::Assembled;
use crate::snapshot::format::block::Proves;
use crate::snapshot::format::bridge::is_bridge;
use crate::snapshot::format::place::Place;
use context_store::FilesState;

/// The facts of an answer with snapshots.
pub(crate) struct Compressed<'a> {
    pub(crate) after: &'a Assembled,
    /// The separate system prompt as posted.
    pub(crate) system: Option<&'a str>,
    /// Checks whether a snapshot is this service's.
    pub(crate) proves: Proves<'a>,
    /// Judges the first message of the answer.
    pub(crate) judge: &'a dyn Fn(&History<'_>),
    /// The number of messages missing from the answer.
    pub(crate) gone: usize,
}

/// Checks an answer.
pub(crate) fn check(
    subject: &Subject<'_>,
    compressed: &Compressed<'_>,
) -> Result<Checked, HistoryError> {
    let assembled = compressed.after;
    let after = subject.before.reparse(&assembled.array)?;
    (compressed.judge)(&after);
    let new = subject.measure.history(&after, subject.tokenizer)?;
    let tokens: u64 = new.iter().map(|m| m.tokens).sum();
    let added = assembled.from.iter().filter(|from| from.is_none()).count();
    let whole = new.len() == assembled.from.len()
        && new.len() + compressed.gone == subject.before.messages().len() + added;
    let files = on(|| subject.files());
    let checks = Checks {
        pairing: whole
            && same_shapes(subject, assembled, &new)
            && no_new_problem(subject, assembled, &new),
        references_readable: files == FilesState::Held,
        protected_untouched: whole && untouched(subject, compressed, &after, &new),
        not_larger: whole
            && tokens <= subject.tokens_before()
            && no_message_grew(subject, assembled, &new),
    };
    Ok(Checked { checks, files, tokens })
}

/// Returns each message of the answer with its original, except the one that holds the snapshots.
fn pairs<'a>(
    subject: &'a Subject<'_>,
    assembled: &'a Assembled,
    new: &'a [Arc<Measured>],
) -> impl Iterator<Item = (usize, &'a Measured, &'a Measured)> {
    let held = new.iter().zip(&assembled.from).enumerate();
    held.filter(|(at, _)| Some(*at) != assembled.holder).filter_map(|(_, (new, from))| {
        let index = (*from)?;
        Some((index, new.as_ref(), subject.measured[index].as_ref()))
    })
}

fn same_shapes(subject: &Subject<'_>, assembled: &Assembled, new: &[Arc<Measured>]) -> bool {
    let of = |at: usize| Some(&subject.measured[assembled.from[at]?].view);
    let holder = assembled.holder.is_none_or(|at| {
        new.get(at).is_some_and(|holder| {
            holder.view.role == Role::System
                && of(at).is_none_or(|before| before.same_shape(&holder.view))
        })
    });
    holder && pairs(subject, assembled, new).all(|(_, new, old)| new.view.same_shape(&old.view))
}

/// Returns true if every rule that the answer breaks was already broken at the same message.
fn no_new_problem(subject: &Subject<'_>, assembled: &Assembled, new: &[Arc<Measured>]) -> bool {
    let dialect = subject.before.dialect();
    let views: Vec<&MessageView> = new.iter().map(|m| &m.view).collect();
    let place = |mut problem: Problem| {
        problem.index = assembled.from[problem.index]?;
        Some(problem)
    };
    let after: Option<Vec<Problem>> = dialect.problems(&views).into_iter().map(place).collect();
    after.is_some_and(|after| no_new_problems(subject.problems.to_vec(), after))
}

/// Returns true if everything is byte for byte unchanged, except for text that compaction may
/// change and the text of the message that holds the snapshots.
fn untouched(
    subject: &Subject<'_>,
    compressed: &Compressed<'_>,
    after: &History<'_>,
    new: &[Arc<Measured>],
) -> bool {
    let (before, assembled) = (subject.before, compressed.after);
    let rest = after.messages().iter().zip(&assembled.from).enumerate();
    let same = rest.filter(|(at, _)| Some(*at) != assembled.holder).all(|(at, (raw, from))| {
        let Some(index) = *from else { return is_bridge(after, at) };
        let may_change =
            !subject.is_protected(index) && subject.changed.binary_search(&index).is_ok();
        may_change || *raw == before.messages()[index]
    });
    let old: Vec<&MessageView> = subject.measured.iter().map(|m| &m.view).collect();
    let views: Vec<&MessageView> = new.iter().map(|m| &m.view).collect();
    // Without its snapshots, the message that holds them is unchanged.
    let beside = (compressed.system, assembled.system.as_deref());
    let find = |history, views, system| Place::find(history, views, system, compressed.proves);
    let was = find(before, old.as_slice(), beside.0).emptied(before, beside.0);
    same && find(after, views.as_slice(), beside.1).emptied(after, beside.1) == was
}

fn no_message_grew(subject: &Subject<'_>, assembled: &Assembled, new: &[Arc<Measured>]) -> bool {
    pairs(subject, assembled, new).all(|(_, new, old)| new.tokens <= old.tokens)
}

#[cfg(test)]
#[path = "check_compressed_tests.rs"]
mod tests;
