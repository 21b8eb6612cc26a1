//! Comparisons of a field with a constant. jq compares values of any two types, and says nothing
//! if they never have the same one.

use std::collections::BTreeSet;

use jaq_json::Val;

use super::shape::{Step, spelled};
use record_sql::suggest::nearest::nearest;

/// The most values of a field that are shown.
const MAX_SHOWN: usize = 3;

/// The most values of a field that are kept.
const MAX_KEPT: usize = 200;

/// The longest value that is shown, in bytes.
const MAX_BYTES: usize = 80;

/// A constant of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// A string.
    Text(String),
    /// A number.
    Number,
    /// true or false.
    Boolean,
    /// No constant: the value itself is the condition.
    Truth,
}

impl Constant {
    fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number => "a number",
            Self::Boolean | Self::Truth => "a boolean",
        }
    }
}

/// A comparison, with the values that the field has.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    path: Vec<Step>,
    with: Constant,
    /// True for `==`.
    is_equality: bool,
    /// True if some value has the type of the constant.
    has_type: bool,
    /// Another type that values have.
    other: Option<&'static str>,
    /// Some values, as JSON.
    values: BTreeSet<String>,
}

impl Comparison {
    pub(super) fn new(path: Vec<Step>, with: Constant, is_equality: bool) -> Self {
        Self { path, with, is_equality, has_type: false, other: None, values: BTreeSet::new() }
    }

    /// Looks at a record. Returns false if there is nothing to say of the comparison.
    pub(super) fn see(&mut self, record: &Val) -> bool {
        let Some((Step::Each, path)) = self.path.split_first() else { return false };
        let path = path.to_vec();
        self.see_values(record, &path)
    }

    fn see_values(&mut self, value: &Val, path: &[Step]) -> bool {
        match (path.split_first(), value) {
            (None, value) => self.see_value(value),
            (Some((Step::Field(name), rest)), Val::Obj(members)) => {
                let name = Val::utf8_str(name.as_bytes().to_vec());
                members.get(&name).is_none_or(|part| self.see_values(part, rest))
            }
            (Some((Step::Each, rest)), Val::Arr(items)) => {
                items.iter().all(|item| self.see_values(item, rest))
            }
            (Some((Step::Each, rest)), Val::Obj(members)) => {
                members.values().all(|part| self.see_values(part, rest))
            }
            _ => true,
        }
    }

    fn see_value(&mut self, value: &Val) -> bool {
        let (is_type, is_equal) = match (value, &self.with) {
            (Val::Null, _) => return true,
            (Val::TStr(text), Constant::Text(with)) => (true, ***text == *with.as_bytes()),
            (Val::Num(_), Constant::Number)
            | (Val::Bool(_), Constant::Boolean | Constant::Truth) => (true, true),
            _ => (false, false),
        };
        self.has_type |= is_type;
        if !is_type {
            self.other.get_or_insert(type_name(value));
        }
        if self.values.len() < MAX_KEPT && !matches!(value, Val::Arr(_) | Val::Obj(_)) {
            let shown = value.to_string();
            if shown.len() <= MAX_BYTES {
                self.values.insert(shown);
            }
        }
        !(is_equal || is_type && !self.is_equality)
    }

    /// Returns a note if no value has the type of the constant, or none is equal to it.
    pub(super) fn note(&self) -> Option<String> {
        let path = spelled(&self.path[1..]);
        let first = || self.values.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let such_as =
            if self.values.is_empty() { String::new() } else { format!(", such as {}", first()) };
        let has_false = || self.values.iter().any(|value| value.eq_ignore_ascii_case("\"false\""));
        match (&self.with, self.other) {
            (Constant::Truth, _) if !has_false() => None,
            (with, Some(other)) if !self.has_type => {
                let mut note = format!(
                    "`{path}` is {other} in the records{such_as}, and never {}",
                    with.name()
                );
                match (with, other) {
                    (Constant::Number, "a string") => {
                        note.push_str(&format!("; `({path} | tonumber)` compares as a number"));
                    }
                    (Constant::Truth, _) => note.push_str("; every string is true in a condition"),
                    (_, "an array") => {
                        note.push_str(&format!("; `any({path}[]; . == …)` compares its elements"));
                    }
                    _ => {}
                }
                Some(note)
            }
            (Constant::Text(with), _)
                if self.has_type && self.is_equality && with.len() <= MAX_BYTES =>
            {
                let known = self.values.iter().map(|value| value.trim_matches('"'));
                let near = nearest(with, known, MAX_SHOWN);
                let with = raw_json::quote(with);
                let shown = match near.as_slice() {
                    [] if self.values.is_empty() => String::new(),
                    [] if self.values.len() <= MAX_SHOWN => format!("; the values are {}", first()),
                    [] => such_as,
                    near => format!("; nearest: \"{}\"", near.join("\", \"")),
                };
                Some(format!("no record has {with} in `{path}`{shown}"))
            }
            _ => None,
        }
    }
}

fn type_name(value: &Val) -> &'static str {
    match value {
        Val::Null => "null",
        Val::Bool(_) => "a boolean",
        Val::Num(_) => "a number",
        Val::BStr(_) | Val::TStr(_) => "a string",
        Val::Arr(_) => "an array",
        Val::Obj(_) => "an object",
    }
}
