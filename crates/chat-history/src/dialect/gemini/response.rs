//! The response of a function: an object whose fields are the tool's choice. If they are texts,
//! each is a slot; otherwise the whole object is one slot, and an object with one text replaces it.
//! Only the structure decides, so that a replaced response has as many slots as before.

use std::ops::Range;

use raw_json::{self as raw, Fields};

use super::problems::RESULT_NOT_AN_OBJECT;
use crate::dialect::Fault;
use crate::dialect::members::{members, string};
use crate::dialect::view_builder::ViewBuilder;
use crate::message::{Frame, Slot, SlotKind};

/// Maximum number of fields; an object with more is a record, and moves as a whole.
const MAX_FIELDS: usize = 8;

/// Returns the slots of a response; other values are counted.
pub(super) fn slots<'a>(
    builder: &mut ViewBuilder<'a>,
    response: &'a str,
    id: Option<&String>,
) -> Vec<Slot> {
    if !response.starts_with('{') {
        let fault = Fault { rule: RESULT_NOT_AN_OBJECT, id: id.cloned() };
        builder.view.faults.push(fault);
        return vec![builder.slot(response)];
    }
    let fields = raw::fields(response).unwrap_or_default();
    if fields.is_empty() {
        return Vec::new();
    }
    let whole = builder.slot(response).span;
    match flat(&fields) {
        Some(values) => {
            let whole = (fields.len() == 1).then_some(whole);
            values.into_iter().flat_map(|value| value.slots(builder, whole.clone())).collect()
        }
        None => {
            let frame = Frame::Object { whole: whole.clone() };
            vec![Slot { span: whole, kind: SlotKind::Json, frame }]
        }
    }
}

/// Returns the values of an object whose texts are separate slots; `None` for a structured object.
fn flat<'a>(fields: &Fields<'a>) -> Option<Vec<Value<'a>>> {
    if fields.len() > MAX_FIELDS {
        return None;
    }
    // Of two fields with the same name, parsers keep the last.
    let names = || fields.iter().map(|(name, _)| name);
    let last = fields.iter().enumerate();
    let last = last.filter(|(at, (name, _))| !names().skip(at + 1).any(|later| later == name));
    let values: Option<Vec<Value<'a>>> = last.map(|(_, (_, value))| Value::read(value)).collect();
    values.filter(|values| values.iter().any(|value| !matches!(value, Value::Plain(_))))
}

/// A flat value of a field.
enum Value<'a> {
    /// A string, as its literal.
    Text(&'a str),
    /// The texts of an array of text parts, as tools of the Model Context Protocol return them.
    Parts(Vec<&'a str>),
    /// A number, a boolean, null, or an empty array or object.
    Plain(&'a str),
}

impl<'a> Value<'a> {
    /// Returns `None` for a value with a structure of its own.
    fn read(value: &'a str) -> Option<Value<'a>> {
        match raw::kind(value) {
            "a string" => Some(Value::Text(value)),
            "an array" => {
                let elements = raw::elements(value).ok()?;
                if elements.is_empty() {
                    return Some(Value::Plain(value));
                }
                elements.into_iter().map(text_part).collect::<Option<_>>().map(Value::Parts)
            }
            "an object" => raw::fields(value).ok()?.is_empty().then_some(Value::Plain(value)),
            _ => Some(Value::Plain(value)),
        }
    }

    /// Returns the slots of the value. `whole` is the object if it has no other field.
    fn slots(self, builder: &mut ViewBuilder<'a>, whole: Option<Range<usize>>) -> Vec<Slot> {
        match self {
            Value::Text(text) => {
                let frame = whole.map_or(Frame::Bare, |whole| Frame::Object { whole });
                vec![Slot { frame, ..builder.slot(text) }]
            }
            Value::Parts(texts) => texts.into_iter().map(|text| builder.slot(text)).collect(),
            Value::Plain(value) => {
                builder.text(value);
                Vec::new()
            }
        }
    }
}

fn text_part(part: &str) -> Option<&str> {
    let fields = members(part)?;
    string(&fields, "type").filter(|kind| kind == "text")?;
    raw::field(&fields, "text").filter(|text| raw::is_string(text))
}
