//! Changes the term of a filter where jq and `jaq` differ, before it is compiled.

use jaq_core::{
    load::{
        lex::StrPart,
        parse::{BinaryOp, Pattern, Term},
    },
    ops::Math,
    path::{Opt, Part, Path},
};

use super::index_path::{AT, AT_IF_ANY};

/// The variable of the value that the indices of a path are read from.
const PATH_INPUT: &str = "$path_input_";

/// Numbers in texts are written by this crate, an index or a bound of a slice may have a
/// fraction, a division by zero is an error, and a remainder is that of whole numbers. The steps
/// of a path are jq's. The recursion is bounded by the length of the filter.
pub(super) fn adapt(filter: &str, term: &mut Term<&str>) {
    Adapter { may_update: may_update(filter) }.adapt(term);
}

/// Returns false if the text of a filter has no operator that changes values.
fn may_update(filter: &str) -> bool {
    let bytes = filter.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let is_comparison =
            bytes.get(at + 1) == Some(&b'=') || matches!(before, Some(b'=' | b'!' | b'<' | b'>'));
        *byte == b'=' && !is_comparison
    })
}

struct Adapter {
    /// True if any path of the filter may be that of an update.
    may_update: bool,
}

impl Adapter {
    fn adapt(&self, term: &mut Term<&str>) {
        match term {
            Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => {}
            Term::Str(format, parts) => {
                for part in parts {
                    if let StrPart::Term(term) = part {
                        self.adapt(term);
                        format.get_or_insert("@text");
                    }
                }
            }
            Term::Arr(term) => self.adapt_all(term.as_deref_mut()),
            Term::Obj(members) => {
                for (key, value) in members {
                    self.adapt(key);
                    self.adapt_all(value);
                }
            }
            Term::Neg(term) | Term::Label(_, term) => self.adapt(term),
            Term::BinOp(left, op, right) => {
                if let Some(call) = self.adapt_operation(left, op, right) {
                    *term = call;
                }
            }
            Term::Fold(_, source, pattern, rest) => {
                self.adapt(source);
                self.adapt_pattern(pattern);
                self.adapt_all(rest);
            }
            Term::TryCatch(term, catch) => {
                self.adapt(term);
                self.adapt_all(catch.as_deref_mut());
            }
            Term::IfThenElse(branches, otherwise) => {
                for (condition, then) in branches {
                    self.adapt(condition);
                    self.adapt(then);
                }
                self.adapt_all(otherwise.as_deref_mut());
            }
            Term::Def(defs, term) => {
                self.adapt_all(defs.iter_mut().map(|def| &mut def.body));
                self.adapt(term);
            }
            Term::Call(_, arguments) => self.adapt_all(arguments),
            Term::Path(of, path) => {
                self.adapt(of);
                path.0.iter_mut().for_each(|(part, _)| self.adapt_part(part));
                if path.0.iter().any(|(part, _)| self.is_of_jq(part)) {
                    *term = steps(std::mem::take(&mut **of), std::mem::take(&mut path.0));
                }
            }
        }
    }

    fn adapt_all<'t, 'f: 't>(&self, terms: impl IntoIterator<Item = &'t mut Term<&'f str>>) {
        terms.into_iter().for_each(|term| self.adapt(term));
    }

    /// Returns the call that takes the place of an operation which jq has in another way.
    fn adapt_operation<'f>(
        &self,
        left: &mut Term<&'f str>,
        op: &mut BinaryOp<&'f str>,
        right: &mut Term<&'f str>,
    ) -> Option<Term<&'f str>> {
        if let BinaryOp::Pipe(Some(pattern)) = op {
            self.adapt_pattern(pattern);
        }
        let function = match op {
            BinaryOp::Math(Math::Div) if may_be_zero(right) => Some("quotient_"),
            BinaryOp::UpdateMath(Math::Div) if may_be_zero(right) => Some("update_quotient_"),
            BinaryOp::Math(Math::Rem) => Some("remainder_"),
            BinaryOp::UpdateMath(Math::Rem) => Some("update_remainder_"),
            _ => None,
        };
        self.adapt(left);
        self.adapt(right);
        Some(Term::Call(function?, [left, right].map(std::mem::take).into()))
    }

    fn adapt_part(&self, part: &mut Part<Term<&str>>) {
        match part {
            Part::Index(index) => self.adapt(index),
            Part::Range(start, end) => self.adapt_all(start.iter_mut().chain(end)),
        }
    }

    fn adapt_pattern(&self, pattern: &mut Pattern<&str>) {
        match pattern {
            Pattern::Var(_) => {}
            Pattern::Arr(patterns) => {
                patterns.iter_mut().for_each(|pattern| self.adapt_pattern(pattern));
            }
            Pattern::Obj(members) => {
                for (key, pattern) in members {
                    self.adapt(key);
                    self.adapt_pattern(pattern);
                }
            }
        }
    }

    /// Returns true if a step may lead elsewhere in jq than in `jaq`. A field that is only read is
    /// the same in both.
    fn is_of_jq(&self, part: &Part<Term<&str>>) -> bool {
        match part {
            Part::Range(start, end) => start.is_some() || end.is_some(),
            Part::Index(Term::Str(..)) => self.may_update,
            Part::Index(_) => true,
        }
    }
}

/// Returns false for a constant that is a divisor of every number.
fn may_be_zero(divisor: &Term<&str>) -> bool {
    match divisor {
        Term::Num(number) => number.parse() == Ok(0.0),
        Term::Str(..) => false,
        _ => true,
    }
}

/// Returns the steps of a path, one after the other.
fn steps<'f>(of: Term<&'f str>, parts: Vec<(Part<Term<&'f str>>, Opt)>) -> Term<&'f str> {
    let mut reads_input = false;
    let mut key = |index: Term<&'f str>, function| match index {
        Term::Str(_, ref parts) if parts.iter().all(|part| !matches!(part, StrPart::Term(_))) => {
            index
        }
        Term::Num(_) => then(index, call(function)),
        index => {
            reads_input = true;
            then(Term::Var(PATH_INPUT), then(index, call(function)))
        }
    };
    let steps = parts.into_iter().fold(of, |value, (part, opt)| {
        let key = match part {
            Part::Range(None, None) => {
                return then(value, Term::Path(Box::new(Term::Id), Path(vec![(part, opt)])));
            }
            Part::Index(index) => key(index, "whole_index"),
            Part::Range(start, end) => {
                let mut bound = |name, bound: Option<Term<&'f str>>, function| {
                    let bound = bound.map_or_else(|| call("null"), |bound| key(bound, function));
                    (Term::Str(None, vec![StrPart::Str(name)]), Some(bound))
                };
                Term::Obj(vec![
                    bound("start", start, "slice_start"),
                    bound("end", end, "slice_end"),
                ])
            }
        };
        let function = if matches!(opt, Opt::Optional) { AT_IF_ANY } else { AT };
        then(value, Term::Call(function, vec![key]))
    });
    if !reads_input {
        return steps;
    }
    let bind = BinaryOp::Pipe(Some(Pattern::Var(PATH_INPUT)));
    Term::BinOp(Box::new(Term::Id), bind, Box::new(steps))
}

fn call(function: &str) -> Term<&str> {
    Term::Call(function, Vec::new())
}

fn then<'f>(left: Term<&'f str>, right: Term<&'f str>) -> Term<&'f str> {
    match left {
        Term::Id => right,
        left => Term::BinOp(Box::new(left), BinaryOp::Pipe(None), Box::new(right)),
    }
}
