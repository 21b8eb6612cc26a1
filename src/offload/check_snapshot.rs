//! The checks of an answer with snapshots. Messages are gone from it, so it is
//! read anew as a whole, and each message that is left is held against the one
//! it came from.

use std::sync::Arc;

use super::assemble::Assembled;
use super::check::{NewReference, readable};
use super::report::Checks;
use crate::compression::bridge::is_bridge;
use crate::compression::place::Place;
use crate::compression::seal::Proves;
use crate::history::dialect::{Problem, none_is_new};
use crate::history::message::{MessageView, Role};
use crate::history::{History, HistoryError};
use crate::store::Roots;
use crate::tokens::Tokenizer;
use crate::tokens::measure::{Measure, Measured};

/// What the checks look at.
pub(super) struct Subject<'a> {
    pub(super) before: &'a History<'a>,
    /// The system prompt beside its messages.
    pub(super) system: Option<&'a str>,
    /// Says whether a snapshot is this service's.
    pub(super) proves: Proves<'a>,
    /// Judges the message at the front of the answer.
    pub(super) judge: &'a dyn Fn(&History<'_>),
    pub(super) measured: &'a [Arc<Measured>],
    /// The rules that the messages of the request break.
    pub(super) broken: &'a [Problem],
    pub(super) after: &'a Assembled,
    /// The messages that compaction changed, in order.
    pub(super) changed: &'a [usize],
    /// Messages from here on are protected.
    pub(super) recent_from: usize,
    /// But for these, which a hard target asked for.
    pub(super) opened: &'a [usize],
    /// Everything that the answer refers to.
    pub(super) references: &'a [NewReference<'a>],
    /// The messages that the answer does not have.
    pub(super) gone: usize,
    /// True where the store says that each new file holds what it should.
    pub(super) held: bool,
}

/// Looks at everything; also returns the tokens of the messages that leave.
pub(super) fn check(
    subject: &Subject<'_>,
    measure: &Measure,
    tokenizer: Tokenizer,
    roots: &Roots,
) -> Result<(Checks, u64), HistoryError> {
    let after = subject.before.alike(&subject.after.array)?;
    (subject.judge)(&after);
    let new = measure.history(&after, tokenizer)?;
    let tokens: u64 = new.iter().map(|m| m.tokens).sum();
    let before: u64 = subject.measured.iter().map(|m| m.tokens).sum();
    let added = subject.after.from.iter().filter(|from| from.is_none()).count();
    let whole = new.len() == subject.after.from.len()
        && new.len() + subject.gone == subject.before.messages().len() + added;
    let checks = Checks {
        pairing: whole && same_shapes(subject, &new) && no_new_problem(subject, &new),
        references_readable: subject.held
            && subject.references.iter().all(|reference| readable(reference, roots)),
        protected_untouched: whole && untouched(subject, &after, &new),
        not_larger: whole && tokens <= before && no_message_grew(subject, &new),
    };
    Ok((checks, tokens))
}

/// Each message of the answer with the one it came from, but the one that holds
/// the snapshots.
fn pairs<'a>(
    subject: &'a Subject<'_>,
    new: &'a [Arc<Measured>],
) -> impl Iterator<Item = (usize, &'a Measured, &'a Measured)> {
    let held = new.iter().zip(&subject.after.from).enumerate();
    held.filter(|(at, _)| Some(*at) != subject.after.holder).filter_map(|(_, (new, from))| {
        let index = (*from)?;
        Some((index, new.as_ref(), subject.measured[index].as_ref()))
    })
}

fn same_shapes(subject: &Subject<'_>, new: &[Arc<Measured>]) -> bool {
    let of = |at: usize| Some(&subject.measured[subject.after.from[at]?].view);
    let holder = subject.after.holder.is_none_or(|at| {
        new.get(at).is_some_and(|holder| {
            holder.view.role == Role::System
                && of(at).is_none_or(|before| before.same_shape(&holder.view))
        })
    });
    holder && pairs(subject, new).all(|(_, new, old)| new.view.same_shape(&old.view))
}

/// True where every rule that the answer breaks was broken at the same message.
fn no_new_problem(subject: &Subject<'_>, new: &[Arc<Measured>]) -> bool {
    let dialect = subject.before.dialect();
    let views: Vec<&MessageView> = new.iter().map(|m| &m.view).collect();
    let place = |mut problem: Problem| {
        problem.index = subject.after.from[problem.index]?;
        Some(problem)
    };
    let after: Option<Vec<Problem>> = dialect.problems(&views).into_iter().map(place).collect();
    after.is_some_and(|after| none_is_new(subject.broken.to_vec(), after))
}

/// Byte for byte what came, but for what compaction may change and for the text
/// of the message that holds the snapshots.
fn untouched(subject: &Subject<'_>, after: &History<'_>, new: &[Arc<Measured>]) -> bool {
    let before = subject.before;
    let rest = after.messages().iter().zip(&subject.after.from).enumerate();
    let same = rest.filter(|(at, _)| Some(*at) != subject.after.holder).all(|(at, (raw, from))| {
        let Some(index) = *from else { return is_bridge(after, at) };
        let protected = (index >= subject.recent_from && !subject.opened.contains(&index))
            || subject.measured[index].view.role == Role::System;
        let may_change = !protected && subject.changed.binary_search(&index).is_ok();
        may_change || *raw == before.messages()[index]
    });
    let old: Vec<&MessageView> = subject.measured.iter().map(|m| &m.view).collect();
    let views: Vec<&MessageView> = new.iter().map(|m| &m.view).collect();
    // Without its snapshots, the message that holds them is what it was.
    let beside = (subject.system, subject.after.system.as_deref());
    let find = |history, views, system| Place::find(history, views, system, subject.proves);
    let was = find(before, old.as_slice(), beside.0).emptied(before, beside.0);
    same && find(after, views.as_slice(), beside.1).emptied(after, beside.1) == was
}

fn no_message_grew(subject: &Subject<'_>, new: &[Arc<Measured>]) -> bool {
    pairs(subject, new).all(|(_, new, old)| new.tokens <= old.tokens)
}
