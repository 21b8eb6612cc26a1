//! Whether a filter means each record, or the array of all.

use std::rc::Rc;

use jaq_json::Val;

use super::field_check::key;

/// How a filter uses its input.
#[derive(Debug, Default)]
pub(in crate::worker::jq) struct InputUse {
    /// As an object.
    pub(super) reads_field: bool,
    /// As an array: `.[0]`, `group_by(.x)`.
    pub(super) needs_array: bool,
    /// As an array, or as an object with any fields: `length`, `.[]`.
    pub(super) may_be_array: bool,
    /// The fields that are read of its elements: `map(.x)`.
    pub(super) element_fields: Vec<Rc<str>>,
}

/// The input that a filter is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker::jq) enum Meant {
    /// Each record.
    Each,
    /// The array of all records.
    All,
    /// The array of all records; if it fails on that, each record.
    AllIfPossible,
}

impl InputUse {
    /// Returns the input that the filter is meant for, if the records are like `record`.
    pub(in crate::worker::jq) fn meant(&self, record: &Val) -> Meant {
        // Records that are arrays are arrays; texts and numbers are elements of one.
        if self.reads_field || matches!(record, Val::Arr(_)) {
            return Meant::Each;
        }
        if self.needs_array {
            return Meant::All;
        }
        let has_field = |value: &Val| match value {
            Val::Obj(members) => {
                self.element_fields.iter().any(|name| members.contains_key(&key(name)))
            }

            _ => false,
        };
        // A record of objects; on other values, the field is an error.
        let may_have_field = |value: &Val| matches!(value, Val::Obj(_) | Val::Null);
        if let Val::Obj(members) = record
            && members.values().all(may_have_field)
            && members.values().any(has_field)
        {
            return Meant::Each;
        }
        match (self.element_fields.is_empty(), self.may_be_array) {
            (false, _) => Meant::All,
            (true, true) => Meant::AllIfPossible,
            (true, false) => Meant::Each,
        }
    }
}
