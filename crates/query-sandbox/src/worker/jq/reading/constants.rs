//! The terms of a filter that are constants.

use jaq_core::{
    load::{
        lex::StrPart,
        parse::{BinaryOp, Term},
    },
    ops::Cmp,
    path::Part,
};
use jaq_json::Val;

/// A constant of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// A string.
    Text(String),
    /// A number.
    Number,
    /// true or false.
    Boolean,
    /// null: the filter knows that there are records without the field.
    Null,
    /// No constant: another field.
    Field,
    /// No constant: the value itself is the condition.
    Truth,
    /// A value in place of null and of false: `.a // "none"`.
    Fallback,
}

impl Constant {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number => "a number",
            Self::Boolean | Self::Truth => "a boolean",
            Self::Null => "null",
            Self::Fallback => "false",
            Self::Field => "every other value",
        }
    }
}

/// Returns true if an index can only be a number.
pub(super) fn is_number(index: &Term<&str>) -> bool {
    match index {
        Term::Num(_) | Term::Neg(_) | Term::BinOp(_, BinaryOp::Math(_), _) => true,
        Term::BinOp(_, BinaryOp::Pipe(_), last) => is_number(last),
        Term::Call(name, _) => matches!(*name, "length" | "floor" | "ceil" | "round"),
        _ => false,
    }
}

/// Returns true for the number of elements.
pub(super) fn is_length(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(_, BinaryOp::Pipe(_), last) => is_length(last),
        Term::Call(name, _) => *name == "length",
        _ => false,
    }
}

/// Returns true for a condition on each element of a list, which has a result for each.
pub(super) fn is_of_several(term: &Term<&str>) -> bool {
    match term {
        Term::BinOp(left, BinaryOp::Pipe(_) | BinaryOp::Cmp(_), right) => {
            is_of_several(left) || is_of_several(right)
        }
        Term::Path(term, path) => {
            let is_each = |(part, _): &(Part<_>, _)| matches!(part, Part::Range(None, None));
            path.0.iter().any(is_each) || is_of_several(term)
        }
        _ => false,
    }
}

/// Returns the note on `.a != "x" or .a != "y"`, which always holds, or on `.a == "x" and .a == "y"`,
/// which never does.
pub(super) fn always_or_never(
    left: &Term<&str>,
    op: &BinaryOp<&str>,
    right: &Term<&str>,
) -> Option<String> {
    let (compares, word, way) = match op {
        BinaryOp::Or => (Cmp::Ne, "or", "always holds; `and` excludes both"),
        BinaryOp::And => (Cmp::Eq, "and", "never holds; `or` finds both"),
        _ => return None,
    };
    let compared = |term: &Term<&str>| match term {
        Term::BinOp(value, BinaryOp::Cmp(op), text) if *op == compares && !is_of_several(value) => {
            let Term::Str(None, parts) = &**text else { return None };
            Some((format!("{value:?}"), raw_json::quote(&constant(parts)?)))
        }
        _ => None,
    };
    let ((value, one), (same, other)) = (compared(left)?, compared(right)?);
    let sign = if compares == Cmp::Ne { "!=" } else { "==" };
    (value == same && one != other)
        .then(|| format!("`… {sign} {one} {word} … {sign} {other}` of one value {way}"))
}

/// Returns a constant that fields are compared with.
pub(super) fn comparand(term: &Term<&str>) -> Option<Constant> {
    match term {
        Term::Str(None, parts) => constant(parts).map(Constant::Text),
        Term::Num(_) => Some(Constant::Number),
        Term::Neg(term) => comparand(term).filter(|constant| *constant == Constant::Number),
        Term::Call("true" | "false", _) => Some(Constant::Boolean),
        Term::Call("null", _) => Some(Constant::Null),
        _ => None,
    }
}

/// Returns the text of a string without interpolations.
pub(super) fn constant(parts: &[StrPart<&str, Term<&str>>]) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            StrPart::Str(text) => Some((*text).to_owned()),
            StrPart::Char(c) => Some(c.to_string()),
            StrPart::Term(_) => None,
        })
        .collect()
}

/// Returns the name of a value's type, with its article.
pub(super) fn type_name(value: &Val) -> &'static str {
    match value {
        Val::Null => "null",
        Val::Bool(_) => "a boolean",
        Val::Num(_) => "a number",
        Val::BStr(_) | Val::TStr(_) => "a string",
        Val::Arr(_) => "an array",
        Val::Obj(_) => "an object",
    }
}
