//! Changes the term of a filter where jq and `jaq` differ, before it is compiled.

use jaq_core::{
    load::{
        lex::StrPart,
        parse::{BinaryOp, Pattern, Term},
    },
    ops::Math,
    path::Part,
};

/// Numbers in texts are written by this crate, an index or a bound of a slice may have a
/// fraction, a division by zero is an error, and a remainder is that of whole numbers. The
/// recursion is bounded by the length of the filter.
pub(super) fn adapt(term: &mut Term<&str>) {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) => {}
        Term::Str(format, parts) => {
            for part in parts {
                if let StrPart::Term(term) = part {
                    adapt(term);
                    format.get_or_insert("@text");
                }
            }
        }
        Term::Arr(term) => term.iter_mut().for_each(|term| adapt(term)),
        Term::Obj(members) => {
            for (key, value) in members {
                adapt(key);
                value.iter_mut().for_each(adapt);
            }
        }
        Term::Neg(term) | Term::Label(_, term) => adapt(term),
        Term::BinOp(left, op, right) => {
            if let BinaryOp::Pipe(Some(pattern)) = op {
                adapt_pattern(pattern);
            }
            let function = match op {
                BinaryOp::Math(Math::Div) if may_be_zero(right) => Some("quotient_"),
                BinaryOp::UpdateMath(Math::Div) if may_be_zero(right) => Some("update_quotient_"),
                BinaryOp::Math(Math::Rem) => Some("remainder_"),
                BinaryOp::UpdateMath(Math::Rem) => Some("update_remainder_"),
                _ => None,
            };
            [&mut *left, &mut *right].into_iter().for_each(|term| adapt(term));
            if let Some(function) = function {
                let operands = [left, right].map(|term| std::mem::take(&mut **term));
                *term = Term::Call(function, operands.into());
            }
        }
        Term::Fold(_, source, pattern, rest) => {
            adapt(source);
            adapt_pattern(pattern);
            rest.iter_mut().for_each(adapt);
        }
        Term::TryCatch(term, catch) => {
            adapt(term);
            catch.iter_mut().for_each(|term| adapt(term));
        }
        Term::IfThenElse(branches, otherwise) => {
            for (condition, then) in branches {
                adapt(condition);
                adapt(then);
            }
            otherwise.iter_mut().for_each(|term| adapt(term));
        }
        Term::Def(defs, term) => {
            defs.iter_mut().for_each(|def| adapt(&mut def.body));
            adapt(term);
        }
        Term::Call(_, arguments) => arguments.iter_mut().for_each(adapt),
        Term::Path(term, path) => {
            adapt(term);
            for (part, _) in &mut path.0 {
                match part {
                    Part::Index(index) => convert(index, "whole_index"),
                    Part::Range(start, end) => {
                        start.iter_mut().for_each(|start| convert(start, "slice_start"));
                        end.iter_mut().for_each(|end| convert(end, "slice_end"));
                    }
                }
            }
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

fn adapt_pattern(pattern: &mut Pattern<&str>) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Arr(patterns) => patterns.iter_mut().for_each(adapt_pattern),
        Pattern::Obj(members) => {
            for (key, pattern) in members {
                adapt(key);
                adapt_pattern(pattern);
            }
        }
    }
}

/// Pipes the outputs of an index into `function`, unless it is a text.
fn convert(index: &mut Term<&str>, function: &'static str) {
    adapt(index);
    if !matches!(index, Term::Str(..)) {
        let outputs = Box::new(std::mem::take(index));
        let function = Box::new(Term::Call(function, Vec::new()));
        *index = Term::BinOp(outputs, BinaryOp::Pipe(None), function);
    }
}
