//! Tool arguments from a model, converted to a request body.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::definition::Definition;
use crate::params::{Beside, Field, HistoryMembers, unquoted};
use crate::pipeline::Settings;
use crate::reading::extract::request::Extract;
use crate::service::requests::{Grep, Read, ToolResult};

/// The members of the arguments, each as raw JSON.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// Parses arguments, and unquotes numbers, flags and lists. Omits null, and passes on everything
/// else: the service reports errors. Returns `None` unless they are an object.
pub(super) fn read(arguments: &str, tool: &Definition) -> Option<Members> {
    let given: Members = serde_json::from_str(arguments).ok()?;
    let fields = fields(tool);
    let mend = |(name, value): (String, Box<RawValue>)| {
        let field = fields.iter().find(|field| field.name == name);
        let meant = field.and_then(|field| unquoted(value.get(), field));
        (name, meant.map_or(value, raw))
    };
    Some(given.into_iter().filter(|(_, value)| value.get() != "null").map(mend).collect())
}

/// Returns the members that a tool accepts.
fn fields(tool: &Definition) -> Vec<Field> {
    match tool.name {
        "read_file" => Read::FIELDS.to_vec(),
        "grep" => Grep::FIELDS.to_vec(),
        "lro_extract" => Extract::FIELDS.to_vec(),
        "read_tool_result" => ToolResult::FIELDS.to_vec(),
        _ => [HistoryMembers::FIELDS, Settings::FIELDS, Beside::FIELDS].concat(),
    }
}

/// Returns the request body.
pub(super) fn body(members: &Members) -> String {
    serde_json::to_string(members).expect("names and raw JSON serialise")
}

/// Wraps valid JSON.
pub(super) fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("numbers, words and lists of ours are JSON")
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
    fn what_the_declarations_tell_is_unquoted() {
        let extract = |arguments| mended("lro_extract", arguments);
        assert_eq!(
            extract(r#"{"params":"{\"n\":1.10}","count":"true"}"#),
            r#"{"count":true,"params":{"n":1.10}}"#
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
