//! The terms that take the first ones of values in an order: `sort_by(.x) | .[0]`.

use jaq_core::{
    load::parse::{BinaryOp, Term},
    path::{Part, Path},
};

/// Returns true if the last value of a term is in an order.
pub(super) fn sorts(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(_, BinaryOp::Pipe(_), last) => sorts(last),
        Term::Call(name, _) => matches!(*name, "sort" | "sort_by"),
        _ => false,
    }
}

/// Returns true if a term takes its first elements.
pub(super) fn takes_first(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(first, BinaryOp::Pipe(_), _) => takes_first(first),
        Term::Path(of, path) => matches!(**of, Term::Id) && begins(path) || takes_first(of),
        Term::Arr(Some(term)) => takes_first(term),
        Term::Call("first", of) => of.is_empty() || is_each(&of[0]),
        Term::Call("limit", of) => of.get(1).is_some_and(is_each),
        _ => false,
    }
}

/// Returns true for a path that begins with `[0]` or `[:3]`.
pub(super) fn begins(path: &Path<Term<&str>>) -> bool {
    let is_zero = |at: &Term<&str>| matches!(at, Term::Num("0"));
    match path.0.first() {
        Some((Part::Index(at), _)) => is_zero(at),
        Some((Part::Range(start, Some(_)), _)) => start.as_ref().is_none_or(is_zero),
        _ => false,
    }
}

/// Returns true for `.[]`.
fn is_each(term: &Term<&str>) -> bool {
    matches!(term, Term::Path(of, path) if matches!(**of, Term::Id)
        && matches!(path.0.first(), Some((Part::Range(None, None), _))))
}
