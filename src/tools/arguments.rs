//! Tool arguments from a model, converted to a request body. Models quote numbers, put objects
//! into strings, and pass null for omitted arguments. If the schema identifies the intended
//! value, it is used; everything else is passed on, and the service reports errors.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::definition::Definition;

/// The members of the arguments, each as raw JSON.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// Parses arguments and unquotes values by the schema. Returns None unless they are an object.
pub(super) fn read(arguments: &str, tool: &Definition) -> Option<Members> {
    let given: Members = serde_json::from_str(arguments).ok()?;
    let schema: Schema = serde_json::from_str(tool.input_schema.get()).ok()?;
    let unquote = |(name, value): (String, Box<RawValue>)| {
        let meant = schema.properties.get(&name).and_then(|of| unquoted(&value, &of.kinds()));
        (name, meant.unwrap_or(value))
    };
    Some(given.into_iter().filter(|(_, value)| value.get() != "null").map(unquote).collect())
}

/// Returns the request body.
pub(super) fn body(members: &Members) -> String {
    serde_json::to_string(members).expect("names and raw JSON serialise")
}

/// Wraps JSON that this service produced.
pub(super) fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("numbers, words and lists of ours are JSON")
}

#[derive(Deserialize)]
struct Schema {
    properties: BTreeMap<String, Property>,
}

#[derive(Deserialize)]
struct Property {
    #[serde(default, rename = "type")]
    kind: Value,
}

impl Property {
    /// Returns the JSON types that it accepts; empty if any.
    fn kinds(&self) -> Vec<&str> {
        match &self.kind {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// Returns the value in a string if the schema accepts no string.
fn unquoted(value: &RawValue, kinds: &[&str]) -> Option<Box<RawValue>> {
    if kinds.is_empty() || kinds.contains(&"string") {
        return None;
    }
    let text: String = serde_json::from_str(value.get()).ok()?;
    let inner: &RawValue = serde_json::from_str(text.trim()).ok()?;
    let kind = match inner.get().as_bytes().first()? {
        b'{' => "object",
        b'[' => "array",
        b't' | b'f' => "boolean",
        b'-' | b'0'..=b'9' => "integer",
        _ => return None,
    };
    kinds.contains(&kind).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::all;

    fn mended(tool: &str, arguments: &str) -> String {
        let tool = all().iter().find(|known| known.name == tool).unwrap();
        body(&read(arguments, tool).unwrap())
    }

    #[test]
    fn what_the_schema_tells_is_unquoted() {
        let extract = |arguments| mended("lro_extract", arguments);
        assert_eq!(
            extract(r#"{"where":"{\"field\":\"n\",\"op\":\">\",\"value\":1.10}","count":"true"}"#),
            r#"{"count":true,"where":{"field":"n","op":">","value":1.10}}"#
        );
        assert_eq!(
            extract(r#"{"ids":"[1, \"a\"]","limit":" 5 "}"#),
            r#"{"ids":[1, "a"],"limit":5}"#
        );
    }

    #[test]
    fn null_is_left_out_and_the_rest_stays() {
        assert_eq!(
            mended("read_file", r#"{"absolute_path":"12","offset":null,"limit":"all","x":1e400}"#),
            r#"{"absolute_path":"12","limit":"all","x":1e400}"#
        );
    }

    #[test]
    fn what_is_no_object_is_none() {
        assert!(read("[1]", &all()[0]).is_none());
    }
}
