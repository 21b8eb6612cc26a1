//! Arrays that must contain texts. jq's `contains` takes a part of an element for the element, and
//! says nothing of it.

use jaq_json::Val;

use super::{shape::Step, trail::Trail};

/// The longest element that is shown, in bytes.
const MAX_BYTES: usize = 80;

/// An array that must contain a text.
#[derive(Clone, Debug)]
pub(super) struct Contained {
    trail: Trail,
    text: String,
    /// An element that has the text as a part, of an array without the text itself.
    by_part: Option<String>,
}

impl Contained {
    pub(super) fn new(path: Vec<Step>, text: String) -> Self {
        Self { trail: Trail::new(path), text, by_part: None }
    }

    /// Looks at a record.
    pub(super) fn see(&mut self, record: &Val) {
        let Self { trail, text, by_part } = self;
        if by_part.is_some() {
            return;
        }
        trail.follow(record, &mut |value| {
            let Val::Arr(items) = value else { return true };
            let texts = || items.iter().filter_map(as_text);
            if texts().all(|item| item != text) {
                let part = texts().find(|item| item.contains(&**text) && item.len() <= MAX_BYTES);
                *by_part = part.map(str::to_owned);
            }
            by_part.is_none()
        });
    }

    /// Returns a note if an array has the text only as a part of an element.
    pub(super) fn note(&self) -> Option<String> {
        let (path, text) = (self.trail.spelled(), raw_json::quote(&self.text));
        let part = raw_json::quote(self.by_part.as_ref()?);
        Some(format!(
            "contains([{text}]) takes parts: it holds where `{path}` has {part}; \
             `any({path}[]; . == {text})` compares whole elements"
        ))
    }
}

fn as_text(value: &Val) -> Option<&str> {
    match value {
        Val::TStr(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}
