//! The checks before an answer leaves: the product's promises, looked at in the
//! answer itself and not in the plan that led to it. A failure is a bug or a
//! broken disk; either way the caller gets its own messages back.

use std::sync::Arc;

use super::report::Checks;
use crate::history::dialect::Problem;
use crate::history::message::MessageView;
use crate::history::splice::Edit;
use crate::history::{History, HistoryError};
use crate::store::Roots;
use crate::tokens::Tokenizer;
use crate::tokens::measure::{Measure, Measured};

/// A new reference: its path, and the least that its file must hold.
pub(super) struct NewReference<'a> {
    pub(super) path: &'a str,
    pub(super) bytes: u64,
}

/// What the checks look at.
pub(super) struct Subject<'a> {
    pub(super) before: &'a History<'a>,
    pub(super) measured: &'a [Arc<Measured>],
    pub(super) after: &'a str,
    pub(super) edits: &'a [Edit],
    /// The messages that edits fall into, in order.
    pub(super) changed: &'a [usize],
    /// Messages from here on are protected.
    pub(super) recent_from: usize,
    pub(super) references: &'a [NewReference<'a>],
    /// True where the store says that each new file holds what was moved to it.
    pub(super) held: bool,
}

/// Looks at everything; also returns the tokens of the messages that leave.
pub(super) fn check(
    subject: &Subject<'_>,
    measure: &Measure,
    tokenizer: Tokenizer,
    roots: &Roots,
) -> Result<(Checks, u64), HistoryError> {
    let after = History::parse(subject.after, subject.before.dialect().name())?;
    let measured = measure.history(&after, tokenizer)?;
    let sum = |measured: &[Arc<Measured>]| measured.iter().map(|m| m.tokens).sum::<u64>();
    let (before_tokens, after_tokens) = (sum(subject.measured), sum(&measured));
    let each_smaller = measured.len() == subject.measured.len()
        && measured.iter().zip(subject.measured).all(|(new, old)| new.tokens <= old.tokens);
    let checks = Checks {
        pairing: pairing(subject, &measured),
        references_readable: subject.held && subject.references.iter().all(|r| readable(r, roots)),
        protected_untouched: untouched(subject, &after),
        not_larger: after_tokens <= before_tokens && each_smaller,
    };
    Ok((checks, after_tokens))
}

/// Same shape, message by message, and no rule broken that was not before.
fn pairing(subject: &Subject<'_>, measured: &[Arc<Measured>]) -> bool {
    let dialect = subject.before.dialect();
    let problems = |measured: &[Arc<Measured>]| -> Vec<Problem> {
        let views: Vec<&MessageView> = measured.iter().map(|m| &m.view).collect();
        dialect.problems(&views)
    };
    let same_shape =
        measured.iter().zip(subject.measured).all(|(new, old)| new.view.same_shape(&old.view));
    measured.len() == subject.measured.len()
        && same_shape
        && problems(measured) == problems(subject.measured)
}

/// The bytes between the edits are the bytes that came, and no edit falls into
/// a protected message.
fn untouched(subject: &Subject<'_>, after: &History<'_>) -> bool {
    let before = subject.before;
    let protected = |index: &usize| {
        use crate::history::message::Role;
        *index >= subject.recent_from || subject.measured[*index].view.role == Role::System
    };
    if subject.changed.iter().any(protected) {
        return false;
    }
    let mut changed = subject.changed.iter().copied().peekable();
    let messages_same = before
        .messages()
        .iter()
        .zip(after.messages())
        .enumerate()
        .all(|(index, (old, new))| changed.next_if_eq(&index).is_some() || old == new);
    let (mut old_at, mut new_at) = (0, 0);
    for edit in subject.edits {
        let kept = &before.array()[old_at..edit.span.start];
        if subject.after.get(new_at..new_at + kept.len()) != Some(kept) {
            return false;
        }
        new_at += kept.len() + edit.replacement.len();
        old_at = edit.span.end;
    }
    messages_same && subject.after.get(new_at..) == before.array().get(old_at..)
}

/// Reads as a caller would: by the path in the reference.
fn readable(reference: &NewReference<'_>, roots: &Roots) -> bool {
    let Ok(at) = roots.locate(reference.path) else { return false };
    let Ok(file) = at.dir().open(at.relative()) else { return false };
    file.metadata().is_ok_and(|m| m.is_file() && m.len() >= reference.bytes)
}
