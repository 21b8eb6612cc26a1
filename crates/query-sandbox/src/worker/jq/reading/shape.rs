//! The places in the records that a value of a filter comes from.

use std::rc::Rc;

/// A step from a value to its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::worker::jq) enum Step {
    /// To the value of a field.
    Field(Rc<str>),
    /// To each element of an array, or to each value of an object.
    Each,
    /// To the element of an array at an index, from 0.
    Item(usize),
}

impl Step {
    /// Returns the step with each element of an array in place of one.
    pub(super) fn to_any_element(&self) -> Step {
        match self {
            Self::Item(_) => Self::Each,
            step => step.clone(),
        }
    }
}

/// The most steps of a path that is followed.
const MAX_STEPS: usize = 32;

/// The value of a term, as far as its text determines it.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// The value at a path, which begins at the array of all records.
    At(Vec<Step>),
    /// An array that the filter makes, with elements of one shape.
    List(Rc<Shape>),
    /// An object that the filter makes.
    Object(Rc<Vec<(Rc<str>, Shape)>>),
    /// The value at a path, or a constant where it is null: `.a // ""`.
    Filled(Vec<Step>),
    /// No value, or one without fields.
    Nothing,
    /// Any value.
    Unknown,
}

impl Shape {
    /// Returns the shape of a part.
    pub(super) fn part(&self, step: Step) -> Shape {
        match self {
            Self::At(path) if path.len() < MAX_STEPS => {
                let mut path = path.clone();
                path.push(step);
                Self::At(path)
            }
            Self::List(element) if !matches!(step, Step::Field(_)) => (**element).clone(),
            Self::Nothing => Self::Nothing,
            _ => Self::Unknown,
        }
    }

    /// Returns an array of such values.
    pub(super) fn list(self) -> Shape {
        Self::List(Rc::new(self))
    }

    /// Returns the shape of a value that is one of the two.
    pub(super) fn or(self, other: Shape) -> Shape {
        match (self, other) {
            (Self::Nothing, shape) | (shape, Self::Nothing) => shape,
            (Self::At(path), Self::At(other)) if path == other => Self::At(path),
            _ => Self::Unknown,
        }
    }
}

/// Returns a path as a filter spells it: `.a[]."b c"`.
pub(super) fn spelled(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Each if text.is_empty() => text.push_str(".[]"),
            Step::Each => text.push_str("[]"),
            Step::Item(at) if text.is_empty() => text.push_str(&format!(".[{at}]")),
            Step::Item(at) => text.push_str(&format!("[{at}]")),
            Step::Field(name) => {
                let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !name.starts_with(|c: char| c.is_ascii_digit());
                text.push('.');
                if is_word && !name.is_empty() {
                    text.push_str(name);
                } else {
                    text.push_str(&raw_json::quote(name));
                }
            }
        }
    }
    text
}
